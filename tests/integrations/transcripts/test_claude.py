"""Claude Code: usage and arrival from its transcript."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.integrations.claude import transcript
from synapse_ls.integrations.transcript_tail import OFF_BRANCH, ON_BRANCH, UNSETTLED
from tests.integrations.transcripts.claude_records import (
    answer,
    boundary,
    hook,
    linked,
    prompt,
    result,
)
from tests.integrations.transcripts.support import BLOCK, TOLD, Record, lines_of, written


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


def places(folder: Path, *records: Record, newest: str = "") -> list[str]:
    """Where the transcript has the block, the newest place first."""
    branch = transcript.read_branch(written(folder, *records), {TOLD}, newest)
    return [place for _, _, place in branch.texts]


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


def test_a_block_beside_an_answered_prompt_stands(tmp_path: Path) -> None:
    records = linked(prompt("Go"), hook(BLOCK), answer(9_000))
    assert places(tmp_path, *records) == [ON_BRANCH]


@pytest.mark.parametrize(
    "texts",
    [
        (f"  {BLOCK}\n",),
        ("Another hook says this.", BLOCK),
        (f"Another hook says <this>.\n{BLOCK}\nAnd that.",),
        (f"<other>\ntext\n</other>\n{BLOCK}",),
    ],
)
def test_a_block_among_the_texts_of_others_stands(texts: tuple[str, ...], tmp_path: Path) -> None:
    assert places(tmp_path, *linked(prompt("Go"), hook(*texts), answer(9_000))) == [ON_BRANCH]


def test_a_preview_of_the_block_is_not_the_block(tmp_path: Path) -> None:
    preview = hook("<persisted-output>\nOutput too large. Preview: <synapse-rules>")
    assert places(tmp_path, *linked(prompt("Go"), preview, answer(9_000))) == []


def test_a_prompt_without_an_answer_may_have_been_cancelled(tmp_path: Path) -> None:
    assert places(tmp_path, *linked(prompt("Go"), hook(BLOCK))) == [UNSETTLED]


def test_what_the_next_prompt_does_not_follow_was_cancelled(tmp_path: Path) -> None:
    before = linked(prompt("Begin"), answer(8_000))
    cancelled = linked(prompt("Go"), hook(BLOCK), after=before[-1])
    again = linked(prompt("Go on"), after=before[-1])
    assert places(tmp_path, *before, *cancelled, *again) == [OFF_BRANCH]
    answered = linked(answer(9_000), after=again[-1])
    assert places(tmp_path, *before, *cancelled, *again, *answered) == [OFF_BRANCH]


def test_a_first_prompt_can_be_cancelled(tmp_path: Path) -> None:
    cancelled = linked(prompt("Go"), hook(BLOCK))
    again = linked(prompt("Go on"), hook(BLOCK), answer(9_000))
    assert places(tmp_path, *cancelled, *again) == [ON_BRANCH, OFF_BRANCH]


def test_what_was_rewound_does_not_stand(tmp_path: Path) -> None:
    first = linked(prompt("Begin"), hook(BLOCK, second=1), answer(8_000))
    rewound = linked(prompt("Go"), hook(BLOCK, second=2), answer(9_000), after=first[-1])
    again = linked(prompt("Go on"), answer(9_000), after=first[-1])
    assert places(tmp_path, *first, *rewound, *again) == [OFF_BRANCH, ON_BRANCH]


def test_a_prompt_that_was_stopped_stays_where_the_client_says_so(tmp_path: Path) -> None:
    stopped = prompt("")
    stopped["message"]["content"] = [{"type": "text", "text": "[Request interrupted by user]"}]
    assert places(tmp_path, *linked(prompt("Go"), hook(BLOCK), stopped)) == [ON_BRANCH]


def test_attachments_of_a_tool_belong_to_their_turn(tmp_path: Path) -> None:
    asked = linked(prompt("Go"), answer(8_000))
    aside = linked(hook(BLOCK, event="PreToolUse"), after=asked[-1])
    goes_on = linked(result(), answer(9_000), after=asked[-1])
    assert places(tmp_path, *asked, *aside, *goes_on) == [ON_BRANCH]


def test_a_session_that_was_resumed_from_a_message_leaves_what_came_after_it(
    tmp_path: Path,
) -> None:
    asked = linked(prompt("Begin"), answer(8_000))
    left = linked(result(), hook(BLOCK, event="PostToolUse"), answer(9_000), after=asked[-1])
    resumed = linked(hook("Hello", event="SessionStart"), prompt("Go"), after=asked[-1])
    assert places(tmp_path, *asked, *left, *resumed) == [OFF_BRANCH]


def test_what_came_before_a_compaction_is_not_looked_for(tmp_path: Path) -> None:
    before = linked(prompt("Go"), hook(BLOCK), answer(9_000))
    after = linked(boundary(), prompt("On"), answer(5_000))
    assert places(tmp_path, *before, *after) == []


def test_the_reading_ends_where_it_ended_before(tmp_path: Path) -> None:
    first = linked(prompt("Begin"), hook(BLOCK), answer(8_000))
    second = linked(prompt("Go"), answer(9_000), after=first[-1])
    path = written(tmp_path, *first)
    newest = transcript.read_branch(path, {TOLD}).newest
    assert newest == first[-1]["uuid"]
    assert places(tmp_path, *first, *second, newest=newest) == []


def test_a_message_that_is_off_the_branch_is_missed(tmp_path: Path) -> None:
    first = linked(prompt("Begin"), hook(BLOCK), answer(8_000))
    rewound = linked(prompt("Go"), answer(9_000), after=first[-1])
    again = linked(prompt("Go on"), answer(9_000), after=first[-1])
    path = written(tmp_path, *first, *rewound, *again)
    branch = transcript.read_branch(path, {TOLD}, rewound[-1]["uuid"])
    assert branch.newest == again[-1]["uuid"]


def test_a_turn_is_known_once_it_has_an_answer(tmp_path: Path) -> None:
    asked = linked(prompt("Go", promptId="turn"))
    assert not transcript.read_branch(written(tmp_path, *asked), (), "", "turn").has_turn
    answered = linked(answer(9_000), after=asked[-1])
    assert transcript.read_branch(written(tmp_path, *asked, *answered), (), "", "turn").has_turn


def test_the_real_client_s_cancelled_prompt_does_not_stand(tmp_path: Path) -> None:
    """As Claude Code 2.1.332 writes it: SessionStart, a prompt that is stopped with Esc, the next."""
    start = linked({"type": "attachment", "attachment": {"type": "hook_success"}})
    cancelled = linked(
        prompt("add a helpr"),
        {"type": "attachment", "attachment": {"type": "environment"}},
        hook(BLOCK),
        {"type": "attachment", "attachment": {"type": "prompt_snapshot"}},
        after=start[-1],
    )
    leaf: Record = {"type": "last-prompt", "lastPrompt": "x", "leafUuid": cancelled[-1]["uuid"]}
    assert places(tmp_path, *start, *cancelled, leaf) == [UNSETTLED]
    again = linked(prompt("add a helper"), answer(9_000), after=start[-1])
    assert places(tmp_path, *start, *cancelled, leaf, *again) == [OFF_BRANCH]


def test_without_ids_the_file_is_the_branch(tmp_path: Path) -> None:
    assert places(tmp_path, prompt("Go"), hook(BLOCK), answer(9_000)) == [ON_BRANCH]
