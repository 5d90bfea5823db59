"""The identity, the indexes and the access log."""

from __future__ import annotations

from hypothesis import given

from synapse_ls.formats.brainiac import memory_index
from tests.formats.brainiac.texts import memory_texts
from tests.formats.texts import assert_inside


def test_an_identity_is_told_as_it_is_written() -> None:
    found = memory_index.parse_core_identity("\n\n# Core Identity\n\nI am.\n\n")
    assert (found.document.body, found.document.line) == ("# Core Identity\n\nI am.", 2)
    assert found.problems == ()


def test_an_identity_that_says_nothing_is_empty() -> None:
    found = memory_index.parse_core_identity("\n  \n")
    assert found.document.body == ""
    assert found.problems == ()


def test_an_index_has_a_summary_entries_and_related_memories() -> None:
    found = memory_index.parse_memory_index(
        "# Skills\n\nHow things\nare done.\n\n- [SQL](sql.md) — queries\n- `kotlin.md`: basics\n"
        "- **deep/** - more\n- no file\n\n## Related Memories\n"
        "- 7b0b7f8e-0f5a-4d7b-9a53-0e1a6f4b2c11\n"
    ).document
    assert found.summary == "How things are done."
    assert [(entry.path.value, entry.about) for entry in found.entries] == [
        ("sql.md", "queries"),
        ("kotlin.md", "basics"),
        ("deep/", "more"),
    ]
    assert [one.value for one in found.related] == ["7b0b7f8e-0f5a-4d7b-9a53-0e1a6f4b2c11"]


def test_an_access_log_is_read_in_both_shapes() -> None:
    found = memory_index.parse_access_log(
        "[2026-01-01T00:00:00Z] | READ | skills/a | b.md\n\n"
        '{"time": "2026-01-02", "action": "modify", "path": "c\\\\d.md"}\n'
        "127.0.0.1 GET /\n"
    )
    assert [(a.time, a.action, a.path, a.line) for a in found.document.entries] == [
        ("2026-01-01T00:00:00Z", "READ", "skills/a | b.md", 0),
        ("2026-01-02", "MODIFY", "c/d.md", 2),
    ]
    assert [problem.kind for problem in found.problems] == ["bad-access-line"]


@given(memory_texts)
def test_any_text_is_read_with_places_inside(text: str) -> None:
    for parser in (
        memory_index.parse_core_identity,
        memory_index.parse_memory_index,
        memory_index.parse_access_log,
    ):
        assert_inside(text, parser(text).problems)
