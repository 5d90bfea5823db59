"""Render a digest as a page of Markdown with front matter, as people and other tools read it.

The fields and headings are those of the MIS session digest (``schema_version``, ``session_id``,
``timestamp``, ``duration_minutes``, ``agent_context``, ``compact_trigger``), with sections for
decisions, errors and open items, which Chati Context Engine wants captured as well.

Build the hand-off notes of a session: a few lines, as plain values, that its
block and its continuation file carry on.

They say what was decided, what is open, which errors were met or solved, which files were touched,
and what comes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.memory.handoff import SPAWN, HandoffDecision
from synapse_ls.memory.remark_patterns import ANNOUNCED, shorten_text
from synapse_ls.memory.session_digest import Digest, DigestError
from synapse_ls.text.front_matter import format_value, parse_front_matter

SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class DigestOrigin:
    """Where a digest is from. timestamp: ISO 8601. trigger: why it was made. turns: (first,
    last).
    """

    session: str
    timestamp: str
    trigger: str
    client: str = ""
    agent: str = ""
    workflow: str = ""
    task: str = ""
    story: str = ""
    turns: tuple[int, int] = (1, 1)


def render_page(digest: Digest, about: DigestOrigin) -> str:
    """Render the page of a digest."""
    lines = ["---"]
    spent = 0
    if digest.started is not None and digest.ended is not None:
        spent = round((digest.ended - digest.started) / 60)
    fields: list[tuple[str, str | int | tuple[str, ...]]] = [
        ("schema_version", SCHEMA_VERSION),
        ("session_id", about.session),
        ("timestamp", about.timestamp),
        ("duration_minutes", spent),
        ("agent_context", about.agent),
        ("compact_trigger", about.trigger),
        ("client", about.client),
        ("turns", f"{about.turns[0]}-{about.turns[1]}"),
        ("agents", digest.agents),
    ]
    for key, value in fields:
        lines.append(f"{key}: {format_value(value)}" if value != "" else f"{key}:")
    lines += ["---", "", f"# Digest of session {about.session}", ""]
    snapshot = [
        f"{name}: {value}"
        for name, value in (
            ("Active agent", f"@{about.agent}" if about.agent else ""),
            ("Workflow", about.workflow),
            ("Task", about.task),
            ("Story", about.story),
            ("Files", ", ".join(digest.files)),
            ("Commands", ", ".join(f"`{command}`" for command in digest.commands)),
            ("Last answer", digest.answer),
        )
        if value
    ]
    for heading, items in [
        ("Requests", list(digest.requests)),
        (
            "User Corrections",
            [f"{c.text} (turn {c.turn}{_describe_addressee(c.agent)})" for c in digest.corrections],
        ),
        ("Decisions", list(digest.decisions)),
        ("Patterns Observed", list(digest.patterns)),
        ("Axioms Learned", list(digest.axioms)),
        ("Errors and Resolutions", [describe_error(failed) for failed in digest.errors]),
        ("Open Items", list(digest.open_items)),
        ("Context Snapshot", snapshot),
    ]:
        if items:
            lines += [f"## {heading}", "", *(f"- {item}" for item in items), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def page_front_matter(text: str) -> dict[str, str]:
    """Return the front matter of a page by key; empty where it has none."""
    head = parse_front_matter(text)
    return {key: field.value for key, field in head.by_key.items()} if head else {}


def describe_error(error: DigestError) -> str:
    """Describe an error in a line of the digest's page: what a tool said is quoted."""
    parts = [f'"{error.message}"']
    if error.command:
        parts.append(f"from `{error.command}`")
    if error.count > 1:
        parts.append(f"{error.count} times")
    return f"{', '.join(parts)}: {error.resolution or 'not solved'}"


def _describe_addressee(agent: str) -> str:
    return f", to @{agent}" if agent else ""


MAX_NOTES = 5
MAX_FILES = 8
MAX_LINE = 140


def build_notes(digest: Digest, previous: Mapping[str, Any], *, agent: str = "") -> dict[str, Any]:
    """Return the hand-off notes of a digest, together with the ``previous`` notes of the session as
    far as they still say something.

    Decisions and solutions add up; what is open is what the digest says that is.
    """
    return {
        "agent": agent,
        "decisions": _latest_lines(
            (*_text_list(previous, "decisions"), *digest.decisions), MAX_NOTES
        ),
        "open": _latest_lines(digest.open_items, MAX_NOTES),
        "errors": _latest_lines(
            (describe_error(f) for f in digest.errors if not f.resolution), MAX_NOTES
        ),
        "solved": _latest_lines(
            (
                *_text_list(previous, "solved"),
                *(describe_error(f) for f in digest.errors if f.resolution),
            ),
            MAX_NOTES,
        ),
        "files": _latest_lines((*_text_list(previous, "files"), *digest.files), MAX_FILES),
        "next": next_step(digest),
    }


def shorten_line(text: str) -> str:
    """Return a text as the hand-off notes hold it: on one line, cut to its length."""
    return shorten_text(" ".join(text.split()), MAX_LINE)


def add_advice(notes: Mapping[str, Any], decision: HandoffDecision) -> dict[str, Any]:
    """Return the hand-off notes with the reason for a new session under ``advice``, or without it
    where none is needed.
    """
    fields = {name: value for name, value in notes.items() if name != "advice"}
    if decision.action == SPAWN:
        fields["advice"] = decision.reasons[0].sentence
    return fields


def next_step(digest: Digest) -> str:
    """Return what comes next, for the hand-off notes: what somebody said is next, else the last
    open item, else the last request.
    """
    announced = (item for item in reversed(digest.open_items) if ANNOUNCED.search(item.lower()))
    item = next(announced, "") or next(reversed(digest.open_items), "")
    if item:
        head, colon, rest = item.partition(":")
        bare = rest.strip() if colon and ANNOUNCED.search(head.lower() + ":") else item
        return shorten_text(bare, MAX_LINE)
    return shorten_text(f"Go on after: {digest.requests[-1]}", MAX_LINE) if digest.requests else ""


def is_unfinished(digest: Digest) -> bool:
    """Return whether a hand-off leaves work that somebody should go on with: an open item, or an
    error without a solution.
    """
    waits = any(not failed.resolution for failed in digest.errors)
    return bool(digest.open_items) or waits


def _latest_lines(items: Iterable[str], most: int) -> list[str]:
    """Return the last distinct texts, each cut to a line, ``most`` of them at most."""
    lines = [line for item in items if (line := shorten_line(item))]
    return list(dict.fromkeys(reversed(lines)))[:most][::-1]


def _text_list(carried: Mapping[str, Any], name: str) -> list[str]:
    value = carried.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
