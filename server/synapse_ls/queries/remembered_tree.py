"""Remember a tree in plain values, so that the next process has it without reading all of its
files.

What is remembered of a file says which keys it defines and mentions; its text is read and parsed
when somebody asks for it. So a change of one file costs by what the change reaches.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from dataclasses import replace
from functools import cached_property, partial
from marshal import dumps, loads
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from synapse_ls.text.digest import hash_text
from synapse_ls.text.parse_result import Problem
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, list_file
from synapse_ls.workspace.file_kinds import FileKind, squad_folder_of
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_domains import Domain, Home, Squad

if TYPE_CHECKING:
    from synapse_ls.workspace.index_keys import Definition, Key, Reference

    Analyze = Callable[[str, FileKind], FileFacts]
    Packed = tuple[Any, ...]
    PackedTexts = dict[str, tuple[str, tuple[Packed, ...]]]

_NO_TEXTS: PackedTexts = {}
_squad_values = attrgetter(*Squad.__dataclass_fields__)


class ValueDigest:
    """A ValueDigest stands for what a file of a remembered tree says about a key; it equals that
    value and its digest.
    """

    __slots__ = ("_digest",)

    def __init__(self, digest: str) -> None:
        self._digest = digest

    def __eq__(self, other: object) -> bool:
        said = other._digest if isinstance(other, ValueDigest) else _digest_value(other)
        return said == self._digest

    def __hash__(self) -> int:
        return hash(self._digest)


class RememberedFacts(FileFacts):
    """The facts of a file of a remembered tree; the file is read again when more is asked than
    which keys it speaks of.
    """

    _analyze: Analyze
    _spoken: bytes

    @classmethod
    def of_packed(
        cls, packed: Packed, analyze: Analyze, text: str | None = None
    ) -> RememberedFacts:
        """Return the facts that `pack_facts` packed; ``analyze`` gives those of a file with all
        that it says, ``text`` is its text where that is known.
        """
        path, kind, name, is_read, modified, spoken = packed
        made = cls.__new__(cls)
        vars(made).update(
            path=path,
            kind=FileKind(kind),
            id=name,
            is_read=is_read,
            mtime_ns=modified,
            _spoken=spoken,
            _analyze=analyze,
        )
        if text is not None:
            vars(made)["text"] = text
        return made

    @property
    def known_text(self) -> str | None:
        """The text; None where it would have to be read."""
        known: str | None = vars(self).get("text")
        return known

    @cached_property
    def _whole(self) -> FileFacts:
        if not self.is_read:
            return list_file(self.path, self.kind)
        return self._analyze(self.path, self.kind)

    @cached_property
    def text(self) -> str:
        """The text."""
        return self._whole.text

    @cached_property
    def document(self) -> object | None:
        """What the parser of its kind makes of it."""
        return self._whole.document

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with it."""
        return self._whole.problems

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """What it defines."""
        return self._whole.definitions

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """What it mentions."""
        return self._whole.references

    @cached_property
    def values_by_key(self) -> Mapping[Key, Any]:
        """What stands for all that it says about the keys that it defines."""
        return {key: ValueDigest(digest) for key, digest in loads(self._spoken)[0].items()}

    @cached_property
    def referenced_keys(self) -> Set[Key]:
        """The keys that it mentions."""
        return frozenset(loads(self._spoken)[1])

    @cached_property
    def content_identity(self) -> Hashable:
        """What no other facts have where the text is not known: then they are replaced only where
        the content is another.
        """
        if self.known_text is None:
            return id(self)
        age = self.mtime_ns if self.kind is FileKind.WORKFLOW_STATE else 0
        return self.kind, self.text, self.is_read, self.problems, age


class RememberedHome(Home):
    """A home of a remembered tree, whose domains are assembled when somebody asks for them."""

    packed: Packed
    _assemble: Callable[[], tuple[Domain, ...]]

    @classmethod
    def of_packed(
        cls, packed: Packed, assemble: Callable[[], tuple[Domain, ...]]
    ) -> RememberedHome:
        """Return the home that `pack_home` packed; ``assemble`` makes its domains."""
        made = cls.__new__(cls)
        vars(made).update(squad=_squad_of(packed), packed=packed, _assemble=assemble)
        return made

    @cached_property
    def domains(self) -> tuple[Domain, ...]:
        """The domains in the order of the manifest."""
        return self._assemble()

    @cached_property
    def rule_files(self) -> tuple[str, ...]:
        """The rule files, sorted."""
        found: tuple[str, ...] = loads(self.packed[1])[1]
        return found


def _digest_value(value: object) -> str:
    """Return a digest of what a file says about a key: of values that differ, digests differ."""
    return hash_text(repr(value))


def pack_facts(facts: FileFacts) -> Packed:
    """Return what is remembered of a file of a tree, as plain values."""
    if isinstance(facts, RememberedFacts):
        spoken = facts._spoken
    else:
        values = {key: _digest_value(value) for key, value in facts.values_by_key.items()}
        spoken = dumps((values, tuple(facts.referenced_keys)))
        facts.forget_groups()  # else all files would have them now
    return facts.path, facts.kind.value, facts.id, facts.is_read, facts.mtime_ns, spoken


def pack_home(home: Home) -> Packed:
    """Return what is remembered of a home: its squad, and which file serves which domain."""
    if isinstance(home, RememberedHome):
        return home.packed
    served = tuple((domain.name, domain.label, domain.file) for domain in home.domains)
    return home.squad and _squad_values(home.squad), dumps((served, home.rule_files))


def pack_tree(tree: Tree) -> dict[str, Any]:
    """Return what is remembered of a tree, as plain values."""
    snapshot = tree.snapshot
    definers, referrers = snapshot.paths_by_key()
    return {
        "files": {path: pack_facts(facts) for path, facts in _facts_of(snapshot, snapshot.paths())},
        "homes": {folder: pack_home(home) for folder, home in tree.homes_by_folder.items()},
        "definers": definers,
        "referrers": referrers,
    }


def pack_texts(
    tree: Tree, read_known: Callable[[], PackedTexts | None], limit: int
) -> PackedTexts | None:
    """Return what is remembered of the text of each file that was read, with what is wrong with it;
    ``read_known`` gives those of files that were not read again.

    None where one is not known, or where they have more than ``limit`` characters together.
    """
    found: PackedTexts = {}
    known: PackedTexts | None = None
    for path, facts in _facts_of(tree.snapshot, tree.snapshot.paths()):
        if not facts.is_read:
            continue
        if isinstance(facts, RememberedFacts):
            known = read_known() or {} if known is None else known
            if path not in known:
                return None
            found[path] = known[path]
        else:
            found[path] = _pack_text(facts)
        limit -= len(found[path][0])
        if limit < 0:
            return None
    return found


def recall_from(texts: PackedTexts) -> Analyze:
    """Return a function that gives the facts of a file of a remembered tree from its packed text,
    as they were.
    """

    def recall(path: str, kind: FileKind) -> FileFacts:
        text, problems = texts[path]
        facts = analyze_file(path, kind, text)
        if not problems:
            return facts
        return replace(
            facts,
            problems=tuple(
                Problem(kind, Span(start, end), message, remedy, data)
                for kind, start, end, message, remedy, data in problems
            ),
        )

    return recall


def _pack_text(facts: FileFacts) -> tuple[str, tuple[Packed, ...]]:
    return facts.text, tuple(
        (one.kind, *one.span, one.message, one.remedy, one.data) for one in facts.problems
    )


def pack_part(tree: Tree, paths: Iterable[str]) -> dict[str, Any]:
    """Return what is remembered of some files, and of the homes that they are in."""
    paths = tuple(paths)
    homes = tree.homes_by_folder
    return {
        "files": {path: pack_facts(facts) for path, facts in _facts_of(tree.snapshot, paths)},
        "homes": {
            folder: pack_home(homes[folder])
            for folder in _home_folders(tree.snapshot, paths)
            if folder in homes
        },
        "texts": {
            path: _pack_text(facts)
            for path, facts in _facts_of(tree.snapshot, paths)
            if facts.is_read
        },
    }


class RememberedTree:
    """A tree of the last time: ``packed`` by `pack_tree`, with those files and homes of ``later``,
    by `pack_part`, in place of its own. ``analyze`` gives the facts of a file with all that it
    says; ``texts`` are the packed texts, where they are known.
    """

    def __init__(
        self,
        packed: dict[str, Any],
        later: dict[str, Any],
        analyze: Analyze,
        texts: PackedTexts = _NO_TEXTS,
    ) -> None:
        def recall(path: str, known: Packed) -> RememberedFacts:
            return RememberedFacts.of_packed(
                known, analyze, texts[path][0] if path in texts else None
            )

        files: dict[str, FileFacts] = {
            path: recall(path, known) for path, known in packed["files"].items()
        }
        snapshot = Snapshot.of_parts(files, packed["definers"], packed["referrers"])
        for path, known in later["files"].items():
            snapshot, _ = snapshot.with_facts(recall(path, known))
        self.snapshot = snapshot
        self._homes: dict[str, Packed] = {**packed["homes"], **later["homes"]}

    def resolve_names(self, touched: Iterable[str]) -> Tree:
        """Return the tree with its names; no text is asked for in the homes of the ``touched``
        files, which are others by now.
        """
        tree = Tree(self.snapshot)
        gone = _home_folders(self.snapshot, touched)
        homes: dict[str, Home] = {
            folder: _outlined_home(packed)
            if folder in gone
            else RememberedHome.of_packed(packed, partial(tree.assemble_domains, folder))
            for folder, packed in self._homes.items()
            if folder or folder in gone  # nobody has to be asked for the root's, where it is whole
        }
        tree.adopt_homes(homes)
        return tree


def _squad_of(packed: Packed) -> Squad | None:
    return Squad(*packed[0]) if packed[0] else None


def _outlined_home(packed: Packed) -> Home:
    """Return a home of which is known only which file serves which domain."""
    served, rule_files = loads(packed[1])
    domains = (
        Domain(name, label, "", None, "", file, position, builtin=False)
        for position, (name, label, file) in enumerate(served)
    )
    return Home(_squad_of(packed), tuple(domains), rule_files)


def _facts_of(snapshot: Snapshot, paths: Iterable[str]) -> Iterable[tuple[str, FileFacts]]:
    return ((path, facts) for path in paths if (facts := snapshot.facts(path)))


def _home_folders(snapshot: Snapshot, paths: Iterable[str]) -> frozenset[str]:
    """Return the folders of the homes that files are in, "" for the root."""
    return frozenset(squad_folder_of(path, snapshot.config.paths) for path in paths)
