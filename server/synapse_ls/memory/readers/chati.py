"""This module reads the memories of a Chati tree as records.

They are ``.chati/memories/{shared|AGENT}/{durable|daily|session}/*.md``, each agent's
``MEMORY.md``, and its pitfalls. What lies in an agent's own folder is its own, unless its front
matter shares it.
"""

from __future__ import annotations

import os

from synapse_ls.engine.word_matching import fold_text, split_words
from synapse_ls.formats.memory_file import STORAGES, parse_confidence
from synapse_ls.memory.record import Record, parse_record
from synapse_ls.text.digest import hash_text
from synapse_ls.text.front_matter import parse_front_matter
from synapse_ls.text.line_index import iter_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Final


GENERAL_CATEGORY: Final = "General"
MEDIUM_CONFIDENCE: Final = "medium"
ID_WORDS: Final = 5  # of an item that make its id
MAX_ITEMS: Final = 4_096  # of a file, as many as can be found by words
_ITEM_MARKS: Final = ("- ", "* ", "+ ")
_TIERS: Final = {"high": "hot", "medium": "warm", "low": ""}  # Chati tells the best ones unasked


def parse_agent_memory(text: str, path: str, agent: str = "") -> tuple[Record, ...]:
    """Returns a record for each item of an agent's ``MEMORY.md`` in a Chati tree; ``agent`` owns
    them, "" shares them.

    The file has ``## Category`` headings over ``- text (high|medium|low) [tag, tag]``. Chati's own
    reader loses further lines of an item, and its writer then the title and all other text. Here an
    item goes on in indented lines and in those that do not begin another one, and nothing is
    written. Of more than `MAX_ITEMS` the first count. Never raises.
    """
    found: list[Record] = []
    times: dict[str, int] = {}
    category, begun, lines = GENERAL_CATEGORY, 0, list[str]()

    def finish_item() -> None:
        if lines:
            made = _item_record("\n".join(lines), category, path, begun, agent)
            same = times[made.id] = times.get(made.id, 0) + 1
            found.append(made.with_fields(id=f"{made.id}~{same}") if same > 1 else made)
            lines.clear()

    fence = False
    for number, (start, end) in enumerate(iter_lines(text)):
        if len(found) == MAX_ITEMS:
            break
        line = text[start:end]
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fence = not fence
        if not fence and bare.startswith("#") and bare.lstrip("#")[:1] in ("", " "):
            finish_item()
            if bare.startswith("## "):
                category = bare[3:].strip() or GENERAL_CATEGORY
        elif not fence and line.startswith(_ITEM_MARKS):
            finish_item()
            lines.append(bare[2:].strip())
            begun = number
        elif lines and bare:
            lines.append(bare)
        elif lines and not bare and not fence:
            lines.append("")
    finish_item()
    return tuple(found[:MAX_ITEMS])


def _item_record(item: str, category: str, path: str, line: int, agent: str) -> Record:
    item = item.strip()
    said, tags = _split_tags(item)
    said, confidence = _split_confidence(said)
    if said == item:  # the marks may end the first line of several
        first, _, rest = item.partition("\n")
        first, tags = _split_tags(first.rstrip())
        first, confidence = _split_confidence(first)
        said = f"{first}\n{rest}".strip()
    fields: dict[str, Any] = {"scope": "private", "agent": agent} if agent else {}
    return Record(
        id=_item_id(said) or hash_text(said),
        text=said,
        tags=(*tags, *((category.lower(),) if category != GENERAL_CATEGORY else ())),
        type="validated_pattern",
        confidence=parse_confidence(confidence),
        tier=_TIERS[confidence],
        source=f"{path}, {category}",
        path=path,
        line=line,
        **fields,
    )


def _item_id(text: str) -> str:
    """Returns the first words of a text as one word: ``use-tabs-in-makefiles``."""
    return "-".join(split_words(fold_text(text))[:ID_WORDS])


def _split_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """Returns the item without the list of tags at its end, and those tags."""
    opening = text.rfind("[")
    if not text.endswith("]") or opening < 0:
        return text, ()
    inner = text[opening + 1 : -1]
    if inner.strip() in ("", "x", "X"):
        return text, ()
    return text[:opening].rstrip(), tuple(tag for part in inner.split(",") if (tag := part.strip()))


def _split_confidence(text: str) -> tuple[str, str]:
    """Returns the item without the word for its confidence, and that word."""
    for word in ("high", "medium", "low"):
        mark = f"({word})"
        if text.lower().endswith(mark):
            return text[: -len(mark)].rstrip(), word
    return text, MEDIUM_CONFIDENCE


MEMORIES_FOLDER: Final = ".chati/memories"
SHARED_FOLDER: Final = "shared"
AGENT_FILE: Final = "MEMORY.md"
PITFALLS: Final = (
    f"{MEMORIES_FOLDER}/{SHARED_FOLDER}/gotchas.json",
    ".chati/gotchas.json",
    "chati.dev/intelligence/gotchas.yaml",
)


def memory_files(root: str) -> Iterator[str]:
    """Yields the files of a Chati tree with memories, by path from the root; links are not
    followed.
    """
    if os.path.islink(f"{root}/.chati"):
        return
    for owner in _folder_names(f"{root}/{MEMORIES_FOLDER}"):
        base = f"{MEMORIES_FOLDER}/{owner}"
        for name in _folder_names(f"{root}/{base}"):
            path = f"{base}/{name}"
            if name in STORAGES:
                for one in _folder_names(f"{root}/{path}"):
                    if one.endswith(".md") and is_file(f"{root}/{path}/{one}"):
                        yield f"{path}/{one}"
            elif name.endswith(".md") and is_file(f"{root}/{path}"):
                yield path
    for path in PITFALLS:
        if is_file(f"{root}/{path}"):
            yield path


def parse(text: str, path: str) -> tuple[Record, ...]:
    """Returns the records in one of Chati's files with memories; none in what cannot be read. Never
    raises.
    """
    if path in PITFALLS:
        from synapse_ls.memory.readers import pitfall_files

        return pitfall_files.parse(text, path)
    owner = path.removeprefix(f"{MEMORIES_FOLDER}/").partition("/")[0]
    agent = "" if owner == SHARED_FOLDER else owner
    if path.rpartition("/")[2] == AGENT_FILE and parse_front_matter(text) is None:
        return parse_agent_memory(text, path, agent)
    record = parse_record(text, path)
    head = parse_front_matter(text)
    said = head.get("scope") if head else None
    if agent and (said is None or said.value != SHARED_FOLDER):
        record = record.with_fields(scope="private", agent=agent)
    return (record,)


def _folder_names(folder: str) -> list[str]:
    if os.path.islink(folder):
        return []
    try:
        return sorted(name for name in os.listdir(folder) if name[0] not in "._")
    except OSError:
        return []


def is_file(path: str) -> bool:
    """Tells whether ``path`` is one of Chati's files, and no link to one."""
    return os.path.isfile(path) and not os.path.islink(path)
