"""``synapse/tests`` and ``synapse/runTests``: the tests of a tree, as its buffers have them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.ide.tree_tests import run
from synapse_ls.lsp import convert
from synapse_ls.lsp.answers import written
from synapse_ls.lsp.asked import place_of, site_of
from synapse_ls.lsp.custom import RunTestsParams, TreeParams
from synapse_ls.lsp.evidence import (
    RunTestsAnswer,
    TestCase,
    TestFailure,
    TestFile,
    TestOutcome,
    TestsAnswer,
)
from synapse_ls.lsp.refusal import refusal
from synapse_ls.workspace.kinds import FileKind

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Site
    from synapse_ls.workspace.facts import FileFacts


async def handle(ls: Server, _: str, params: TreeParams) -> Any:
    """The cases of a tree, or what comes of them."""
    root, path = await place_of(ls, params.uri)
    site = await site_of(ls, root)
    files = dict(_files(site))
    if not isinstance(params, RunTestsParams):
        found = await ls.reader.run(lambda: [_file(site, facts) for facts in files.values()])
        return written(TestsAnswer(files=found))
    if path in files:
        files = {path: files[path]}
    elif params.cases is not None:
        raise JsonRpcInvalidParams("cases are those of a file of tests, and uri is none.")
    outcomes: list[TestOutcome] = []
    for facts in files.values():
        # File by file: what a person does meanwhile comes in between.
        outcomes += await ls.reader.run(_run, site, facts, params.cases)
    return written(RunTestsAnswer(outcomes=outcomes))


def _files(site: Site) -> Iterator[tuple[str, FileFacts]]:
    snapshot = site.view.tree.snapshot
    for path in sorted(snapshot.paths(FileKind.TESTS)):
        facts = snapshot.facts(path)
        if facts is not None:
            yield path, facts


def _file(site: Site, facts: FileFacts) -> TestFile:
    place = site.place(facts.path)
    document = facts.document
    cases = [
        TestCase(number=number, name=case.name.value, range=convert.plain(place.range(case.span)))
        for number, case in enumerate(document.cases if isinstance(document, TreeTests) else ())
    ]
    problem = facts.problems[0].message if facts.problems and not cases else None
    return TestFile(uri=place.uri, cases=cases, problem=problem)


def _run(site: Site, facts: FileFacts, wanted: Collection[int] | None) -> list[TestOutcome]:
    place = site.place(facts.path)
    document = facts.document
    cases = dict(enumerate(document.cases if isinstance(document, TreeTests) else ()))
    for number in wanted or ():
        if number not in cases:
            raise refusal(f"{facts.path} has no case {number}.", "Ask for its cases again.")
    outcomes = []
    for number, case in cases.items():
        if wanted is not None and number not in wanted:
            continue
        outcome = run(site.view.compiled, case)
        failures = [
            TestFailure(
                range=convert.plain(place.range(failure.span)),
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
                passed=outcome.passed,
                bracket=outcome.bracket,
                tokens=outcome.tokens,
                failures=failures,
            )
        )
    return outcomes
