"""Apply planned edits of a tree, or show them as a diff (``--dry-run``)."""

import os
from argparse import Namespace
from difflib import unified_diff
from pathlib import Path

from synapse_ls.cli.command_table import option_group, switch
from synapse_ls.cli.console import Console, Styled
from synapse_ls.storage.atomic_files import ANYWHERE, atomic_write
from synapse_ls.storage.edit_application import apply_plan, plan_diff
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.outside_links import lies_in
from synapse_ls.workspace.repository_discovery import find_top_folder
from synapse_ls.workspace.tree_search_upward import find_root

_ACTION_WORDS = {"create": "created", "edit": "changed", "rename": "renamed", "move": "moved"}
_MAX_LINES = 8  # changed lines of a file that are worth repeating
_DIFF_STYLES = {"+": "good", "-": "bad", "@": "name"}


DRY_RUN_OPTION = option_group(
    "Output", switch("--dry-run", "show the changes as a diff and write nothing")
)


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
    path: str, data: bytes, *, durable: bool = False, mode: int | None = None
) -> None:
    """Write ``data`` as the whole content of a file that a person has named. Raises StorageError,
    for what is behind a link that leads out of the project that the link lies in, too: the link may
    be somebody else's. mode: the permission bits.
    """
    file = os.path.normpath(Path.cwd() / path)
    links = [place.parent for place in (Path(file), *Path(file).parents) if place.is_symlink()]
    projects = filter(None, map(_project_around, map(str, reversed(links))))
    atomic_write(file, data, within=next(projects, ANYWHERE), durable=durable, mode=mode)


def _project_around(folder: str) -> str:
    """Return the nearest repository or tree that a folder lies in, else the working directory if it
    lies there; "" for none.
    """
    here = str(Path.cwd())
    project = max(find_top_folder(folder), find_root(folder) or "", key=len)
    return project or here * lies_in(folder, here)
