"""A migration from ``.carl/`` to ``.synapse/``, planned: what becomes of each file, and what an agent
is told differently then. Reads the disk and writes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.manage.clients.client import Surroundings
from synapse_ls.manage.difference import NONE
from synapse_ls.manage.migrate.change import REMOVED, TREE, Change
from synapse_ls.manage.migrate.convert import Converted
from synapse_ls.manage.migrate.guide import guide_changes
from synapse_ls.manage.migrate.hooks import Registered, hook_changes
from synapse_ls.manage.migrate.old import Old, Remark, read_old
from synapse_ls.manage.migrate.parity import Parity, compare
from synapse_ls.manage.migrate.reading import CARL, readable
from synapse_ls.manage.migrate.sessions import session_changes
from synapse_ls.manage.migrate.settings import settings
from synapse_ls.manage.migrate.wording import OWN, Mention, text_changes
from synapse_ls.manage.plan import ManageError
from synapse_ls.text.decode import decode
from synapse_ls.workspace import folders
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

GOING = (CARL, ".claude/hooks/carl-hook.py", *OWN)
"""What CARL brought into a project, which goes with ``--finish``."""


@dataclass(frozen=True, slots=True)
class Options:
    """``words``: match whole words from now on. ``user``: replace CARL's hook in the settings of the
    user as well, which hold for all projects."""

    words: bool = False
    user: bool = False


@dataclass(frozen=True, slots=True)
class Migration:
    """A plan.

    ``changes`` are carried out together, ``texts`` only when asked for. ``left`` are (file, why) of
    what stays behind, ``mentions`` lines that will still talk of CARL.
    """

    root: Path
    names: Mapping[str, str]
    changes: tuple[Change, ...]
    texts: tuple[Change, ...]
    mentions: tuple[Mention, ...]
    remarks: tuple[Remark, ...]
    left: tuple[tuple[str, str], ...]
    hooks: tuple[Registered, ...]
    parity: Parity


def plan_migration(root: Path, options: Options, now: float) -> Migration:
    """What ``synapse migrate`` would do in the project folder ``root``.

    Raises ManageError where there is no CARL tree, where one of ``.synapse/`` is in the way, and
    where a file cannot be read for certain.
    """
    _check(root)
    old = read_old(root)
    there = old_tree(root)
    texts = {
        path: Converted("", text)
        for path, text in settings(words=options.words, floors=old.floors).items()
        if not (root / path).exists()
    }
    texts |= old.texts  # its manifest is the last of all
    tree = [_created(root, path, found) for path, found in texts.items()]
    sessions, left, mended = session_changes(root, old.names, now)
    around = Surroundings.here(str(root))
    hooks, registered = hook_changes(around, user=options.user)
    guides, broken = guide_changes(around, user=options.user)
    changes = [*old.kept, *tree, *sessions, *hooks, *guides]
    planned = {change.path: change.after for change in changes if change.after is not None}
    wording, mentions = text_changes(root, planned)
    after = _after(root, {path: found.text for path, found in texts.items()})
    return Migration(
        root,
        old.names,
        tuple(change for change in changes if change.action != NONE),
        tuple(wording),
        tuple(mentions),
        (*old.remarks, *mended),
        (*old.left, *left, *broken),
        tuple(registered),
        compare_old(root, there, after, old),
    )


def compare_old(root: Path, before: Tree, after: Tree, old: Old) -> Parity:
    """What the two trees tell differently; ``old`` is what is known of CARL's."""
    always, waiting = ({old.names[name] for name in some} for some in (old.always, old.waiting))
    return compare(root, before, after, always, sorted(waiting))


def old_tree(root: Path) -> Tree:
    """The tree that CARL reads, behind a link too, which the project is not served from."""
    snapshot = load(str(root), Scope.PROMPT, profile="carl").index.snapshot()
    if (root / CARL).is_symlink():
        for path in readable(root):
            snapshot = snapshot.overlay(path, decode((root / path).read_bytes()).text)
    return Tree(snapshot)


def removals(root: Path) -> list[str]:
    """What CARL brought into the project and is there still."""
    return [path for path in GOING if os.path.lexists(root / path)]


def shown_removals(root: Path) -> list[Change]:
    """The removals as changes of files, for people."""
    found = []
    for path in removals(root):
        place = root / path
        for file in _files(place):
            name = file.relative_to(root).as_posix()
            found.append(Change(REMOVED, name, file, file.read_bytes(), None))
    return found


def sources(root: Path) -> list[str]:
    """The files of CARL's folder, relative to the root."""
    return [file.relative_to(root).as_posix() for file in _files(root / CARL)]


def _files(place: Path) -> Iterable[Path]:
    inside = sorted(place.rglob("*")) if place.is_dir() and not place.is_symlink() else [place]
    return (file for file in inside if file.is_file() and not file.is_symlink())


def _check(root: Path) -> None:
    """Raise ManageError where ``.synapse/`` has rules already, which count before CARL's."""
    snapshot = load(str(root), Scope.PROMPT, profile="synapse").index.snapshot()
    kinds = (FileKind.MANIFEST, *RULE_KINDS)
    found = next((p for kind in kinds for p in snapshot.under(folders.TREE, kind)), "")
    if found:
        raise ManageError(
            f"There is {found} already, and a tree in {folders.TREE}/ counts before {CARL}/.",
            f"Move {folders.TREE}/ away, or take rules over one by one: `synapse domain rule add`.",
        )


def _created(root: Path, path: str, found: Converted) -> Change:
    file = root / path
    if os.path.lexists(file):
        raise ManageError(
            f"{path} is there already, so {found.source} cannot become it.",
            f"Move it away, or all of {folders.TREE}/.",
        )
    return Change(TREE, path, file, None, found.text.encode("utf-8", "replace"), found.source)


def _after(root: Path, texts: Mapping[str, str]) -> Tree:
    """The tree as it will be."""
    snapshot = load(str(root), Scope.PROMPT, profile="synapse").index.snapshot()
    for path, text in sorted(texts.items(), key=lambda pair: pair[0] != folders.CONFIG):
        # As it will be written and read again; the configuration says how the others are read.
        snapshot = snapshot.overlay(path, decode(text.encode("utf-8", "replace")).text)
    return Tree(snapshot)
