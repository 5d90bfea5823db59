"""``synapse trust`` and ``policy``: which trees are served, and which settings hold there."""

from argparse import Namespace
from pathlib import Path

from synapse_ls.cli import shared_options
from synapse_ls.cli.command_table import command, exclusive, option, switch
from synapse_ls.cli.console import Console, Part, Styled
from synapse_ls.formats.toml_document import toml_value
from synapse_ls.queries.policy_report import policy_report
from synapse_ls.storage import trusted_trees
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import outside_links, pinned_content, user_folders
from synapse_ls.workspace.file_kinds import SQUAD_FILE, LoadScope
from synapse_ls.workspace.repository_discovery import holds_repository
from synapse_ls.workspace.tree_folders import RULE_FOLDERS
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.tree_search_upward import holds_tree, search_tree
from synapse_ls.workspace.user_folders import policy_files

_UNPINNED = "not pinned"
_STYLES = {"changed": "warn", "new": "good", "gone": "bad"}


MOST_LISTED = 40  # files that are listed one by one


def _pin(root: str, options: Namespace, console: Console) -> int:
    """Show what has changed since the last pin, ask, and pin exactly what was shown."""
    files, _ = pinned_content.scan_content(root)
    try:
        pin = trusted_trees.read_pin(root)
    except ValueError as error:
        console.note(f"{error}.")
        pin = None
    changes = (pin or trusted_trees.Pin(root, {}, "")).compare(files)
    as_json = options.format == "json"
    if not as_json:
        lines = list(changes.lines())
        for what, path in lines[:MOST_LISTED]:
            console.line(Styled(f"{what:8}", _STYLES[what]), f" {path}")
        if len(lines) > MOST_LISTED:
            console.line(f"and {len(lines) - MOST_LISTED} more; `--format json` has all of them")
    if not options.yes:
        question = f"Pin {root} with {format_count(len(files), 'file')} as they are now?"
        if (agreed := None if as_json else console.confirm(question)) is None:
            raise UserError(
                "Nothing was pinned, because nobody could be asked.",
                "Read these files, then run `synapse trust --pin --yes`.",
            )
        if not agreed:
            console.line("Nothing was pinned.")
            return 0
    guard = load_tree(root, LoadScope.PROMPT).index.snapshot().config.guard.mode
    trusted_trees.write_pin(root, files, guard)
    trusted_trees.trust_tree(root)
    if as_json:
        console.json(
            {
                **_document(root, changed=bool(changes) or pin is None),
                "changed_files": changes.changed,
                "new_files": changes.came,
                "gone_files": changes.gone,
            }
        )
    else:
        console.line(f"{root} is pinned now, with {format_count(len(files), 'file')}.")
    return 0


def _report(root: str, changed: bool, state: str, options: Namespace, console: Console) -> int:
    if options.format == "json":
        console.json(_document(root, changed=changed))
    else:
        console.line(f"{root} is {state}{' now' if changed else ', as before'}.")
    return 0


def _document(root: str, *, changed: bool) -> dict[str, object]:
    return {
        "root": root,
        "trusted": trusted_trees.is_trusted(root),
        "pinned": trusted_trees.is_pinned(root),
        "changed": changed,
        "file": user_folders.trust_file(),
    }


def _find_place(named: Path) -> str:
    """Return the place that a folder means: itself where it is a squad or has rules, as what links
    lead to, else the root of the tree that it lies in; "" for none.
    """
    if named.name in RULE_FOLDERS and named.is_dir():
        return str(named.parent)
    if (named / SQUAD_FILE).is_file() or (named / "manifest").is_file():
        return str(named)
    # What is named by its path may be anybody's.
    if root := search_tree(str(named)).root:
        return root
    # Another project's branch and commits may be what is trusted.
    return str(named) if holds_tree(str(named)) or holds_repository(str(named)) else ""


@command(
    option("path PATH", "a folder of the tree (default: where you are)", nargs="?"),
    exclusive(
        switch("--list", "list the trusted and the pinned trees"),
        switch("--remove", "trust the tree no more"),
        switch("--pin", "trust the tree as it is now, and not as it will be"),
        switch("--unpin", "let the tree change without a word"),
    ),
    switch("--yes", "do not ask"),
    shared_options.FORMAT_OPTION,
)
def run(options: Namespace, console: Console) -> int:
    """A hook that was installed for the whole user (`synapse install --scope user`) runs in every
    project, in ones that were just cloned too. A tree steers an agent, so such a hook serves only
    the trees that are named here; elsewhere it injects nothing. Hooks of a project need no
    trust of ours: the client asks before it runs them.

    A folder of rules and a squad may be links that lead out of the project. They are read only
    where the place that they lead to, or its project, is named here; notes are kept only in a place
    that is itself named. The list is in the configuration folder of the user, readable and writable
    by nobody else.

    To trust a tree is to trust what it will say tomorrow, too, unless it is pinned. `--pin` keeps a
    digest of each file with rules, configuration, agents, tasks, workflows or memories, and of the
    continuation. Where one differs later, hooks of every scope and MCP inject nothing; a message
    shows which files changed, came or went, until `--pin` shows and pins them again. What you
    change with `synapse` commands, and what the program itself remembers, is pinned as it is
    written. Workflow states, stories, sessions, notes of what happened, branch and commits are not
    pinned.

    On a terminal it asks first; `--yes` answers for it, and `--pin` needs that where nobody can be
    asked.

    Examples:

    # The tree of this project
    $ synapse trust

    # Which trees are trusted?
    $ synapse trust --list

    # Rules or a squad that a link leads to
    $ synapse trust ~/shared/etl-squad

    # What it says now, and nothing else
    $ synapse trust --pin

    # No more
    $ synapse trust ~/code/old --remove
    """
    if options.list:
        folders = outside_links.read_trusted()
        trees = {f: str(Path(f).parent) if Path(f).name in RULE_FOLDERS else f for f in folders}
        gone = [folder for folder, tree in trees.items() if _find_place(Path(folder)) != tree]
        pinned = trusted_trees.pinned_roots()
        if options.format == "json":
            document = {"trusted": list(folders), "pinned": pinned, "gone": gone}
            console.json({**document, "file": user_folders.trust_file()})
            return 0
        for folder in sorted({*folders, *pinned}):
            marks = [Styled("  pinned", "dim")] if folder in pinned else []
            if folder not in folders:
                marks.append(Styled("  not trusted", "warn"))
            if folder in gone:
                marks.append(Styled("  no tree is there any more", "warn"))
            console.line(folder, *marks)
        return 0
    named = Path(options.path or getattr(options, "root", "") or ".").absolute()
    # A tree that is gone can still be taken off the list.
    is_lifted = options.remove or options.unpin
    if not (named.exists() or is_lifted):  # what lies above it was not meant
        raise UserError(f"There is no folder {named}.", "Name a folder with a tree.")
    root = _find_place(named) or (str(named) if is_lifted else "")
    if not root:
        reason = search_tree(str(named)).reason.removesuffix(".")
        raise UserError(f"There is no tree in {named}: {reason}.", "Name a folder with a tree.")
    if options.pin:
        return _pin(root, options, console)
    if options.unpin:
        return _report(root, trusted_trees.remove_pin(root), _UNPINNED, options, console)
    homes = [str(Path(root, name)) for name in RULE_FOLDERS]
    if options.remove:
        removed = [trusted_trees.trust_tree(place, trusts=False) for place in (root, *homes)]
        return _report(root, any(removed), "not trusted", options, console)
    is_settled = options.yes or trusted_trees.is_trusted(root)
    question = f"Trust what {root} injects, now and when it changes?"
    if not is_settled and console.confirm(question) is False:
        return _report(root, False, "not trusted", options, console)
    # Behind links to a folder of rules that is itself named, others may keep their notes.
    is_folder = str(named) in homes and named.is_dir() and not named.is_symlink()
    places = [root, str(named)] if is_folder else [root]
    changed = [trusted_trees.trust_tree(place) for place in places]
    code = _report(root, any(changed), "trusted", options, console)
    if options.format != "json":
        above = load_tree(root, LoadScope.PROMPT).index.snapshot().files_above
        console.notes(f"{Path(root, path).resolve()} is injected with it." for path in above)
        if changes := trusted_trees.find_changes(root):
            console.note(f"it {changes.reason}. {trusted_trees.REMEDY}")
    return code


@command(switch("--all", "the settings that nobody has set, too"), shared_options.FORMAT_OPTION)
def run_policy(options: Namespace, console: Console) -> int:
    """Shows which settings hold in a tree, and which file decided each. That is the policy of the
    machine, that of the user, .synapse/config.toml, or a file that it extends.

    A policy has the settings of config.toml. What it says holds in every tree; where a tree is
    stricter, the tree's own value holds. The exit code is 1 where a policy cannot be believed: then
    the strictest values hold, with those of its other bounds that can be read.

    Examples:

    # Every setting that holds here, and who decided it
    $ synapse policy --all
    """
    report = policy_report(shared_options.root_of(options))
    if options.format == "json":
        console.json(report)
        return int(any(policy.fault for policy in report.policies))
    console.line(Styled(report.root, "title"))
    _, machines = policy_files()
    for policy in report.policies:
        console.line("  policy of the ", "machine" if policy.path == machines else "user", ": ")
        console.line("    ", Styled(policy.path, "name"), f" {policy.name}")
        if policy.fault:
            console.line("    ", Styled(f"It cannot be believed: {policy.fault}.", "bad"))
            console.line("    The strictest values hold, with its other bounds that can be read.")
    if not report.policies:
        console.line("  There is no policy, neither of the machine nor of the user.")
    if report.pins:
        console.line("  Only pinned trees are served (`synapse trust --pin`).")
    if report.clients is not None:
        console.line(f"  Only these clients are served: {', '.join(report.clients) or 'none'}.")
    rows: list[list[Part]] = [
        [
            Styled(setting.name, "name"),
            toml_value(setting.value),
            Styled(setting.source or "default", "warn" if setting.by_policy else "dim"),
        ]
        for setting in report.settings
        if setting.source or options.all
    ]
    if rows:
        console.line()
        console.table(rows, ("setting", "value", "from"))
    return int(any(policy.fault for policy in report.policies))
