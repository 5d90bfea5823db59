"""The index of a tree: immutable snapshots of the facts of all files.

A change makes a new snapshot, which shares what did not change, and the set of changed keys.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import TypeAlias, TypeVar

from synapse_ls.formats import config_file as config_format
from synapse_ls.formats import config_settings
from synapse_ls.formats.manifest import Manifest
from synapse_ls.text.grouping import group_pairs
from synapse_ls.workspace import file_kinds, path_classification, tree_folders
from synapse_ls.workspace.config_layers import ConfigLayers
from synapse_ls.workspace.fact_extraction import Definition, Key, Reference, content_key
from synapse_ls.workspace.file_facts import FileFacts, analyze_file

_CARL_MANIFEST = f"{tree_folders.CARL}/manifest"
_Document = TypeVar("_Document")
# Family of keys -> name of a key -> paths of the files.
_PathsByFamily: TypeAlias = dict[str, dict[str, tuple[str, ...]]]


class Snapshot:
    """The facts of a tree's files by path and by key; it never changes.

    A change gives another snapshot, which shares the facts of the files that did not change.
    ``profile``: one to be served with in place of that of the configuration.
    """

    def __init__(self, profile: str = "") -> None:
        self._profile = profile
        self._folder: str | None = None
        self._config: config_settings.Config | None = None
        self.layers = ConfigLayers()
        self._files: dict[str, FileFacts] = {}
        self._above: dict[str, FileFacts] = {}
        self._definers: _PathsByFamily = {}
        self._referrers: _PathsByFamily = {}
        self._sorted: dict[file_kinds.FileKind | None, tuple[str, ...]] = {}
        self._outside: dict[file_kinds.FileKind, tuple[str, ...]] = {}

    def facts(self, path: str) -> FileFacts | None:
        """Return the facts of a file, None where it does not exist or is not ours."""
        return self._files.get(path) or self._above.get(path)

    def document(self, path: str, of_type: type[_Document]) -> _Document | None:
        """Return what a file says as a document of a type; None where it is none of these."""
        facts = self.facts(path)
        document = facts.document if facts else None
        return document if isinstance(document, of_type) else None

    def files(self, *kinds: file_kinds.FileKind) -> Iterator[FileFacts]:
        """Yield the facts of the known files of some kinds, kind after kind, sorted by path."""
        return (self._files[path] for kind in kinds for path in self.paths(kind))

    def documents(
        self, kind: file_kinds.FileKind, of_type: type[_Document]
    ) -> Iterator[tuple[str, _Document]]:
        """Yield the known files of a kind that say something, sorted, each as a document."""
        for facts in self.files(kind):
            if isinstance(facts.document, of_type):
                yield facts.path, facts.document

    @property
    def files_above(self) -> tuple[str, ...]:
        """The files above the root that take part in the tree, the nearest first.

        They count for what agents are given and nothing else: no list has them, and nobody
        looks for mistakes in them here.
        """
        return tuple(sorted(self._above, key=len))

    def paths(self, kind: file_kinds.FileKind | None = None) -> tuple[str, ...]:
        """Return the known files of a kind, or all of them, sorted."""
        if not self._sorted and self._files:
            paths = tuple(sorted(self._files))
            by_kind = group_pairs((self._files[path].kind, path) for path in paths)
            self._sorted = {None: paths}
            self._sorted.update((of, tuple(of_kind)) for of, of_kind in by_kind.items())
        return self._sorted.get(kind, ())

    def paths_under(self, folder: str, kind: file_kinds.FileKind | None = None) -> tuple[str, ...]:
        """Return the known files below a folder, of a kind or all of them, sorted."""
        paths = self.paths(kind)
        # "0" is the character after "/".
        return paths[bisect_left(paths, f"{folder}/") : bisect_left(paths, f"{folder}0")]

    def root_paths(self, kind: file_kinds.FileKind) -> tuple[str, ...]:
        """Return the known files of a kind that belong to the root itself and to no squad,
        sorted.
        """
        if kind not in self._outside:
            squads = self.config.paths
            self._outside[kind] = tuple(
                path for path in self.paths(kind) if not file_kinds.squad_folder_of(path, squads)
            )
        return self._outside[kind]

    def definitions(self, key: Key) -> tuple[tuple[str, Definition], ...]:
        """Return every place that defines ``key``, by path and then in text order."""
        return tuple(
            (path, definition)
            for path in self.defining_paths(key)
            for definition in self._files[path].definitions_by_key[key]
        )

    def references(self, key: Key) -> tuple[tuple[str, Reference], ...]:
        """Return every place that mentions ``key``, by path and then in text order."""
        return tuple(
            (path, reference)
            for path in self.referring_paths(key)
            for reference in self._files[path].references_by_key[key]
        )

    def defining_paths(self, key: Key) -> tuple[str, ...]:
        """Return the files that define ``key``, sorted."""
        return tuple(sorted(_paths_of(self._definers, key)))

    def referring_paths(self, key: Key) -> tuple[str, ...]:
        """Return the files that mention ``key``, sorted."""
        return tuple(sorted(_paths_of(self._referrers, key)))

    def names_in_family(self, family: str) -> tuple[str, ...]:
        """Return the names of every key of a family that something defines, sorted."""
        return tuple(sorted(self._definers.get(family, ())))

    @property
    def config(self) -> config_settings.Config:
        """The configuration of the tree; the defaults where it has none, the strict reading of them
        where it cannot be read.
        """
        if self._config is None:
            is_there = tree_folders.CONFIG in self._files
            document = self.layers.apply(
                self.document(tree_folders.CONFIG, config_settings.Config)
                or (config_format.unreadable_config() if is_there else config_settings.Config())
            )
            folder = tree_folders.rules_folder(self._profile or document.profile, document.profiles)
            rule_kinds = (file_kinds.FileKind.MANIFEST, *file_kinds.RULE_KINDS)
            if not folder and (
                document.adopted
                or any(self.paths_under(tree_folders.TREE, kind) for kind in rule_kinds)
            ):
                folder = tree_folders.TREE
            # Where neither is chosen nothing is asleep: a rule of .synapse/ that appears is to be
            # seen, and counts at once.
            dormant = {
                tree_folders.CARL: (tree_folders.TREE,),
                tree_folders.TREE: (tree_folders.CARL,),
            }.get(folder, ())
            if not folder:
                of_carl = any(
                    mark in self._files for mark in (tree_folders.CARL_FILE, _CARL_MANIFEST)
                )
                folder = tree_folders.CARL if of_carl else tree_folders.TREE
            self._folder = folder
            # The rule files that count because CARL's manifest names them.
            named: tuple[str, ...] = ()
            if folder == tree_folders.CARL and tree_folders.CARL_FILE not in self._files:
                manifest = self.document(_CARL_MANIFEST, Manifest)
                named = file_kinds.manifest_named_files(manifest.domains) if manifest else ()
            if dormant or named:
                paths = replace(document.paths, dormant=dormant, manifest_rule_files=named)
                document = replace(document, paths=paths)
            self._config = document
        return self._config

    @property
    def folder(self) -> str:
        """The folder whose manifest and rule files are served: ``.synapse`` before ``.carl``.

        A ``.synapse/`` without rules gives way: sessions and settings of every profile are in
        it.
        """
        _ = self.config
        return self._folder or tree_folders.TREE

    def with_text(self, path: str, text: str) -> Snapshot:
        """Return the same tree with ``text``, such as an editor's buffer, in place of a file's
        content.

        A path that is not ours changes nothing. A buffer of the configuration is in force, but
        the files it now points to are only there once they are loaded.
        """
        former = self._files.get(path)
        kind = former.kind if former else path_classification.classify_path(path, self.config.paths)
        if kind is None or (former and former.is_read and former.text == text):
            return self
        facts = analyze_file(path, kind, text, mtime_ns=former.mtime_ns if former else 0)
        if former and former.readers:
            facts = replace(facts, readers=former.readers)
        return self.replace_file(path, facts)[0]

    def replace_file(self, path: str, facts: FileFacts | None) -> tuple[Snapshot, frozenset[Key]]:
        """Return the tree with other facts of a file, None for one that is gone, and the changed
        keys.
        """
        if self._files.get(path) is facts and not tree_folders.is_above_root(path):
            return self, frozenset()
        changed = self._copy()
        return changed, changed._replace_facts(path, facts)

    def _copy(self) -> Snapshot:
        copy = Snapshot()
        for name, value in vars(self).items():
            setattr(copy, name, value.copy() if isinstance(value, dict) else value)
        for families in (copy._definers, copy._referrers):
            families.update((family, paths.copy()) for family, paths in families.items())
        return copy

    def _update_paths(
        self, families: _PathsByFamily, path: str, before: Set[Key], after: Set[Key]
    ) -> None:
        """Take ``path`` off the lists of the keys that it no longer speaks of, and put it on the
        new ones.
        """
        for family, name in before - after:
            paths = families[family]
            paths[name] = tuple(other for other in paths[name] if other != path)
            if not paths[name]:
                del paths[name]
        for family, name in after - before:
            paths = families.setdefault(family, {})
            paths[name] = (*paths.get(name, ()), path)

    def _replace_facts(self, path: str, new: FileFacts | None) -> frozenset[Key]:
        """Take in facts of a file in place of its former ones, None for a file that is gone, and
        return the changed keys. Only for a snapshot that nobody else has.
        """
        files = self._above if tree_folders.is_above_root(path) else self._files
        old = files.get(path)
        if old is new:
            return frozenset()
        if new is None:
            del files[path]
        else:
            files[path] = new
        if files is self._above:
            return frozenset({content_key(path)})
        if path in (tree_folders.CONFIG, _CARL_MANIFEST) or (
            (old is None or new is None) and tree_folders.is_in_rule_folder(path)
        ):
            self._config = self._folder = None
        if old is None or new is None or old.kind is not new.kind:
            self._sorted, self._outside = {}, {}
        elif path == tree_folders.CONFIG:
            self._outside = {}
        before, after = (facts.values_by_key if facts else {} for facts in (old, new))
        mentions = [facts.references_by_key.keys() if facts else _NO_KEYS for facts in (old, new)]
        # Most edits change what a file says and not what it speaks of.
        if before.keys() != after.keys():
            self._update_paths(self._definers, path, before.keys(), after.keys())
        if mentions[0] != mentions[1]:
            self._update_paths(self._referrers, path, *mentions)
        changed = {key for key, value in before.items() if value != after.get(key)}
        changed |= after.keys() - before.keys()
        changed |= mentions[0] ^ mentions[1]
        if not (old and new) or old.content_identity != new.content_identity:
            changed.add(content_key(path))
        return frozenset(changed)


_NO_KEYS: Set[Key] = frozenset()


def _paths_of(families: _PathsByFamily, key: Key) -> tuple[str, ...]:
    family, name = key
    return families.get(family, {}).get(name, ())


class TreeIndex:
    """The one mutable thing about a tree: it holds the current snapshot.

    Whatever the order of changes, the result equals an index that is built from scratch.
    ``profile``: one to be served with in place of that of the configuration. ``current``: the
    snapshot to begin with.
    """

    def __init__(self, profile: str = "", current: Snapshot | None = None) -> None:
        self._current = current or Snapshot(profile)
        self._is_shared = current is not None

    @property
    def current(self) -> Snapshot:
        """The tree as it is now, until the next change: whoever keeps it asks for `snapshot`."""
        return self._current

    def snapshot(self) -> Snapshot:
        """Return the tree as it is now; later changes do not reach it."""
        self._is_shared = True
        return self._current

    def put_layers(self, layers: ConfigLayers) -> ConfigLayers:
        """Take in what stands around the configuration; return what stood there before."""
        before = self._current.layers
        changed = self._current._copy()
        changed.layers, changed._config, changed._folder = layers, None, None
        self._current = changed
        self._is_shared = False
        return before

    def put_facts(self, facts: FileFacts) -> frozenset[Key]:
        """Take the facts of a file in, in place of its former ones; return the keys that changed
        by it.
        """
        return self._change(facts.path, facts)

    def drop_file(self, path: str) -> frozenset[Key]:
        """Forget a file; return the keys that changed by it, none where it was not known."""
        return self._change(path, None)

    def _change(self, path: str, facts: FileFacts | None) -> frozenset[Key]:
        if self._is_shared:
            before = self._current
            self._current, changed = before.replace_file(path, facts)
            self._is_shared = self._current is before
            return changed
        return self._current._replace_facts(path, facts)
