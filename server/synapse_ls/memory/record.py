"""One memory: a Markdown file with front matter, and the value that it stands for.

The file is the person's, too: an update changes the lines of the fields that differ, and the text
below them only where that differs; unknown keys, comments, order and line ends stay as they are.
"""

from __future__ import annotations

from synapse_ls.formats.memory_fields import (
    CORRECTION,
    DEFAULT_TYPE,
    NAMES,
    SCOPES,
    SECTORS,
    START,
    STORAGES,
    TIER,
    TIERS,
    TYPES,
    confidence_of,
    count_of,
    is_id,
)
from synapse_ls.text.breaks import iter_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from synapse_ls.text.front_matter import FrontMatter, Value

LONGEST_TITLE: Final = 80
_BRIEF: Final = 3  # spaces in a beginning that says too little to be a title
SAID: Final = 0.9  # confidence of what a person said outright; what is not said begins at START
_DEFAULTS: Final[dict[str, Any]] = {
    "id": "",
    "title": "",
    "text": "",
    "type": DEFAULT_TYPE,
    "tags": (),
    "agent": "",
    "scope": "shared",
    "sector": "reflective",
    "storage": "durable",
    "confidence": None,
    "evidence": 1,
    "access_count": 0,
    "created": "",
    "updated": "",
    "accessed": "",
    "expires": "",
    "explicit": False,
    "source": "",
    "tier": "",
    "path": "",
    "line": 0,
}
# Of these the file knows nothing: where it is, and where its text begins there.
_PLACE: Final = ("path", "line")
FIELDS: Final = tuple(_DEFAULTS)
# What a fresh file always says, in this order; the rest where it is not the default.
_ALWAYS: Final = ("id", "type", "sector", "storage", "scope", "tags", "confidence", "evidence")


class Record:
    """A memory. It never changes: `replaced` gives another.

    title: one line. text: Markdown below it, lines broken by ``\\n``. agent: who learned it and, of
    a private one, its only reader. sector: episodic, semantic, procedural or reflective. storage:
    session, daily or durable, how long it is kept. confidence: 0 to 1. evidence: how often it was
    seen. created, updated, accessed, expires: ISO 8601, "" for not known or never. explicit: a
    person said so, which keeps it from being forgotten. source: where it was learned, in words.
    tier: what another tool has written about its attention, the least it gets until it fades.
    path: of its file from the root, "" for none. line: where its text begins there, from 0.
    """

    __slots__ = (
        "access_count",
        "accessed",
        "agent",
        "confidence",
        "created",
        "evidence",
        "expires",
        "explicit",
        "id",
        "line",
        "path",
        "scope",
        "sector",
        "source",
        "storage",
        "tags",
        "text",
        "tier",
        "title",
        "type",
        "updated",
    )

    if TYPE_CHECKING:
        id: str
        title: str
        text: str
        type: str
        tags: tuple[str, ...]
        agent: str
        scope: str
        sector: str
        storage: str
        confidence: float
        evidence: int
        access_count: int
        created: str
        updated: str
        accessed: str
        expires: str
        explicit: bool
        source: str
        tier: str
        path: str
        line: int

    def __init__(self, **fields: Any) -> None:
        for name in fields:
            if name not in _DEFAULTS:
                raise TypeError(f"a record has no field {name!r}")
        kind = TYPES.get(fields.get("type", DEFAULT_TYPE), ("semantic", "durable"))
        given = {**_DEFAULTS, "sector": kind[0], "storage": kind[1], **fields}
        given["title"] = one_line(given["title"])
        given["text"] = tidy(given["text"])
        given["title"] = given["title"] or title_of(given["text"])
        given["tags"] = tuple(dict.fromkeys(filter(None, map(one_line, given["tags"]))))
        given["agent"] = one_line(given["agent"]).removeprefix("@")
        if given["confidence"] is None:
            given["confidence"] = SAID if given["explicit"] else START
        given["confidence"] = round(min(max(float(given["confidence"]), 0.0), 1.0), 4)
        given["evidence"] = max(int(given["evidence"]), 0)
        given["access_count"] = max(int(given["access_count"]), 0)
        given["explicit"] = bool(given["explicit"])
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a record never changes: replaced({name}=…) gives another")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash((self.id, self.path, self.title))

    def __repr__(self) -> str:
        return f"Record({self.id or self.path!r}, {self.title!r})"

    def values(self) -> tuple[Any, ...]:
        """The fields in the order of `FIELDS`, plain values all of them."""
        return tuple(getattr(self, name) for name in FIELDS)

    def replaced(self, **changes: Any) -> Record:
        """The same memory with other values for some fields."""
        return Record(**{**dict(zip(FIELDS, self.values(), strict=True)), **changes})

    @property
    def is_private(self) -> bool:
        """Whether only `agent` may see it."""
        return self.scope == "private"


_PUT: Final = tuple(Record.__dict__[name].__set__ for name in FIELDS)


def restored(values: tuple[Any, ...]) -> Record:
    """The record whose ``values`` these are, as it was: nothing is looked at again."""
    made = Record.__new__(Record)
    for put, value in zip(_PUT, values, strict=True):
        put(made, value)
    return made


def parse(text: str, path: str = "") -> Record:
    """The record in the text of a file; never raises.

    What the text does not say, or says wrongly, follows from where the file is: its name, its
    folder. A text without front matter is a memory all the same.
    """
    # A prompt seldom has to read a file.
    from synapse_ls.text.front_matter import split
    from synapse_ls.text.whole import whole

    text = whole(text)
    head = split(text)
    where = _of_path(path)
    said = _said(head) if head else {}
    body = head.body if head else (1 if text[:1] == "\ufeff" else 0)
    title, start = _heading(text, body)
    fields: dict[str, Any] = {**where, **said, "path": path}
    if where.get("scope") == "private":
        fields["scope"], fields["agent"] = "private", where["agent"]  # its folder is the stricter
    fields.setdefault("id", path.rpartition("/")[2].removesuffix(".md"))
    fields["title"] = title or said.get("title", "")
    fields["text"] = text[start:]
    fields["line"] = text.count("\n", 0, start) if "\n" in text else 0
    if fields.get("type") == CORRECTION:
        fields.setdefault("explicit", True)
    return Record(**fields)


def render(record: Record, source: str | None = None) -> str:
    """The text of the record's file; of ``source`` every byte stays that says the same."""
    from synapse_ls.text.front_matter import edited, newline_of, split

    if source is None:
        head = {NAMES[name][0]: value for name, value in _fresh(record)}
        return edited("\n" + _body(record, "\n"), head)
    before = parse(source, record.path)
    changes: dict[str, Value | None] = {}
    head_of_source = split(source)
    for name, keys in NAMES.items():
        now, then = getattr(record, name), getattr(before, name)
        if name == "title" or now == then:
            continue
        key = next((k for k in keys if head_of_source and k in head_of_source.by_key), "")
        if not key and name == "storage" and _is_storage(head_of_source):
            key = TIER
        key = key or keys[0]
        changes[key] = now if now != "" or name == "agent" else None
    text = source
    if (record.title, record.text) != (before.title, before.text):
        body = head_of_source.body if head_of_source else (1 if source[:1] == "\ufeff" else 0)
        newline = newline_of(source)
        gap = newline if head_of_source else ""
        text = source[:body] + gap + _body(record, newline)
        if head_of_source and "title" in head_of_source.by_key:
            changes["title"] = record.title
    return edited(text, changes) if changes else text


def _fresh(record: Record) -> list[tuple[str, Value]]:
    """The fields that a new file says, with their values."""
    default = Record(type=record.type)
    return [
        (name, getattr(record, name))
        for name in NAMES
        if (
            name != "title" and (name in _ALWAYS or getattr(record, name) != getattr(default, name))
        )
        or (name == "explicit" and record.type == CORRECTION and not record.explicit)
    ]


def _body(record: Record, newline: str) -> str:
    parts = [f"# {record.title}", record.text] if record.text else [f"# {record.title}"]
    return ("\n\n".join(parts) + "\n").replace("\n", newline)


def _said(head: FrontMatter) -> dict[str, Any]:
    """What front matter says of a record, as far as it can be understood."""
    found: dict[str, Any] = {}
    for name, keys in NAMES.items():
        field = head.get(*keys)
        if field is None or field.kind in ("empty", "other"):
            continue
        value: Any = ", ".join(field.texts) if field.kind == "list" else field.value
        if name == "tags":
            value = field.texts
        elif name == "confidence":
            value = confidence_of(value)
        elif name in ("evidence", "access_count"):
            value = count_of(value)
        elif name == "explicit":
            value = {"true": True, "false": False}.get(value.lower())
        elif name in _KNOWN:
            value = value.lower() if value.lower() in _KNOWN[name] else None
        if value is not None:
            found[name] = value
    if "storage" not in found and _is_storage(head):
        found["storage"] = head.by_key[TIER].value.lower()
    kind = found.get("type", "")
    if kind in SECTORS:  # the MIS has the sector there
        found.setdefault("sector", kind)
    return found


_KNOWN: Final = {"sector": SECTORS, "storage": STORAGES, "scope": SCOPES, TIER: TIERS}


def _is_storage(head: FrontMatter | None) -> bool:
    field = head.get(TIER) if head else None
    return field is not None and field.value.lower() in STORAGES


def _of_path(path: str) -> dict[str, Any]:
    """What the place of a file says: its scope and agent, and how long it is kept."""
    found: dict[str, Any] = {}
    parts = path.split("/")
    if "agents" in parts[:-2]:
        found["scope"] = "private"
        found["agent"] = unescaped(parts[parts.index("agents") + 1])
    for name in STORAGES:
        if name in parts[-3:-1]:
            found["storage"] = name
    stem = parts[-1].removesuffix(".md")
    if is_id(stem):
        found["id"] = stem
    return found


def unescaped(stem: str) -> str:
    """The agent whose folder is called ``stem``, the inverse of `sessions.names.file_stem`."""
    first, *escaped = stem.split("%")
    data = first.encode("utf-8", "surrogatepass")
    for part in escaped:
        try:
            data += bytes((int(part[:2], 16),)) + part[2:].encode("utf-8", "surrogatepass")
        except ValueError:  # a folder that somebody has made by hand
            data += f"%{part}".encode("utf-8", "surrogatepass")
    return data.decode("utf-8", "surrogateescape")


def _heading(text: str, body: int) -> tuple[str, int]:
    """The title that the first line of a text is, and where what comes after it begins."""
    for start, end in iter_lines(text[body:]):
        line = text[body + start : body + end].strip()
        if line.startswith("# ") and line[2:].strip():
            after = body + end
            while after < len(text) and text[after] in "\r\n":
                after += 1
            return line[2:].strip(), after
        if line:
            return "", body + start
    return "", body


def title_of(text: str) -> str:
    """What a text without a title is called: its first sentence that says something, with what
    little stands before it ("No. Use tabs"), or as much as a line takes."""
    lines = (line.lstrip("#>*-+ \t") for line in text.split("\n"))
    first = one_line(next((line for line in lines if line.strip()), ""))
    ends = (at + 1 for at, mark in enumerate(first) if mark in ".?!" and first[at + 1 :][:1] == " ")
    first = first[: next((end for end in ends if first.count(" ", 0, end) >= _BRIEF), None)]
    if len(first) > LONGEST_TITLE:
        first = f"{first[:LONGEST_TITLE].rpartition(' ')[0] or first[:LONGEST_TITLE]}…"
    return first.removesuffix(".") or first


def one_line(text: str) -> str:
    """``text`` on one line."""
    return " ".join(str(text).split())


def tidy(text: str) -> str:
    """``text`` with line feeds, and without white space around it."""
    return str(text).replace("\r\n", "\n").replace("\r", "\n").strip()
