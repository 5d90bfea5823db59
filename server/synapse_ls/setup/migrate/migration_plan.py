"""Plan the migration from ``.carl/`` to ``.synapse/``; nothing is written here."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from synapse_ls.edits.config_edits import LIVE_PROFILE
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.setup.init import starter_tree
from synapse_ls.setup.migrate import carl_conversion, carl_installation, parity_report
from synapse_ls.setup.migrate.migration_journal import REMOVED, TREE, MigrationChange
from synapse_ls.setup.planned_changes import NONE
from synapse_ls.setup.session_conversion import CARL_SESSIONS, plan_conversion
from synapse_ls.text import decoding, fast_json
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import tree_folders
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, LoadScope
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree


def session_changes(
    root: Path, names: Mapping[str, str]
) -> tuple[list[MigrationChange], list[tuple[str, str]], list[carl_conversion.Remark]]:
    """Plan what becomes of CARL's sessions in a migration: return those to be written, with the
    new names of domains, (file, why) of those that stay behind, and remarks.

    A session whose id has one here already stays behind: what it says now is newer.
    """
    plan = plan_conversion(str(root))
    state_names = {f"{old}_STATE": f"{new}_STATE" for old, new in names.items()}
    changes: list[MigrationChange] = []
    mended: list[carl_conversion.Remark] = []
    for step in plan.steps:
        sources = [path for path in step.sources if path.startswith(f"{CARL_SESSIONS}/")]
        if step.kind != "carl" or not sources:
            continue
        session, path = step.session, sources[0]
        session.overrides = {state_names.get(key, key): on for key, on in session.overrides.items()}
        session.history.domains = tuple(names.get(name, name) for name in session.history.domains)
        changes.append(step.change(root, path))
        # CARL took every text for on.
        written = fast_json.loads(step.sources[path].decode()).get("overrides")
        for key, value in written.items() if isinstance(written, dict) else ():
            if isinstance(value, str) and (switch := parse_switch(value)) is not True:
                off = "off" if switch is False else "as the manifest says"
                sentence = f'{key} is {off} now: CARL takes every word for on, "{value}" too.'
                mended.append(carl_conversion.Remark(path, 0, sentence))
    left = [(path, why) for path, why in plan.skipped if path.startswith(f"{CARL_SESSIONS}/")]
    return changes, left, mended


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
    text = _PROFILE_LINE.format(profile=_OWN_PROFILE_NAME if floors else LIVE_PROFILE)
    text += _WORD_MATCHING if words else _CARL_MATCHING
    if floors:
        text += _OWN_PROFILE_TABLE.format(name=_OWN_PROFILE_NAME, profile=LIVE_PROFILE)
        text += "".join(f"brackets.{name}.floor = {floor}\n" for name, floor in floors.items())
    ignored = starter_tree.GITIGNORE
    return {tree_folders.CONFIG: text, ignored: starter_tree.settings_files()[ignored]}


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """A migration, planned.

    ``changes`` are carried out together, ``text_changes`` only when asked for. ``left`` are (file,
    why) of what stays behind, ``mentions`` lines that will still talk of CARL.
    """

    names: Mapping[str, str]
    changes: tuple[MigrationChange, ...]
    text_changes: tuple[MigrationChange, ...]
    mentions: tuple[carl_installation.Mention, ...]
    remarks: tuple[carl_conversion.Remark, ...]
    left: tuple[tuple[str, str], ...]
    hooks: tuple[carl_installation.CarlRegistration, ...]
    parity: parity_report.Parity


def plan_migration(root: Path, *, words: bool = False, user: bool = False) -> MigrationPlan:
    """Plan a migration: return what ``synapse migrate`` would do in the project folder ``root``.

    Raises UserError where there is no CARL tree, where one of ``.synapse/`` is in the way, and
    where a file cannot be read for certain.
    """
    # Rules in ``.synapse/`` count before CARL's.
    snapshot = load_tree(str(root), LoadScope.PROMPT, profile="synapse").index.snapshot()
    kinds, folder = (FileKind.MANIFEST, *RULE_KINDS), tree_folders.TREE
    if path := next((p for kind in kinds for p in snapshot.paths_under(folder, kind)), ""):
        raise UserError(
            f"There is {path} already, and a tree in {folder}/ counts "
            f"before {carl_installation.CARL}/.",
            f"Move {folder}/ away, or take rules over one by one: `synapse domain rule add`.",
        )
    old = carl_conversion.convert_tree(root)
    before = carl_tree(root)
    texts = {
        path: carl_conversion.ConvertedFile("", text)
        for path, text in settings_files(words=words, floors=old.floors).items()
        if not (root / path).exists()
    }
    texts |= old.texts  # its manifest is the last of all
    tree = []
    for path, converted in texts.items():
        if os.path.lexists(file := root / path):
            raise UserError(
                f"{path} is there already, so {converted.source} cannot become it.",
                f"Move it away, or all of {folder}/.",
            )
        data = converted.text.encode("utf-8", "replace")
        tree.append(MigrationChange(path, file, None, data, TREE, converted.source))
    sessions, left, mended = session_changes(root, old.names)
    around = Surroundings.of_process(str(root))
    hooks, registered = carl_installation.hook_changes(around, user=user)
    guides, broken = carl_installation.guide_changes(around, user=user)
    changes = [*old.kept, *tree, *sessions, *hooks, *guides]
    planned = {change.path: change.after for change in changes if change.after is not None}
    wording, mentions = carl_installation.text_changes(root, planned)
    # The tree as it will be.
    for change in sorted(tree, key=lambda change: change.path != tree_folders.CONFIG):
        # As it will be written and read again; the configuration says how the others are read.
        snapshot = snapshot.with_text(change.path, decoding.decode_text(change.after or b"").text)
    return MigrationPlan(
        old.names,
        tuple(change for change in changes if change.action != NONE),
        tuple(wording),
        tuple(mentions),
        (*old.remarks, *mended),
        (*old.left, *left, *broken),
        tuple(registered),
        parity_report.compare_trees(root, before, Tree(snapshot), old),
    )


def carl_tree(root: Path) -> Tree:
    """Return the tree that a migration is planned for, the one that CARL reads."""
    return load_tree(str(root), LoadScope.PROMPT, profile="carl").tree


def removal_changes(root: Path) -> list[MigrationChange]:
    """Return the removals of a migration's plan as changes of files, for people."""
    files = chain.from_iterable(
        _regular_files(root / path) for path in carl_installation.existing_removals(root)
    )
    names = ((file.relative_to(root).as_posix(), file) for file in files)
    real = Path(os.path.realpath(root))
    return [
        MigrationChange(name, file, read_whole(real / name, within=str(real)), None, REMOVED)
        for name, file in names
    ]


def source_files(root: Path) -> list[str]:
    """Return the files that a migration is planned for, those of CARL's folder, relative to the
    root.
    """
    return [
        file.relative_to(root).as_posix() for file in _regular_files(root / carl_installation.CARL)
    ]


def _regular_files(place: Path) -> Iterable[Path]:
    inside = sorted(place.rglob("*")) if place.is_dir() and not place.is_symlink() else [place]
    return (file for file in inside if file.is_file() and not file.is_symlink())
