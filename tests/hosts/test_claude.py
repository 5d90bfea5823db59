"""Claude Code: events, replies, usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.hosts import claude
from synapse_ls.hosts import event as events
from synapse_ls.hosts.registry import detect


def event(**raw: Any) -> events.Event:
    return claude.parse({"hook_event_name": "UserPromptSubmit", **raw}, "")


def turn(used: int, *, model: str = "claude-sonnet-4-5", **extra: Any) -> dict[str, Any]:
    usage = {
        "input_tokens": 1,
        "cache_creation_input_tokens": 2,
        "cache_read_input_tokens": used - 3,
    }
    return {"type": "assistant", "message": {"model": model, "usage": usage}, **extra}


def transcript(folder: Path, *records: dict[str, Any]) -> str:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def usage(path: str) -> dict[str, object] | None:
    return claude.usage(event(transcript_path=path))


def test_the_usage_is_that_of_the_last_turn(tmp_path: Path) -> None:
    path = transcript(tmp_path, turn(10_000), {"type": "user"}, turn(20_000), {"type": "system"})
    assert usage(path) == {"used": 20_000, "window": 200_000}


def test_turns_of_sub_agents_are_passed_over(tmp_path: Path) -> None:
    path = transcript(tmp_path, turn(10_000), turn(90_000, isSidechain=True))
    assert usage(path) == {"used": 10_000, "window": 200_000}


def test_nothing_is_known_right_after_a_compaction(tmp_path: Path) -> None:
    boundary = {"type": "system", "subtype": "compact_boundary"}
    assert usage(transcript(tmp_path, turn(150_000), boundary)) is None


def test_a_turn_is_found_behind_megabytes_of_other_lines(tmp_path: Path) -> None:
    filler = [{"type": "user", "text": "x" * 100_000} for _ in range(20)]
    assert usage(transcript(tmp_path, turn(30_000), *filler)) == {"used": 30_000, "window": 200_000}


@pytest.mark.parametrize("content", [b"", b"\n\n", b"{", b"\xff\xfe", b"[]\n3\nnull\n"])
def test_a_transcript_of_anything_tells_nothing(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_bytes(content)
    assert usage(str(tmp_path / "t.jsonl")) is None


def test_a_transcript_that_is_not_there_tells_nothing(tmp_path: Path) -> None:
    assert usage(str(tmp_path / "none")) is None
    assert usage(str(tmp_path)) is None
    assert usage("a\0b") is None


@pytest.mark.parametrize(
    ("model", "used", "window"),
    [
        ("claude-sonnet-4-5", 10, 200_000),
        ("claude-sonnet-4-5[1m]", 10, 1_000_000),
        ("claude-opus-4-8", 10, 1_000_000),
        ("claude-sonnet-5-5", 10, 1_000_000),
        ("something-else", 10, 200_000),
        ("claude-sonnet-4-5", 300_000, 1_000_000),
        ("", 2_000_000, 2_000_000),
    ],
)
def test_the_window_is_that_of_the_model(model: str, used: int, window: int) -> None:
    assert claude.window_of(model, used) == window


def test_a_reply_names_its_event() -> None:
    assert claude.reply(event(), "x") == {
        "hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}
    }


def test_nothing_to_say_is_an_empty_object() -> None:
    assert claude.reply(event(), "") == {}
    assert claude.reply(claude.parse({"hook_event_name": "PreCompact"}, ""), "x") == {}


def test_the_payload_names_the_event_before_the_registration() -> None:
    assert (
        claude.parse({"hook_event_name": "SessionStart"}, "UserPromptSubmit").kind
        == events.SESSION_START
    )
    assert claude.parse({}, "UserPromptSubmit").kind == events.PROMPT
    assert claude.parse({}, "Notification").kind == events.OTHER


@pytest.mark.parametrize("source", ["system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_prompts_nobody_wrote_do_not_count(source: str) -> None:
    assert not event(source=source).counts
    assert event(source="user").counts and event().counts


def test_the_environment_tells_the_client_before_the_registration() -> None:
    assert detect({"CLAUDECODE": "1"}, "other") == "claude"
    assert detect({}, "claude") == "claude"
