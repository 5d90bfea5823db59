"""``synapse check``: what is malformed or dead in a tree."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.parser import one_of
from synapse_ls.cli.writing import show_diff
from synapse_ls.lint.diagnostic import Severity
from synapse_ls.lint.run import check
from synapse_ls.manage.apply import apply
from synapse_ls.manage.fix import plan_fixes
from synapse_ls.service.inventory import EMPTY
from synapse_ls.text.counted import counted
from synapse_ls.text.lines import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.lint.diagnostic import Diagnostic, Fix
    from synapse_ls.workspace.loader import Loaded

    Findings = tuple[Diagnostic, ...]

_STYLES = {
    Severity.ERROR: "bad",
    Severity.WARNING: "warn",
    Severity.INFO: "name",
    Severity.HINT: "dim",
}
_FAILING = (Severity.ERROR, Severity.WARNING)


class Checked:
    """A tree that was checked: files looked at, findings to be shown, and findings mended."""

    def __init__(
        self, root: str, tree: Tree, files: int, found: tuple[Diagnostic, ...], mended: int
    ) -> None:
        self.root = root
        self.tree = tree
        self.files = files
        self.found = found
        self.mended = mended
        self._lines: dict[str, LineIndex] = {}

    def shown(self, path: str) -> str:
        """A path of the tree as people and editors can open it from the working directory."""
        full = os.path.join(self.root, path)  # noqa: PTH118 - "" and ".." have to stay as they are
        relative = os.path.relpath(full)
        return full if _leads_out(relative) else relative

    def range(self, path: str, span: Span) -> dict[str, int]:
        """A span in lines and columns that count from 1; the end is the column behind the last."""
        lines = self._lines.get(path)
        if lines is None:
            facts = self.tree.snapshot.facts(path)
            lines = self._lines[path] = LineIndex(facts.text if facts else "")
        first, last = lines.position(span.start), lines.position(span.end)
        return {
            "line": first[0] + 1,
            "column": first[1] + 1,
            "end_line": last[0] + 1,
            "end_column": last[1] + 1,
        }


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "paths", metavar="PATH", nargs="*", help="only what is in these files and folders"
    )
    rules = parser.add_argument_group("Rules")
    for name, text in (
        ("--select", "run only these: codes (SYN201), their beginnings (SYN2), names or ALL"),
        ("--ignore", "do not run these"),
    ):
        rules.add_argument(name, metavar="CODES", action="append", default=[], help=text)
    mending = parser.add_argument_group("Fixing")
    mending.add_argument(
        "--fix",
        action="store_true",
        help="apply the fixes that keep the meaning of every rule, and report what is left",
    )
    mending.add_argument(
        "--dry-run", action="store_true", help="with --fix: show the changes as a diff instead"
    )
    output = parser.add_argument_group("Output")
    output.add_argument(
        "--severity",
        metavar="LEVEL",
        type=one_of(severity.value for severity in Severity),
        default=Severity.HINT.value,
        help="show what is at least an error, a warning, an info or a hint (the default)",
    )
    output.add_argument(
        "--exit-zero", action="store_true", help="exit with 0 even where there are findings"
    )
    add_format(output)


def _run(options: Namespace, console: Console) -> int:
    if options.dry_run and not options.fix:
        raise CliError("--dry-run shows what --fix would do.", "Give both, or leave it out.")
    checked = []
    for root, within in _places(options).items():
        loaded = load(root, Scope.ALL)
        tree = Tree(loaded.index.snapshot())
        find = _finder(options, within, loaded)
        mended = 0
        if options.fix:
            fixes = plan_fixes(tree, find)
            if options.dry_run:
                show_diff(fixes.plan, console)
                continue
            apply(Path(root), fixes.plan)
            tree, mended = fixes.tree, fixes.count
        files = sum(_lies_in(path, within) for path in tree.snapshot.paths())
        checked.append(Checked(root, tree, files, find(tree), mended))
    if options.dry_run:
        return 0
    failing = any(found.severity in _FAILING for tree in checked for found in tree.found)
    console.verdict = int(failing and not options.exit_zero)
    if options.format == "json":
        console.json([_report(tree, found) for tree in checked for found in tree.found])
    else:
        for result in checked:
            for found in result.found:
                _tell(result, found, console)
        console.line(*_summary(checked))
        if not (options.paths or any(result.files for result in checked)):
            console.note(EMPTY)
    return console.verdict


def _finder(options: Namespace, within: list[str], loaded: Loaded) -> Callable[[Tree], Findings]:
    """What finds, in a tree, all that the options ask for."""
    selected, ignored = _selectors(options.select), _selectors(options.ignore)
    worst = Severity(options.severity).rank

    def find(tree: Tree) -> Findings:
        found = check(tree, notes=loaded.notes, select=selected or None, ignore=ignored)
        return tuple(d for d in found if d.severity.rank <= worst and _lies_in(d.path, within))

    return find


def _places(options: Namespace) -> dict[str, list[str]]:
    """Root of each tree -> the paths in it that are asked about, relative to it, "" for all."""
    from synapse_ls.service.answer import located

    if not options.paths:
        return {root_of(options): [""]}
    fixed = root_of(options) if hasattr(options, "root") else ""
    places: dict[str, list[str]] = {}
    for given in options.paths:
        path = Path(given).absolute()
        if not path.exists():
            raise CliError(f"There is no file or folder {given}.", "Name one that there is.")
        root = fixed or located(str(path))
        relative = os.path.relpath(path, root).replace(os.sep, "/")
        if _leads_out(relative):
            raise CliError(f"{given} is not in the tree of {root}.", "Leave --root out.")
        places.setdefault(root, []).append("" if relative == os.curdir else relative)
    return places


def _leads_out(relative: str) -> bool:
    return relative.replace(os.sep, "/").split("/", 1)[0] == os.pardir


def _lies_in(path: str, places: Iterable[str]) -> bool:
    return any(not p or path == p or path.startswith(f"{p}/") for p in places)


def _selectors(given: list[str]) -> list[str]:
    """The codes of an option; CliError for one that means no rule."""
    from synapse_ls.lint.registry import rules
    from synapse_ls.lint.selectors import takes

    found = [code.strip() for text in given for code in text.split(",") if code.strip()]
    for code in found:
        if code != "ALL" and not any(takes((code,), rule) for rule in rules()):
            from synapse_ls.workspace.naming import near_misses

            near = near_misses(code, [n for rule in rules() for n in (rule.code, rule.name)])
            raise CliError(
                f"No rule is called {code}.",
                f"Did you mean {' or '.join(near)}?" if near else "`synapse rule` lists them.",
            )
    return found


def _tell(checked: Checked, found: Diagnostic, console: Console) -> None:
    place = checked.range(found.path, found.span)
    console.line(
        Styled(checked.shown(found.path), "title"),
        f":{place['line']}:{place['column']}: ",
        Styled(found.severity.value, _STYLES[found.severity]),
        f" {found.code} {found.name}: {found.message}",
    )
    for related in found.related:
        line = checked.range(related.path, related.span)["line"]
        console.line(
            "  ", Styled(f"{checked.shown(related.path)}:{line}: {related.message}", "dim")
        )
    if found.remedy:
        console.line("  ", Styled("remedy:", "good"), f" {found.remedy}")


def _summary(checked: list[Checked]) -> list[Part]:
    findings = [found for tree in checked for found in tree.found]
    files = counted(sum(tree.files for tree in checked), "file")
    safe = sum(found.fix is not None and found.fix.safe for found in findings)
    parts = list(_parts(Counter(found.severity for found in findings)))
    parts = parts or [Styled("No findings", "good")]
    parts.append(f" · {files} checked")
    mended = sum(tree.mended for tree in checked)
    if mended:
        parts.append(f" · {mended} fixed")
    if safe:
        parts.append(f" · {safe} fixable with --fix")
    return parts


def _parts(counts: Counter[Severity]) -> Iterator[Part]:
    for number, severity in enumerate(s for s in Severity if counts[s]):
        if number:
            yield ", "
        yield Styled(counted(counts[severity], severity.value), _STYLES[severity])


def _report(checked: Checked, found: Diagnostic) -> dict[str, Any]:
    return {
        "path": checked.shown(found.path),
        "code": found.code,
        "name": found.name,
        "severity": found.severity.value,
        "range": checked.range(found.path, found.span),
        "message": found.message,
        "remedy": found.remedy or None,
        "fix": _fix(checked, found.fix) if found.fix else None,
        "related": [
            {
                "path": checked.shown(related.path),
                "range": checked.range(related.path, related.span),
                "message": related.message,
            }
            for related in found.related
        ],
    }


def _fix(checked: Checked, fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "edits": [
            {
                "path": checked.shown(path),
                "range": checked.range(path, edit.span),
                "new_text": edit.new_text,
            }
            for path, edit in fix.edits
        ],
    }


CHECK = Command(
    description="""\
Reads the whole tree and says what is wrong where, what that causes, and what to do. Without PATH it
is the tree of the working directory; with PATHs, the findings in those files and folders, each in
the light of its whole tree.

Exit codes: 0 where nothing is shown that is an error or a warning, 1 where something is, 2 where the
check itself was not possible; a reader that takes only the first lines, such as head, changes none
of them. Which rules run is set in .synapse/config.toml, [lint].""",
    examples=(
        ("The tree that I work in", "synapse check"),
        ("What has to be mended before a merge", "synapse check --severity warning"),
        ("One kind of finding, in one squad", "synapse check --select SYN2 squads/etl-squad"),
        ("What would be fixed?", "synapse check --fix --dry-run"),
        ("For a program", "synapse check --format json --exit-zero | jq 'group_by(.code) | map({code: .[0].code, n: length})'"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
