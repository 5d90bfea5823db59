"""This module is ``synapse trust``: it names the trees that a hook of the whole user may serve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.shared_options import add_format_option
from synapse_ls.storage import trusted_trees
from synapse_ls.workspace import trusted_places
from synapse_ls.workspace.file_kinds import SQUAD_FILE
from synapse_ls.workspace.tree_discovery import search_tree
from synapse_ls.workspace.tree_folders import RULE_FOLDERS

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "path", metavar="PATH", nargs="?", help="a folder of the tree (default: where you are)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the trusted trees")
    what.add_argument("--remove", action="store_true", help="trust the tree no more")
    add_format_option(parser)


def _run(options: Namespace, console: Console) -> int:
    as_json = options.format == "json"
    if options.list:
        folders = trusted_places.read_trusted()
        gone = [folder for folder in folders if _find_place(Path(folder)) != folder]
        if as_json:
            console.json(
                {"trusted": list(folders), "gone": gone, "file": trusted_places.trust_file()}
            )
            return 0
        for folder in folders:
            mark = [Styled("  no tree is there any more", "warn")] if folder in gone else []
            console.line(folder, *mark)
        return 0
    named = Path(options.path or getattr(options, "root", "") or ".").absolute()
    # A tree that is gone can still be taken off the list.
    root = _find_place(named) or (str(named) if options.remove else "")
    if not root:
        reason = search_tree(str(named)).reason.removesuffix(".")
        raise CliError(f"There is no tree in {named}: {reason}.", "Name a folder with a tree.")
    changed = (
        trusted_trees.distrust_tree(root) if options.remove else trusted_trees.trust_tree(root)
    )
    if as_json:
        console.json(
            {
                "root": root,
                "trusted": trusted_trees.is_trusted(root),
                "changed": changed,
                "file": trusted_places.trust_file(),
            }
        )
        return 0
    state = "not trusted" if options.remove else "trusted"
    console.line(f"{root} is {state}{' now' if changed else ', as before'}.")
    for path in () if options.remove else _files_above(root):
        console.note(f"{path} is told with it.")
    return 0


def _find_place(named: Path) -> str:
    """Returns the place that a folder means: itself where it is a squad or has rules, as what links
    lead to, else the root of the tree that it lies in; "" for none.
    """
    if named.name in RULE_FOLDERS and named.is_dir():
        return str(named.parent)
    if (named / SQUAD_FILE).is_file() or (named / "manifest").is_file():
        return str(named)
    return search_tree(str(named)).root or ""


def _files_above(root: str) -> list[str]:
    """Returns the files above a tree whose domains are sent with its own (CARL v2)."""
    from synapse_ls.workspace.tree_loader import LoadScope, load_tree

    above = load_tree(root, LoadScope.PROMPT).index.snapshot().files_above
    return [str(Path(root, path).resolve()) for path in above]


TRUST = Command(
    description="""\
A hook that was installed for the whole user (`synapse install --scope user`) runs in every project, in
ones that were just cloned too. A tree steers an agent, so such a hook serves only the trees that are
named here; elsewhere it tells the agent nothing. Hooks of a project need no trust of ours: the client
asks before it runs them.

A folder of rules and a squad may be links that lead out of the project. They are read, and notes kept
there, only where the place that they lead to is named here. The list stands in the configuration folder of the user, readable and
writable by nobody else.""",
    examples=(
        ("The tree of this project", "synapse trust"),
        ("Which trees are trusted?", "synapse trust --list"),
        ("Rules or a squad that a link leads to", "synapse trust ~/shared/etl-squad"),
        ("No more", "synapse trust ~/code/old --remove"),
    ),
    arguments=_add_arguments,
    run=_run,
)
