"""Blocks for clients that escape angle brackets."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.integrations.gemini import (
    CLIENT,
    convert_headings_to_tags,
    convert_tags_to_headings,
)
from synapse_ls.text.digest import hash_text

BLOCK = "<synapse-rules>\n\n[GLOBAL]\n  1. Use List<int>\n\n</synapse-rules>"


def test_tags_become_headings() -> None:
    assert convert_tags_to_headings(BLOCK) == (
        "[SYNAPSE-RULES]\n\n[GLOBAL]\n  1. Use List<int>\n\n[END OF SYNAPSE-RULES]"
    )


def test_what_is_no_block_stays_as_it_is() -> None:
    for text in ("", "hello", "<a>\nb", "<a>\nb\n</b>", "a\n</a>", "</a>\n<a>"):
        assert convert_tags_to_headings(text) == text


def test_what_stands_beside_a_block_stays_as_it_is() -> None:
    assert (
        convert_tags_to_headings(f"{BLOCK}\n\n<b> is odd")
        == f"{convert_tags_to_headings(BLOCK)}\n\n<b> is odd"
    )


@given(st.text())
def test_headings_become_tags_again(body: str) -> None:
    block = f"<synapse-rules>\n{body}\n</synapse-rules>"
    if "[END OF " not in body and "[SYNAPSE-RULES]" not in body:
        assert convert_headings_to_tags(convert_tags_to_headings(block)) == block


def test_a_block_among_the_words_of_other_hooks_is_found() -> None:
    assert (
        convert_headings_to_tags(f"before\n{convert_tags_to_headings(BLOCK)}\nafter")
        == f"before\n{BLOCK}\nafter"
    )


def test_no_bracket_of_ours_reaches_gemini() -> None:
    event = CLIENT.parse_event({"hook_event_name": "BeforeAgent"}, "")
    (output,) = CLIENT.context_reply(event, BLOCK.replace("<int>", "")).values()
    assert "<" not in output["additionalContext"]


def test_what_gemini_has_escaped_is_seen_to_have_arrived(tmp_path: Path) -> None:
    said = convert_tags_to_headings(BLOCK).replace("<", "&lt;").replace(">", "&gt;")
    path = tmp_path / "session-1.jsonl"
    records = (
        {
            "id": "1",
            "type": "user",
            "content": [{"text": "hi"}, {"text": f"<hook_context>{said}</hook_context>"}],
        },
        {"id": "2", "type": "gemini", "content": "hello"},
    )
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    event = CLIENT.parse_event({"hook_event_name": "BeforeAgent", "transcript_path": str(path)}, "")
    branch = CLIENT.read_branch(event, {hash_text(BLOCK), hash_text("another")})
    assert branch
    assert [identity for identity, _, _ in branch.texts] == [hash_text(BLOCK)]
