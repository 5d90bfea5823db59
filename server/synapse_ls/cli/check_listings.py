"""This module writes what ``synapse check`` shows in place of findings: the files it would look at
(``--show-files``), its settings and rules (``--show-settings``), or ``--statistics``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from synapse_ls.cli.check_scope import OpenedTree, scopes_of
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.formats.check_report import STYLES, CheckedTree, summary_line
from synapse_ls.cli.table import header_row, print_table
from synapse_ls.formats.config_settings import OPTIONS
from synapse_ls.formats.toml_document import dotted_key
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.text.fast_json import dumps

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.console_progress import Progress
    from synapse_ls.cli.formats.check_report import Report
    from synapse_ls.formats.config_file import LintSettings


_SETTING_PREFIX = "lint."


def write_listing(options: Namespace, progress: Progress, console: Console) -> int:
    """Writes the listing of the files or the settings of each tree, as the options ask; returns 0."""
    every = [OpenedTree(asked, progress) for asked in scopes_of(options)]
    progress.end()
    for number, opened in enumerate(every):
        if options.show_files:
            tree = CheckedTree(opened.scope.root, lambda _path: "", 0, ())
            for path in opened.scope.linted_paths(opened.tree.snapshot):
                console.line(tree.display_path(path))
        else:
            if number:
                console.line()
            _write_settings(opened, console)
    return 0


def _write_settings(opened: OpenedTree, console: Console) -> None:
    """Writes the configuration as it was read, and what comes of it and of the options: rule by
    rule.
    """
    lint = opened.tree.snapshot.config.lint
    console.line(Styled(opened.scope.root, "title"))
    for line in _setting_lines(lint):
        console.line(line)
    console.line()
    policy = opened.scope.policy(lint)
    rows: list[list[Part]] = [header_row("code", "name", "severity")]
    for rule in all_rules():
        severity = policy.severity(rule) or rule.severity
        runs = policy.runs(rule)
        told = Styled(severity.value, STYLES[severity]) if runs else Styled("does not run", "dim")
        rows.append([rule.code, Styled(rule.name, "name"), told])
    print_table(rows, console)


def _setting_lines(lint: LintSettings) -> list[str]:
    """Returns the settings as lines of TOML."""
    names = [
        o.path.removeprefix(_SETTING_PREFIX) for o in OPTIONS if o.path.startswith(_SETTING_PREFIX)
    ]
    return [f"{_SETTING_PREFIX}{name} = {_toml_value(getattr(lint, name))}" for name in names]


def _toml_value(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{dotted_key([k])} = {_toml_value(v)}' for k, v in value.items())}}}"
    return dumps(value)  # a text or a truth is written as in JSON


def write_statistics(report: Report, form: str, console: Console) -> None:
    """Writes the listing of how many findings each rule has (``--statistics``), the most frequent
    first.
    """
    found = [diagnostic for _, diagnostic in report.findings()]
    counts = Counter((d.code, d.name) for d in found)
    safe = Counter((d.code, d.name) for d in found if d.fix and d.fix.safe)
    unsafe = Counter((d.code, d.name) for d in found if d.fix and not d.fix.safe)
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule))
    if form == "json":
        console.json(
            [
                {
                    "code": code,
                    "name": name,
                    "count": counts[code, name],
                    "safe_fixes": safe[code, name],
                    "unsafe_fixes": unsafe[code, name],
                }
                for code, name in rules
            ]
        )
        return
    rows: list[list[Part]] = [header_row("findings", "code", "name", "fixable", "unsafe")]
    rows += [
        [
            str(counts[rule]),
            rule[0],
            Styled(rule[1], "name"),
            str(safe[rule] or ""),
            str(unsafe[rule] or ""),
        ]
        for rule in rules
    ]
    if counts:
        print_table(rows, console)
    console.line(*summary_line(report))
