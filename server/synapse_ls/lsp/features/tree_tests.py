"""Answer ``synapse/tests`` and ``synapse/runTests``: the tests of a tree, as its buffers have
them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.ide.tree_test_runner import run_case
from synapse_ls.lsp.convert import Range
from synapse_ls.lsp.custom_messages import RunTestsParams, TreeParams, encode_report
from synapse_ls.lsp.feature_context import TreeContext, find_place, request_refusal, tree_context
from synapse_ls.lsp.language_server import Server
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind


@dataclass(frozen=True, kw_only=True)
class TestCase:
    """A case of a file of tree tests; `number` counts from 0."""

    number: int
    name: str
    range: Range


@dataclass(frozen=True, kw_only=True)
class TestFile:
    """A file of tree tests; `problem` says why it has no cases where it cannot be read."""

    uri: str
    cases: list[TestCase]
    problem: str | None


@dataclass(frozen=True, kw_only=True)
class TestsReport:
    """The files of tree tests, sorted by path."""

    files: list[TestFile]


@dataclass(frozen=True, kw_only=True)
class TestFailure:
    """An expectation of a tree's test that does not hold."""

    range: Range
    message: str
    remedy: str | None


@dataclass(frozen=True, kw_only=True)
class TestOutcome:
    """The result of one case of the tree's tests. `bracket` and `tokens` are those of the block it
    met.
    """

    uri: str
    number: int
    name: str
    passed: bool
    bracket: str
    tokens: int
    failures: list[TestFailure]


@dataclass(frozen=True, kw_only=True)
class TestRunReport:
    """The result of each case of the tree's tests."""

    outcomes: list[TestOutcome]


async def answer_tests(ls: Server, _: str, params: TreeParams) -> Any:
    """Answer ``synapse/tests`` and ``synapse/runTests``: return the test cases of a tree, or their
    results.
    """
    root, path = await find_place(ls, params.uri)
    site = await tree_context(ls, root)
    files = dict(_test_files(site))
    if not isinstance(params, RunTestsParams):
        test_files = await ls.reader.run(
            lambda: [_to_test_file(site, facts) for facts in files.values()]
        )
        return encode_report(TestsReport(files=test_files))
    if path in files:
        files = {path: files[path]}
    elif params.cases is not None:
        raise JsonRpcInvalidParams("cases are those of a file of tests, and uri is none.")
    outcomes: list[TestOutcome] = []
    for facts in files.values():
        # File by file: what a person does meanwhile comes in between.
        outcomes += await ls.reader.run(_run_cases, site, facts, params.cases)
    return encode_report(TestRunReport(outcomes=outcomes))


def _test_files(site: TreeContext) -> Iterator[tuple[str, FileFacts]]:
    snapshot = site.view.tree.snapshot
    for path in sorted(snapshot.paths(FileKind.TESTS)):
        facts = snapshot.facts(path)
        if facts is not None:
            yield path, facts


def _to_test_file(site: TreeContext, facts: FileFacts) -> TestFile:
    place = site.place(facts.path)
    document = facts.document
    cases = [
        TestCase(number=number, name=case.name.value, range=place.range(case.span))
        for number, case in enumerate(document.cases if isinstance(document, TreeTests) else ())
    ]
    problem = facts.problems[0].message if facts.problems and not cases else None
    return TestFile(uri=place.uri, cases=cases, problem=problem)


def _run_cases(
    site: TreeContext, facts: FileFacts, wanted: Collection[int] | None
) -> list[TestOutcome]:
    place = site.place(facts.path)
    document = facts.document
    cases = dict(enumerate(document.cases if isinstance(document, TreeTests) else ()))
    for number in wanted or ():
        if number not in cases:
            raise request_refusal(f"{facts.path} has no case {number}.", "Ask for its cases again.")
    outcomes = []
    for number, case in cases.items():
        if wanted is not None and number not in wanted:
            continue
        outcome = run_case(site.view.compiled, case)
        failures = [
            TestFailure(
                range=place.range(failure.span),
                message=failure.message,
                remedy=failure.remedy or None,
            )
            for failure in outcome.failures
        ]
        outcomes.append(
            TestOutcome(
                uri=place.uri,
                number=number,
                name=case.name.value,
                passed=outcome.has_passed,
                bracket=outcome.bracket,
                tokens=outcome.tokens,
                failures=failures,
            )
        )
    return outcomes
