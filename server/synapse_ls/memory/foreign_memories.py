"""Read the memories of a Chati tree, and the pitfalls of Chati and AIOX, as records.

``.chati/memories/{shared|AGENT}/{durable|daily|session}/*.md``, each agent's ``MEMORY.md``, and
pitfalls. What is in an agent's folder belongs to it unless its front matter shares it. AIOX's
schemas are ``aiox-gotchas-v1`` and ``aiox-gotchas-memory-v1``.
"""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from synapse_ls.engine.word_matching import fold_text, split_words
from synapse_ls.formats import memory_file, yaml_tree
from synapse_ls.memory.attention_score import confidence_after
from synapse_ls.memory.memory_record import Record, one_line, parse_record
from synapse_ls.text import digest, fast_json, front_matter, line_index
from synapse_ls.workspace import outside_links, tree_folders

AIOX_FILES = (".aiox/gotchas.json", ".aios/gotchas.json")
_SEVERITY_TAGS = {
    **dict.fromkeys(("critical", "high", "error"), "critical"),
    **dict.fromkeys(("info", "low"), "info"),
}


def parse_pitfalls(text: str, path: str) -> tuple[Record, ...]:
    """Return a record for each pitfall in a file of Chati or AIOX; none in what cannot be read.
    Never raises.
    """
    if path.endswith((".yaml", ".yml")):
        root, _ = yaml_tree.parse_yaml(text)
        value = _plain_value(root) if root is not None else None
    else:
        try:
            value = fast_json.loads(text)
        except fast_json.JsonError:
            return ()
    # A list, or a list or an object of them under ``gotchas``.
    if isinstance(value, dict):
        value = value.get("gotchas", value)
    if isinstance(value, dict):
        value = list(value.values())
    items = [item for item in _list_or_empty(value) if isinstance(item, dict)]
    return tuple(record for item in items if (record := _pitfall_record(item, path)) is not None)


def _plain_value(node: yaml_tree.YamlNode) -> Any:
    if node.kind == "sequence":
        return [_plain_value(item) for item in node.items]
    if node.kind == "mapping":
        return {key.value: _plain_value(value) for key, value in node.pairs}
    # An alias stays its name: what is followed could grow without end.
    return node.resolve() if node.kind == "scalar" else node.value


def _pitfall_record(item: Mapping[str, Any], path: str) -> Record | None:
    """Return the record of one pitfall; its text says first what goes wrong, then what to do."""
    title = _first_text(item, "title", "message", "original_message", "description", "pattern")
    if not title:
        return None
    source, trigger = _mapping_of(item, "source"), _mapping_of(item, "trigger")
    sign = one_line(_first_text(item, "pattern") or _first_text(trigger, "errorPattern"))
    remedy = _first_text(item, "workaround", "resolution", "mitigation")
    files = ", ".join(map(str, _list_or_empty(item.get("relatedFiles"))))
    paragraphs = [
        _first_text(item, "description"),
        _first_text(item, "reason"),
        _label_text("Wrong", _first_text(item, "wrong")),
        _label_text("Right", _first_text(item, "right")),
        _label_text("What to do", remedy),
        _label_text("Sign", sign),
        f"Files: {files}" if files else "",
    ]
    tags = [str(item.get(name) or "") for name in ("category", "technology")]
    tags.append(_SEVERITY_TAGS.get(str(item.get("severity", "")).lower(), ""))
    count = item.get("count", source.get("occurrences", 1))
    times = count if isinstance(count, int) and count > 0 else 1
    begun = _first_text(item, "first_seen", "createdAt", "discoveredAt", "discovered_at")
    begun = begun or _first_text(source, "firstSeen")
    # What is counted fades with its last occurrence; what a person has listed does not.
    last = _first_text(item, "last_seen") or _first_text(source, "lastSeen")
    return Record(
        id=_first_text(item, "id"),
        title=title,
        text="\n\n".join(part for part in paragraphs if part and part != title),
        type="gotcha",
        tags=(*map(str, _list_or_empty(item.get("tags"))), *filter(None, tags)),
        confidence=confidence_after(times),
        evidence=times,
        tier="warm",  # somebody has kept it: told where it matches
        explicit=source.get("type") == "manual",
        created=begun if last else "",
        updated=last,
        source=f"{path}, {begun[:10]}" if begun and not last else path,
        path=path,
    )


def _mapping_of(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    mapping = item.get(name)
    return mapping if isinstance(mapping, dict) else {}


def _label_text(label: str, text: str) -> str:
    if not text:
        return ""
    return f"{label}:\n\n```\n{text}\n```" if "\n" in text else f"{label}: {text}"


def _first_text(item: Mapping[str, Any], *names: str) -> str:
    texts = (value.strip() for name in names if isinstance(value := item.get(name), str))
    return next(filter(None, texts), "")


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


GENERAL_CATEGORY = "General"
MEDIUM_CONFIDENCE = "medium"
ID_WORDS = 5  # of an item that make its id
MAX_ITEMS = 4_096  # of a file, as many as can be found by words
_ITEM_MARKS = ("- ", "* ", "+ ")
_TIERS = {"high": "hot", "medium": "warm", "low": ""}  # Chati tells the best ones unasked


def parse_agent_memory(text: str, path: str, agent: str = "") -> tuple[Record, ...]:
    """Return a record for each item of an agent's ``MEMORY.md`` in a Chati tree; ``agent`` owns
    them, "" shares them.

    The file has ``## Category`` headings over ``- text (high|medium|low) [tag, tag]``. Chati's own
    reader loses further lines of an item, and its writer then the title and all other text. Here an
    item goes on in indented lines and in those that do not begin another one, and nothing is
    written. Of more than `MAX_ITEMS` the first count. Never raises.
    """
    records: list[Record] = []
    times: dict[str, int] = {}
    category, begun, lines = GENERAL_CATEGORY, 0, list[str]()

    def finish_item() -> None:
        if lines:
            item = "\n".join(lines).strip()
            words, tags = _split_tags(item)
            words, confidence = _split_confidence(words)
            if words == item:  # the marks may end the first line of several
                first, _, rest = item.partition("\n")
                first, tags = _split_tags(first.rstrip())
                first, confidence = _split_confidence(first)
                words = f"{first}\n{rest}".strip()
            fields: dict[str, Any] = {"scope": "private", "agent": agent} if agent else {}
            record = Record(
                id="-".join(split_words(fold_text(words))[:ID_WORDS]) or digest.hash_text(words),
                text=words,
                tags=(*tags, *((category.lower(),) if category != GENERAL_CATEGORY else ())),
                type="validated_pattern",
                confidence=memory_file.parse_confidence(confidence) or memory_file.START_CONFIDENCE,
                tier=_TIERS[confidence],
                source=f"{path}, {category}",
                path=path,
                line=begun,
                **fields,
            )
            same = times[record.id] = times.get(record.id, 0) + 1
            records.append(record.with_fields(id=f"{record.id}~{same}") if same > 1 else record)
            lines.clear()

    fence = False
    for number, (start, end) in enumerate(line_index.iter_lines(text)):
        if len(records) == MAX_ITEMS:
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
    return tuple(records[:MAX_ITEMS])


def _split_tags(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the item without the list of tags at its end, and those tags."""
    opening = text.rfind("[")
    if not text.endswith("]") or opening < 0:
        return text, ()
    if (inner := text[opening + 1 : -1]).strip() in ("", "x", "X"):
        return text, ()
    return text[:opening].rstrip(), tuple(tag for part in inner.split(",") if (tag := part.strip()))


def _split_confidence(text: str) -> tuple[str, str]:
    """Return the item without the word for its confidence, and that word."""
    for word in ("high", "medium", "low"):
        mark = f"({word})"
        if text.lower().endswith(mark):
            return text[: -len(mark)].rstrip(), word
    return text, MEDIUM_CONFIDENCE


SHARED_FOLDER = "shared"
AGENT_FILE = "MEMORY.md"
PITFALLS = (
    f"{tree_folders.CHATI_MEMORIES}/{SHARED_FOLDER}/gotchas.json",
    ".chati/gotchas.json",
    "chati.dev/intelligence/gotchas.yaml",
)


def chati_files(root: str) -> Iterator[str]:
    """Yield the files of a Chati tree with memories, by path from the root; links are not
    followed.
    """
    if os.path.islink(f"{root}/.chati"):
        return
    for owner in _folder_names(root, tree_folders.CHATI_MEMORIES):
        base = f"{tree_folders.CHATI_MEMORIES}/{owner}"
        for name in _folder_names(root, base):
            path = f"{base}/{name}"
            if name in memory_file.STORAGES:
                for file_name in _folder_names(root, path):
                    if file_name.endswith(".md") and is_file(f"{root}/{path}/{file_name}"):
                        yield f"{path}/{file_name}"
            elif name.endswith(".md") and is_file(f"{root}/{path}"):
                yield path
    yield from (path for path in PITFALLS if is_file(f"{root}/{path}"))


def parse_chati(text: str, path: str) -> tuple[Record, ...]:
    """Return the records in one of Chati's files with memories; none in what cannot be read. Never
    raises.
    """
    if path in PITFALLS:
        return parse_pitfalls(text, path)
    owner = path.removeprefix(f"{tree_folders.CHATI_MEMORIES}/").partition("/")[0]
    agent = "" if owner == SHARED_FOLDER else owner
    if path.rpartition("/")[2] == AGENT_FILE and front_matter.parse_front_matter(text) is None:
        return parse_agent_memory(text, path, agent)
    record = parse_record(text, path)
    head = front_matter.parse_front_matter(text)
    scope = head.get("scope") if head else None
    if agent and (scope is None or scope.value != SHARED_FOLDER):
        record = record.with_fields(scope="private", agent=agent)
    return (record,)


def _folder_names(root: str, path: str) -> list[str]:
    names = [] if os.path.islink(f"{root}/{path}") else outside_links.list_names(root, path)
    return [name for name in names if name[0] not in "._"]


def is_file(path: str) -> bool:
    """Return whether ``path`` is one of Chati's files, and no link to one."""
    return os.path.isfile(path) and not os.path.islink(path)
