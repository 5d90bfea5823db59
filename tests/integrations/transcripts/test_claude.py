"""Claude Code: usage and arrival from its transcript."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.claude import transcript
from tests.integrations.transcripts.claude_records import answer, boundary, hook, prompt, result
from tests.integrations.transcripts.support import BLOCK, TOLD, Record, at, lines_of, written


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_MODEL",
        "CLAUDE_CODE_DISABLE_1M_CONTEXT",
        "CLAUDE_CODE_USE_BEDROCK",
        "CLAUDE_CODE_USE_VERTEX",
    ):
        monkeypatch.delenv(name, raising=False)


def usage(folder: Path, *records: Record | bytes, model: str = "") -> tuple[object, object] | None:
    found = transcript.read_usage(written(folder, *records), model)
    return (found["used"], found["window"]) if found else None


def arrived(folder: Path, *records: Record, since: str = "") -> bool | None:
    return transcript.shows_reply(written(folder, *records), TOLD, since)


def test_the_usage_is_that_of_the_last_turn(tmp_path: Path) -> None:
    records = answer(10_000), {"type": "user"}, answer(20_000), {"type": "system"}
    assert usage(tmp_path, *records) == (20_000, 200_000)


def test_the_figures_say_where_they_are_from(tmp_path: Path) -> None:
    found = transcript.read_usage(written(tmp_path, answer(10_000)))
    assert found is not None
    assert found["origin"] == "Claude Code's transcript"
    assert found["model"] == "claude-sonnet-4-5-20250929"


def test_turns_of_sub_agents_are_passed_over(tmp_path: Path) -> None:
    assert usage(tmp_path, answer(10_000), answer(90_000, isSidechain=True)) == (10_000, 200_000)


def test_what_the_client_says_in_the_place_of_the_model_is_no_call(tmp_path: Path) -> None:
    synthetic: Record = {"type": "assistant", "message": {"model": "<synthetic>", "usage": {}}}
    assert usage(tmp_path, answer(10_000), synthetic) == (10_000, 200_000)


def test_nothing_is_known_right_after_a_compaction(tmp_path: Path) -> None:
    assert usage(tmp_path, answer(150_000), boundary()) is None
    assert usage(tmp_path, answer(150_000), boundary(preTokens=150_000)) is None


def test_a_compaction_that_says_what_it_left_is_believed(tmp_path: Path) -> None:
    left = boundary(preTokens=150_000, postTokens=12_000)
    assert usage(tmp_path, answer(150_000), left) == (12_000, 200_000)
    assert usage(tmp_path, answer(400_000), left) == (12_000, 1_000_000)
    assert usage(tmp_path, left) is None


def test_the_first_call_after_a_compaction_tells_again(tmp_path: Path) -> None:
    assert usage(tmp_path, answer(150_000), boundary(), answer(30_000)) == (30_000, 200_000)


def test_the_compaction_of_a_sub_agent_is_not_one_of_the_session(tmp_path: Path) -> None:
    assert usage(tmp_path, answer(9_000), {**boundary(), "isSidechain": True}) == (9_000, 200_000)


def test_a_last_line_that_is_half_written_is_passed_over(tmp_path: Path) -> None:
    half = lines_of(answer(90_000))[:-30]
    assert usage(tmp_path, answer(10_000), half) == (10_000, 200_000)


def test_text_that_looks_like_a_record_is_none(tmp_path: Path) -> None:
    said = prompt('{"type":"assistant","message":{"usage":{"input_tokens":5}}} compact_boundary')
    assert usage(tmp_path, answer(10_000), said) == (10_000, 200_000)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"{", b"\xff\xfe", b"[]\n3\nnull\n"])
def test_a_transcript_of_anything_tells_nothing(content: bytes, tmp_path: Path) -> None:
    assert usage(tmp_path, content) is None


@pytest.mark.parametrize("spent", [[], "x", None, {}, {"output_tokens": 7}])
def test_a_record_without_figures_tells_nothing(spent: object, tmp_path: Path) -> None:
    record: Record = {"type": "assistant", "message": {"model": 3, "usage": spent}}
    assert usage(tmp_path, record) is None


@pytest.mark.parametrize("count", [True, -5, "7", 1.5])
def test_a_figure_of_the_wrong_kind_is_told_so_that_nobody_takes_the_window_for_empty(
    count: object, tmp_path: Path
) -> None:
    record: Record = {"type": "assistant", "message": {"usage": {"input_tokens": count}}}
    assert usage(tmp_path, record) == (count, None)


@pytest.mark.parametrize(
    ("model", "used", "window"),
    [
        ("claude-sonnet-4-5", 10, 200_000),
        ("claude-sonnet-4-5[1m]", 10, 1_000_000),
        ("claude-opus-4-8", 10, 1_000_000),
        ("claude-sonnet-5-5", 10, 1_000_000),
        ("claude-haiku-5-5", 10, 1_000_000),
        ("claude-haiku-4-5", 10, 200_000),
        ("us.anthropic.claude-opus-5-v1:0", 10, 1_000_000),
        ("something-else", 10, None),
        ("something-else", 250_000, 1_000_000),
        ("claude-sonnet-4-5", 300_000, 1_000_000),
        ("", 2_500_000, 2_500_000),
    ],
)
def test_the_window_is_that_of_the_model(model: str, used: int, window: int | None) -> None:
    assert transcript.model_window(model, used) == window


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CLAUDE_CODE_DISABLE_1M_CONTEXT", "1"),
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("CLAUDE_CODE_USE_VERTEX", "true"),
        ("ANTHROPIC_BASE_URL", "https://gateway.example"),
    ],
)
def test_where_the_long_window_is_off_it_does_not_count(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    assert transcript.model_window("claude-opus-5", 10) == 200_000
    assert transcript.model_window("claude-opus-5", 300_000) == 1_000_000


def test_a_cloud_has_the_long_window_for_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_USE_BEDROCK", "1")
    assert transcript.model_window("claude-sonnet-4-5[1m]", 10) == 1_000_000


def test_the_event_may_say_that_the_window_is_the_long_one(tmp_path: Path) -> None:
    assert usage(tmp_path, answer(9_000), model="claude-sonnet-4-5[1m]") == (9_000, 1_000_000)
    assert usage(tmp_path, answer(9_000), model="claude-opus-4-5[1m]") == (9_000, 200_000)


def test_the_environment_may_say_so_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_MODEL", "sonnet[1m]")
    assert usage(tmp_path, answer(9_000)) == (9_000, 1_000_000)


def test_a_block_beside_the_prompt_has_arrived(tmp_path: Path) -> None:
    assert arrived(tmp_path, prompt("Go"), hook(BLOCK), answer(9_000)) is True


@pytest.mark.parametrize(
    "texts",
    [
        (f"  {BLOCK}\n",),
        ("Another hook says this.", BLOCK),
        (f"Another hook says <this>.\n{BLOCK}\nAnd that.",),
        (f"<other>\ntext\n</other>\n{BLOCK}",),
    ],
)
def test_a_block_among_the_texts_of_others_has_arrived(
    texts: tuple[str, ...], tmp_path: Path
) -> None:
    assert arrived(tmp_path, prompt("Go"), hook(*texts), answer(9_000)) is True


def test_a_prompt_that_was_answered_without_the_block_shows_its_loss(tmp_path: Path) -> None:
    assert arrived(tmp_path, prompt("Go"), hook("Else"), answer(9_000)) is False
    preview = hook("<persisted-output>\nOutput too large. Preview: <synapse-rules>")
    assert arrived(tmp_path, prompt("Go"), preview, answer(9_000)) is False


def test_a_prompt_that_is_not_answered_yet_tells_nothing(tmp_path: Path) -> None:
    assert arrived(tmp_path, prompt("Go")) is None
    assert arrived(tmp_path, answer(9_000)) is None
    assert arrived(tmp_path) is None


def test_a_block_of_some_turns_ago_is_found(tmp_path: Path) -> None:
    later = [record for _ in range(5) for record in (prompt("On"), answer(9_000), result())]
    assert arrived(tmp_path, prompt("Go"), hook(BLOCK), answer(8_000), *later) is True


def test_what_came_before_a_compaction_does_not_stand(tmp_path: Path) -> None:
    before = prompt("Go"), hook(BLOCK), answer(9_000), boundary()
    assert arrived(tmp_path, *before) is None
    assert arrived(tmp_path, *before, prompt("On"), answer(5_000)) is False


def test_turns_before_it_was_told_prove_nothing(tmp_path: Path) -> None:
    records = prompt("Go", 1), answer(9_000, second=2), prompt("On", 8)
    assert arrived(tmp_path, *records) is False
    assert arrived(tmp_path, *records, since=at(7)) is None
    assert arrived(tmp_path, *records, answer(9_500, second=9), since=at(7)) is False
