"""``synapse test``: run the tests of a tree, ``.synapse/tests/*.toml``."""

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.cli import check_formats, shared_options
from synapse_ls.cli.command_table import command, option, option_group
from synapse_ls.cli.console import Console, Styled
from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.ide.tree_test_runner import CaseOutcome, Failure, run_case
from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.tree_folders import TESTS
from synapse_ls.workspace.tree_loader import load_tree


class FileResult(NamedTuple):
    """What ``synapse test`` found in a file of cases: what came of each, and why others of it could
    not be read.
    """

    facts: FileFacts
    outcomes: tuple[CaseOutcome, ...]
    unreadable: tuple[Failure, ...]

    def line_of(self, failure: Failure) -> int:
        """Return the line of a failure, from 1."""
        return self.facts.lines.line_of(failure.span.start) + 1


def _write_text(results: list[FileResult], console: Console) -> None:
    for result in results:
        if not result.outcomes and not result.unreadable:
            continue
        console.line(Styled(result.facts.path, "title"))
        for outcome in result.outcomes:
            state = Styled("ok", "good") if outcome.has_passed else Styled("FAILED", "bad")
            cost = Styled(f" ({outcome.bracket}, {outcome.tokens} tokens)", "dim")
            console.line("  ", state, f" {_case_name(outcome)}", cost if outcome.bracket else "")
            _print_failures(result, outcome.failures, console)
        _print_failures(result, result.unreadable, console)
    passed = sum(outcome.has_passed for result in results for outcome in result.outcomes)
    failed = sum(len(result.outcomes) + len(result.unreadable) for result in results) - passed
    console.line(
        Styled(f"{passed} passed", "good") if passed else "0 passed",
        ", ",
        Styled(f"{failed} failed", "bad") if failed else "0 failed",
    )


def _print_failures(result: FileResult, failures: Iterable[Failure], console: Console) -> None:
    for failure in failures:
        place = f"{result.facts.path}:{result.line_of(failure)}"
        console.line("    ", Styled(place, "dim"), f": {failure.message}")
        if failure.remedy:
            console.line("      ", Styled("remedy:", "good"), f" {failure.remedy}")


def _case_name(outcome: CaseOutcome) -> str:
    return outcome.case.name.value or "(a case without a name)"


def _write_json(results: list[FileResult], console: Console) -> None:
    console.json(
        [
            {
                "path": result.facts.path,
                "cases": [
                    {
                        "name": outcome.case.name.value,
                        "line": result.facts.lines.line_of(outcome.case.span.start) + 1,
                        "passed": outcome.has_passed,
                        "bracket": outcome.bracket,
                        "tokens": outcome.tokens,
                        "failures": _failure_reports(result, outcome.failures),
                    }
                    for outcome in result.outcomes
                ],
                "problems": _failure_reports(result, result.unreadable),
            }
            for result in results
        ]
    )


def _failure_reports(result: FileResult, failures: Iterable[Failure]) -> list[dict[str, Any]]:
    return [
        {
            "line": result.line_of(failure),
            "message": failure.message,
            "remedy": failure.remedy or None,
        }
        for failure in failures
    ]


def _write_junit(results: list[FileResult], console: Console) -> None:
    """Write JUnit's XML, as continuous-integration servers read it."""
    root = check_formats.xml_root("testsuites", name="synapse test")
    for result in results:
        path = result.facts.path
        suite = check_formats.add_xml(
            root,
            "testsuite",
            name=path,
            tests=len(result.outcomes) + len(result.unreadable),
            failures=sum(not outcome.has_passed for outcome in result.outcomes),
            errors=len(result.unreadable),
        )
        rows = [(_case_name(outcome), "failure", outcome.failures) for outcome in result.outcomes]
        rows += (("the file", "error", (failure,)) for failure in result.unreadable)
        for name, kind, failures in rows:
            case = check_formats.add_xml(suite, "testcase", name=name, classname=path)
            for failure in failures:
                place = f"{path}:{result.line_of(failure)}"
                sentence = f"{place}: {failure.message} {failure.remedy}".rstrip()
                check_formats.add_xml(case, kind, sentence, message=failure.message)
    check_formats.write_xml(root, console)


_WRITERS = {"text": _write_text, "json": _write_json, "junit": _write_junit}


@command(
    option("files FILE", f"only these files of {TESTS} (default: all)", nargs="*"),
    option("--only TEXT", "only cases whose name contains this"),
    option_group("Output", option("--format FORMAT", "{}", choices=_WRITERS, default="text")),
)
def run(options: Namespace, console: Console) -> int:
    """Runs the cases in .synapse/tests/*.toml. Each is a table [[case]] with a name, a situation,
    and what must and must not be in the block then.

    The situation: prompt, agent, workflow, phase, task, story, squad, files, bracket, remaining
    (percent of the window) and turn. What is expected: domains, rules (by key) and texts, each also
    with no_ before it, and max_tokens. A case meets a new session, whatever sessions there are.

    Exit codes: 0 where every case passes, 1 where one fails, 2 where the tests cannot be run.

    Examples:

    # All tests of the tree that I work in
    $ synapse test

    # One case
    $ synapse test --only "unit tests"

    # For a continuous-integration server
    $ synapse test --format junit > tests.xml
    """
    root = shared_options.root_of(options)
    tree = load_tree(root, LoadScope.ALL).tree
    compiled = CompiledTree(tree, root)
    # The files of cases that are asked for.
    files = options.files
    cases = {facts.path: facts for facts in tree.snapshot.files(FileKind.TESTS)}
    wanted = []
    for file in files:
        path = Path(file).absolute()
        inner = path.relative_to(root).as_posix() if path.is_relative_to(root) else file
        if (named := cases.get(inner) or cases.get(file) or cases.get(f"{TESTS}/{file}")) is None:
            raise UserError(f"{file} is no file of cases of this tree.", f"Put it into {TESTS}.")
        wanted.append(named)
    ran = []
    only = options.only.casefold()
    for facts in wanted or cases.values():
        document = facts.document
        file_cases = document.cases if isinstance(document, TreeTests) else ()
        chosen = [case for case in file_cases if only in case.name.value.casefold()]
        outcomes = tuple(run_case(compiled, case) for case in chosen)
        # A file without a single case says why; a case that is not sound says so itself.
        problems = () if file_cases else facts.problems
        broken = tuple(Failure(p.span, p.message, p.remedy) for p in problems)
        ran.append(FileResult(facts, outcomes, broken))
    if not any(result.outcomes or result.unreadable for result in ran):
        if options.only or options.files:
            raise UserError("No case is called that.", "`synapse test` runs all there are.")
        raise UserError(
            f"The tree has no tests: there is no case in {TESTS}/*.toml.",
            "Begin one with [[case]]; `synapse test --help` lists its fields.",
        )
    failing = any(
        result.unreadable or not all(o.has_passed for o in result.outcomes) for result in ran
    )
    _WRITERS[options.format](ran, console)
    return int(failing)
