"""Parse the front matter of Chati's memories, and its files of gotchas (known pitfalls).

Memories are ``.chati/memories/**.md`` (chati.dev Memory Entry). Gotchas are
``chati.dev/intelligence/gotchas.yaml`` and the JSON files of two trackers, which all number their
entries from ``G001``; JSON is YAML, so one parser reads both.
"""

from typing import NamedTuple

from synapse_ls.formats import markdown_outline, yaml_tree
from synapse_ls.formats.chati import field_schema
from synapse_ls.formats.chati.field_schema import SchemaField
from synapse_ls.text.finding import ParseResult, Text, sort_problems

TYPES = (
    *("decision", "error_pattern", "resolution", "user_correction", "validated_pattern"),
    *("gotcha", "lesson"),
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


class MemoryEntry(NamedTuple):
    """The front matter of a Chati.dev memory; ``root`` is None for a file without any, such as a
    ``MEMORY.md``.
    """

    id: Text | None
    agent: Text | None
    root: yaml_tree.YamlNode | None


def parse_memory(text: str) -> ParseResult[MemoryEntry]:
    """Parse a memory of Chati.dev. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-memory``.
    """
    outline = markdown_outline.parse_clean_outline(text)
    root, problems = field_schema.parse_yaml_front_matter(outline)
    if root is None:
        return ParseResult(MemoryEntry(None, None, None), problems)
    checker = field_schema.SchemaChecker("invalid-chati-memory", "the memory may never be found")
    entry = MemoryEntry(root.text("id"), root.text("agent"), root)
    return ParseResult(entry, sort_problems((*problems, *checker.check_fields(root, FIELDS))))


class GotchaStore(NamedTuple):
    """The ``ids`` of the gotchas in a Chati.dev file, in the order of the file."""

    ids: tuple[Text, ...]


def parse_gotcha(text: str) -> ParseResult[GotchaStore]:
    """Parse a Chati.dev file of gotchas. Problem kinds: those of `parse_yaml`."""
    root, problems = yaml_tree.parse_yaml(text)
    entries = root.get("gotchas") if root and root.kind != "sequence" else root
    texts = (item.target_node.text("id") for item in (entries.items if entries else ()))
    return ParseResult(GotchaStore(tuple(id for id in texts if id and id.value)), problems)
