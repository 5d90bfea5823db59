"""``synapse test``: does the block say what it has to, in the situations that matter?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.formats import xml
from synapse_ls.cli.options import root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.ide.tree_tests import Failure, Outcome, run
from synapse_ls.ide.view import Compiled
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import TESTS
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

FORMATS = ("text", "json", "junit")


class Ran(NamedTuple):
    """A file of cases, what came of each, and why others of it could not be read."""

    facts: FileFacts
    outcomes: tuple[Outcome, ...]
    broken: tuple[Failure, ...]

    def line(self, failure: Failure) -> int:
        """The line of a failure, from 1."""
        return self.facts.lines.line_of(failure.span.start) + 1


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help=f"only these files of {TESTS} (default: all)"
    )
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="only cases whose name contains this"
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--format",
        metavar="FORMAT",
        type=one_of(FORMATS),
        default="text",
        help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}",
    )


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    tree = Tree(load(root, Scope.ALL).index.snapshot())
    compiled = Compiled(tree, root)
    ran = [_ran(compiled, facts, options.only) for facts in _chosen(tree, root, options.files)]
    if not any(one.outcomes or one.broken for one in ran):
        if options.only or options.files:
            raise CliError("No case is called that.", "`synapse test` runs all there are.")
        raise CliError(
            f"The tree has no tests: there is no case in {TESTS}/*.toml.",
            "Begin one with [[case]]; `synapse test --help` lists its fields.",
        )
    failing = any(one.broken or not all(o.passed for o in one.outcomes) for one in ran)
    console.verdict = int(failing)
    _WRITERS[options.format](ran, console)
    return console.verdict


def _chosen(tree: Tree, root: str, files: Iterable[str]) -> list[FileFacts]:
    """The files of cases that are asked for; CliError for one that is none of the tree's."""
    there = [tree.snapshot.facts(path) for path in sorted(tree.snapshot.paths(FileKind.TESTS))]
    cases = {facts.path: facts for facts in there if facts}
    wanted = []
    for given in files:
        path = Path(given).absolute()
        inner = path.relative_to(root).as_posix() if path.is_relative_to(root) else given
        found = cases.get(inner) or cases.get(given) or cases.get(f"{TESTS}/{given}")
        if found is None:
            raise CliError(f"{given} is no file of cases of this tree.", f"Put it into {TESTS}.")
        wanted.append(found)
    return wanted or list(cases.values())


def _ran(compiled: Compiled, facts: FileFacts, only: str) -> Ran:
    document = facts.document
    cases = document.cases if isinstance(document, TreeTests) else ()
    chosen = [case for case in cases if only.casefold() in case.name.value.casefold()]
    # A file without a single case says why; a case that is not sound says so itself.
    broken = () if cases else tuple(Failure(p.span, p.message, p.remedy) for p in facts.problems)
    return Ran(facts, tuple(run(compiled, case) for case in chosen), broken)


def _text(ran: list[Ran], console: Console) -> None:
    for one in ran:
        if not one.outcomes and not one.broken:
            continue
        console.line(Styled(one.facts.path, "title"))
        for outcome in one.outcomes:
            state = Styled("ok", "good") if outcome.passed else Styled("FAILED", "bad")
            told = Styled(f" ({outcome.bracket}, {outcome.tokens} tokens)", "dim")
            console.line("  ", state, f" {_name(outcome)}", told if outcome.bracket else "")
            _failures(one, outcome.failures, console)
        _failures(one, one.broken, console)
    passed = sum(outcome.passed for one in ran for outcome in one.outcomes)
    failed = sum(len(one.outcomes) + len(one.broken) for one in ran) - passed
    console.line(
        Styled(f"{passed} passed", "good") if passed else "0 passed",
        ", ",
        Styled(f"{failed} failed", "bad") if failed else "0 failed",
    )


def _failures(one: Ran, failures: Iterable[Failure], console: Console) -> None:
    for failure in failures:
        place = f"{one.facts.path}:{one.line(failure)}"
        console.line("    ", Styled(place, "dim"), f": {failure.message}")
        if failure.remedy:
            console.line("      ", Styled("remedy:", "good"), f" {failure.remedy}")


def _name(outcome: Outcome) -> str:
    return outcome.case.name.value or "(a case without a name)"


def _json(ran: list[Ran], console: Console) -> None:
    console.json([_report(one) for one in ran])


def _report(one: Ran) -> dict[str, Any]:
    return {
        "path": one.facts.path,
        "cases": [
            {
                "name": outcome.case.name.value,
                "line": one.facts.lines.line_of(outcome.case.span.start) + 1,
                "passed": outcome.passed,
                "bracket": outcome.bracket,
                "tokens": outcome.tokens,
                "failures": _told(one, outcome.failures),
            }
            for outcome in one.outcomes
        ],
        "problems": _told(one, one.broken),
    }


def _told(one: Ran, failures: Iterable[Failure]) -> list[dict[str, Any]]:
    return [
        {
            "line": one.line(failure),
            "message": failure.message,
            "remedy": failure.remedy or None,
        }
        for failure in failures
    ]


def _junit(ran: list[Ran], console: Console) -> None:
    """JUnit's XML, as continuous-integration servers read it."""
    console.line(xml.HEAD)
    console.line(xml.opened(0, "testsuites", name="synapse test"))
    for one in ran:
        console.line(
            xml.opened(
                1,
                "testsuite",
                name=one.facts.path,
                tests=len(one.outcomes) + len(one.broken),
                failures=sum(not outcome.passed for outcome in one.outcomes),
                errors=len(one.broken),
            )
        )
        for outcome in one.outcomes:
            _junit_case(one, _name(outcome), "failure", outcome.failures, console)
        for failure in one.broken:
            _junit_case(one, "the file", "error", (failure,), console)
        console.line(xml.closed(1, "testsuite"))
    console.line(xml.closed(0, "testsuites"))


def _junit_case(
    one: Ran, name: str, kind: str, failures: Iterable[Failure], console: Console
) -> None:
    console.line(xml.opened(2, "testcase", name=name, classname=one.facts.path))
    for failure in failures:
        said = f"{one.facts.path}:{one.line(failure)}: {failure.message} {failure.remedy}".rstrip()
        console.line(xml.element(3, kind, said, message=failure.message))
    console.line(xml.closed(2, "testcase"))


_WRITERS = {"text": _text, "json": _json, "junit": _junit}

TEST = Command(
    description="""\
Runs the cases in .synapse/tests/*.toml. Each is a table [[case]] with a name, a situation, and what
must and must not be in the block then.

The situation: prompt, agent, workflow, phase, task, story, squad, files, bracket, remaining (percent
of the window) and turn. What is expected: domains, rules (by key) and texts, each also with no_
before it, and max_tokens. A case meets a new session, whatever sessions there are.

Exit codes: 0 where every case passes, 1 where one fails, 2 where the tests cannot be run.""",
    examples=(
        ("All tests of the tree that I work in", "synapse test"),
        ("One case", 'synapse test --only "unit tests"'),
        ("For a continuous-integration server", "synapse test --format junit > tests.xml"),
    ),
    arguments=_arguments,
    run=_run,
)
