"""This module is the source of plans for Brainiac: it compiles a Brainiac tree into the fields of a
plan (Brainiac Context Ordering).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from marshal import dumps
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.engine import plan_settings
from synapse_ls.engine.domain_defaults import make_domain_fields
from synapse_ls.engine.systems.brainiac import maintenance_sections
from synapse_ls.engine.systems.brainiac.memory_retrieval import reinforcement_bonus
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.engine.text_search import compile_index, count_terms, extract_terms, search_index
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.formats.brainiac.core_identity import TITLE, CoreIdentity
from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.formats.brainiac.reserved_headings import (
    demote_headings,
    neutralize_headings,
    split_paragraphs,
)
from synapse_ls.formats.brainiac.short_term_memory import (
    LISTS,
    TITLES,
    MemoryEvent,
    MemoryItem,
    ShortTermMemory,
)
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import file_stem
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.systems.brainiac_places import IDENTITY, INDEX, LONG_TERM, SHORT_TERM

Fields = tuple[Any, ...]
RowFields = tuple[Any, ...]

# A memory is much read and seldom changed: what its facts were made into, by position in the tree.
_PACKED: WeakKeyDictionary[FileFacts, tuple[int, bytes]] = WeakKeyDictionary()
_TERM_COUNTS: WeakKeyDictionary[FileFacts, dict[str, dict[str, int]]] = WeakKeyDictionary()


def needed_files(tree: Tree, table: dict[str, Any]) -> tuple[str, ...]:
    """Returns the files that the plan of a Brainiac tree needs beside the rules: the access log,
    where the process speaks of it; it changes too often for any other.
    """
    return tree.snapshot.paths(FileKind.ACCESS_LOG) if "ACCESS" in table["sections"] else ()


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Returns the plan fields of a Brainiac tree; with ``standing`` no memories, which a prompt
    brings.
    """
    config = tree.snapshot.config
    own = config.brainiac
    packed: list[bytes] = []
    labels: dict[str, int] = {}

    def add_domain(label: str, role: str, file: str, rows: list[RowFields]) -> None:
        labels[label] = len(packed)
        packed.append(
            dumps((*make_domain_fields(len(packed), label, role=role, file=file), tuple(rows)))
        )

    identity, short_term = tree.snapshot.facts(IDENTITY), tree.snapshot.facts(SHORT_TERM)
    if identity:
        add_domain("CORE_IDENTITY", "identity", IDENTITY, list(_identity_rows(identity)))
    if short_term:
        add_domain("SHORT_TERM", "short-term", SHORT_TERM, list(_short_term_rows(short_term)))
    always = tuple(range(len(packed)))
    memories: dict[int, FileFacts] = {}
    for path in () if standing else tree.snapshot.paths(FileKind.LONG_TERM):
        facts = tree.snapshot.facts(path)
        if facts:
            memories[len(packed)] = facts
            labels[path.removeprefix(f"{LONG_TERM}/")] = len(packed)
            packed.append(_pack_memory(len(packed), facts))
    document = short_term.document if short_term else None
    memory = document if isinstance(document, ShortTermMemory) else None
    index = compile_index(
        (position, searchable_terms(tree, facts)) for position, facts in memories.items()
    )
    found = (
        search_index(index, extract_terms(fold_text(short_term_text(memory, table["state"]))))
        if memory
        else {}
    )
    bracket = {**table["brackets"][0], "budget": own.budget}
    is_builtin = table["name"].partition("-")[0] == "brainiac"
    return {
        "settings": plan_settings.engine_settings(config),
        "profile_table": {**table, "brackets": (bracket,), "memories": own.memories}
        if is_builtin
        else table,
        "packed": tuple(packed),
        "labels": labels,
        "always": always,
        "devmode": bool(config.devmode),
        "extra": {
            "index": index,
            "standing": {
                position: (one.score, tuple(one.parts.items())) for position, one in found.items()
            },
            "reinforced": {
                position: reinforcement_bonus(count)
                for position, facts in memories.items()
                if (count := _reinforcement_count(facts))
            },
            "newest": memory.events_by_time[-1].heading.value if memory and memory.events else "",
            "prepared": maintenance_sections.build_sections(tree, table, memory, index, memories),
        },
    }


def _make_row(
    text: str, *, part: str, line: int, key: str = "", index: int | None = None, group: str = ""
) -> RowFields:
    identity = hash_text(f"{part}\n{text}")
    return (key, "plain", index, text, group, "", part, line, identity)


def _identity_rows(facts: FileFacts) -> Iterator[RowFields]:
    """Yields the paragraphs, each with the empty lines above it, so that together they are the
    file's text.
    """
    document = facts.document
    if not isinstance(document, CoreIdentity) or not document.body:
        return
    seen: Counter[str] = Counter()
    for number, (line, text) in enumerate(
        split_paragraphs(neutralize_headings(document.body, title=TITLE)), 1
    ):
        seen[text] += 1
        # A paragraph that stands twice is told twice.
        part = f"identity {seen[text]}"
        yield _make_row(text, part=part, line=document.line + line, key=f"identity_{number}")


def _short_term_rows(facts: FileFacts) -> Iterator[RowFields]:
    """Yields the parts in the order in which they stand in a text, each under the heading of its
    part.
    """
    memory = facts.document
    if not isinstance(memory, ShortTermMemory):
        return
    line_of = facts.lines.line_of
    first = memory.parts[0].span.start if memory.parts else len(memory.text)

    def loose_row(span: Span, part: str) -> RowFields:
        text = neutralize_headings(demote_headings(memory.text_at(span), 1))
        return _make_row(text, part=part, line=line_of(span.start), key=part)

    yield from (loose_row(span, "loose") for span in memory.loose if span.start < first)
    summary = memory.summary
    if summary and summary.value:
        yield _make_row(
            neutralize_headings(demote_headings(summary.value, 1)),
            part="summary",
            line=line_of(summary.span.start),
            key="summary",
            group=f"### {TITLES['summary']}",
        )
    yield from _data_rows(memory)
    yield from (loose_row(span, "other") for span in memory.loose if span.start >= first)
    log = f"\n### {TITLES['events']}"
    if memory.note:
        yield _make_row(
            neutralize_headings(memory.note.value),
            part="note",
            line=line_of(memory.note.span.start),
            key="note",
            group=log,
        )
    ages = {event.line: age for age, event in enumerate(memory.events_by_time)}
    for event in memory.events:
        yield _event_row(memory, event, ages[event.line], log)


def _data_rows(memory: ShortTermMemory) -> Iterator[RowFields]:
    """Yields the structured data; the first group has the heading of the whole."""
    above = f"\n### {TITLES['data']}"
    for part in ("data", *LISTS):
        group = above if part == "data" else f"{above}\n#### {TITLES[part]}"
        for number, item in enumerate(memory.items_of(part)):
            yield _item_row(memory, item, number, group)
            above = ""


def _item_row(memory: ShortTermMemory, item: MemoryItem, number: int, group: str) -> RowFields:
    key = f"{item.part}_{number + 1}"
    text = neutralize_headings(memory.text_at(item.span))
    return _make_row(text, part=item.part, line=item.line, key=key, group=group)


def _event_row(memory: ShortTermMemory, event: MemoryEvent, age: int, group: str) -> RowFields:
    heading = neutralize_headings(event.heading.value)
    body = neutralize_headings(demote_headings(memory.text_at(event.body), 4 - event.level))
    text = f"#### {heading}\n{body}" if body else f"#### {heading}"
    return _make_row(
        text, part="event", line=event.line, key=event.heading.value, index=age, group=group
    )


def _pack_memory(position: int, facts: FileFacts) -> bytes:
    """Returns a memory's domain, as it was packed before where neither file nor place has changed."""
    before = _PACKED.get(facts)
    if before is not None and before[0] == position:
        return before[1]
    label = facts.path.removeprefix(f"{LONG_TERM}/")
    rows: list[RowFields] = []
    document = facts.document
    if isinstance(document, LongTermMemory):
        told = "\n\n".join(filter(None, ("\n".join(_metadata_lines(document)), document.body_text)))
        if told:
            rows.append(
                _make_row(
                    neutralize_headings(told, memories=True), part="memory", line=0, key=label
                )
            )
    packed = dumps(
        (*make_domain_fields(position, label, role="memory", file=facts.path), tuple(rows))
    )
    _PACKED[facts] = (position, packed)
    return packed


def _metadata_lines(memory: LongTermMemory) -> Iterator[str]:
    """Yields the lines above a memory's body."""
    for name, value in (
        ("UUID", memory.uuid),
        ("Tags", ", ".join(memory.tags)),
        ("Created", memory.created),
        ("Updated", memory.updated),
        (
            "Reinforcement Count",
            str(memory.reinforcement) if "reinforcement" in memory.fields else "",
        ),
    ):
        if value:
            yield f"**{name}:** {' '.join(value.split())}"


def _reinforcement_count(facts: FileFacts) -> int:
    return facts.document.reinforcement if isinstance(facts.document, LongTermMemory) else 0


def searchable_terms(tree: Tree, facts: FileFacts) -> dict[str, dict[str, int]]:
    """Returns the words that the plan of a Brainiac tree has for finding a memory, by field."""
    inner = facts.path.removeprefix(f"{LONG_TERM}/").removesuffix(".md")
    folder, _, name = facts.path.rpartition("/")
    found = dict(_own_terms(facts))
    found["path"] = count_terms(inner.replace("/", " ").replace("-", " ").replace("_", " "))
    index = tree.snapshot.facts(f"{folder}/{INDEX}")
    if index and isinstance(index.document, MemoryIndex):
        listed = index.document.entries
        about = (one.about for one in listed if one.path.value.removeprefix("./") == name)
        found["index"] = count_terms(" ".join((index.document.summary, *about)))
    return found


def _own_terms(facts: FileFacts) -> dict[str, dict[str, int]]:
    """Returns the words of a memory's own text, counted once for as long as it stays as it is."""
    known = _TERM_COUNTS.get(facts)
    if known is None:
        known, memory = {}, facts.document
        if isinstance(memory, LongTermMemory):
            known["title"] = count_terms(memory.title or file_stem(facts.path))
            known["tags"] = count_terms(" ".join(memory.tags))
            known["body"] = count_terms(memory.body_text)
        _TERM_COUNTS[facts] = known
    return known


def short_term_text(memory: ShortTermMemory, parts: tuple[str, ...]) -> str:
    """Returns what some parts of Brainiac's short-term memory say, as the one text that its plan is
    searched by.
    """
    found: list[str] = []
    if "summary" in parts and memory.summary:
        found.append(memory.summary.value)
    found += (item.text for item in memory.items if item.part in parts)
    if "event" in parts:
        found += (memory.text_at(event.body) for event in memory.events)
    return "\n".join(found)
