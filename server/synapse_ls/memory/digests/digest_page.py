"""This module renders a digest as a page of Markdown with front matter, as people and other tools
read it.

The fields and headings are those of the MIS session digest (``schema_version``, ``session_id``,
``timestamp``, ``duration_minutes``, ``agent_context``, ``compact_trigger``), with sections for
decisions, errors and open items, which Chati Context Engine wants captured as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.memory.digests.session_digest import Digest, DigestError
from synapse_ls.text.front_matter import format_value, parse_front_matter

SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class DigestOrigin:
    """A DigestOrigin says where a digest is from. timestamp: ISO 8601. trigger: why it was made.
    turns: (first, last).
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
    """Renders the page of a digest."""
    lines = ["---"]
    for key, value in _head_fields(digest, about):
        lines.append(f"{key}: {format_value(value)}" if value != "" else f"{key}:")
    lines += ["---", "", f"# Digest of session {about.session}", ""]
    for heading, items in _page_sections(digest, about):
        if items:
            lines += [f"## {heading}", "", *(f"- {item}" for item in items), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def page_front_matter(text: str) -> dict[str, str]:
    """Returns the front matter of a page by key; empty where it has none."""
    head = parse_front_matter(text)
    return {key: field.value for key, field in head.by_key.items()} if head else {}


def _head_fields(
    digest: Digest, about: DigestOrigin
) -> list[tuple[str, str | int | tuple[str, ...]]]:
    spent = 0
    if digest.started is not None and digest.ended is not None:
        spent = round((digest.ended - digest.started) / 60)
    return [
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


def _page_sections(digest: Digest, about: DigestOrigin) -> list[tuple[str, list[str]]]:
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
    return [
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
    ]


def describe_error(error: DigestError) -> str:
    """Describes an error in a line of the digest's page: what a tool said is quoted."""
    parts = [f'"{error.message}"']
    if error.command:
        parts.append(f"from `{error.command}`")
    if error.count > 1:
        parts.append(f"{error.count} times")
    return f"{', '.join(parts)}: {error.resolution or 'not solved'}"


def _describe_addressee(agent: str) -> str:
    return f", to @{agent}" if agent else ""
