"""This module is ``synapse init``: it creates a first tree, or adopts the rules that a project has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.tree_changes import add_dry_run_option, apply_or_show
from synapse_ls.integrations.settings_files import registered_files
from synapse_ls.setup.init.rule_sources import (
    CARL_FOLDER,
    existing_paths,
    existing_sources,
    has_carl_tree,
    load_sources,
)
from synapse_ls.setup.init.served_rules import find_served_rules
from synapse_ls.setup.init.starter_tree import SETTINGS_FILES, plan_init, starter_files
from synapse_ls.workspace.neighbouring_systems import unserved_systems
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_discovery import find_root
from synapse_ls.workspace.tree_loader import LoadScope, load_tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console
    from synapse_ls.setup.init.served_rules import ServedRules


def _add_arguments(parser: Parser) -> None:
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
    parser.add_argument(
        "--beside",
        action="store_true",
        help="write a tree though rules are served here; those of another system are told to nobody then",
    )
    add_dry_run_option(parser)


def _run(options: Namespace, console: Console) -> int:
    root = Path(options.folder or getattr(options, "root", "") or ".").absolute()
    if root.exists() and not root.is_dir():
        raise CliError(f"{root} is a file, not a folder.", "Name a folder.")
    tree = Tree(load_tree(str(root), LoadScope.PROMPT, profile="synapse").index.snapshot())
    there = existing_paths(root, starter_files().keys())
    above = find_root(str(root))
    if above is not None and Path(above) != root:
        console.note(f"{above} has a tree as well; from {root} down, this one will count")
    if options.sources is not None:
        return _adopt_rules(root, tree, there, options, console)
    served = None if options.beside else find_served_rules(tree, str(root))
    if served is not None:
        console.line("Nothing to change.")
        _print_served(served, root, options, console)
        return 0
    planned = plan_init(tree, there)
    code = apply_or_show(str(root), planned.plan, options, console)
    found = existing_sources(root)
    if found and planned.plan:
        console.note(f"{', '.join(found)} has rules already: `synapse init --from` takes them over")
    for _, other in unserved_systems(str(root)) if planned.plan and not options.dry_run else ():
        console.note(
            f"{other.place} has rules of {other.title}, which count no more beside this tree"
        )
    _print_next_steps(root, options, console)
    return code


def _adopt_rules(
    root: Path, tree: Tree, existing: frozenset[str], options: Namespace, console: Console
) -> int:
    from synapse_ls.setup.init.rule_adoption import plan_adoption

    names = (
        options.sources or existing_sources(root) or ((CARL_FOLDER,) if has_carl_tree(root) else ())
    )
    if not names:
        raise CliError(f"{root} has no CLAUDE.md or the like.", "Name a file: --from FILE.")
    settings = {path: starter_files()[path] for path in SETTINGS_FILES if path not in existing}
    adoption = plan_adoption(load_sources(root, names), tree, settings)
    if adoption.sources_without_rules:
        for line in adoption.to_text().splitlines()[1:]:
            console.note_line(line)
        raise CliError(
            f"There are no rules in {', '.join(adoption.sources_without_rules)}.",
            "Write one on each line of a list, or run `synapse init` for a first tree.",
        )
    served = None if options.beside else find_served_rules(tree, str(root))
    if served is not None and served.name != "synapse":
        raise CliError(
            f"{served.said}; a tree with these rules would be served in its place.",
            f"Nothing was written: {_other_ways(served)}.",
        )
    code = apply_or_show(str(root), adoption.plan, options, console)
    for line in adoption.to_text().splitlines():
        console.note_line(line)
    _print_next_steps(root, options, console)
    return code


def _print_served(served: ServedRules, root: Path, options: Namespace, console: Console) -> None:
    """Prints what is served already, and the ways on."""
    console.note(f"{served.said}; nothing was written")
    if served.name != "synapse":
        console.note(_other_ways(served))
    _print_next_steps(root, options, console)


def _other_ways(served: ServedRules) -> str:
    """Returns how one comes to a tree of ``.synapse/`` all the same."""
    beside = f"`synapse init --beside` writes a tree that is served in the place of {served.place}"
    if served.name != "carl":
        return beside
    return f"`synapse migrate` makes a tree of it, and {beside}"


def _print_next_steps(root: Path, options: Namespace, console: Console) -> None:
    """Prints what to do with the tree, now that it is there."""
    if options.dry_run:
        return
    where = f" {options.folder}" if options.folder else ""
    console.note(f"next, `synapse check{where}` says whether everything in the tree is alive")
    if not registered_files(str(root)):
        console.note(
            f"next, `synapse install{where and f' --root{where}'}` has your agent told the rules"
        )


INIT = Command(
    description="""\
Writes a small tree that works at once: a manifest, a constitution, global rules, rules for each
bracket, three agents, a workflow and a star-command. Files that exist are never touched. A folder
that does not exist is created. Where rules are served already, be it those of CARL, Chati.dev or
Brainiac, it says so and writes nothing, unless you say --beside.

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
    arguments=_add_arguments,
    run=_run,
)  # fmt: skip
