"""The plan of a migration from ``.carl/`` to ``.synapse/``: what becomes of each file, and parity.

Reads the disk and writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.edits.configuration import LIVE_PROFILE
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.state_values import parse_switch
from synapse_ls.integrations.client_definition import Surroundings
from synapse_ls.setup.init import starter_tree
from synapse_ls.setup.migrate.carl_file_conversion import ConvertedFile
from synapse_ls.setup.migrate.carl_installation import (
    CARL,
    CarlRegistration,
    Mention,
    existing_removals,
    guide_changes,
    hook_changes,
    readable_files,
    text_changes,
)
from synapse_ls.setup.migrate.carl_tree_conversion import CarlConversion, Remark, convert_tree
from synapse_ls.setup.migrate.migration_journal import REMOVED, SESSIONS, TREE, MigrationChange
from synapse_ls.setup.migrate.tree_parity import Parity, ask_both_trees
from synapse_ls.setup.planned_changes import NONE
from synapse_ls.setup.session_conversion import CARL_SESSIONS, plan_conversion
from synapse_ls.storage.session_store import encode_session
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.fast_json import loads
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import tree_folders
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, LoadScope
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG
from synapse_ls.workspace.tree_loader import load_tree

_STATE_SUFFIX = "_STATE"


def session_changes(
    root: Path, names: Mapping[str, str], now: float
) -> tuple[list[MigrationChange], list[tuple[str, str]], list[Remark]]:
    """Plan what becomes of CARL's sessions in a migration: return those to be written, with the
    new names of domains, (file, why) of those that stay behind, and remarks.

    A session whose id has one here already stays behind: what it says now is newer.
    """
    plan = plan_conversion(str(root), now=now)
    changes: list[MigrationChange] = []
    mended: list[Remark] = []
    for step in plan.steps:
        sources = [path for path, _ in step.sources if path.startswith(f"{CARL_SESSIONS}/")]
        if step.kind != "carl" or not sources:
            continue
        session = SessionState(loads(step.after.decode()))
        overrides = session.overrides.items()
        session.overrides = {_new_state_key(key, names): on for key, on in overrides}
        session.history.domains = tuple(names.get(name, name) for name in session.history.domains)
        data = encode_session(session)
        why = sources[0]
        mended += _switch_remarks(sources[0], dict(step.sources)[sources[0]])
        file = root / step.target
        changes.append(
            MigrationChange(step.target, file, step.before, data, SESSIONS, why, private=True)
        )
    left = [(path, why) for path, why in plan.skipped if path.startswith(f"{CARL_SESSIONS}/")]
    return changes, left, mended


def _switch_remarks(path: str, data: bytes) -> Iterator[Remark]:
    """Yield what there is to say of switches that CARL took for on, since every text is true to
    it.
    """
    overrides = loads(data.decode()).get("overrides")
    for key, value in overrides.items() if isinstance(overrides, dict) else ():
        if isinstance(value, str) and parse_switch(value) is not True:
            off = "off" if parse_switch(value) is False else "as the manifest says"
            sentence = f'{key} is {off} now: CARL takes every word for on, "{value}" too.'
            yield Remark(path, 0, sentence)


def _new_state_key(key: str, names: Mapping[str, str]) -> str:
    domain = key.removesuffix(_STATE_SUFFIX)
    return (
        f"{names[domain]}{_STATE_SUFFIX}"
        if key.endswith(_STATE_SUFFIX) and domain in names
        else key
    )


_CARL_MATCHING = """\
# What CARL did: keywords match inside words as well, and in code and long pastes too. With
# matching = "word", "test" is no longer found in "latest".
matching = "substring"
match_everything = true
"""
_WORD_MATCHING = """\
# Keywords match whole words. CARL found "test" in "latest", too.
matching = "word"
"""
_OWN_PROFILE_NAME = "as-carl"
_OWN_PROFILE_TABLE = """
# The brackets of CARL v2.
[profiles.{name}]
extends = "{profile}"
"""
_PROFILE_LINE = """\
# Keywords count however much of the window is left, as they did for CARL.
profile = "{profile}"

"""


def settings_files(*, words: bool, floors: Mapping[str, int] | None = None) -> dict[str, str]:
    """Return the files of a migrated tree that hold neither domains nor rules, by path: the
    configuration under which it answers as CARL did, and the list of what git ignores.

    ``floors``: where brackets begin, in percent left, if not where those of a tree do.
    """
    text = _PROFILE_LINE.format(profile=_OWN_PROFILE_NAME if floors else LIVE_PROFILE) + (
        _WORD_MATCHING if words else _CARL_MATCHING
    )
    if floors:
        text += _OWN_PROFILE_TABLE.format(name=_OWN_PROFILE_NAME, profile=LIVE_PROFILE)
        text += "".join(f"brackets.{name}.floor = {floor}\n" for name, floor in floors.items())
    ignored = starter_tree.GITIGNORE
    return {CONFIG: text, ignored: starter_tree.settings_files()[ignored]}


@dataclass(frozen=True, slots=True)
class MigrationOptions:
    """MigrationOptions: ``words`` has whole words match from now on. ``user`` replaces CARL's
    hook in the settings of the user as well, which hold for all projects.
    """

    words: bool = False
    user: bool = False


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """A migration, planned.

    ``changes`` are carried out together, ``text_changes`` only when asked for. ``left`` are (file,
    why) of what stays behind, ``mentions`` lines that will still talk of CARL.
    """

    root: Path
    names: Mapping[str, str]
    changes: tuple[MigrationChange, ...]
    text_changes: tuple[MigrationChange, ...]
    mentions: tuple[Mention, ...]
    remarks: tuple[Remark, ...]
    left: tuple[tuple[str, str], ...]
    hooks: tuple[CarlRegistration, ...]
    parity: Parity


def plan_migration(root: Path, options: MigrationOptions, now: float) -> MigrationPlan:
    """Plan a migration: return what ``synapse migrate`` would do in the project folder ``root``.

    Raises UserError where there is no CARL tree, where one of ``.synapse/`` is in the way, and
    where a file cannot be read for certain.
    """
    _check_no_tree(root)
    old = convert_tree(root)
    before = carl_tree(root)
    texts = {
        path: ConvertedFile("", text)
        for path, text in settings_files(words=options.words, floors=old.floors).items()
        if not (root / path).exists()
    }
    texts |= old.texts  # its manifest is the last of all
    tree = [_create_change(root, path, file) for path, file in texts.items()]
    sessions, left, mended = session_changes(root, old.names, now)
    around = Surroundings.of_process(str(root))
    hooks, registered = hook_changes(around, user=options.user)
    guides, broken = guide_changes(around, user=options.user)
    changes = [*old.kept, *tree, *sessions, *hooks, *guides]
    planned = {change.path: change.after for change in changes if change.after is not None}
    wording, mentions = text_changes(root, planned)
    # The tree as it will be.
    snapshot = load_tree(str(root), LoadScope.PROMPT, profile="synapse").index.snapshot()
    for path, file in sorted(texts.items(), key=lambda pair: pair[0] != tree_folders.CONFIG):
        # As it will be written and read again; the configuration says how the others are read.
        snapshot = snapshot.with_text(path, decode_text(file.text.encode("utf-8", "replace")).text)
    after = Tree(snapshot)
    return MigrationPlan(
        root,
        old.names,
        tuple(change for change in changes if change.action != NONE),
        tuple(wording),
        tuple(mentions),
        (*old.remarks, *mended),
        (*old.left, *left, *broken),
        tuple(registered),
        compare_trees(root, before, after, old),
    )


def compare_trees(root: Path, before: Tree, after: Tree, old: CarlConversion) -> Parity:
    """Return, for the plan of a migration, what the two trees tell differently; ``old`` is what is
    known of CARL's.
    """
    always, waiting = (
        {old.names[name] for name in some} for some in (old.always_domains, old.waiting_domains)
    )
    return ask_both_trees(root, before, after, always, sorted(waiting))


def carl_tree(root: Path) -> Tree:
    """Return the tree that a migration is planned for, the one that CARL reads, behind a link too,
    which the project is not served from.
    """
    snapshot = load_tree(str(root), LoadScope.PROMPT, profile="carl").index.snapshot()
    if (root / CARL).is_symlink():
        for path in readable_files(root):
            snapshot = snapshot.with_text(path, decode_text(read_whole(root / path)).text)
    return Tree(snapshot)


def removal_changes(root: Path) -> list[MigrationChange]:
    """Return the removals of a migration's plan as changes of files, for people."""
    changes = []
    for path in existing_removals(root):
        place = root / path
        for file in _regular_files(place):
            name = file.relative_to(root).as_posix()
            changes.append(MigrationChange(name, file, read_whole(file), None, REMOVED))
    return changes


def source_files(root: Path) -> list[str]:
    """Return the files that a migration is planned for, those of CARL's folder, relative to the
    root.
    """
    return [file.relative_to(root).as_posix() for file in _regular_files(root / CARL)]


def _regular_files(place: Path) -> Iterable[Path]:
    inside = sorted(place.rglob("*")) if place.is_dir() and not place.is_symlink() else [place]
    return (file for file in inside if file.is_file() and not file.is_symlink())


def _check_no_tree(root: Path) -> None:
    """Raise UserError where ``.synapse/`` has rules already, which count before CARL's."""
    snapshot = load_tree(str(root), LoadScope.PROMPT, profile="synapse").index.snapshot()
    kinds = (FileKind.MANIFEST, *RULE_KINDS)
    path = next((p for kind in kinds for p in snapshot.paths_under(tree_folders.TREE, kind)), "")
    if path:
        raise UserError(
            f"There is {path} already, and a tree in {tree_folders.TREE}/ counts before {CARL}/.",
            f"Move {tree_folders.TREE}/ away, or take rules over one by one: `synapse domain rule "
            "add`.",
        )


def _create_change(root: Path, path: str, converted: ConvertedFile) -> MigrationChange:
    file = root / path
    if os.path.lexists(file):
        raise UserError(
            f"{path} is there already, so {converted.source} cannot become it.",
            f"Move it away, or all of {tree_folders.TREE}/.",
        )
    data = converted.text.encode("utf-8", "replace")
    return MigrationChange(path, file, None, data, TREE, converted.source)
