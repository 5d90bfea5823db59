"""Read, write and check the record of one memory, a Markdown file with front matter; who sees it.

People edit the file, so an update changes only the lines of fields and text that differ; unknown
keys, comments, order and line ends stay.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import Any

from synapse_ls.engine.word_matching import fold_text, split_words
from synapse_ls.formats import memory_file
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text import decoding, iso_time, line_index
from synapse_ls.text.front_matter import FrontMatter, parse_front_matter, update_front_matter

MeaningKey = tuple[str, str, tuple[str, ...]]

LONGEST_TITLE = 80
_FEWEST_SPACES = 3  # spaces in a beginning that says too little to be a title
# Confidence of what a person said outright; what is not said begins at START.
EXPLICIT_CONFIDENCE = 0.9
_CHATI_AGENT = "orchestrator"  # who learned what no agent of Chati.dev did
# What a fresh file always says, in this order; the rest where it is not the default.
_ALWAYS_WRITTEN = ("id", "type", "sector", "storage", "scope", "tags", "confidence", "evidence")


@dataclass(frozen=True, slots=True)
class Record:
    r"""One memory, with the fields of its file.

    title: one line. text: Markdown below it, lines broken by ``\n``. agent: who learned it and, of
    a private one, its only reader. sector: episodic, semantic, procedural or reflective. storage:
    session, daily or durable, how long it is kept; both follow from the type where they are not
    given. confidence: 0 to 1. evidence: how often it was seen. created, updated, accessed, expires:
    ISO 8601, "" for not known or never. explicit: a person said so, which keeps it from being
    forgotten. source: where it was learned, in words. tier: what another tool has written about its
    attention, the least it gets until it fades. path: of its file from the root, "" for none. line:
    where its text begins there, from 0.
    """

    id: str = ""
    title: str = ""
    text: str = ""
    type: str = memory_file.DEFAULT_TYPE
    tags: tuple[str, ...] = ()
    agent: str = ""
    scope: str = "shared"
    sector: str = ""
    storage: str = ""
    confidence: float = None  # type: ignore[assignment]  # made of `explicit` then
    evidence: int = 1
    access_count: int = 0
    created: str = ""
    updated: str = ""
    accessed: str = ""
    expires: str = ""
    explicit: bool = False
    source: str = ""
    tier: str = ""
    path: str = ""
    line: int = 0

    def __post_init__(self) -> None:
        sector, storage = memory_file.TYPES.get(self.type, ("semantic", "durable"))
        confidence: float | None = self.confidence
        if confidence is None:
            confidence = EXPLICIT_CONFIDENCE if self.explicit else memory_file.START_CONFIDENCE
        text = str(self.text).replace("\r\n", "\n").replace("\r", "\n").strip()
        clean = {
            "text": text,
            "title": one_line(self.title) or derive_title(text),
            "tags": tuple(dict.fromkeys(filter(None, map(one_line, self.tags)))),
            "agent": one_line(self.agent).removeprefix("@"),
            "sector": self.sector or sector,
            "storage": self.storage or storage,
            "confidence": round(min(max(float(confidence), 0.0), 1.0), 4),
            "evidence": max(int(self.evidence), 0),
            "access_count": max(int(self.access_count), 0),
            "explicit": bool(self.explicit),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)

    def values(self) -> tuple[Any, ...]:
        """Return the fields in the order of `RECORD_FIELDS`, plain values all of them."""
        return tuple(getattr(self, name) for name in RECORD_FIELDS)

    def with_fields(self, **changes: Any) -> Record:
        """Return the same memory with other values for some fields."""
        return replace(self, **changes)

    @property
    def is_private(self) -> bool:
        """Whether only `agent` may see it."""
        return self.scope == "private"


RECORD_FIELDS = tuple(field.name for field in fields(Record))


# A reader who may see everything: the person whose tree it is. Agents are named by their id.
PERSON = "*"


def parse_record(text: str, path: str = "") -> Record:
    """Parse the text of a memory's file into its record; never raises.

    What the text does not say, or says wrongly, follows from where the file is: its name, its
    folder. A text without front matter is a memory all the same.
    """
    text = decoding.replace_surrogates(text)
    head = parse_front_matter(text)
    where = _path_fields(path)
    head_fields = _front_matter_fields(head) if head else {}
    body = head.body if head else (1 if text[:1] == "\ufeff" else 0)
    title, start = _split_heading(text, body)
    fields: dict[str, Any] = {**where, **head_fields, "path": path}
    if where.get("scope") == "private":
        fields["scope"], fields["agent"] = "private", where["agent"]  # its folder is the stricter
    fields.setdefault("id", path.rpartition("/")[2].removesuffix(".md"))
    fields["title"] = title or head_fields.get("title", "")
    fields["text"] = text[start:]
    fields["line"] = text.count("\n", 0, start) if "\n" in text else 0
    if fields.get("type") == memory_file.CORRECTION_TYPE:
        fields.setdefault("explicit", True)
    return Record(**fields)


def render_record(record: Record, source: str | None = None, *, is_chati: bool = False) -> str:
    """Render a memory's record as the text of its file; of ``source`` every byte stays that says
    the same. is_chati: a new one with the fields that Chati.dev's schema asks for, by its names.
    """
    if source is None:
        default = Record(type=record.type)
        if is_chati:
            record = record.with_fields(
                agent=record.agent or _CHATI_AGENT,
                tags=record.tags or (record.type,),
                tier=record.tier or "warm",
            )
        head = {
            keys[-1 if is_chati else 0]: value
            for name, keys in memory_file.FIELD_NAMES.items()
            if ((value := getattr(record, name)) != getattr(default, name) and name != "title")
            or name in _ALWAYS_WRITTEN
            or (name == "explicit" and record.type == memory_file.CORRECTION_TYPE and not value)
        }
        return update_front_matter("\n" + _file_body(record, "\n"), head)
    before = parse_record(source, record.path)
    head_of_source = parse_front_matter(source)
    # The fields that differ under the keys that the file has for them; None for one that is to go.
    changes: dict[str, Any] = {}
    for name, keys in memory_file.FIELD_NAMES.items():
        now = getattr(record, name)
        if name != "title" and now != getattr(before, name):
            written = (key for key in keys if head_of_source and key in head_of_source.by_key)
            is_tier = name == "storage" and _names_storage(head_of_source)
            key = next(written, memory_file.TIER if is_tier else keys[0])
            changes[key] = now if now != "" or name == "agent" else None
    text = source
    if (record.title, record.text) != (before.title, before.text):
        body = head_of_source.body if head_of_source else (1 if source[:1] == "\ufeff" else 0)
        newline = line_index.line_break_style(source)
        text = source[:body] + newline * bool(head_of_source) + _file_body(record, newline)
        if head_of_source and "title" in head_of_source.by_key:
            changes["title"] = record.title
    return update_front_matter(text, changes) if changes else text


def _file_body(record: Record, newline: str) -> str:
    parts = [f"# {record.title}", record.text] if record.text else [f"# {record.title}"]
    return ("\n\n".join(parts) + "\n").replace("\n", newline)


def _front_matter_fields(head: FrontMatter) -> dict[str, Any]:
    """Return what front matter says of a record, as far as it can be understood."""
    head_fields: dict[str, Any] = {}
    for name, keys in memory_file.FIELD_NAMES.items():
        if (field := head.get(*keys)) is None or field.kind in ("empty", "other"):
            continue
        value: Any = ", ".join(field.texts) if field.kind == "list" else field.value
        if name == "tags":
            value = field.texts
        elif name == "confidence":
            value = memory_file.parse_confidence(value)
        elif name in ("evidence", "access_count"):
            value = memory_file.parse_count(value)
        elif name == "explicit":
            value = {"true": True, "false": False}.get(value.lower())
        elif name in _ALLOWED_VALUES:
            value = value.lower() if value.lower() in _ALLOWED_VALUES[name] else None
        if value is not None:
            head_fields[name] = value
    if "storage" not in head_fields and _names_storage(head):
        head_fields["storage"] = head.by_key[memory_file.TIER].value.lower()
    if (kind := head_fields.get("type", "")) in memory_file.SECTORS:  # the MIS has the sector there
        head_fields.setdefault("sector", kind)
    return head_fields


_ALLOWED_VALUES = {
    "sector": memory_file.SECTORS,
    "storage": memory_file.STORAGES,
    "scope": memory_file.SCOPES,
    memory_file.TIER: memory_file.TIERS,
}


def _names_storage(head: FrontMatter | None) -> bool:
    field = head.get(memory_file.TIER) if head else None
    return field is not None and field.value.lower() in memory_file.STORAGES


def _path_fields(path: str) -> dict[str, Any]:
    """Return what the place of a file says: its scope and agent, and how long it is kept."""
    place_fields: dict[str, Any] = {}
    parts = path.split("/")
    if "agents" in parts[:-2]:
        place_fields["scope"] = "private"
        # Return the agent of a memory's record whose folder is called `stem`, the inverse of
        # `file_stem`.
        first, *escaped = parts[parts.index("agents") + 1].split("%")
        data = first.encode("utf-8", "surrogatepass")
        for part in escaped:
            try:
                data += bytes((int(part[:2], 16),)) + part[2:].encode("utf-8", "surrogatepass")
            except ValueError:  # a folder that somebody has made by hand
                data += f"%{part}".encode("utf-8", "surrogatepass")
        place_fields["agent"] = data.decode("utf-8", "surrogateescape")
    for name in memory_file.STORAGES:
        if name in parts[-3:-1]:
            place_fields["storage"] = name
    stem = parts[-1].removesuffix(".md")
    if memory_file.is_id(stem):
        place_fields["id"] = stem
    return place_fields


def _split_heading(text: str, body: int) -> tuple[str, int]:
    """Return the title in the first line of a text, and where what comes after it begins."""
    for start, end in line_index.iter_lines(text[body:]):
        line = text[body + start : body + end].strip()
        if line.startswith("# ") and line[2:].strip():
            after = body + end
            while after < len(text) and text[after] in "\r\n":
                after += 1
            return line[2:].strip(), after
        if line:
            return "", body + start
    return "", body


def derive_title(text: str) -> str:
    """Derive a title for a memory's record that has none: the first sentence of its text that says
    something. Use tabs"), or as much as a line takes.
    """
    lines = (line.lstrip("#>*-+ \t") for line in text.split("\n"))
    first = one_line(next((line for line in lines if line.strip()), ""))
    ends = (at + 1 for at, mark in enumerate(first) if mark in ".?!" and first[at + 1 :][:1] == " ")
    first = first[: next((end for end in ends if first.count(" ", 0, end) >= _FEWEST_SPACES), None)]
    if len(first) > LONGEST_TITLE:
        first = f"{first[:LONGEST_TITLE].rpartition(' ')[0] or first[:LONGEST_TITLE]}…"
    return first.removesuffix(".") or first


def one_line(text: str) -> str:
    """Return the text of a memory's record on one line."""
    return " ".join(str(text).split())


_EXAMPLE = 20779  # a day in November 2026


def draft_record(
    text: str,
    title: str,
    *,
    type: str = memory_file.DEFAULT_TYPE,
    explicit: bool | None = None,
    **more: Any,
) -> Record:
    """Return the draft of a memory record, without id and place; a correction by the user is
    explicit unless it is given.
    """
    if not one_line(text) and not one_line(title):
        raise StorageError("A memory without a text says nothing.", "Write what to remember.")
    is_explicit = type == memory_file.CORRECTION_TYPE if explicit is None else explicit
    record = Record(text=text, title=title, type=type, explicit=is_explicit, **more)
    return check_record(record, (*memory_file.CHOICES, "expires"))


def check_record(record: Record, names: Collection[str]) -> Record:
    """Return the drafted record, where the fields ``names`` mean something; StorageError where one
    does not.
    """
    for name, choices in memory_file.CHOICES.items():
        if name in names and getattr(record, name) not in choices:
            raise StorageError(
                f'The {name} of a memory cannot be "{getattr(record, name)}".',
                f"Choose one of {', '.join(choices)}.",
            )
    if record.is_private and not record.agent:
        raise StorageError("A private memory belongs to an agent.", "Name the agent.")
    if "expires" in names and record.expires and memory_file.parse_day(record.expires) is None:
        raise StorageError(
            f'"{record.expires}" is no date.', f"Write one like {iso_time.format_day(_EXAMPLE)}."
        )
    return record


def may_see(record: Record, reader: str) -> bool:
    """Return whether ``reader`` (`PERSON`, an agent's id, "" for nobody in particular) may see a
    memory.
    """
    return reader == PERSON or not record.is_private or (bool(reader) and record.agent == reader)


def reader_name(agent: str) -> str:
    """Return the reader of memories that an agent is, however it is written."""
    return agent.strip().removeprefix("@")


def meaning_key(record: Record) -> MeaningKey:
    """Return the key by which a draft is recognised as a memory that is there already: two records
    with one key say the same to the same readers.
    """
    words = tuple(split_words(fold_text(record.text or record.title)))
    return record.scope, record.agent if record.is_private else "", words
