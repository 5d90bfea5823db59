"""This module is the index of a tree: a snapshot is an immutable view of all files' facts,
cheap to take and to change.

A change gives a new snapshot that shares what did not change, and the set of changed keys.
`TreeIndex` holds the current one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Set
from dataclasses import replace
from types import MappingProxyType

from synapse_ls.formats import config_file as config_format
from synapse_ls.formats.config_file import Config
from synapse_ls.formats.manifest import Manifest
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.file_kinds import (
    RULE_KINDS,
    FileKind,
    manifest_named_files,
    squad_folder_of,
)
from synapse_ls.workspace.index_keys import Definition, Key, Reference, content_key
from synapse_ls.workspace.parted_facts import compare_facts
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.persistent_map import PersistentMap
from synapse_ls.workspace.tree_folders import (
    CARL,
    CARL_FILE,
    CONFIG,
    TREE,
    is_above_root,
    is_in_rule_folder,
    rules_folder,
)

# The paths that have something to say on a key: most often one, so a tuple while they are few.
_Paths = tuple[str, ...] | PersistentMap[str, None]
_MAX_TUPLE_PATHS = 16

_CARL_MANIFEST = f"{CARL}/manifest"

_NO_VALUES: Mapping[Key, object] = MappingProxyType({})


class Snapshot:
    """A Snapshot has the facts of a tree's files by path and by key.

    A change gives a new snapshot that shares what did not change. It costs by what the file
    says before and after, not by the size of the tree: the old contribution is taken out of the
    shared maps and the new one put in.
    """

    __slots__ = (
        "_above",
        "_config",
        "_definers",
        "_files",
        "_folder",
        "_kinds",
        "_outside",
        "_profile",
        "_referrers",
        "_sorted",
    )

    def __init__(self, profile: str = "") -> None:
        self._profile = profile
        self._folder: str | None = None
        self._files: PersistentMap[str, FileFacts] = PersistentMap()
        self._above: Mapping[str, FileFacts] = {}
        self._kinds: Mapping[FileKind, PersistentMap[str, None]] = {}
        self._definers: PersistentMap[Key, _Paths] = PersistentMap()
        self._referrers: PersistentMap[Key, _Paths] = PersistentMap()
        self._config: Config | None = None
        self._sorted: dict[FileKind | None, tuple[str, ...]] = {}
        self._outside: dict[FileKind, tuple[str, ...]] = {}

    @classmethod
    def of_parts(
        cls,
        files: dict[str, FileFacts],
        definers: dict[Key, tuple[str, ...]],
        referrers: dict[Key, tuple[str, ...]],
    ) -> Snapshot:
        """Returns the snapshot of files by path, where somebody knows which of them define and
        mention which keys; it takes the dictionaries as they are.
        """
        kinds: dict[FileKind, dict[str, None]] = {}
        for path, facts in files.items():
            kinds.setdefault(facts.kind, {})[path] = None
        made = cls()
        made._files = PersistentMap.of_entries(files)
        made._kinds = {kind: PersistentMap.of_entries(paths) for kind, paths in kinds.items()}
        made._definers = PersistentMap.of_entries(dict[Key, _Paths](definers))
        made._referrers = PersistentMap.of_entries(dict[Key, _Paths](referrers))
        return made

    def paths_by_key(self) -> tuple[dict[Key, tuple[str, ...]], dict[Key, tuple[str, ...]]]:
        """Returns which files define which keys, and which mention them."""
        return (
            {key: tuple(paths) for key, paths in self._definers.items()},
            {key: tuple(paths) for key, paths in self._referrers.items()},
        )

    def facts(self, path: str) -> FileFacts | None:
        """Returns the facts of a file, None where it does not exist or is not ours."""
        return self._files.get(path) or self._above.get(path)

    @property
    def files_above(self) -> tuple[str, ...]:
        """Returns the files above the root that take part in the tree, the nearest first.

        They count for what agents are given and nothing else: no list has them, and nobody
        looks for mistakes in them here.
        """
        return tuple(sorted(self._above, key=len))

    def paths(self, kind: FileKind | None = None) -> tuple[str, ...]:
        """Returns the known files of a kind, or all of them, sorted."""
        found = self._sorted.get(kind)
        if found is None:
            among = self._files if kind is None else self._kinds.get(kind, ())
            found = self._sorted[kind] = tuple(sorted(among))
        return found

    def paths_under(self, folder: str, kind: FileKind | None = None) -> tuple[str, ...]:
        """Returns the known files below a folder, of a kind or all of them, sorted."""
        paths = self.paths(kind)
        # "0" is the character after "/".
        return paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]

    def root_paths(self, kind: FileKind) -> tuple[str, ...]:
        """Returns the known files of a kind that belong to the root itself and to no squad,
        sorted.
        """
        found = self._outside.get(kind)
        if found is None:
            paths = self.config.paths
            own = (path for path in self.paths(kind) if not squad_folder_of(path, paths))
            found = self._outside[kind] = tuple(own)
        return found

    def definitions(self, key: Key) -> tuple[tuple[str, Definition], ...]:
        """Returns every place that defines ``key``, by path and then in text order."""
        return tuple(
            (path, definition)
            for path in sorted(self._definers.get(key, ()))
            for definition in self._files[path].definitions_by_key[key]
        )

    def references(self, key: Key) -> tuple[tuple[str, Reference], ...]:
        """Returns every place that mentions ``key``, by path and then in text order."""
        return tuple(
            (path, reference)
            for path in sorted(self._referrers.get(key, ()))
            for reference in self._files[path].references_by_key[key]
        )

    def defining_paths(self, key: Key) -> tuple[str, ...]:
        """Returns the files that define ``key``, sorted."""
        return tuple(sorted(self._definers.get(key, ())))

    def is_defined_elsewhere(self, key: Key, path: str) -> bool:
        """Returns whether another file than ``path`` defines ``key``."""
        paths = self._definers.get(key, ())
        return len(paths) > (path in paths)

    def referring_paths(self, key: Key) -> tuple[str, ...]:
        """Returns the files that mention ``key``, sorted."""
        return tuple(sorted(self._referrers.get(key, ())))

    def names_in_family(self, family: str) -> tuple[str, ...]:
        """Returns the names of every key of a family that something defines, sorted."""
        return tuple(sorted(name for other, name in self._definers if other == family))

    @property
    def config(self) -> Config:
        """Returns the configuration of the tree; the defaults where it has none, the strict
        reading of them where it cannot be read.
        """
        if self._config is None:
            facts = self._files.get(CONFIG)
            document = facts.document if facts else None
            if not isinstance(document, Config):
                document = (
                    config_format.unreadable_config() if facts else config_format.parse("").document
                )
            wanted = rules_folder(self._profile or document.profile, document.profiles)
            self._folder, dormant = self._choose_folder(wanted)
            named = self._manifest_named_files() if self._folder == CARL else ()
            if dormant or named:
                paths = replace(document.paths, dormant=dormant, manifest_rule_files=named)
                document = replace(document, paths=paths)
            self._config = document
        return self._config

    @property
    def folder(self) -> str:
        """Returns the folder whose manifest and rule files are served: ``.synapse`` before
        ``.carl``.

        A ``.synapse/`` without rules gives way: sessions and settings of every profile are in
        it.
        """
        _ = self.config
        return self._folder or TREE

    def _choose_folder(self, wanted: str) -> tuple[str, tuple[str, ...]]:
        """Returns the folder whose rules are served, and those that are not read because of it."""
        of_synapse = any(self.paths_under(TREE, kind) for kind in (FileKind.MANIFEST, *RULE_KINDS))
        if wanted or of_synapse:
            return (CARL, (TREE,)) if wanted == CARL else (TREE, (CARL,))
        # Nothing is asleep here: a rule of .synapse/ that appears is to be seen, and counts at once.
        of_carl = any(mark in self._files for mark in (CARL_FILE, _CARL_MANIFEST))
        return (CARL if of_carl else TREE), ()

    def _manifest_named_files(self) -> tuple[str, ...]:
        """Returns the rule files that count because CARL's manifest names them."""
        manifest = self._files.get(_CARL_MANIFEST)
        document = manifest.document if manifest and CARL_FILE not in self._files else None
        return manifest_named_files(document.domains) if isinstance(document, Manifest) else ()

    def with_text(self, path: str, text: str) -> Snapshot:
        """Returns the same tree with ``text``, such as an editor's buffer, in place of a file's
        content.

        A path that is not ours changes nothing. A buffer of the configuration is in force, but
        the files it now points to are only there once they are loaded.
        """
        known = self._files.get(path)
        kind = known.kind if known else classify_path(path, self.config.paths)
        if kind is None or (known and known.is_read and known.text == text):
            return self
        mtime_ns = known.mtime_ns if known else 0
        return self.with_facts(analyze_file(path, kind, text, mtime_ns=mtime_ns))[0]

    def with_facts(self, facts: FileFacts) -> tuple[Snapshot, frozenset[Key]]:
        """Returns the tree with these facts in place of the file's former ones, and the changed
        keys.
        """
        return self._replace_facts(facts.path, self._files.get(facts.path), facts)

    def without_file(self, path: str) -> tuple[Snapshot, frozenset[Key]]:
        """Returns the tree without a file, and the changed keys."""
        return self._replace_facts(path, self._files.get(path), None)

    def _replace_facts(
        self, path: str, old: FileFacts | None, new: FileFacts | None
    ) -> tuple[Snapshot, frozenset[Key]]:
        """Returns the tree with ``new`` in place of ``old`` as the facts of a file, and the
        changed keys.
        """
        if old is new:
            return self, frozenset()
        if is_above_root(path):
            return self._replace_file_above(path, new), frozenset({content_key(path)})
        made = Snapshot(self._profile)
        made._above = self._above
        made._files = self._files.set(path, new) if new else self._files.discard(path)
        made._kinds = _update_kinds(self._kinds, path, old, new)
        decides = path in (CONFIG, _CARL_MANIFEST) or (
            (old is None) != (new is None) and is_in_rule_folder(path)
        )
        made._config = None if decides else self._config
        made._folder = None if decides else self._folder
        if _kind_of(old) is _kind_of(new):
            made._sorted = dict(self._sorted)
            made._outside = {} if path == CONFIG else dict(self._outside)
        before, after = compare_facts(old, new)
        made._definers = _update_paths(
            self._definers, path, before.values.keys(), after.values.keys()
        )
        changed = {key for key, said in before.values.items() if said != after.values.get(key)}
        changed |= after.values.keys() - before.values.keys()
        made._referrers = _update_paths(self._referrers, path, before.mentions, after.mentions)
        changed |= before.mentions ^ after.mentions
        if not (old and new) or old.content_identity != new.content_identity:
            changed.add(content_key(path))
        return made, frozenset(changed)

    def _replace_file_above(self, path: str, new: FileFacts | None) -> Snapshot:
        """Returns the tree with other facts of a file above it; all that is its own stays."""
        made = Snapshot(self._profile)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        others = {other: facts for other, facts in self._above.items() if other != path}
        made._above = others if new is None else {**others, path: new}
        return made


def _kind_of(facts: FileFacts | None) -> FileKind | None:
    return facts.kind if facts else None


def _update_kinds(
    kinds: Mapping[FileKind, PersistentMap[str, None]],
    path: str,
    old: FileFacts | None,
    new: FileFacts | None,
) -> Mapping[FileKind, PersistentMap[str, None]]:
    """Returns the paths by kind after a file came, went or became another kind."""
    if _kind_of(old) is _kind_of(new):
        return kinds
    moved = dict(kinds)
    if old:
        moved[old.kind] = moved[old.kind].discard(path)
    if new:
        moved[new.kind] = moved.get(new.kind, PersistentMap()).set(path, None)
    return moved


def _update_paths(
    lists: PersistentMap[Key, _Paths], path: str, before: Set[Key], after: Set[Key]
) -> PersistentMap[Key, _Paths]:
    """Takes ``path`` off the lists of the keys it no longer speaks of, and puts it on the new
    ones.
    """
    for key in before - after:
        rest = _remove_path(lists[key], path)
        lists = lists.set(key, rest) if rest else lists.discard(key)
    for key in after - before:
        lists = lists.set(key, _add_path(lists.get(key, ()), path))
    return lists


def _add_path(paths: _Paths, path: str) -> _Paths:
    if not isinstance(paths, tuple):
        return paths.set(path, None)
    if len(paths) < _MAX_TUPLE_PATHS:
        return (*paths, path)
    many: PersistentMap[str, None] = PersistentMap()
    for other in (*paths, path):
        many = many.set(other, None)
    return many


def _remove_path(paths: _Paths, path: str) -> _Paths:
    if isinstance(paths, tuple):
        return tuple(other for other in paths if other != path)
    fewer = paths.discard(path)
    return fewer if len(fewer) > _MAX_TUPLE_PATHS // 2 else tuple(fewer)


class TreeIndex:
    """A TreeIndex is the one mutable thing about a tree: it holds the current snapshot.

    Whatever the order of changes, the result equals an index that is built from scratch.
    ``profile``: one to be served with in place of that of the configuration. ``current``: the
    snapshot to begin with.
    """

    __slots__ = ("_current",)

    def __init__(self, profile: str = "", current: Snapshot | None = None) -> None:
        self._current = current or Snapshot(profile)

    def put_facts(self, path: str, facts: FileFacts) -> frozenset[Key]:
        """Takes the facts of a file in, in place of its former ones; returns the keys that changed
        by it.

        ValueError where the facts are those of another path.
        """
        if facts.path != path:
            raise ValueError(f"the facts of {facts.path} do not describe {path}")
        self._current, changed = self._current.with_facts(facts)
        return changed

    def drop_file(self, path: str) -> frozenset[Key]:
        """Forgets a file; returns the keys that changed by it, none where it was not known."""
        self._current, changed = self._current.without_file(path)
        return changed

    def snapshot(self) -> Snapshot:
        """Returns the tree as it is now; later changes do not reach it."""
        return self._current
