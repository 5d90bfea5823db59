"""Answer ``synapse/*`` requests that panels do not need: those about rules with the editor's
buffers, those about histories and tests from disk.
"""

import asyncio
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.compaction.message_lists import WRITERS, write_messages
from synapse_ls.formats.tree_tests import TreeTestCase, TreeTests
from synapse_ls.guard.agent_action import DELETE, READ, WRITE, AgentAction
from synapse_ls.hooks.boundary_verdict import judge_use
from synapse_ls.ide.position_lookup import accounts_at
from synapse_ls.ide.tree_test_runner import run_case
from synapse_ls.lint import rule_pages, rule_selection
from synapse_ls.lsp import custom_messages, feature_context, request_errors
from synapse_ls.lsp.convert import Range, uri_to_path
from synapse_ls.lsp.language_server import Server
from synapse_ls.queries import history_compaction, memory_report, rule_audit
from synapse_ls.queries.guard_report import verdict_report
from synapse_ls.queries.rule_lookup import LookupHit, WhyReport, account_report, find_rules
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.regular_files import open_stream


async def answer_why(
    ls: Server, _: str, params: custom_messages.WhyParams
) -> dict[str, Any] | None:
    """Answer ``synapse/why``: return the accounts that say why what is asked about is in the block
    or left out.
    """
    prompt = params.prompt or ""
    if params.rule is not None:
        rule = params.rule
        root, _path = await feature_context.find_place(ls, params.uri)
        view = (await feature_context.tree_context(ls, root)).view

        def named() -> dict[str, Any]:
            block = view.block(prompt=prompt)
            with request_errors.refuse_core_errors():
                rules = find_rules(view.plan, block, rule, session=view.request.session)
            return _why_answer(rules, block.situation.bracket.name, root.path)

        return await ls.reader.run(named)
    if params.uri is None or params.position is None:
        raise JsonRpcInvalidParams("synapse/why needs a rule, or a uri and a position.")
    position = params.position

    def here(look: feature_context.FileContext) -> dict[str, Any]:
        block = look.view.block(prompt=prompt)
        hits: list[LookupHit] = accounts_at(look.view, block, look.facts, look.map.offset(position))
        if look.facts.kind is FileKind.MEMORY:
            plan, session = look.view.plan, look.view.request.session
            hits = [*memory_report.find_memories(plan, block, look.facts.path, session=session)]
        if not hits:
            raise _nothing_found()
        return _why_answer(hits, block.situation.bracket.name, look.root)

    if (answer := await ls.query_file(params.uri, here)) is None:
        raise _nothing_found()
    return answer


def _nothing_found() -> Exception:
    return request_errors.request_refusal(
        "There is no rule, domain or memory at this place.",
        "Put the caret on a rule, on a domain in the manifest, or into a memory.",
    )


def _why_answer(hits: list[LookupHit], bracket: str, root: str) -> dict[str, Any]:
    accounts = [account_report(hit) for hit in hits]
    return custom_messages.encode_report(WhyReport(bracket=bracket, accounts=accounts), root)


async def answer_guard(ls: Server, _: str, params: custom_messages.GuardParams) -> dict[str, Any]:
    """Answer ``synapse/guard``: return the guard's verdict on the command, files or tool that is
    asked about.
    """
    verbs = ((READ, params.read), (WRITE, params.write), (DELETE, params.delete))
    files = [(verb, path) for verb, paths in verbs for path in paths or ()]
    use = AgentAction(command=params.command or "", files=files, tool=params.tool or "")
    if not (use.command.strip() or files or use.tool):
        raise JsonRpcInvalidParams("synapse/guard needs a command, files or a tool.")
    root, _path = await feature_context.find_place(ls, params.uri)
    view = (await feature_context.tree_context(ls, root)).view

    def judge() -> dict[str, Any]:
        situation = view.block(agent=(params.agent or "").removeprefix("@")).situation
        mode = view.plan.settings["guard"]
        judgement = judge_use(view.plan, situation, use, project_root=root.path)
        return custom_messages.encode_report(
            verdict_report(judgement, situation.agent, mode, view.plan.settings["policy"]),
            root.path,
        )

    return await ls.reader.run(judge)


_DAY = 86400.0  # seconds


async def answer_audit(ls: Server, _: str, params: custom_messages.AuditParams) -> dict[str, Any]:
    """Answer ``synapse/audit``: return the audit; hovers and lenses then show it."""
    root = await feature_context.find_root(ls, params.uri)
    days = rule_audit.DEFAULT_DAYS if params.days is None else params.days
    # Neither thread of the server waits for transcripts: others want to hover meanwhile.
    with request_errors.refuse_core_errors():
        since = time.time() - days * _DAY
        report = await asyncio.to_thread(rule_audit.audit_tree, root.path, since=since)
    await ls.worker.run(root.tree.refresh_histories)
    ls.refresh_views()
    return custom_messages.encode_report(report, root.path)


async def answer_compact(
    ls: Server, _: str, params: custom_messages.CompactParams
) -> dict[str, Any]:
    """Answer ``synapse/compact``: return the history that is left, in the protocol's terms; nothing
    is written.
    """
    if params.shape and params.shape not in WRITERS:
        raise JsonRpcInvalidParams(f"shape is one of {', '.join(WRITERS)}, not {params.shape}.")
    sent = custom_messages.question_arguments(params)
    fields = history_compaction.CompactionRequest.__dataclass_fields__
    wish = history_compaction.CompactionRequest(
        **{name: sent[name] for name in fields if name in sent}
    )

    def compact() -> dict[str, Any]:
        with request_errors.refuse_core_errors():
            history = _read_history(params)
            outcome = asyncio.run(
                history_compaction.compact_history(history.messages, history.tools, wish)
            )
        written = write_messages(outcome.messages, params.shape or "")
        report = replace(outcome.report, kind=history.kind, messages=written)
        return custom_messages.encode_report(report)

    return await ls.reader.run(compact)


def _read_history(params: custom_messages.CompactParams) -> history_compaction.MessageHistory:
    if params.messages is not None:
        return history_compaction.history_from_json(params.messages, "messages")
    path = uri_to_path(params.uri) if params.uri else None
    if path is None:
        raise JsonRpcInvalidParams("synapse/compact needs messages, or the uri of a file.")
    try:
        with open_stream(path) as stream:
            return history_compaction.read_history(stream, Path(path).name)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise request_errors.request_refusal(
            f"Cannot read {path}: {reason}.", "Name a file of messages."
        ) from error


@dataclass(frozen=True, kw_only=True)
class RulePageReport:
    """The page of a lint rule, as Markdown."""

    code: str
    name: str
    markdown: str


async def answer_rule_page(
    ls: Server, _: str, params: custom_messages.RulePageParams
) -> dict[str, Any]:
    """Answer ``synapse/rulePage``: return the page of the rule that a code or a name means."""
    if (rule := rule_selection.find_rule(params.rule)) is None:
        raise request_errors.request_refusal(
            f"No rule is called {params.rule}.", "`synapse rule` lists them."
        )
    # Whoever reads no page should not wait for what makes them.
    markdown = await ls.reader.run(rule_pages.page_markdown, rule)
    return custom_messages.encode_report(
        RulePageReport(code=rule.code, name=rule.name, markdown=markdown)
    )


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


async def answer_tests(ls: Server, _: str, params: custom_messages.TreeParams) -> Any:
    """Answer ``synapse/tests`` and ``synapse/runTests``: return the test cases of a tree, as its
    buffers have them, or their results.
    """
    root, path = await feature_context.find_place(ls, params.uri)
    site = await feature_context.tree_context(ls, root)
    files = {facts.path: facts for facts in site.view.tree.snapshot.files(FileKind.TESTS)}
    if not isinstance(params, custom_messages.RunTestsParams):
        test_files = await ls.reader.run(
            lambda: [_to_test_file(site, facts) for facts in files.values()]
        )
        return custom_messages.encode_report(TestsReport(files=test_files))
    if path in files:
        files = {path: files[path]}
    elif params.cases is not None:
        raise JsonRpcInvalidParams("cases are those of a file of tests, and uri is none.")
    outcomes: list[TestOutcome] = []
    for facts in files.values():
        # File by file: what a person does meanwhile comes in between.
        outcomes += await ls.reader.run(_run_cases, site, facts, params.cases)
    return custom_messages.encode_report(TestRunReport(outcomes=outcomes))


def _to_test_file(site: feature_context.TreeContext, facts: FileFacts) -> TestFile:
    place = site.place(facts.path)
    cases = [
        TestCase(number=number, name=case.name.value, range=place.range(case.span))
        for number, case in _test_cases(facts).items()
    ]
    problem = facts.problems[0].message if facts.problems and not cases else None
    return TestFile(uri=place.uri, cases=cases, problem=problem)


def _test_cases(facts: FileFacts) -> dict[int, TreeTestCase]:
    return dict(enumerate(facts.document.cases if isinstance(facts.document, TreeTests) else ()))


def _run_cases(
    site: feature_context.TreeContext, facts: FileFacts, numbers: Collection[int] | None
) -> list[TestOutcome]:
    place = site.place(facts.path)
    cases = _test_cases(facts)
    for number in numbers or ():
        if number not in cases:
            raise request_errors.request_refusal(
                f"{facts.path} has no case {number}.", "Ask for its cases again."
            )
    outcomes = []
    for number, case in cases.items():
        if numbers is not None and number not in numbers:
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
