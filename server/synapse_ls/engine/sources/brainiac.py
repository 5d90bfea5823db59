"""A Brainiac tree → the fields of a plan (Brainiac Context Ordering)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from marshal import dumps
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.engine import settings
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.lexical import compile_index, counts, reinforced, search, terms
from synapse_ls.engine.sources import brainiac_processes
from synapse_ls.engine.sources.domain import domain_fields
from synapse_ls.engine.words import fold
from synapse_ls.formats.brainiac.headings import deeper, neutral, paragraphs
from synapse_ls.formats.brainiac.identity import TITLE, CoreIdentity
from synapse_ls.formats.brainiac.index import MemoryIndex
from synapse_ls.formats.brainiac.long_term import Memory
from synapse_ls.formats.brainiac.short_term_model import LISTS, TITLES, Event, Item, ShortTermMemory
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import stem
from synapse_ls.workspace.systems.brainiac import IDENTITY, INDEX, LONG_TERM, SHORT_TERM
from synapse_ls.workspace.tree import Tree

Fields = tuple[Any, ...]
RowFields = tuple[Any, ...]

# A memory is much read and seldom changed: what its facts were made into, by position in the tree.
_PACKED: WeakKeyDictionary[FileFacts, tuple[int, bytes]] = WeakKeyDictionary()
_COUNTED: WeakKeyDictionary[FileFacts, dict[str, dict[str, int]]] = WeakKeyDictionary()


def needs(tree: Tree, table: dict[str, Any]) -> tuple[str, ...]:
    """The access log, where the process speaks of it: it changes too often for any other."""
    return tree.snapshot.paths(FileKind.ACCESS_LOG) if "ACCESS" in table["sections"] else ()


def fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """The fields of the plan of ``tree``; with ``standing`` no memories, which a prompt brings."""
    config = tree.snapshot.config
    own = config.brainiac
    packed: list[bytes] = []
    labels: dict[str, int] = {}

    def add(label: str, role: str, file: str, rows: list[RowFields]) -> None:
        labels[label] = len(packed)
        packed.append(
            dumps((*domain_fields(len(packed), label, role=role, file=file), tuple(rows)))
        )

    identity, short_term = tree.snapshot.facts(IDENTITY), tree.snapshot.facts(SHORT_TERM)
    if identity:
        add("CORE_IDENTITY", "identity", IDENTITY, list(_identity(identity)))
    if short_term:
        add("SHORT_TERM", "short-term", SHORT_TERM, list(_short_term(short_term)))
    always = tuple(range(len(packed)))
    memories: dict[int, FileFacts] = {}
    for path in () if standing else tree.snapshot.paths(FileKind.LONG_TERM):
        facts = tree.snapshot.facts(path)
        if facts:
            memories[len(packed)] = facts
            labels[path.removeprefix(f"{LONG_TERM}/")] = len(packed)
            packed.append(_memory(len(packed), facts))
    document = short_term.document if short_term else None
    memory = document if isinstance(document, ShortTermMemory) else None
    index = compile_index((position, searched(tree, facts)) for position, facts in memories.items())
    found = search(index, terms(fold(said(memory, table["state"])))) if memory else {}
    bracket = {**table["brackets"][0], "budget": own.budget}
    is_builtin = table["name"].partition("-")[0] == "brainiac"
    return {
        "settings": settings.settings(config),
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
                position: reinforced(count)
                for position, facts in memories.items()
                if (count := _reinforcement(facts))
            },
            "newest": memory.oldest_first[-1].heading.value if memory and memory.events else "",
            "prepared": brainiac_processes.prepared(tree, table, memory, index, memories),
        },
    }


def _row(
    text: str, *, part: str, line: int, key: str = "", index: int | None = None, group: str = ""
) -> RowFields:
    identity = text_hash(f"{part}\n{text}")
    return (key, "plain", index, text, group, "", part, line, identity)


def _identity(facts: FileFacts) -> Iterator[RowFields]:
    """The paragraphs, each with the empty lines above it, so that together they are the file's text."""
    document = facts.document
    if not isinstance(document, CoreIdentity) or not document.said:
        return
    seen: Counter[str] = Counter()
    for number, (line, text) in enumerate(paragraphs(neutral(document.said, title=TITLE)), 1):
        seen[text] += 1
        # A paragraph that stands twice is told twice.
        part = f"identity {seen[text]}"
        yield _row(text, part=part, line=document.line + line, key=f"identity_{number}")


def _short_term(facts: FileFacts) -> Iterator[RowFields]:
    """The parts in the order in which they are told, each under the heading of its part."""
    memory = facts.document
    if not isinstance(memory, ShortTermMemory):
        return
    line_of = facts.lines.line_of
    first = memory.parts[0].span.start if memory.parts else len(memory.text)

    def loose(span: Span, part: str) -> RowFields:
        text = neutral(deeper(memory.said(span), 1))
        return _row(text, part=part, line=line_of(span.start), key=part)

    yield from (loose(span, "loose") for span in memory.loose if span.start < first)
    summary = memory.summary
    if summary and summary.value:
        yield _row(
            neutral(deeper(summary.value, 1)),
            part="summary",
            line=line_of(summary.span.start),
            key="summary",
            group=f"### {TITLES['summary']}",
        )
    yield from _data(memory)
    yield from (loose(span, "other") for span in memory.loose if span.start >= first)
    log = f"\n### {TITLES['events']}"
    if memory.note:
        yield _row(
            neutral(memory.note.value),
            part="note",
            line=line_of(memory.note.span.start),
            key="note",
            group=log,
        )
    ages = {event.line: age for age, event in enumerate(memory.oldest_first)}
    for event in memory.events:
        yield _event(memory, event, ages[event.line], log)


def _data(memory: ShortTermMemory) -> Iterator[RowFields]:
    """The structured data; the first group has the heading of the whole."""
    above = f"\n### {TITLES['data']}"
    for part in ("data", *LISTS):
        group = above if part == "data" else f"{above}\n#### {TITLES[part]}"
        for number, item in enumerate(memory.listed(part)):
            yield _item(memory, item, number, group)
            above = ""


def _item(memory: ShortTermMemory, item: Item, number: int, group: str) -> RowFields:
    key = f"{item.part}_{number + 1}"
    text = neutral(memory.said(item.span))
    return _row(text, part=item.part, line=item.line, key=key, group=group)


def _event(memory: ShortTermMemory, event: Event, age: int, group: str) -> RowFields:
    heading = neutral(event.heading.value)
    body = neutral(deeper(memory.said(event.body), 4 - event.level))
    text = f"#### {heading}\n{body}" if body else f"#### {heading}"
    return _row(
        text, part="event", line=event.line, key=event.heading.value, index=age, group=group
    )


def _memory(position: int, facts: FileFacts) -> bytes:
    """A memory's domain, as it was packed before where neither file nor place has changed."""
    before = _PACKED.get(facts)
    if before is not None and before[0] == position:
        return before[1]
    label = facts.path.removeprefix(f"{LONG_TERM}/")
    rows: list[RowFields] = []
    document = facts.document
    if isinstance(document, Memory):
        told = "\n\n".join(filter(None, ("\n".join(_about(document)), document.said)))
        if told:
            rows.append(_row(neutral(told, memories=True), part="memory", line=0, key=label))
    packed = dumps((*domain_fields(position, label, role="memory", file=facts.path), tuple(rows)))
    _PACKED[facts] = (position, packed)
    return packed


def _about(memory: Memory) -> Iterator[str]:
    """The lines above a memory's body."""
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


def _reinforcement(facts: FileFacts) -> int:
    return facts.document.reinforcement if isinstance(facts.document, Memory) else 0


def searched(tree: Tree, facts: FileFacts) -> dict[str, dict[str, int]]:
    """The words by which a memory is found, by field."""
    inner = facts.path.removeprefix(f"{LONG_TERM}/").removesuffix(".md")
    folder, _, name = facts.path.rpartition("/")
    found = dict(_own(facts))
    found["path"] = counts(inner.replace("/", " ").replace("-", " ").replace("_", " "))
    index = tree.snapshot.facts(f"{folder}/{INDEX}")
    if index and isinstance(index.document, MemoryIndex):
        listed = index.document.entries
        about = (one.about for one in listed if one.path.value.removeprefix("./") == name)
        found["index"] = counts(" ".join((index.document.summary, *about)))
    return found


def _own(facts: FileFacts) -> dict[str, dict[str, int]]:
    """The words of a memory's own text, counted once for as long as it stays as it is."""
    known = _COUNTED.get(facts)
    if known is None:
        known, memory = {}, facts.document
        if isinstance(memory, Memory):
            known["title"] = counts(memory.title or stem(facts.path))
            known["tags"] = counts(" ".join(memory.tags))
            known["body"] = counts(memory.said)
        _COUNTED[facts] = known
    return known


def said(memory: ShortTermMemory, parts: tuple[str, ...]) -> str:
    """What some parts of the short-term memory say, as one text to search by."""
    found: list[str] = []
    if "summary" in parts and memory.summary:
        found.append(memory.summary.value)
    found += (item.text for item in memory.items if item.part in parts)
    if "event" in parts:
        found += (memory.said(event.body) for event in memory.events)
    return "\n".join(found)
