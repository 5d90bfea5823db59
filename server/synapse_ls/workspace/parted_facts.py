"""This module has the facts of a long rule file or manifest in parts: an edit costs by the part that it is
in, and by how many parts there are.

Each part is like a short file, whose places count from its own beginning. Parts that an edit does not touch
are those of the text before. What the file says as a whole is put together when somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import accumulate, takewhile
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from synapse_ls.formats import domain_rules, manifest_parts
from synapse_ls.formats.domain_rules import RulesDocument, RulesPart, is_read_by_lines
from synapse_ls.text.line_parts import CanBegin, part_text
from synapse_ls.text.parse_result import ParseResult
from synapse_ls.text.span import Span, new_tuple
from synapse_ls.workspace.fact_extraction import (
    extract_facts,
    extract_line_facts,
    extract_manifest_facts,
    extract_rules_facts,
    find_identity,
)
from synapse_ls.workspace.file_facts import FileFacts, analyze_file, sort_facts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.index_keys import Definition, Key, Reference
from synapse_ls.workspace.tree_folders import CARL

if TYPE_CHECKING:
    from synapse_ls.workspace.fact_extraction import Facts

_LONG = 500  # lines of a file that is worth its parts


class _Format(NamedTuple):
    """A _Format says how files of a kind are read in parts.

    can_begin: whether a part can begin at an offset. read, join: what the parts say, and what they say
    together, None where that cannot be told from them. extract_line_facts: the facts of a part;
    extract_file_facts: those of the file apart from its lines.
    """

    can_begin: CanBegin
    read: Callable[[str], Any]
    join: Callable[[str, Sequence[Any]], ParseResult[Any] | None]
    extract_line_facts: Callable[[str, Any], Facts]
    extract_file_facts: Callable[[str, Sequence[Any]], Facts]


def _join_rules(text: str, parts: Sequence[RulesPart]) -> ParseResult[RulesDocument] | None:
    is_keyvalue = any(part.has_key for part in parts)
    return domain_rules.join_parts(text, parts) if is_keyvalue else None


def _rules_file_facts(path: str, parts: Sequence[RulesPart]) -> Facts:
    keys = tuple(rule.key for part in parts for rule in part.reading.rules if rule.key)
    return extract_rules_facts(path, keys)


_FORMATS: Mapping[FileKind, _Format] = {
    FileKind.RULES: _Format(
        lambda _text, _start: True,
        domain_rules.read_part,
        _join_rules,
        extract_line_facts,
        _rules_file_facts,
    ),
    FileKind.MANIFEST: _Format(
        manifest_parts.begins_domain,
        manifest_parts.read_part,
        manifest_parts.join_parts,
        extract_manifest_facts,
        lambda path, _parts: extract_facts(path, FileKind.MANIFEST, None),
    ),
}


class FactsPart(FileFacts):
    """A FactsPart has the facts of some lines of a file; places count from their beginning."""

    content: Any

    @classmethod
    def read(cls, path: str, kind: FileKind, text: str) -> FactsPart:
        """Returns the facts of these lines of a file."""
        content = _FORMATS[kind].read(text)
        facts = _FORMATS[kind].extract_line_facts(path, content.document)
        definitions, references = sort_facts(facts)
        made = cls(path, kind, text, content.document, (), definitions, references)
        vars(made)["content"] = content
        return made


class PartedFacts(FileFacts):
    """A PartedFacts has the facts of a file whose lines were read in ``parts``; ``own`` has what the file
    says apart from its lines.
    """

    parts: tuple[FactsPart, ...]
    own: FileFacts

    @classmethod
    def of_parts(
        cls, path: str, kind: FileKind, text: str, parts: tuple[FactsPart, ...], mtime_ns: int
    ) -> PartedFacts | None:
        """Returns the facts of the file with these parts, one after the other; None where it cannot be
        read in parts.
        """
        contents = [part.content for part in parts]
        parsed = _FORMATS[kind].join(text, contents)
        if parsed is None:
            return None
        definitions, references = sort_facts(_FORMATS[kind].extract_file_facts(path, contents))
        made = cls.__new__(cls)
        vars(made).update(
            path=path,
            kind=kind,
            text=text,
            document=parsed.document,
            problems=parsed.problems,
            id=find_identity(path, kind, None)[0],
            mtime_ns=mtime_ns,
            parts=parts,
            own=FileFacts(path, kind, definitions=definitions, references=references),
        )
        return made

    @property
    def placed_parts(self) -> Iterator[tuple[int, FactsPart]]:
        """Yields the parts with the offsets at which they begin."""
        starts = accumulate((len(part.text) for part in self.parts), initial=0)
        return zip(starts, self.parts, strict=False)

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Returns what it defines."""
        return (
            *self.own.definitions,
            *(
                new_tuple(Definition, (key, _place(start, span), said))
                for start, part in self.placed_parts
                for key, span, said in part.definitions
            ),
        )

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """Returns what it mentions."""
        return (
            *self.own.references,
            *(
                new_tuple(Reference, (key, _place(start, span)))
                for start, part in self.placed_parts
                for key, span in part.references
            ),
        )


def _place(start: int, span: Span) -> Span:
    """Returns a span of a part where it is in the file; there are very many."""
    return new_tuple(Span, (start + span[0], start + span[1]))


def analyze_edited_file(
    path: str, kind: FileKind, text: str, former: FileFacts | None, mtime_ns: int = 0
) -> FileFacts:
    """Parses a file that is being edited and collects what it says; ``former`` are its facts before."""
    is_same = former is not None and (former.path, former.kind) == (path, kind)
    parts = _read_parts(path, kind, text, _parts_of(former) if former and is_same else ())
    made = PartedFacts.of_parts(path, kind, text, parts, mtime_ns) if parts else None
    if made is None:
        whole = analyze_file(path, kind, text, mtime_ns=mtime_ns)
        _PARTS[whole] = parts
        return whole
    return made


_PARTS: WeakKeyDictionary[FileFacts, tuple[FactsPart, ...]] = WeakKeyDictionary()
_PARTED: WeakKeyDictionary[FileFacts, PartedFacts | None] = WeakKeyDictionary()


def _parts_of(facts: FileFacts) -> tuple[FactsPart, ...]:
    """Returns the parts of a file, kept for as long as ``facts`` are; none where it has no parts."""
    if isinstance(facts, PartedFacts):
        return facts.parts
    if facts not in _PARTS:
        is_read = facts.is_read
        _PARTS[facts] = _read_parts(facts.path, facts.kind, facts.text, ()) if is_read else ()
    return _PARTS[facts]


def read_in_parts(facts: FileFacts) -> PartedFacts | None:
    """Returns the same facts in parts, kept for as long as ``facts`` are; None where they cannot be
    told from parts. An edit needs them: whoever has time can ask before.
    """
    if isinstance(facts, PartedFacts):
        return facts
    if facts not in _PARTED:
        parts = _parts_of(facts)
        place = facts.path, facts.kind, facts.text
        _PARTED[facts] = PartedFacts.of_parts(*place, parts, facts.mtime_ns) if parts else None
    return _PARTED[facts]


def _read_parts(
    path: str, kind: FileKind, text: str, former: Sequence[FactsPart]
) -> tuple[FactsPart, ...]:
    """Returns the parts of a file of which there were these before; none where it has no parts, or is
    not worth them.
    """
    known = _FORMATS.get(kind)
    is_long = known is not None and text.count("\n") >= _LONG
    if known is None or not is_long or path.startswith(f"{CARL}/") or not is_read_by_lines(text):
        return ()
    before, new, after = part_text(text, [part.text for part in former], known.can_begin)
    return (
        *former[:before],
        *(FactsPart.read(path, kind, lines) for lines in new),
        *former[len(former) - after :],
    )


class SaidOfKeys(NamedTuple):
    """A SaidOfKeys is what a file says of keys: the values of those that it defines, and which it
    mentions.
    """

    values: Mapping[Key, tuple[Hashable, ...]]
    mentions: Set[Key]


def compare_facts(old: FileFacts | None, new: FileFacts | None) -> tuple[SaidOfKeys, SaidOfKeys]:
    """Returns what the facts of a file say of keys before and after a change, without those of which
    they surely say the same.
    """
    if isinstance(old, PartedFacts) or isinstance(new, PartedFacts):
        before = read_in_parts(old) if old else None
        after = read_in_parts(new) if new else None
        if before and after:
            return _compare_parts(before, after)
    return _all_said(old), _all_said(new)


def _all_said(facts: FileFacts | None) -> SaidOfKeys:
    return SaidOfKeys(facts.values_by_key, facts.referenced_keys) if facts else _NOTHING


_NOTHING = SaidOfKeys({}, frozenset())


def _compare_parts(old: PartedFacts, new: PartedFacts) -> tuple[SaidOfKeys, SaidOfKeys]:
    before = _count_same(old.parts, new.parts)
    most = min(len(old.parts), len(new.parts)) - before
    after = min(_count_same(old.parts[::-1], new.parts[::-1]), most)
    same = (*old.parts[:before], *old.parts[len(old.parts) - after :])
    changed = [(facts.own, *facts.parts[before : len(facts.parts) - after]) for facts in (old, new)]
    values = [_join_values(parts) for parts in changed]
    for key in values[0].keys() ^ values[1].keys():
        if any(key in part.values_by_key for part in same):
            for said in values:
                said.setdefault(key, ())
    mentions = [set[Key]().union(*(part.referenced_keys for part in parts)) for parts in changed]
    for key in mentions[0] ^ mentions[1]:
        if any(key in part.referenced_keys for part in same):
            for mentioned in mentions:
                mentioned.add(key)
    return SaidOfKeys(values[0], mentions[0]), SaidOfKeys(values[1], mentions[1])


def _count_same(some: Sequence[object], others: Sequence[object]) -> int:
    """Returns how many objects at the beginning of two sequences are the same."""
    return sum(1 for _ in takewhile(bool, map(is_, some, others)))


def _join_values(parts: Iterable[FileFacts]) -> dict[Key, tuple[Hashable, ...]]:
    """Returns what some parts of a file say of the keys that they define."""
    found: dict[Key, tuple[Hashable, ...]] = {}
    for part in parts:
        for key, said in part.values_by_key.items():
            found[key] = (*found[key], *said) if key in found else said
    return found
