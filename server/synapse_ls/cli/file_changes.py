"""Apply planned edits of a tree, or show them as a diff (``--dry-run``)."""

import os
from argparse import Namespace
from collections.abc import Container
from difflib import unified_diff
from pathlib import Path

from synapse_ls.cli.command_table import option_group, switch
from synapse_ls.cli.console import Console, Styled
from synapse_ls.storage.atomic_files import ANYWHERE, atomic_write
from synapse_ls.storage.edit_application import apply_plan, plan_diff
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.outside_links import lies_in
from synapse_ls.workspace.repository_discovery import GIT
from synapse_ls.workspace.tree_search_upward import holds_tree

_ACTION_WORDS = {"create": "created", "edit": "changed", "rename": "renamed", "move": "moved"}
_MAX_LINES = 8  # changed lines of a file that are worth repeating
_DIFF_STYLES = {"+": "good", "-": "bad", "@": "name"}


DRY_RUN_SWITCH = switch("--dry-run", "show the changes as a diff and write nothing")
DRY_RUN_OPTION = option_group("Output", DRY_RUN_SWITCH)


def apply_or_show(root: str, plan: EditPlan, options: Namespace, console: Console) -> None:
    """Make a plan's changes of a tree and name the files, or show them with ``--dry-run``."""
    if not plan:
        console.line("Nothing to change.")
        return
    if options.dry_run:
        show_diff(plan, console)
        return
    apply_plan(Path(root), plan)
    for change in plan.edits:
        moved = f" -> {change.target}" if change.target else ""
        console.line(f"{_ACTION_WORDS[change.action]}  {change.path}{moved}")
        if change.action != "edit":
            continue
        # The lines that an edit takes out and puts in, with their signs.
        old, new = change.before.splitlines(), change.after.splitlines()
        _, _, *diff = unified_diff(old, new, n=0, lineterm="")
        lines = [line for line in diff if line[0] in "+-" and line[1:].strip()]
        for line in lines if len(lines) <= _MAX_LINES else ():
            console.line("  ", Styled(line, _DIFF_STYLES[line[0]]))


def show_diff(plan: EditPlan, console: Console) -> None:
    """Show planned changes of a tree as a diff."""
    show_text_diff(plan_diff(plan), console)


def show_text_diff(text: str, console: Console) -> None:
    """Show a diff of changes: painted for a person, byte for byte for a program."""
    if not console.is_for_people:
        console.write(text)
        return
    for line in text.split("\n")[:-1]:
        heading = line.startswith(("--- ", "+++ ", "rename "))
        style = "title" if heading else _DIFF_STYLES.get(line[:1], "")
        console.line(Styled(line, style) if style else line)


def write_named_file(
    path: str, data: bytes, options: Namespace, *, durable: bool = False, mode: int | None = None
) -> None:
    """Write ``data`` as the whole content of a file that a person has named. Raises StorageError,
    for what lies behind a link that leads out of the project of the file, too: the link may be
    somebody else's. mode: the permission bits.
    """
    folder = Path.cwd()
    file = os.path.normpath(folder / path)
    # A folder below that of the person may be a project of somebody else's.
    parts = Path(file).parts[len(folder.parts) :] if lies_in(file, str(folder)) else ()
    bases = (
        str(folder),
        str(folder / parts[0]) if len(parts) > 1 else "",
        os.path.normpath(folder / (getattr(options, "root", "") or "")),
    )
    atomic_write(file, data, within=_find_project(file, bases), durable=durable, mode=mode)


def _find_project(file: str, bases: Container[str]) -> str:
    """Return the nearest folder of a repository or tree around a file, else the innermost of
    ``bases``; `ANYWHERE` for none. What links lead to is no project of its own.
    """
    project, is_marked, home = ANYWHERE, False, str(Path.home())
    for parent in reversed(Path(file).parents):
        folder = str(parent)
        has_mark = folder != home and (os.path.lexists(parent / GIT) or holds_tree(folder))
        if not has_mark and (is_marked or folder not in bases):
            continue
        if not project or lies_in(str(parent.resolve()), str(Path(project).resolve())):
            project, is_marked = folder, has_mark
    return project
