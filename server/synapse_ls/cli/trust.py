"""``synapse trust``: which trees a hook of the whole user may serve."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import add_format
from synapse_ls.service import trust
from synapse_ls.workspace.discover import search

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "path", metavar="PATH", nargs="?", help="a folder of the tree (default: where you are)"
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list the trusted trees")
    what.add_argument("--remove", action="store_true", help="trust the tree no more")
    add_format(parser)


def _run(options: Namespace, console: Console) -> int:
    as_json = options.format == "json"
    if options.list:
        folders = trust.trusted()
        gone = [folder for folder in folders if search(folder).root != folder]
        if as_json:
            console.json({"trusted": list(folders), "gone": gone, "file": trust.file()})
            return 0
        for folder in folders:
            mark = [Styled("  no tree is there any more", "warn")] if folder in gone else []
            console.line(folder, *mark)
        return 0
    named = Path(options.path or getattr(options, "root", "") or ".").absolute()
    found = search(str(named))
    # A tree that is gone can still be taken off the list.
    root = found.root or (str(named) if options.remove else None)
    if root is None:
        raise CliError(
            f"There is no tree in {named}: {found.reason.removesuffix('.')}.",
            "Name a folder with a tree.",
        )
    changed = trust.distrust(root) if options.remove else trust.trust(root)
    if as_json:
        console.json(
            {
                "root": root,
                "trusted": trust.is_trusted(root),
                "changed": changed,
                "file": trust.file(),
            }
        )
        return 0
    state = "not trusted" if options.remove else "trusted"
    console.line(f"{root} is {state}{' now' if changed else ', as before'}.")
    for path in () if options.remove else _above(root):
        console.note(f"{path} is told with it.")
    return 0


def _above(root: str) -> list[str]:
    """The files above a tree whose domains are told with its own (CARL v2)."""
    from synapse_ls.workspace.loader import Scope, load

    above = load(root, Scope.PROMPT).index.snapshot().above
    return [str(Path(root, path).resolve()) for path in above]


TRUST = Command(
    description="""\
A hook that was installed for the whole user (`synapse install --scope user`) runs in every project, in
ones that were just cloned too. A tree steers an agent, so such a hook serves only the trees that are
named here; elsewhere it tells the agent nothing. Hooks of a project need no trust of ours: the client
asks before it runs them. The list stands in the configuration folder of the user, readable and
writable by nobody else.""",
    examples=(
        ("The tree of this project", "synapse trust"),
        ("Which trees are trusted?", "synapse trust --list"),
        ("No more", "synapse trust ~/code/old --remove"),
    ),
    arguments=_arguments,
    run=_run,
)
