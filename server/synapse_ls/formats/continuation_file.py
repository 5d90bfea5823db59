"""Parse and render ``continuation/latest.md``, which tells the next session where the last stopped.

Markdown with front matter (``version, session_id, created_at, reason, bracket, remaining,
compactions, project, state, agent, workflow, step, last_handoff``) and the sections Resume,
Pipeline, Decisions, Open items, Errors and resolutions, Memories and Artifacts. Chati Context
Engine, "Autonomous Session Spawn", names the file and leaves its format open. Other text in it is
kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from synapse_ls.text import front_matter, line_index

VERSION: Final = "1.0"

CRITERION: Final = "Acceptance criterion: "  # how an open item that is one of a story begins

REASONS: Final = ("compact", "critical", "score_drop", "agent_done", "ended", "manual")

# Key of the front matter -> field, in the order in which they are written.
KEYS: Final = {
    "version": "version", "session_id": "session", "created_at": "created", "reason": "reason",
    "bracket": "bracket", "remaining": "remaining", "compactions": "compactions",
    "project": "project", "state": "state", "client": "client", "agent": "agent",
    "workflow": "workflow", "step": "step", "task": "task", "story": "story",
    "last_handoff": "last_handoff",
}  # fmt: skip
# Heading -> field. A list is written as items, the first of them as paragraphs.
SECTIONS: Final = {
    "Resume": "resume",
    "Pipeline": "pipeline",
    "Decisions": "decisions",
    "Open items": "open_items",
    "Errors and resolutions": "errors",
    "Memories": "memories",
    "Artifacts": "artifacts",
}
REQUIRED_KEYS: Final = ("version", "session_id", "created_at", "reason")
_BY_NAME: Final = {heading.lower(): field for heading, field in SECTIONS.items()}
_MARKS: Final = "#\\-"
_ESCAPED: Final = tuple(f"\\{mark}" for mark in _MARKS)
_TEXTS: Final = tuple(f for f in KEYS.values() if f not in ("remaining", "compactions"))
_LISTS: Final = tuple(SECTIONS.values())


@dataclass
class Continuation:
    """The content of a continuation file.

    created: ISO 8601. reason: one of `REASONS`. remaining: percent of the window, None for unknown.
    state: what the project or the session was doing, in a word. resume: paragraphs for whoever goes
    on. pipeline: who has done what. memories: ids of records. artifacts: files, with what they are.
    more: keys of the front matter, and others: (heading, lines) of sections, that are somebody
    else's.
    """

    version: str = VERSION
    session: str = ""
    created: str = ""
    reason: str = "manual"
    bracket: str = ""
    project: str = ""
    state: str = ""
    client: str = ""
    agent: str = ""
    workflow: str = ""
    step: str = ""
    task: str = ""
    story: str = ""
    last_handoff: str = ""
    remaining: float | None = None
    compactions: int = 0
    resume: Sequence[str] = ()
    pipeline: Sequence[str] = ()
    decisions: Sequence[str] = ()
    open_items: Sequence[str] = ()
    errors: Sequence[str] = ()
    memories: Sequence[str] = ()
    artifacts: Sequence[str] = ()
    more: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __post_init__(self) -> None:
        for name in _TEXTS:
            setattr(self, name, to_one_line(getattr(self, name)))
        for name in _LISTS:
            setattr(self, name, tuple(filter(None, map(to_one_line, getattr(self, name)))))
        self.version = self.version or VERSION
        self.reason = self.reason or "manual"
        self.compactions = max(0, self.compactions)


def render_continuation(continuation: Continuation) -> str:
    """Render the text of the continuation file; `parse` gives the same continuation back."""
    lines = ["---"]
    for key, name in KEYS.items():
        value = getattr(continuation, name)
        if name == "remaining":
            value = "" if value is None else float(value)
        if value != "" or key in REQUIRED_KEYS:
            lines.append(f"{key}: {front_matter.format_value(value)}" if value != "" else f"{key}:")
    lines += [
        f"{key}: {front_matter.format_value(value)}" if value else f"{key}:"
        for key, value in continuation.more
    ]
    lines += ["---", ""]
    for heading, name in SECTIONS.items():
        items = getattr(continuation, name)
        if name == "resume":
            # None of the paragraphs can be taken for a heading.
            lines += [f"## {heading}", ""]
            for item in items:
                lines += [f"\\{item}" if item[0] in _MARKS else item, ""]
            lines += [] if items else [""]
        elif items:
            lines += [f"## {heading}", "", *(f"- {item}" for item in items), ""]
    for heading, own in continuation.others:
        lines += [f"## {heading}", *own]
    return "\n".join(lines).rstrip("\n") + "\n"


def parse(text: str) -> Continuation:
    """Parse a continuation file. Never raises: what is missing or means nothing counts as not
    given.
    """
    head = front_matter.parse_front_matter(text)
    fields: dict[str, Any] = {}
    more: list[tuple[str, str]] = []
    for key, field in head.by_key.items() if head else ():
        name = KEYS.get(key)
        value = ", ".join(field.texts) if field.kind == "list" else field.value
        if name is None:
            more.append((key, value))
        elif name in ("remaining", "compactions"):
            if (number := _parse_number(value)) is not None:
                fields[name] = number if name == "remaining" else int(number)
        else:
            fields[name] = value
    other_sections = _read_sections(text, head.body if head else 0, fields)
    return Continuation(**fields, more=tuple(more), others=tuple(other_sections))


def to_one_line(value: object) -> str:
    """Return ``value`` as a text on one line of a continuation file, which can be written
    as UTF-8.
    """
    text = " ".join(str(value).split())
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _read_sections(
    text: str, start: int, fields: dict[str, Any]
) -> list[tuple[str, tuple[str, ...]]]:
    """Set the fields of the sections in ``fields``; return the sections that are none of them."""
    other_sections: list[tuple[str, tuple[str, ...]]] = []
    items: dict[str, list[str]] = {}
    heading, lines = "", list[str]()

    def close() -> None:
        if (name := _BY_NAME.get(heading.lower())) == "resume":
            bare = (line.strip() for line in lines)
            unescaped = (line[1:] if line.startswith(_ESCAPED) else line for line in bare)
            paragraphs = (
                " ".join(group) for is_filled, group in groupby(unescaped, bool) if is_filled
            )
            items.setdefault(name, []).extend(paragraphs)
        elif name:
            items.setdefault(name, []).extend(_read_items(lines))
        elif heading:
            other_sections.append((heading, tuple(lines)))

    body = text[start:]
    for first, last in line_index.iter_lines(body):
        line = body[first:last]
        if line.startswith("## "):
            close()
            heading = line[3:].strip()
            lines.clear()
        else:
            lines.append(line)
    while lines and not lines[-1].strip():
        lines.pop()
    close()
    fields.update((name, tuple(values)) for name, values in items.items())
    return other_sections


def _read_items(lines: list[str]) -> list[str]:
    """Return the items of a list; lines without a mark continue the one above."""
    items: list[list[str]] = []
    for line in lines:
        stripped = line.strip()
        if line.startswith(("- ", "* ", "+ ")):
            items.append([stripped[2:].strip()])
        elif stripped and items and not stripped.startswith("#"):
            items[-1].append(stripped)
    return [" ".join(item) for item in items]


def _parse_number(text: str) -> float | None:
    word = text.strip().removesuffix("%").strip()
    try:
        value = float(word)
    except ValueError:
        return None
    return value if 0 <= value < 1e12 else None
