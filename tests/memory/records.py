"""Records and front matter for invariants that must hold for all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from synapse_ls.formats.memory_file import SCOPES, SECTORS, STORAGES, TYPES
from synapse_ls.memory.memory_record import Record

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
lines = texts.filter(lambda text: bool(text.split()))
days = st.dates().map(lambda day: day.isoformat())


@st.composite
def records(draw: st.DrawFn, /, **fixed: Any) -> Record:
    """Any record that says something."""
    fields = {
        "id": draw(st.integers(1, 999).map(lambda n: f"mem-2026-11-22-{n:03}")),
        "title": draw(lines),
        "text": draw(texts),
        "type": draw(st.sampled_from(list(TYPES))),
        "tags": tuple(draw(st.lists(texts, max_size=3))),
        "agent": draw(st.sampled_from(["dev", "qa", "ux-design-expert"])),
        "scope": draw(st.sampled_from(SCOPES)),
        "sector": draw(st.sampled_from(SECTORS)),
        "storage": draw(st.sampled_from(STORAGES)),
        "confidence": draw(st.integers(0, 100)) / 100,
        "evidence": draw(st.integers(0, 40)),
        "access_count": draw(st.integers(0, 40)),
        "created": draw(days),
        "accessed": draw(st.just("") | days),
        "expires": draw(st.just("") | days),
        "explicit": draw(st.booleans()),
        "source": draw(texts),
    }
    return Record(**{**fields, **fixed})


HEADS = (
    *("id: mem-2026-11-22-001", "title: A title", "tags: [a, 'b, c', \"d\"]", "tags:", "  - one"),
    *("- two", "tags: # none", "confidence: 0.8 # sure", "confidence: high", "evidence: 3"),
    *("storage_tier: daily", "tier: durable", "tier: hot", "created_at: 2026-01-02T03:04:05Z"),
    *("custom: {a: 1}", "  nested: yes", "# a comment", "", "no colon here", "scope: private"),
    *(
        "text: |",
        "    more",
        "related:",
        "  - mem-1",
        'agent: "@dev"',
        "expires: ~",
        "explicit: true",
    ),
)
BODIES = ("", "# Heading", "Some text.", "- item\n- item", "é😀", "---", "```\n# no heading\n```")


@st.composite
def files(draw: st.DrawFn) -> str:
    """Files as people, other tools and accidents leave them."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    head = draw(st.lists(st.sampled_from(HEADS), max_size=8))
    body = draw(st.lists(st.sampled_from(BODIES), max_size=4))
    mark = draw(st.sampled_from(["---", "--- ", ""]))
    parts = [mark, *head, "---", *body] if mark else body
    return (
        draw(st.sampled_from(["", "\ufeff"]))
        + newline.join(parts)
        + draw(st.sampled_from(["", newline]))
    )
