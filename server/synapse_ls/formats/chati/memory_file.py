"""This module parses and checks the front matter of memories, ``.chati/memories/**.md`` (chati.dev
Memory Entry).
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.chati.field_schema import (
    SchemaChecker,
    SchemaField,
    parse_yaml_front_matter,
)
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.text.parse_result import ParseResult, Text

TYPES = (
    "decision",
    "error_pattern",
    "resolution",
    "user_correction",
    "validated_pattern",
    "gotcha",
    "lesson",
)
SECTORS = ("episodic", "semantic", "procedural", "reflective")

FIELDS = (
    SchemaField(
        "id", required=True, pattern=r"mem-\d{4}-\d{2}-\d{2}-\d{3}", example="mem-2026-02-12-001"
    ),
    SchemaField("type", required=True, words=TYPES),
    SchemaField("agent", required=True),
    SchemaField("tags", "list", required=True, min_items=1),
    SchemaField("confidence", "number", required=True, low=0, high=1),
    SchemaField("sector", required=True, words=SECTORS),
    SchemaField("tier", required=True, words=("hot", "warm", "cold")),
    SchemaField("access_count", "count"),
    SchemaField("evidence_count", "count"),
    SchemaField("last_accessed", "time"),
    SchemaField("created_at", "time", required=True),
    SchemaField("expires_at", "time"),
    SchemaField("storage_tier", words=("session", "daily", "durable")),
    SchemaField("scope", words=("shared", "private")),
)


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A MemoryEntry is the front matter of a Chati.dev memory; ``root`` is None for a file without
    any, such as a ``MEMORY.md``.
    """

    id: Text | None
    agent: Text | None
    root: YamlNode | None


def parse(text: str) -> ParseResult[MemoryEntry]:
    """Parses a memory of Chati.dev. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-memory``.
    """
    text = blank_directives(text, CommentStyle.MARKUP)
    outline = markdown_outline.parse_outline(text)
    root, problems = parse_yaml_front_matter(text, outline)
    if root is None:
        return ParseResult(MemoryEntry(None, None, None), problems)
    checker = SchemaChecker("invalid-chati-memory", "the memory may never be found")
    found = sorted(
        (*problems, *checker.check_fields(root, FIELDS)), key=lambda problem: problem.span
    )
    return ParseResult(MemoryEntry(root.text("id"), root.text("agent"), root), tuple(found))
