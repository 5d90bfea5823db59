"""Carrying out a plan of changes, or only showing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.console import Styled
from synapse_ls.cli.options import root_of
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.manage.plan import FileEdit, Plan

_DONE = {"create": "created", "edit": "changed", "rename": "renamed", "move": "moved"}
_SHOWN = 8  # changed lines of a file that are worth repeating
_PAINTED = {"+": "good", "-": "bad", "@": "name"}


def add_dry_run(parser: ArgumentParser) -> None:
    """``--dry-run``."""
    parser.add_argument_group("Output").add_argument(
        "--dry-run", action="store_true", help="show the changes as a diff and write nothing"
    )


def loaded_tree(options: Namespace) -> tuple[str, Tree]:
    """The root of the tree and the tree itself, read for a change."""
    root = root_of(options)
    return root, Tree(load(root, Scope.PROMPT).index.snapshot())


def carry_out(root: str, plan: Plan, options: Namespace, console: Console) -> int:
    """Make the changes of ``plan`` and name the files, or show them with ``--dry-run``."""
    from synapse_ls.manage.apply import apply

    if not plan:
        console.line("Nothing to change.")
        return 0
    if options.dry_run:
        show_diff(plan, console)
        return 0
    apply(Path(root), plan)
    for change in plan.edits:
        moved = f" -> {change.target}" if change.target else ""
        console.line(f"{_DONE[change.action]}  {change.path}{moved}")
        lines = _changed_lines(change)
        for line in lines if len(lines) <= _SHOWN else ():
            console.line("  ", Styled(line, _PAINTED[line[0]]))
    return 0


def _changed_lines(change: FileEdit) -> list[str]:
    """The lines that an edit takes out and puts in, with their signs; none of other changes."""
    from difflib import unified_diff

    if change.action != "edit":
        return []
    old, new = change.before.splitlines(), change.after.splitlines()
    _, _, *lines = unified_diff(old, new, n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and line[1:].strip()]


def show_diff(plan: Plan, console: Console) -> None:
    """A plan as a diff."""
    from synapse_ls.manage.apply import diff

    show_text_diff(diff(plan), console)


def show_text_diff(text: str, console: Console) -> None:
    """A diff: painted for a person, byte for byte for a program."""
    if not console.is_for_people:
        console.write(text)
        return
    for line in text.split("\n")[:-1]:
        heading = line.startswith(("--- ", "+++ ", "rename "))
        style = "title" if heading else _PAINTED.get(line[:1], "")
        console.line(Styled(line, style) if style else line)
