"""Blocks for clients that escape angle brackets."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.hashing import text_hash
from synapse_ls.hosts import gemini
from synapse_ls.hosts.replies import bracketed, unbracketed

BLOCK = "<synapse-rules>\n\n[GLOBAL]\n  1. Use List<int>\n\n</synapse-rules>"


def test_tags_become_headings() -> None:
    assert unbracketed(BLOCK) == (
        "[SYNAPSE-RULES]\n\n[GLOBAL]\n  1. Use List<int>\n\n[END OF SYNAPSE-RULES]"
    )


def test_what_is_no_block_stays_as_it_is() -> None:
    for text in ("", "hello", "<a>\nb", "<a>\nb\n</b>", "a\n</a>", "</a>\n<a>"):
        assert unbracketed(text) == text


def test_what_stands_beside_a_block_stays_as_it_is() -> None:
    assert unbracketed(f"{BLOCK}\n\n<b> is odd") == f"{unbracketed(BLOCK)}\n\n<b> is odd"


@given(st.text())
def test_headings_become_tags_again(body: str) -> None:
    block = f"<synapse-rules>\n{body}\n</synapse-rules>"
    if "[END OF " not in body and "[SYNAPSE-RULES]" not in body:
        assert bracketed(unbracketed(block)) == block


def test_a_block_among_the_words_of_other_hooks_is_found() -> None:
    assert bracketed(f"before\n{unbracketed(BLOCK)}\nafter") == f"before\n{BLOCK}\nafter"


def test_no_bracket_of_ours_reaches_gemini() -> None:
    event = gemini.parse({"hook_event_name": "BeforeAgent"}, "")
    (output,) = gemini.reply(event, BLOCK.replace("<int>", "")).values()
    assert "<" not in output["additionalContext"]


def test_what_gemini_has_escaped_is_seen_to_have_arrived(tmp_path: Path) -> None:
    said = unbracketed(BLOCK).replace("<", "&lt;").replace(">", "&gt;")
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
    event = gemini.parse({"hook_event_name": "BeforeAgent", "transcript_path": str(path)}, "")
    assert gemini.arrived(event, text_hash(BLOCK)) is True
    assert gemini.arrived(event, text_hash("another")) is False
