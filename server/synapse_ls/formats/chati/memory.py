"""Front matter of memories, ``.chati/memories/**.md`` (chati.dev Memory Entry), as far as it can be wrong."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.chati.front import front_matter
from synapse_ls.formats.chati.schema import Checker, Field
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.formats.yaml_tree import Node

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
    Field("id", required=True, pattern=r"mem-\d{4}-\d{2}-\d{2}-\d{3}", like="mem-2026-02-12-001"),
    Field("type", required=True, words=TYPES),
    Field("agent", required=True),
    Field("tags", "list", required=True, least=1),
    Field("confidence", "number", required=True, low=0, high=1),
    Field("sector", required=True, words=SECTORS),
    Field("tier", required=True, words=("hot", "warm", "cold")),
    Field("access_count", "count"),
    Field("evidence_count", "count"),
    Field("last_accessed", "time"),
    Field("created_at", "time", required=True),
    Field("expires_at", "time"),
    Field("storage_tier", words=("session", "daily", "durable")),
    Field("scope", words=("shared", "private")),
)


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A memory's front matter; ``root`` is None for a file without any, such as a ``MEMORY.md``."""

    id: Text | None
    agent: Text | None
    root: Node | None


def parse(text: str) -> Parsed[MemoryFile]:
    """Read a memory. Problem kinds: those of `parse_yaml`, and ``invalid-chati-memory``."""
    text = without(text, Comments.MARKUP)
    outline = markdown.outline(text)
    root, problems = front_matter(text, outline)
    if root is None:
        return Parsed(MemoryFile(None, None, None), problems)
    checker = Checker("invalid-chati-memory", "the memory may never be found")
    found = sorted((*problems, *checker.check(root, FIELDS)), key=lambda problem: problem.span)
    return Parsed(MemoryFile(root.text("id"), root.text("agent"), root), tuple(found))
