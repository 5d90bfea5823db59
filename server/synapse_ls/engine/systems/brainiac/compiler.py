"""Compile the plan of a Brainiac tree, with what promotion and organization need beside it.

Candidates, access patterns, structure and goals are derived from the files without a model or a
clock, each with its reason; the agent decides (Brainiac Context Ordering).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.engine import plan_compiler
from synapse_ls.engine.compiled_plan import pack_domain
from synapse_ls.engine.plan_compiler import make_domain_fields
from synapse_ls.engine.systems.brainiac.layers import reinforcement_bonus
from synapse_ls.engine.text_search import compile_index, count_terms, extract_terms, search_index
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.formats.brainiac import memory_index
from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.formats.brainiac.reserved_headings import (
    demote_headings,
    neutralize_headings,
    split_paragraphs,
)
from synapse_ls.formats.brainiac.short_term_memory import LISTS, TITLES, ShortTermMemory
from synapse_ls.formats.rule import Rule
from synapse_ls.text.digest import hash_text
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import ACCESS_FILE, FileKind
from synapse_ls.workspace.naming_conventions import file_stem
from synapse_ls.workspace.path_classification import IDENTITY, INDEX, LONG_TERM, SHORT_TERM
from synapse_ls.workspace.rule_tree import Tree

Line = tuple[str, str, str, int]  # text, key, file, line
Memories = Mapping[int, FileFacts]

MIN_MERGE_RELEVANCE = 300  # thousandths from which a memory is about the same as a candidate
FREQUENT_ACCESSES = 3  # accesses that make a memory one that is much used
MIN_JOINT_READS = 2  # times that two memories are read one after the other
JOINT_READ_WINDOW = 4  # reads of one minute among which two count as together
_MAX_KEY = 40  # code points by which an event without a time goes
MAX_GOALS = 10  # what one line names at most


def build_sections(
    tree: Tree,
    table: Mapping[str, Any],
    memory: ShortTermMemory | None,
    index: Mapping[str, Any],
    memories: Memories,
) -> dict[str, tuple[Line, ...]]:
    """Build the sections for Brainiac's promotion and organization that no layer has rules for."""
    wanted = table["sections"]
    sections: dict[str, tuple[Line, ...]] = {}
    if "CANDIDATES" in wanted:
        sections["CANDIDATES"] = tuple(_candidate_lines(memory, index, memories)) if memory else ()
    if "STRUCTURE" in wanted:
        log = tree.snapshot.document(ACCESS_FILE, memory_index.AccessLog)
        use = _MemoryAccess(tree, log.entries if log else ())
        sections["ACCESS"] = tuple(use.pattern_lines())
        sections["STRUCTURE"] = tuple(_structure_lines(tree))
        goals = (*use.link_goals(), *use.move_goals(), *use.index_goals())
        sections["GOALS"] = goals or (("- Nothing asks for a change.", "none", "", 0),)
    return sections


def _candidate_lines(
    memory: ShortTermMemory, index: Mapping[str, Any], memories: Memories
) -> Iterator[Line]:
    """Yield facts, and goals and tasks that are done: what a promotion would otherwise throw
    away.
    """
    for what, part in (("Key fact", "facts"), ("Goal reached", "goals"), ("Task done", "tasks")):
        for number, item in enumerate(memory.items_of(part)):
            if part != "facts" and not item.checked:
                continue
            text = " ".join(item.text.split()).removeprefix("- ")
            hits = search_index(index, extract_terms(fold_text(text)))
            best = max(hits, key=lambda position: (hits[position].score, -position), default=-1)
            alike = (
                best >= 0
                and hits[best].relevance >= MIN_MERGE_RELEVANCE
                and len(hits[best].words) > 1
            )
            target = f"merge into {memories[best].path}" if alike else "a new memory"
            line = neutralize_headings(f"- {what}: {text} → {target}")
            yield line, f"{part}_{number + 1}", SHORT_TERM, item.line
    # Words that several events have in common.
    counts: Counter[str] = Counter()
    spellings: dict[str, str] = {}
    for event in memory.events:
        terms = extract_terms(fold_text(memory.text_at(event.body)))
        counts.update(term for term in terms if term not in _LABEL_TERMS)
        for term, word in terms.items():
            spellings.setdefault(term, word)
    often = sorted((-count, term) for term, count in counts.items() if count >= FREQUENT_ACCESSES)
    if often:
        words = ", ".join(
            f"{spellings[term]} ({-count} events)" for count, term in often[:MAX_GOALS]
        )
        yield f"- Recurring in the event log: {words}", "recurring", SHORT_TERM, 0


_LABEL_TERMS = frozenset(extract_terms("user ai assistant thoughts usuario pensamentos"))


class _MemoryAccess:
    """How memories are used, as far as the access log tells."""

    def __init__(self, tree: Tree, log: tuple[memory_index.MemoryAccess, ...]) -> None:
        self._tree = tree
        self._memories = tree.snapshot.paths(FileKind.LONG_TERM)
        self._lines: dict[str, int] = {}
        self._reads: Counter[str] = Counter()
        self._writes: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        paths = set(self._memories)
        self._gone: Counter[str] = Counter()
        self._minute = ""
        together: list[str] = []
        for access in log:
            # The log may have absolute paths.
            _, is_below, inner = f"/{access.path}".rpartition(f"/{LONG_TERM}/")
            path = f"{LONG_TERM}/{inner if is_below else access.path.lstrip('/')}"
            if path not in paths:
                self._gone[path] += 1
                continue
            self._lines.setdefault(path, access.line)
            if access.action != "READ":
                self._writes[path] += 1
                continue
            self._reads[path] += 1
            before, self._minute = self._minute, access.time[:16]
            together = [*together, path] if before == self._minute else [path]
            window = sorted(set(together[-JOINT_READ_WINDOW:]))
            self._pairs.update(pair for pair in combinations(window, 2) if path in pair)
        self._count = len(log)

    def pattern_lines(self) -> Iterator[Line]:
        """Yield what is read much, changed much, read together, and never touched."""
        if not self._count:
            yield "- No access has been recorded.", "access", ACCESS_FILE, 0
            return
        for path, count in _most_frequent(self._reads):
            changed = f", changed {self._writes[path]}" if self._writes[path] else ""
            yield f"- {path}: read {count}{changed}", path, ACCESS_FILE, self._lines[path]
        for path, count in _most_frequent(self._writes):
            if not self._reads[path]:
                yield f"- {path}: changed {count}", path, ACCESS_FILE, self._lines[path]
        for (first, second), count in _most_frequent(self._pairs):
            if count >= MIN_JOINT_READS:
                text = f"- Read together {count} times: {first}, {second}"
                yield text, f"{first}, {second}", ACCESS_FILE, self._lines[first]
        never = [path for path in self._memories if not (self._reads[path] or self._writes[path])]
        if never:
            yield f"- Never accessed: {_join_paths(never)}", "never", ACCESS_FILE, 0
        if self._gone:
            yield f"- Accessed but gone: {_join_paths(sorted(self._gone))}", "gone", ACCESS_FILE, 0

    def link_goals(self) -> Iterator[Line]:
        """Yield what the use of the memory suggests to link."""
        pairs = [
            (a, b)
            for (a, b), count in _most_frequent(self._pairs)
            if count >= MIN_JOINT_READS and not (self._has_link(a, b) or self._has_link(b, a))
        ]
        if len(pairs) == 1:
            (first, second) = pairs[0]
            yield f"- Link {first} and {second}, which are read together.", "link", first, 0
        elif pairs:
            named = "; ".join(" and ".join(pair) for pair in pairs)
            yield f"- Link what is read together: {named}", "link", pairs[0][0], 0

    def _has_link(self, path: str, other: str) -> bool:
        memory = self._tree.snapshot.document(path, LongTermMemory)
        name = other.rpartition("/")[2]
        return memory is not None and any(link.value.endswith(name) for link in memory.links)

    def move_goals(self) -> Iterator[Line]:
        """Yield what the use of the memory suggests to move up, or to archive."""
        deep = [
            (path, count)
            for path, count in _most_frequent(self._reads)
            if count >= FREQUENT_ACCESSES and path.removeprefix(f"{LONG_TERM}/").count("/") > 1
        ]
        if len(deep) == 1:
            path, count = deep[0]
            yield f"- Move {path} up, which was read {count} times.", "move", path, 0
        elif deep:
            named = ", ".join(f"{path} ({count} times)" for path, count in deep)
            yield f"- Move up what is read much: {named}", "move", deep[0][0], 0
        unused = []
        for path in self._memories if self._count else ():
            memory = self._tree.snapshot.document(path, LongTermMemory)
            if not (self._reads[path] or self._writes[path] or (memory and memory.reinforcement)):
                unused.append(path)
        if len(unused) == 1:
            yield f"- Archive {unused[0]}, which nothing has used.", "archive", unused[0], 0
        elif unused:
            yield f"- Archive what nothing has used: {_join_paths(unused)}", "archive", unused[0], 0

    def index_goals(self) -> Iterator[Line]:
        """Yield what the use of the memory suggests to write into its indexes."""
        bare: list[str] = []
        gaps: list[tuple[str, list[str]]] = []  # an index, and what it does not list
        for folder in _folders_of(self._memories):
            facts = self._tree.snapshot.facts(f"{folder}/{INDEX}")
            index = facts.document if facts else None
            if facts is None:
                bare.append(f"{folder}/{INDEX}")
            elif isinstance(index, memory_index.MemoryIndex):
                listed = {entry.path.value.removeprefix("./") for entry in index.entries}
                siblings = (path for path in self._memories if path.rpartition("/")[0] == folder)
                if missing := [path for path in siblings if path.rpartition("/")[2] not in listed]:
                    gaps.append((facts.path, missing))
        for path, missing in gaps[:MAX_GOALS]:
            yield f"- List in {path}: {_join_paths(missing)}", "index", path, 0
        if len(gaps) > MAX_GOALS:
            named = _join_paths([path for path, _ in gaps[MAX_GOALS:]])
            yield f"- List in each what lies beside it: {named}", "index", "", 0
        if len(bare) == 1:
            yield f"- Write {bare[0]}.", "index", "", 0
        elif bare:
            text = f"- Write {len(bare)} indexes that are missing: {_join_paths(bare)}"
            yield text, "index", "", 0


def _structure_lines(tree: Tree) -> Iterator[Line]:
    """Yield the folders and their memories, with what their indexes and fields say of them."""
    memories = tree.snapshot.paths(FileKind.LONG_TERM)
    for folder in _folders_of((*memories, *tree.snapshot.paths(FileKind.MEMORY_INDEX))):
        path = f"{folder}/{INDEX}"
        index = tree.snapshot.document(path, memory_index.MemoryIndex)
        about_it = f" — {index.summary}" if index and index.summary else ""
        text = neutralize_headings(f"- {folder}/{about_it}")
        yield text, folder, path if tree.snapshot.facts(path) else "", 0
        for path in memories:
            if path.rpartition("/")[0] != folder:
                continue
            about = path.rpartition("/")[2]
            if memory := tree.snapshot.document(path, LongTermMemory):
                about += f": {' '.join(memory.title.split())}" if memory.title else ""
                about += f" [{', '.join(memory.tags)}]" if memory.tags else ""
                about += f" ×{memory.reinforcement}" if memory.reinforcement else ""
            yield neutralize_headings(f"  - {about}"), path, path, 0


def _folders_of(paths: tuple[str, ...]) -> list[str]:
    return sorted({path.rpartition("/")[0] for path in paths})


def _most_frequent(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Return the most frequent ones; ties in the order of their names."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_GOALS]


def _join_paths(paths: list[str]) -> str:
    more = f" and {len(paths) - MAX_GOALS} more" if len(paths) > MAX_GOALS else ""
    return ", ".join(paths[:MAX_GOALS]) + more


# A memory is much read and seldom changed: its words by field.
_TERM_COUNTS: WeakKeyDictionary[FileFacts, dict[str, dict[str, int]]] = WeakKeyDictionary()


def needed_files(tree: Tree, table: dict[str, Any]) -> tuple[str, ...]:
    """Return the files that the plan of a Brainiac tree needs beside the rules: the access log,
    where the process speaks of it; it changes too often for any other.
    """
    return tree.snapshot.paths(FileKind.ACCESS_LOG) if "ACCESS" in table["sections"] else ()


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Return the plan fields of a Brainiac tree; with ``standing`` no memories, which a prompt
    brings.
    """
    config = tree.snapshot.config
    settings = config.brainiac
    packed: list[bytes] = []
    labels: dict[str, int] = {}

    def add_domain(label: str, role: str, file: str, rules: list[Rule]) -> None:
        labels[label] = len(packed)
        packed.append(
            pack_domain(make_domain_fields(len(packed), label, role=role, file=file), rules)
        )

    identity, short_term = tree.snapshot.facts(IDENTITY), tree.snapshot.facts(SHORT_TERM)
    if identity:
        add_domain("CORE_IDENTITY", "identity", IDENTITY, list(_identity_rules(identity)))
    if short_term:
        add_domain("SHORT_TERM", "short-term", SHORT_TERM, list(_short_term_rules(short_term)))
    always = tuple(range(len(packed)))
    memories: dict[int, FileFacts] = {}
    for facts in () if standing else tree.snapshot.files(FileKind.LONG_TERM):
        memories[len(packed)] = facts
        labels[facts.path.removeprefix(f"{LONG_TERM}/")] = len(packed)
        packed.append(_pack_memory(len(packed), facts))
    memory = tree.snapshot.document(SHORT_TERM, ShortTermMemory)
    index = compile_index(
        (position, searchable_terms(tree, facts)) for position, facts in memories.items()
    )
    hits = (
        search_index(index, extract_terms(fold_text(short_term_text(memory, table["state"]))))
        if memory
        else {}
    )
    bracket = {**table["brackets"][0], "budget": settings.budget}
    return {
        "settings": plan_compiler.engine_settings(config),
        "profile_table": {**table, "brackets": (bracket,), "memories": settings.memories}
        if table["name"].partition("-")[0] == "brainiac"
        else table,
        "packed": tuple(packed),
        "labels": labels,
        "always": always,
        "devmode": bool(config.devmode),
        "extra": {
            "index": index,
            "standing": {
                position: (hit.score, tuple(hit.parts.items())) for position, hit in hits.items()
            },
            "reinforced": {
                position: reinforcement_bonus(count)
                for position, facts in memories.items()
                if (
                    count := facts.document.reinforcement
                    if isinstance(facts.document, LongTermMemory)
                    else 0
                )
            },
            "newest": len(memory.events) - 1 if memory else -1,
            "prepared": build_sections(tree, table, memory, index, memories),
        },
    }


def _make_rule(
    text: str, *, part: str, line: int, key: str = "", index: int | None = None, group: str = ""
) -> Rule:
    return Rule(key, "plain", index, text, group, "", part, line, hash_text(f"{part}\n{text}"))


def _part_rule(text: str, **fields: Any) -> Rule:
    return _make_rule(neutralize_headings(text, is_part=True), **fields)


def _identity_rules(facts: FileFacts) -> Iterator[Rule]:
    """Yield the paragraphs, each with the empty lines above it, so that together they are the
    file's text.
    """
    if not isinstance(document := facts.document, memory_index.CoreIdentity) or not document.body:
        return
    counts: Counter[str] = Counter()
    for number, (line, text) in enumerate(
        split_paragraphs(neutralize_headings(document.body, title=memory_index.TITLE)), 1
    ):
        counts[text] += 1
        # A paragraph that stands twice is told twice.
        part = f"identity {counts[text]}"
        yield _make_rule(text, part=part, line=document.line + line, key=f"identity_{number}")


def _short_term_rules(facts: FileFacts) -> Iterator[Rule]:
    """Yield the parts in the order in which they stand in a text, each under the heading of its
    part.
    """
    if not isinstance(memory := facts.document, ShortTermMemory):
        return
    line_of = facts.lines.line_of
    first = memory.parts[0].span.start if memory.parts else len(memory.text)

    def loose_rule(span: Span, part: str) -> Rule:
        text = demote_headings(memory.text_at(span), 1)
        return _part_rule(text, part=part, line=line_of(span.start), key=part)

    yield from (loose_rule(span, "loose") for span in memory.loose if span.start < first)
    if (summary := memory.summary) and summary.value:
        yield _part_rule(
            demote_headings(summary.value, 1),
            part="summary",
            line=line_of(summary.span.start),
            key="summary",
            group=f"### {TITLES['summary']}",
        )
    # The first group has the heading of the whole.
    above = f"\n### {TITLES['data']}"
    for part in ("data", *LISTS):
        group = above if part == "data" else f"{above}\n#### {TITLES[part]}"
        for number, item in enumerate(memory.items_of(part)):
            key = f"{item.part}_{number + 1}"
            text = memory.text_at(item.span)
            yield _part_rule(text, part=item.part, line=item.line, key=key, group=group)
            above = ""
    yield from (loose_rule(span, "other") for span in memory.loose if span.start >= first)
    log = f"\n### {TITLES['events']}"
    if memory.note:
        yield _part_rule(
            memory.note.value,
            part="note",
            line=line_of(memory.note.span.start),
            key="note",
            group=log,
        )
    ages = {event.line: age for age, event in enumerate(memory.events_by_time)}
    for event in memory.events:
        age = ages[event.line]
        heading = neutralize_headings(event.heading.value)
        body = demote_headings(memory.text_at(event.body), 4 - event.level)
        text = f"#### {heading}\n{body}" if body else f"#### {heading}"
        if not event.level:
            text = memory.text_at(event.span).lstrip()
        yield _part_rule(
            text, part="event", line=event.line, key=heading[:_MAX_KEY], index=age, group=log
        )


def _pack_memory(position: int, facts: FileFacts) -> bytes:
    label = facts.path.removeprefix(f"{LONG_TERM}/")
    rules: list[Rule] = []
    if isinstance(document := facts.document, LongTermMemory):
        metadata = {
            "UUID": document.uuid,
            "Tags": ", ".join(document.tags),
            "Created": document.created,
            "Updated": document.updated,
        }
        if "reinforcement" in document.fields:
            metadata["Reinforcement Count"] = str(document.reinforcement)
        head = "\n".join(
            f"**{name}:** {' '.join(value.split())}" for name, value in metadata.items() if value
        )
        if text := "\n\n".join(filter(None, (head, document.body_text))):
            text = neutralize_headings(text, memories=True)
            rules.append(_make_rule(text, part="memory", line=0, key=label))
    return pack_domain(make_domain_fields(position, label, role="memory", file=facts.path), rules)


def searchable_terms(tree: Tree, facts: FileFacts) -> dict[str, dict[str, int]]:
    """Return the words that the plan of a Brainiac tree has for finding a memory, by field."""
    inner = facts.path.removeprefix(f"{LONG_TERM}/").removesuffix(".md")
    folder, _, name = facts.path.rpartition("/")
    # The words of its own text are counted once for as long as it stays as it is.
    if (counts := _TERM_COUNTS.get(facts)) is None:
        counts, memory = {}, facts.document
        if isinstance(memory, LongTermMemory):
            counts["title"] = count_terms(memory.title or file_stem(facts.path))
            counts["tags"] = count_terms(" ".join(memory.tags))
            counts["body"] = count_terms(memory.body_text)
        _TERM_COUNTS[facts] = counts
    terms = dict(counts)
    terms["path"] = count_terms(inner.replace("/", " ").replace("-", " ").replace("_", " "))
    if index := tree.snapshot.document(f"{folder}/{INDEX}", memory_index.MemoryIndex):
        listed = index.entries
        about = (entry.about for entry in listed if entry.path.value.removeprefix("./") == name)
        terms["index"] = count_terms(" ".join((index.summary, *about)))
    return terms


def short_term_text(memory: ShortTermMemory, parts: tuple[str, ...]) -> str:
    """Return what some parts of Brainiac's short-term memory say, as the one text that its plan is
    searched by.
    """
    lines: list[str] = []
    if "summary" in parts and memory.summary:
        lines.append(memory.summary.value)
    lines += (item.text for item in memory.items if item.part in parts)
    if "event" in parts:
        lines += (memory.text_at(event.body) for event in memory.events)
    return "\n".join(lines)
