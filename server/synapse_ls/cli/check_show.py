"""``--show-files`` and ``--show-settings``: what a check would look at, and with which rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from synapse_ls.cli.check_tree import Opened, asked_of
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.formats.report import STYLES, Checked
from synapse_ls.cli.table import columns, header
from synapse_ls.formats.config_schema import OPTIONS
from synapse_ls.formats.toml_text import dotted
from synapse_ls.lint.registry import rules
from synapse_ls.text.json import dumps

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.progress import Progress
    from synapse_ls.formats.config import Lint

_GROUP = "lint."


def show(options: Namespace, progress: Progress, console: Console) -> int:
    """Write what the options ask for, of each tree."""
    every = [Opened(asked, progress) for asked in asked_of(options)]
    progress.end()
    for number, opened in enumerate(every):
        if options.show_files:
            tree = Checked(opened.asked.root, lambda _path: "", 0, ())
            for path in opened.asked.linted(opened.tree.snapshot):
                console.line(tree.shown(path))
        else:
            if number:
                console.line()
            _settings(opened, console)
    return 0


def _settings(opened: Opened, console: Console) -> None:
    """The configuration as it was read, and what comes of it and of the options: rule by rule."""
    lint = opened.tree.snapshot.config.lint
    console.line(Styled(opened.asked.root, "title"))
    for line in _configured(lint):
        console.line(line)
    console.line()
    policy = opened.asked.policy(lint)
    rows: list[list[Part]] = [header("code", "name", "severity")]
    for rule in rules():
        severity = policy.severity(rule) or rule.severity
        runs = policy.runs(rule)
        told = Styled(severity.value, STYLES[severity]) if runs else Styled("does not run", "dim")
        rows.append([rule.code, Styled(rule.name, "name"), told])
    for row in columns(rows):
        console.line(*row)


def _configured(lint: Lint) -> list[str]:
    """The settings as lines of TOML."""
    names = [o.path.removeprefix(_GROUP) for o in OPTIONS if o.path.startswith(_GROUP)]
    return [f"{_GROUP}{name} = {_toml(getattr(lint, name))}" for name in names]


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{dotted([k])} = {_toml(v)}' for k, v in value.items())}}}"
    return dumps(value)  # a text or a truth is written as in JSON
