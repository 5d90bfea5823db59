"""From a folder on disk to an index, and from changed files to changed keys.

Two scopes: a prompt needs the rules and only the names of agents, tasks, stories and workflows;
linter and editor need everything. What could not be read, or not in time, is said in a note.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from synapse_ls.formats.carl.lines import byte_order_mark
from synapse_ls.formats.manifest import Manifest
from synapse_ls.workspace.collector import collector_paused
from synapse_ls.workspace.facts import analyze, listed
from synapse_ls.workspace.folders import CARL, CARL_FILE, CONFIG, SESSIONS
from synapse_ls.workspace.index import Index
from synapse_ls.workspace.keys import Key, key
from synapse_ls.workspace.kinds import (
    SQUAD_PLACES,
    FileKind,
    Place,
    is_ours,
    may_be_others,
    squad_of,
)
from synapse_ls.workspace.memory_notes import memory_notes
from synapse_ls.workspace.naming import candidates, overlap, same_id, under
from synapse_ls.workspace.read import RefusedError, is_open_to_all, read_file
from synapse_ls.workspace.scan import Base, Found, LoadNote, Scanner
from synapse_ls.workspace.scope import LISTED, PASSED_OVER, Scope
from synapse_ls.workspace.session_notes import session_notes
from synapse_ls.workspace.stamps import Stamp, stamp_of, take
from synapse_ls.workspace.standing import declares, standing
from synapse_ls.workspace.systems import registry
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.workspace.snapshot import Snapshot

__all__ = ["LoadNote", "Loaded", "Scope", "load", "read", "refresh"]


_OF_RULES = (None, FileKind.CARL)  # kinds of the places with the root's own rules

_SHOWN = 5  # squads that a note names
_STEP = 20  # squads between two messages about progress
_MANY = 100  # squads that are too many to be read while somebody waits
_SHARE = 0.4  # the part of the time in which some of them are, for the sake of what comes after


class Loaded:
    """A loaded root; `refresh` keeps it up to date.

    ``stamps`` has every file that was read and every folder that was listed, relative to the root,
    None for one that was looked for and is not there: while all of them hold, so does the index.
    """

    __slots__ = ("index", "notes", "profile", "root", "scope", "stamps")

    def __init__(self, root: str, scope: Scope, profile: str = "") -> None:
        self.root = root
        self.scope = scope
        self.profile = profile
        self.index = Index(profile)
        self.stamps: dict[str, Stamp | None] = {}
        self.notes: list[LoadNote] = []


def load(
    root: str,
    scope: Scope,
    *,
    profile: str = "",
    deadline: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    progress: Callable[[int, int], None] | None = None,
) -> Loaded:
    """Read the tree of ``root``, an absolute path, as ``profile`` or else as it is served.

    ``deadline`` is in seconds from now, as ``clock`` counts them; what is not read by then is
    noted as "late" and, where its name is known, listed. ``progress`` is told now and then how many
    squads of how many were read. Never raises for what is on disk.
    """
    loaded = Loaded(root, scope, profile)
    began = clock()

    def late(share: float = 1) -> bool:
        return deadline is not None and clock() - began >= deadline * share

    work = _Work(loaded, late, progress)
    with collector_paused():
        work.everything()
    return loaded


def refresh(loaded: Loaded, changed_paths: Iterable[str]) -> frozenset[Key]:
    """Read again what may have changed, and nothing else; the keys that changed by it.

    The paths are relative to the root, of files or folders, existing or gone; those that are not
    ours cost nothing. A changed configuration that moves the places loads everything anew.
    """
    changed: set[Key] = set()
    for path in dict.fromkeys(changed_paths):
        changed |= _Work(loaded).again(path.rstrip("/"))
    if loaded.scope is Scope.PROMPT and any(family == "state" for family, _ in changed):
        changed |= _Work(loaded).active_definitions()
    return frozenset(changed)


def read(loaded: Loaded, paths: Iterable[str]) -> frozenset[Key]:
    """Read files that the scope only lists, such as the active task; the keys that changed."""
    changed: set[Key] = set()
    for path in paths:
        facts = loaded.index.snapshot().facts(path)
        if facts and not facts.read:
            changed |= _Work(loaded).file(Found(path, facts.kind), anyway=True)
    return frozenset(changed)


class _Work:
    """One pass over a root's files that brings an index up to date."""

    def __init__(
        self,
        loaded: Loaded,
        late: Callable[..., bool] = lambda *_: False,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self._loaded = loaded
        self._progress = progress
        self._index = loaded.index
        self._late = late
        self._scan = self._scanner()

    @property
    def _snapshot(self) -> Snapshot:
        return self._index.snapshot()

    def _scanner(self) -> Scanner:
        loaded = self._loaded
        paths = self._snapshot.config.paths
        return Scanner(loaded.root, paths, loaded.stamps, loaded.notes, self._late)

    def everything(self) -> None:
        """Read the whole root, in the order in which a prompt needs it."""
        config = self._scan.find(CONFIG)
        if config:
            self.file(config, anyway=True)
            self._scan = self._scanner()
        places = [place for place in self._places() if place.path != CONFIG]
        for place in places:
            if place.kind in _OF_RULES:
                self._rules(place)
            elif place.essential:
                self._place(self._scan.base, place)
        for path in registry.first(self._snapshot):
            if found := self._scan.find(path):
                self.file(found, essential=True)
        for place in places:
            if place.kind in _OF_RULES or place.essential:
                continue
            if place.kind is not FileKind.STORY:
                self._place(self._scan.base, place)
        self._squads(self._scan.squads())
        for place in places:  # there may be very many stories, and few prompts need one
            if place.kind is FileKind.STORY:
                self._place(self._scan.base, place)
        self._folders_for_files()
        if self._loaded.scope is Scope.PROMPT:
            self.active_definitions()
        else:
            noted = session_notes(self._loaded.root, self._snapshot.config, time.time())
            self._loaded.notes += noted
            self._loaded.notes += memory_notes(self._snapshot, time.time())

    def again(self, path: str) -> frozenset[Key]:
        """Read again what ``path`` holds or held; everything, where that moves the places."""
        notes = self._loaded.notes
        notes[:] = [n for n in notes if not under(n.path, path) or under(n.path, SESSIONS)]
        changed: frozenset[Key] = frozenset()
        if under(CONFIG, path):
            found = self._scan.find(CONFIG)
            changed = self.file(found) if found else self._index.drop(CONFIG)
        if path != CONFIG and not self._has_moved():
            changed |= self._again(path)
        return changed | self._anew() if self._has_moved() else changed

    def _again(self, path: str) -> frozenset[Key]:
        if os.path.isdir(self._scan.full(path)) or self._known_under(path):
            return self._folder(path)
        squad = squad_of(path, self._scan.paths)
        if squad and not self._known_under(squad):
            return self._folder(squad)  # only now a squad, perhaps: its other files count too
        found = self._scan.find(path)
        changed = self.file(found) if found else self._index.drop(path)
        return changed | self._scopes() if path == CARL_FILE else changed

    def _has_moved(self) -> bool:
        """Whether files are now to be looked for in other places than when this pass began."""
        return self._snapshot.config.paths != self._scan.paths

    def _rules(self, place: Place) -> None:
        """Read the root's own rules: what may stand in every prompt first, and whatever the time."""
        folder = place.path.partition("/")[0]
        if folder in self._snapshot.config.paths.dormant:
            return
        found = sorted(self._scan.files(self._scan.base, place), key=lambda one: not declares(one))
        for manifest in found[:1]:
            self.file(manifest, essential=True)
        if folder == CARL:  # whose manifest decides which files there are
            self._scan.paths = self._snapshot.config.paths
            found += filter(None, map(self._scan.find, self._scan.paths.named))
        facts = self._snapshot.facts(f"{folder}/manifest")
        essential = standing(folder, facts.document if facts else None)
        for rules in sorted(found[1:], key=lambda rules: rules.path not in essential):
            self.file(rules, essential=rules.path in essential)
        if place.path == CARL_FILE:
            self._scopes()

    def _scopes(self) -> frozenset[Key]:
        """Read what CARL v2 merges with the tree's own file; nothing where the tree has none."""
        if self._snapshot.facts(CARL_FILE) is None:
            return frozenset()
        read = (self.file(found, essential=True) for found in self._scan.above())
        return frozenset[Key]().union(*read)

    def file(
        self, found: Found, *, anyway: bool = False, essential: bool = False
    ) -> frozenset[Key]:
        """Read a file, or list it where the scope wants no more and nothing asked for it before.

        What is ``essential`` is read even when the time is over.
        """
        path, kind = found
        scope = self._loaded.scope
        known = self._snapshot.facts(path)
        if kind in PASSED_OVER[scope]:
            return frozenset()
        if kind in LISTED[scope] and not anyway and not (known and known.read):
            return self._index.put(path, listed(path, kind))
        if self._late() and not essential and kind is not FileKind.CONFIG:
            self._loaded.stamps[path] = None  # so that nothing made of this counts as up to date
            self._scan.note(path, "late", "The file was not read, because the time was over.")
            return self._index.put(path, listed(path, kind))
        try:
            content = read_file(self._scan.full(path))
        except RefusedError as refused:
            self._loaded.stamps[path] = take(self._scan.full(path))
            if not may_be_others(path):
                self._scan.note(path, refused.kind, refused.message)
            return self._index.put(path, listed(path, kind))
        if content is None:
            self._loaded.stamps[path] = None
            return self._index.drop(path)
        self._loaded.stamps[path] = stamp_of(content.status)
        if not is_ours(kind, content.decoded.text):
            return self._index.drop(path)
        if scope is Scope.ALL and is_open_to_all(content.status):
            message = "Everybody on this machine may change what it tells agents."
            self._scan.note(path, "world-writable", message)
        decoded = content.decoded
        return self._index.put(
            path,
            analyze(
                path,
                kind,
                decoded.text,
                problems=(*byte_order_mark(path, decoded.bom), *decoded.problems),
                mtime_ns=content.status.st_mtime_ns,
            ),
        )

    def _places(self) -> Iterator[Place]:
        """The places of the root that the scope wants; the others' folders are not even listed."""
        return self._wanted(self._scan.places())

    def _wanted(self, places: Iterable[Place]) -> Iterator[Place]:
        passed_over = PASSED_OVER[self._loaded.scope]
        return (place for place in places if place.kind not in passed_over)

    def _place(self, base: Base, place: Place) -> None:
        for found in self._scan.files(base, place):
            known = self._snapshot.facts(found.path)
            if not (known and known.read and self._is_current(found.path)):
                self.file(found, essential=place.essential)

    def _squads(self, squads: list[Base]) -> None:
        share = _SHARE if len(squads) > _MANY else 1
        for done, squad in enumerate(squads):
            if self._progress and done % _STEP == 0:
                self._progress(done, len(squads))
            if self._late(share):
                left = squads[done:]
                for base in left:
                    self._loaded.stamps[base.path] = None
                names = ", ".join(base.path for base in left[:_SHOWN])
                more = ", …" if len(left) > _SHOWN else ""
                message = (
                    f"{len(left)} of {len(squads)} squads were not read, "
                    f"because the time was over: {names}{more}."
                )
                self._scan.note(left[0].path, "late", message)
                return
            for place in self._wanted(SQUAD_PLACES):
                self._place(squad, place)

    def _folders_for_files(self) -> None:
        """Note each folder that stands where a declared domain's file should be."""
        for path in self._snapshot.paths(FileKind.MANIFEST):
            facts = self._snapshot.facts(path)
            document = facts.document if facts else None
            if not isinstance(document, Manifest):
                continue
            tree = path.rpartition("/")[0]
            for domain in document.domains:
                meant = [f"{tree}/{name}" for name in candidates(domain, tree)]
                if any(self._snapshot.facts(candidate) for candidate in meant):
                    continue
                for candidate in self._scan.folders.intersection(meant):
                    self._scan.misplaced(candidate)

    def active_definitions(self) -> frozenset[Key]:
        """Read the definitions of the workflows in progress: by the file's stem, else by id."""
        changed: set[Key] = set()
        tree = Tree(self._snapshot)
        aliases = self._snapshot.config.workflow_aliases
        for _, state in tree.states:
            if state.status != "active":
                continue
            ids = [state.workflow_id, aliases.get(state.workflow_id, "")]
            path = next((tree.workflows[id] for id in ids if id in tree.workflows), None)
            for candidate in [path] if path else self._snapshot.paths(FileKind.WORKFLOW):
                facts = self._snapshot.facts(candidate)
                if facts and not facts.read:
                    changed |= self.file(Found(candidate, FileKind.WORKFLOW), anyway=True)
                    facts = self._snapshot.facts(candidate)
                if facts and any(same_id(facts.id, id) for id in ids):
                    break
        return frozenset(changed)

    def _folder(self, path: str) -> frozenset[Key]:
        changed: set[Key] = set()
        lost = set(self._known_under(path))
        for base, place in self._sources(path):
            for found in self._scan.files(base, place):
                lost.discard(found.path)
                if under(found.path, path) and not self._is_current(found.path):
                    changed |= self.file(found)
        for gone in lost:
            self._loaded.stamps[gone] = None
            changed |= self._index.drop(gone)
        return frozenset(changed)

    def _sources(self, path: str) -> Iterator[tuple[Base, Place]]:
        """The places that have to do with a folder: in it, around it, or itself."""
        for place in self._places():
            if overlap(place.path, path):
                yield self._scan.base, place
        if any(overlap(home, path) for home in self._scan.paths.squads):
            for squad in self._scan.squads():
                for place in self._wanted(SQUAD_PLACES):
                    if overlap(squad.join(place.path), path):
                        yield squad, place

    def _anew(self) -> frozenset[Key]:
        """Read everything from the places as they are now."""
        changed: set[Key] = {key("setting", "config")}
        loaded = self._loaded
        fresh = load(loaded.root, loaded.scope, profile=loaded.profile)
        snapshot = fresh.index.snapshot()
        there = (*snapshot.paths(), *snapshot.above)
        for gone in {*self._snapshot.paths(), *self._snapshot.above}.difference(there):
            changed |= self._index.drop(gone)
        for path in there:
            facts = snapshot.facts(path)
            if facts:
                changed |= self._index.put(path, facts)
        loaded.stamps = fresh.stamps
        loaded.notes[:] = fresh.notes
        return frozenset(changed)

    def _is_current(self, path: str) -> bool:
        """Whether the index has the file as it is on disk."""
        if self._snapshot.facts(path) is None:
            return False
        stamps = self._loaded.stamps
        return path not in stamps or stamps[path] == take(self._scan.full(path))

    def _known_under(self, folder: str) -> list[str]:
        """The known files in a folder and below."""
        paths = self._snapshot.paths()
        first = bisect_left(paths, f"{folder}/") if folder else 0
        return list(takewhile(lambda path: under(path, folder), islice(paths, first, None)))
