"""This module computes the sections that Brainiac's maintenance, promotion and organization, gets
beside the files: candidates, access patterns, structure, goals.

All of it is worked out from the files, without a model and without a clock. Which facts are
worth keeping and how memories are put in order remains for the agent to decide: these are
candidates and goals, each with its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from synapse_ls.engine.text_search import extract_terms, search_index
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.formats.brainiac.access_log import AccessLog, MemoryAccess
from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
from synapse_ls.formats.brainiac.memory_index import MemoryIndex
from synapse_ls.formats.brainiac.reserved_headings import neutralize_headings
from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import ACCESS_FILE, FileKind
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.systems.brainiac_places import INDEX, LONG_TERM, SHORT_TERM

Line = tuple[str, str, str, int]  # text, key, file, line
Memories = Mapping[int, FileFacts]

MIN_MERGE_RELEVANCE = 300  # thousandths from which a memory is about the same as a candidate
FREQUENT_ACCESSES = 3  # accesses that make a memory one that is much used
MIN_JOINT_READS = 2  # times that two memories are read one after the other
JOINT_READ_WINDOW = 4  # reads of one minute among which two count as together
MAX_GOALS = 10  # what one line names at most


def build_sections(
    tree: Tree,
    table: Mapping[str, Any],
    memory: ShortTermMemory | None,
    index: Mapping[str, Any],
    memories: Memories,
) -> dict[str, tuple[Line, ...]]:
    """Builds the sections for Brainiac's promotion and organization that no layer has rows for."""
    wanted = table["sections"]
    found: dict[str, tuple[Line, ...]] = {}
    if "CANDIDATES" in wanted:
        found["CANDIDATES"] = tuple(_candidate_lines(memory, index, memories)) if memory else ()
    if "STRUCTURE" in wanted:
        facts = tree.snapshot.facts(ACCESS_FILE)
        log = facts.document.entries if facts and isinstance(facts.document, AccessLog) else ()
        use = _MemoryAccess(tree, log)
        found["ACCESS"] = tuple(use.pattern_lines())
        found["STRUCTURE"] = tuple(_structure_lines(tree))
        found["GOALS"] = tuple(use.goal_lines())
    return found


def _candidate_lines(
    memory: ShortTermMemory, index: Mapping[str, Any], memories: Memories
) -> Iterator[Line]:
    """Yields facts, and goals and tasks that are done: what a promotion would otherwise throw
    away.
    """
    for what, part in (("Key fact", "facts"), ("Goal reached", "goals"), ("Task done", "tasks")):
        for number, item in enumerate(memory.items_of(part)):
            if part != "facts" and not item.checked:
                continue
            text = " ".join(item.text.split()).removeprefix("- ")
            found = search_index(index, extract_terms(fold_text(text)))
            best = max(found, key=lambda position: (found[position].score, -position), default=-1)
            alike = (
                best >= 0
                and found[best].relevance >= MIN_MERGE_RELEVANCE
                and len(found[best].words) > 1
            )
            target = f"merge into {memories[best].path}" if alike else "a new memory"
            line = neutralize_headings(f"- {what}: {text} → {target}")
            yield line, f"{part}_{number + 1}", SHORT_TERM, item.line
    yield from _recurring_words(memory)


def _recurring_words(memory: ShortTermMemory) -> Iterator[Line]:
    """Yields words that several events have in common."""
    counts: Counter[str] = Counter()
    shown: dict[str, str] = {}
    for event in memory.events:
        found = extract_terms(fold_text(memory.text_at(event.body)))
        counts.update(term for term in found if term not in _LABEL_TERMS)
        for term, word in found.items():
            shown.setdefault(term, word)
    often = sorted((-count, term) for term, count in counts.items() if count >= FREQUENT_ACCESSES)
    if often:
        words = ", ".join(f"{shown[term]} ({-count} events)" for count, term in often[:MAX_GOALS])
        yield f"- Recurring in the event log: {words}", "recurring", SHORT_TERM, 0


_LABEL_TERMS = frozenset(extract_terms("user ai assistant thoughts usuario pensamentos"))


def _memory_of(path: str) -> str:
    """Returns the memory that a path of the access log means, which may be absolute; "" for none."""
    _, found, inner = f"/{path}".rpartition(f"/{LONG_TERM}/")
    return f"{LONG_TERM}/{inner}" if found else f"{LONG_TERM}/{path.lstrip('/')}"


class _MemoryAccess:
    """A _MemoryAccess says how memories are used, as far as the access log tells."""

    def __init__(self, tree: Tree, log: tuple[MemoryAccess, ...]) -> None:
        self._tree = tree
        self._memories = tree.snapshot.paths(FileKind.LONG_TERM)
        self._lines: dict[str, int] = {}
        self._reads: Counter[str] = Counter()
        self._writes: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        known = set(self._memories)
        self._gone: Counter[str] = Counter()
        self._minute = ""
        together: list[str] = []
        for access in log:
            path = _memory_of(access.path)
            if path not in known:
                self._gone[path] += 1
                continue
            self._lines.setdefault(path, access.line)
            if access.action != "READ":
                self._writes[path] += 1
                continue
            self._reads[path] += 1
            together = [*together, path] if self._is_same_minute(access) else [path]
            window = sorted(set(together[-JOINT_READ_WINDOW:]))
            self._pairs.update(pair for pair in combinations(window, 2) if path in pair)
        self._count = len(log)

    def _is_same_minute(self, access: MemoryAccess) -> bool:
        """Checks whether a read belongs to the one before it: it happened in the same minute."""
        before, self._minute = self._minute, access.time[:16]
        return before == self._minute

    def pattern_lines(self) -> Iterator[Line]:
        """Yields what is read much, changed much, read together, and never touched."""
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

    def goal_lines(self) -> Iterator[Line]:
        """Yields what the use and the state of the memory suggest."""
        found = [*self._link_goals(), *self._move_goals(), *self._index_goals()]
        if not found:
            yield "- Nothing asks for a change.", "none", "", 0
        yield from found

    def _link_goals(self) -> Iterator[Line]:
        pairs = [
            pair
            for pair, count in _most_frequent(self._pairs)
            if count >= MIN_JOINT_READS and not self._are_linked(*pair)
        ]
        if len(pairs) == 1:
            (first, second) = pairs[0]
            yield f"- Link {first} and {second}, which are read together.", "link", first, 0
        elif pairs:
            named = "; ".join(" and ".join(pair) for pair in pairs)
            yield f"- Link what is read together: {named}", "link", pairs[0][0], 0

    def _are_linked(self, first: str, second: str) -> bool:
        name = {first: second.rpartition("/")[2], second: first.rpartition("/")[2]}
        return any(
            link.value.endswith(name[path])
            for path in (first, second)
            for facts in (self._tree.snapshot.facts(path),)
            if facts and isinstance(facts.document, LongTermMemory)
            for link in facts.document.links
        )

    def _move_goals(self) -> Iterator[Line]:
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
        unused = [
            path
            for path in self._memories
            if self._count
            and not (self._reads[path] or self._writes[path] or self._is_reinforced(path))
        ]
        if len(unused) == 1:
            yield f"- Archive {unused[0]}, which nothing has used.", "archive", unused[0], 0
        elif unused:
            text = f"- Archive what nothing has used: {_join_paths(unused)}"
            yield text, "archive", unused[0], 0

    def _is_reinforced(self, path: str) -> bool:
        facts = self._tree.snapshot.facts(path)
        return bool(
            facts and isinstance(facts.document, LongTermMemory) and facts.document.reinforcement
        )

    def _index_goals(self) -> Iterator[Line]:
        bare: list[str] = []
        gaps: list[tuple[str, list[str]]] = []  # an index, and what it does not list
        for folder in _folders_of(self._memories):
            facts = self._tree.snapshot.facts(f"{folder}/{INDEX}")
            index = facts.document if facts else None
            if facts is None:
                bare.append(f"{folder}/{INDEX}")
            elif isinstance(index, MemoryIndex):
                listed = {entry.path.value.removeprefix("./") for entry in index.entries}
                own = (path for path in self._memories if path.rpartition("/")[0] == folder)
                missing = [path for path in own if path.rpartition("/")[2] not in listed]
                if missing:
                    gaps.append((facts.path, missing))
        for path, missing in gaps[:MAX_GOALS]:
            yield f"- List in {path}: {_join_paths(missing)}", "index", path, 0
        if len(gaps) > MAX_GOALS:
            named = _join_paths([path for path, _ in gaps[MAX_GOALS:]])
            yield f"- List in each what lies beside it: {named}", "index", "", 0
        if len(bare) == 1:
            yield f"- Write {bare[0]}.", "index", "", 0
        elif bare:
            yield (
                f"- Write {len(bare)} indexes that are missing: {_join_paths(bare)}",
                "index",
                "",
                0,
            )


def _structure_lines(tree: Tree) -> Iterator[Line]:
    """Yields the folders and their memories, with what their indexes and fields say of them."""
    memories = tree.snapshot.paths(FileKind.LONG_TERM)
    for folder in _folders_of((*memories, *tree.snapshot.paths(FileKind.MEMORY_INDEX))):
        facts = tree.snapshot.facts(f"{folder}/{INDEX}")
        index = facts.document if facts else None
        summary = index.summary if isinstance(index, MemoryIndex) else ""
        text = neutralize_headings(f"- {folder}/ — {summary}" if summary else f"- {folder}/")
        yield text, folder, facts.path if facts else "", 0
        for path in memories:
            if path.rpartition("/")[0] == folder:
                yield neutralize_headings(f"  - {_describe_memory(tree, path)}"), path, path, 0


def _describe_memory(tree: Tree, path: str) -> str:
    facts = tree.snapshot.facts(path)
    memory = facts.document if facts else None
    name = path.rpartition("/")[2]
    if not isinstance(memory, LongTermMemory):
        return name
    title = f": {' '.join(memory.title.split())}" if memory.title else ""
    tags = f" [{', '.join(memory.tags)}]" if memory.tags else ""
    count = f" ×{memory.reinforcement}" if memory.reinforcement else ""
    return f"{name}{title}{tags}{count}"


def _folders_of(paths: tuple[str, ...]) -> list[str]:
    return sorted({path.rpartition("/")[0] for path in paths})


def _most_frequent(counts: Counter[Any]) -> list[tuple[Any, int]]:
    """Returns the most frequent ones; ties in the order of their names."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_GOALS]


def _join_paths(paths: list[str]) -> str:
    more = f" and {len(paths) - MAX_GOALS} more" if len(paths) > MAX_GOALS else ""
    return ", ".join(paths[:MAX_GOALS]) + more
