"""``synapse init``: a first tree, or one from the rules a project has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.writing import add_dry_run, carry_out
from synapse_ls.manage.clients.settings import registered
from synapse_ls.manage.init import SETTINGS, plan_init, starter
from synapse_ls.manage.load import CARL, has_carl, known_sources, load_sources, present
from synapse_ls.workspace.discover import find_root
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


def _arguments(parser: Parser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", help="the workspace (default: the working directory)"
    )
    parser.add_argument_group("Content").add_argument(
        "--from",
        metavar="FILE",
        nargs="*",
        dest="sources",
        help="take rules over from these files and folders; without a name, from CLAUDE.md, "
        "AGENTS.md, .cursor/rules and the like, where there are any",
    )
    add_dry_run(parser)


def _run(options: Namespace, console: Console) -> int:
    root = Path(options.folder or getattr(options, "root", "") or ".").absolute()
    if root.exists() and not root.is_dir():
        raise CliError(f"{root} is a file, not a folder.", "Name a folder.")
    tree = Tree(load(str(root), Scope.PROMPT).index.snapshot())
    there = present(root, starter().keys())
    above = find_root(str(root))
    if above is not None and Path(above) != root:
        console.note(f"{above} has a tree as well; from {root} down, this one will count")
    if options.sources is not None:
        return _adopt(root, tree, there, options, console)
    planned = plan_init(tree, there)
    code = carry_out(str(root), planned.plan, options, console)
    found = known_sources(root)
    if found and planned.plan:
        console.note(f"{', '.join(found)} has rules already: `synapse init --from` takes them over")
    if has_carl(root) and planned.plan:
        console.note(
            f"{CARL}/ has rules already, which count no more beside this tree: `synapse migrate` makes "
            "a tree of them, in the place of this one"
        )
    _next(root, options, console)
    return code


def _adopt(
    root: Path, tree: Tree, there: frozenset[str], options: Namespace, console: Console
) -> int:
    from synapse_ls.manage.adopt import plan_adopt

    names = options.sources or known_sources(root) or ((CARL,) if has_carl(root) else ())
    if not names:
        raise CliError(f"{root} has no CLAUDE.md or the like.", "Name a file: --from FILE.")
    settings = {path: starter()[path] for path in SETTINGS if path not in there}
    adoption = plan_adopt(load_sources(root, names), tree, settings)
    if adoption.barren:
        for line in adoption.report().splitlines()[1:]:
            console.aside(line)
        raise CliError(
            f"There are no rules in {', '.join(adoption.barren)}.",
            "Write one on each line of a list, or run `synapse init` for a first tree.",
        )
    code = carry_out(str(root), adoption.plan, options, console)
    for line in adoption.report().splitlines():
        console.aside(line)
    _next(root, options, console)
    return code


def _next(root: Path, options: Namespace, console: Console) -> None:
    """What to do with the tree, now that it is there."""
    if options.dry_run:
        return
    where = f" {options.folder}" if options.folder else ""
    console.note(f"next, `synapse check{where}` says whether everything in the tree is alive")
    if not registered(str(root)):
        console.note(
            f"next, `synapse install{where and f' --root{where}'}` has your agent told the rules"
        )


INIT = Command(
    description="""\
Writes a small tree that works at once: a manifest, a constitution, global rules, rules for each
bracket, three agents, a workflow and a star-command. Files that exist are never touched. A folder
that does not exist is created.

With --from, the tree is made of the rules that the project has for its agents. Sections about one
subject become domains that are always on, as the sections were; a comment in the manifest suggests
keywords for each, should it be told only when a prompt says one of them. Rules with globs or a
description of their own (.mdc) wake by these. The report says where everything went and what was
left out. The files themselves stay as they are.""",
    examples=(
        ("A first tree, here", "synapse init"),
        ("What would become of my CLAUDE.md?", "synapse init --from CLAUDE.md --dry-run"),
        ("Everything that the project has, into another folder's tree", "synapse init services/api --from"),
    ),
    arguments=_arguments,
    run=_run,
)  # fmt: skip
