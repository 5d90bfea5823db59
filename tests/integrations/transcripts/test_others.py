"""Copilot, Codex, Gemini, VS Code, Cursor, Antigravity: usage and arrival from what they write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.integrations import transcript_formats
from synapse_ls.integrations.antigravity import last_prompt
from synapse_ls.integrations.claude import transcript as claude
from synapse_ls.integrations.client_registry import load_client
from synapse_ls.integrations.codex import transcript as codex
from synapse_ls.integrations.copilot import transcript as copilot
from synapse_ls.integrations.gemini import transcript as gemini
from synapse_ls.integrations.hook_event import Event
from synapse_ls.integrations.transcript_tail import ON_BRANCH
from synapse_ls.integrations.vscode import transcript as vscode
from tests.integrations.transcripts.support import BLOCK, TOLD, Record, at, lines_of, written
from tests.support import examples

ALL = (claude, codex, copilot, gemini, vscode)
Figures = dict[str, object] | None


def told(figures: Figures) -> tuple[object, object] | None:
    return (figures["used"], figures["window"]) if figures else None


# Copilot


def event(kind: str, second: int = 0, **data: object) -> Record:
    return {"type": kind, "data": data, "id": f"e{second}", "timestamp": at(second)}


def call(used: int, *, limit: int | None = 128_000, second: int = 3, **more: object) -> Record:
    usage: Record = {"model": "gpt-5-codex", "inputTokens": used, "cacheReadTokens": used // 2}
    if limit is not None:
        usage["maxPromptTokens"] = limit
    return event("session.usage_record", second, usage={**usage, **more})


def copilot_usage(folder: Path, *records: Record) -> tuple[object, object] | None:
    return told(copilot.read_usage(written(folder, *records)))


def test_copilot_counts_cached_tokens_once(tmp_path: Path) -> None:
    assert copilot_usage(tmp_path, call(9_000), call(40_000)) == (40_000, 128_000)


def test_copilot_allows_less_than_its_models_so_only_its_own_word_counts(tmp_path: Path) -> None:
    assert copilot_usage(tmp_path, call(9_000, limit=None)) == (9_000, None)


@pytest.mark.parametrize("mark", [{"agentId": "x"}, {"initiator": "sub-agent"}])
def test_copilot_passes_over_sub_agents(mark: Record, tmp_path: Path) -> None:
    assert copilot_usage(tmp_path, call(9_000), call(70_000, **mark)) == (9_000, 128_000)
    whole = {**call(70_000), "agentId": "x"}
    assert copilot_usage(tmp_path, call(9_000), whole) == (9_000, 128_000)


def test_copilot_before_it_recorded_calls_knows_only_what_a_shutdown_says(tmp_path: Path) -> None:
    totals = {"gpt-5": {"usage": {"inputTokens": 900_000}}}
    assert copilot_usage(tmp_path, event("session.shutdown", modelMetrics=totals)) is None
    told_by = event("session.shutdown", currentModel="gpt-5", currentTokens=31_000)
    assert copilot_usage(tmp_path, told_by) == (31_000, None)
    assert copilot_usage(tmp_path, call(9_000), told_by) == (9_000, 128_000)


def test_copilot_after_a_compaction(tmp_path: Path) -> None:
    done = event("session.compaction_complete", success=True)
    left = event("session.compaction_complete", success=True, postCompactionTokens=20_000)
    failed = event("session.compaction_complete", success=False, postCompactionTokens=5)
    assert copilot_usage(tmp_path, call(90_000), done) is None
    assert copilot_usage(tmp_path, call(90_000), left) == (20_000, None)
    assert copilot_usage(tmp_path, call(90_000), failed) == (90_000, 128_000)


def test_copilot_events_are_found_by_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    path = written(tmp_path, call(9_000), name="session-state/4f1c/events.jsonl")
    assert copilot.events_path("4f1c") == path
    monkeypatch.delenv("COPILOT_HOME")
    monkeypatch.setenv("HOME", "/home/ana")
    assert copilot.events_path("4f1c").endswith("/.copilot/session-state/4f1c/events.jsonl")


@pytest.mark.parametrize("session", ["", ".", "..", "../x", "a/b", "a\\b", "C:x", "a\0b"])
def test_a_session_that_is_no_folder_has_no_events(session: str) -> None:
    assert copilot.events_path(session) == ""
    assert copilot.read_usage(copilot.events_path(session)) is None


def copilot_turn(sent: str, second: int = 1) -> Record:
    return event("user.message", second, content="Go", transformedContent=sent)


def copilot_places(folder: Path, *records: Record, newest: str = "") -> list[str]:
    branch = copilot.read_branch(written(folder, *records), {TOLD}, newest)
    return [place for _hash, _time, place in branch.texts]


def test_copilot_shows_what_arrived(tmp_path: Path) -> None:
    sent = copilot_turn(f"Go\n\n<system_reminder>\n{BLOCK}\n</system_reminder>")
    reply = event("assistant.message", 2, content="Done.")
    assert copilot_places(tmp_path, sent, reply) == ["on-branch"]
    assert copilot_places(tmp_path, copilot_turn("Go"), reply) == []


def test_copilot_shows_what_arrived_with_a_tool(tmp_path: Path) -> None:
    content = f'hi\n\n\nTool "view" succeeded. Additional guidance from postToolUse hooks:\n{BLOCK}'
    used = event("tool.execution_complete", 1, result={"content": content})
    assert copilot_places(tmp_path, used) == ["on-branch"]
    assert copilot_places(tmp_path, {**used, "agentId": "a1"}) == []


def test_copilot_deletes_what_is_taken_back(tmp_path: Path) -> None:
    before, back = copilot_turn("Go", 1), event("session.info", 5, infoType="rewind")
    branch = copilot.read_branch(written(tmp_path, before, back), {TOLD}, "e3")
    assert (branch.newest, branch.whole_since) == ("e1", "")
    assert branch.whole_since == ""


def test_copilot_is_read_back_to_where_it_was_read_before(tmp_path: Path) -> None:
    sent = copilot_turn(f"Go\n\n<system_reminder>\n{BLOCK}\n</system_reminder>")
    later = event("assistant.message", 2, content="Done.")
    assert copilot_places(tmp_path, sent, later, newest="e2") == []


# Codex


def rollout(kind: str, second: int = 0, **payload: object) -> Record:
    return {"timestamp": at(second), "type": kind, "payload": payload}


def tokens(used: int, total: int = 0, window: int | None = 258_400) -> Record:
    last = {"input_tokens": used, "cached_input_tokens": used // 2, "total_tokens": total}
    info = {
        "total_token_usage": {"input_tokens": 9_999_999},
        "last_token_usage": last,
        "model_context_window": window,
    }
    return rollout("event_msg", type="token_count", info=info)


def message(role: str, text: str, second: int = 0) -> Record:
    part = "output_text" if role == "assistant" else "input_text"
    content = [{"type": part, "text": text}]
    return rollout("response_item", second, type="message", role=role, content=content)


def codex_usage(folder: Path, *records: Record, model: str = "") -> tuple[object, object] | None:
    return told(codex.read_usage(written(folder, *records), model))


def test_codex_tells_its_window_and_counts_cached_tokens_once(tmp_path: Path) -> None:
    assert codex_usage(tmp_path, tokens(9_000), tokens(63_284)) == (63_284, 258_400)


def test_codex_without_its_window_has_that_of_the_model(tmp_path: Path) -> None:
    assert codex_usage(tmp_path, tokens(9_000, window=None)) == (9_000, None)
    assert codex_usage(tmp_path, tokens(9_000, window=None), model="gpt-5-codex") == (
        9_000,
        400_000,
    )


def test_codex_counts_of_limits_only_say_nothing(tmp_path: Path) -> None:
    limits = rollout("event_msg", type="token_count", info=None, rate_limits={"primary": {}})
    assert codex_usage(tmp_path, tokens(9_000), limits) == (9_000, 258_400)


@pytest.mark.parametrize(
    "mark",
    [
        rollout("compacted", message="Summary"),
        rollout("event_msg", type="context_compacted"),
    ],
)
def test_codex_after_a_compaction(mark: Record, tmp_path: Path) -> None:
    assert codex_usage(tmp_path, tokens(200_000), mark) is None
    assert codex_usage(tmp_path, tokens(200_000), mark, tokens(0, 14_000)) == (14_000, 258_400)


def places(module: ModuleType, path: str, newest: str = "") -> tuple[list[str], str | None]:
    """Where the reply that was sent has a place, and from when on others do not stand."""
    branch = module.read_branch(path, {TOLD}, newest)
    return [place for _, _, place in branch.texts], branch.whole_since


def test_codex_shows_what_stands(tmp_path: Path) -> None:
    records = message("user", "Go", 1), message("developer", BLOCK, 2), message("assistant", "", 3)
    path = written(tmp_path, *records)
    assert places(codex, path) == ([ON_BRANCH], "")
    assert places(codex, path, at(3)) == ([], at(3))
    branch = codex.read_branch(path, {TOLD}, at(1))
    assert (branch.newest, branch.answered, branch.whole_since) == (at(3), at(3), at(1))
    late = (*records, rollout("compacted", 4, message="Summary"), message("user", "More", 5))
    assert places(codex, written(tmp_path, *late)) == ([], at(4))
    assert codex.read_branch(written(tmp_path, *late), {TOLD}, at(3)).compacted


def test_codex_takes_back_as_many_prompts_as_its_older_files_say(tmp_path: Path) -> None:
    first = message("user", "Go", 1), message("assistant", "Done.", 2)
    second = message("user", "Look", 3), message("developer", BLOCK, 4), message("assistant", "", 5)
    back = rollout("event_msg", 6, type="thread_rolled_back", num_turns=1)
    path = written(tmp_path, *first, *second, back)
    assert places(codex, path, at(5)) == ([], "")
    assert codex.read_branch(path, {TOLD}, at(5)).whole_since == ""
    assert places(codex, written(tmp_path, *first, *second, back), at(2)) == ([], at(2))


def test_codex_goes_on_in_another_file_from_where_a_person_rewound_to(tmp_path: Path) -> None:
    first = message("user", "Go", 1), message("developer", BLOCK, 2), message("assistant", "", 3)
    base = written(tmp_path, *first, name="2026/11/29/rollout-2026-11-29T10-00-00-one.jsonl")
    length = Path(base).stat().st_size
    written(tmp_path, *first, message("user", "No", 4), name=base)
    for end, found in ((length, [ON_BRANCH]), (0, [])):
        meta = rollout("session_meta", 5, history_base={"thread_id": "one", "end_byte_offset": end})
        for day in ("29", "30"):
            name = f"2026/11/{day}/rollout-2026-11-{day}T11-00-00-one_two.jsonl"
            later = written(tmp_path, meta, message("user", "Yes", 6), name=name)
            assert places(codex, later, at(4)) == (found, "")
            assert codex.read_branch(later, {TOLD}, at(4)).whole_since == ""
    lost = rollout("session_meta", 5, history_base={"thread_id": "gone", "end_byte_offset": 9})
    assert places(codex, written(tmp_path, lost)) == ([], None)


# Gemini


def said(kind: str, name: str, content: object, second: int = 0, **more: object) -> Record:
    return {"id": name, "timestamp": at(second), "type": kind, "content": content, **more}


def gemini_call(used: int, name: str = "g1", model: str = "gemini-3-pro-preview") -> Record:
    spent = {"input": used, "output": 50, "cached": used // 2, "total": used + 50}
    return said("gemini", name, "Done.", 5, tokens=spent, model=model)


def gemini_usage(folder: Path, *records: Record) -> tuple[object, object] | None:
    return told(gemini.read_usage(written(folder, *records)))


START: Record = {"sessionId": "s", "projectHash": "p", "startTime": at(0)}
SUMMARY = [{"text": "<state_snapshot>\nAll is well.\n</state_snapshot>"}]


def test_gemini_has_a_window_by_its_model(tmp_path: Path) -> None:
    assert gemini_usage(tmp_path, START, gemini_call(52_428)) == (52_428, 1_048_576)
    assert gemini_usage(tmp_path, gemini_call(9, model="gemini-2.5-flash")) == (9, 1_048_576)
    assert gemini_usage(tmp_path, gemini_call(9, model="house")) == (9, None)


def test_gemini_messages_without_figures_are_passed_over(tmp_path: Path) -> None:
    tool = said("gemini", "g2", "", tokens=None, toolCalls=[])
    changed = {"$set": {"lastUpdated": at(9)}}
    assert gemini_usage(tmp_path, gemini_call(9_000), tool, changed) == (9_000, 1_048_576)


def test_gemini_after_a_compression(tmp_path: Path) -> None:
    kept = [said("user", "u9", SUMMARY, 20), said("gemini", "g9", "Got it."), gemini_call(800_000)]
    assert gemini_usage(tmp_path, gemini_call(800_000), {"$set": {"messages": kept}}) is None
    again = {**gemini_call(40_000, "g10"), "timestamp": at(30)}
    assert gemini_usage(tmp_path, {"$set": {"messages": kept}}, again) == (40_000, 1_048_576)
    resumed: Record = {"$set": {"messages": [*kept, again]}}
    assert gemini_usage(tmp_path, again, resumed) == (40_000, 1_048_576)


def test_gemini_writes_a_compressed_history_again_without_its_figures(tmp_path: Path) -> None:
    begun: Record = {"$set": {"messages": [said("user", "u0", "The folders are …", 29)]}}
    summary = said("user", "u9", SUMMARY, 20)
    compressed: Record = {"$set": {"messages": [summary, said("gemini", "g9", "Got it.", 20)]}}
    again = gemini_call(40_000, "g10")
    answer = said("gemini", "g10", "Done.", 30)
    resumed: Record = {"$set": {"messages": [{**summary, "timestamp": at(30)}, answer]}}
    before = gemini_call(800_000)
    found = (40_000, 1_048_576)
    assert gemini_usage(tmp_path, before, compressed, again, begun, resumed) == found
    assert gemini_usage(tmp_path, before, compressed, again, resumed, begun, resumed) == found
    assert gemini_usage(tmp_path, before, compressed, begun, resumed) is None
    rewritten: Record = {"$set": {"messages": [said("user", "u1", "Go"), answer]}}
    assert gemini_usage(tmp_path, before, rewritten, again, resumed) is None


def test_gemini_rewrites_its_history_for_less_than_a_compression(tmp_path: Path) -> None:
    kept = [said("user", "u1", "Go"), gemini_call(9_000)]
    assert gemini_usage(tmp_path, gemini_call(70_000), {"$set": {"messages": kept}}) == (
        9_000,
        1_048_576,
    )


def test_gemini_turns_that_were_taken_back_do_not_count(tmp_path: Path) -> None:
    records = [
        said("user", "u1", "Go"),
        gemini_call(9_000, "g1"),
        said("user", "u2", "No, that"),
        gemini_call(70_000, "g2"),
        {"$rewindTo": "u2"},
    ]
    assert gemini_usage(tmp_path, *records) == (9_000, 1_048_576)
    assert gemini_usage(tmp_path, *records, gemini_call(11_000, "g3")) == (11_000, 1_048_576)
    assert gemini_usage(tmp_path, *records[1:-1], {"$rewindTo": "gone"}) is None


def test_gemini_shows_what_arrived_with_its_brackets_escaped(tmp_path: Path) -> None:
    escaped = BLOCK.replace("<", "&lt;").replace(">", "&gt;")
    asked = said(
        "user", "u1", [{"text": "Go"}, {"text": f"<hook_context>{escaped}</hook_context>"}]
    )
    assert places(gemini, written(tmp_path, START, asked)) == ([ON_BRANCH], "")
    assert places(gemini, written(tmp_path, START, asked), "u1") == ([], at(0))


def test_gemini_writes_its_history_again_without_what_was_stopped(tmp_path: Path) -> None:
    first = said("user", "u1", "Go"), gemini_call(9_000, "g1")
    hook = f"<hook_context>{BLOCK}</hook_context>"
    second = said("user", "u2", [{"text": "Look"}, {"text": hook}], 6)
    path = written(tmp_path, START, *first, second, {"$set": {"messages": list(first)}})
    assert places(gemini, path, "g1") == ([], at(5))
    assert places(gemini, path, "u2") == ([], "")
    back = written(tmp_path, START, *first, second, {"$rewindTo": "u2"})
    assert places(gemini, back, "u2") == ([], "")


def test_gemini_shows_nothing_in_the_same_file_before_it_has_read_the_history(
    tmp_path: Path,
) -> None:
    hook = f"<hook_context>{BLOCK}</hook_context>"
    own = said("user", "c", "<session_context>", 0)
    context: Record = {"$set": {"messages": [own]}}
    asked = said("user", "u1", [{"text": "Go"}, {"text": hook}], 1)
    path = written(tmp_path, START, context, asked, gemini_call(9_000), START, context)
    assert places(gemini, path, "g1") == places(gemini, path, "c") == ([], None)
    assert places(gemini, written(tmp_path, START, context), "g1") == ([], None)
    stopped = written(tmp_path, START, context, asked, context)
    assert places(gemini, stopped)[0] == []


def test_gemini_shows_what_arrived_behind_the_words_of_a_tool(tmp_path: Path) -> None:
    escaped = BLOCK.replace("<", "&lt;").replace(">", "&gt;")
    hook = f"\n\n<hook_context>{escaped}</hook_context>"
    parts = [{"text": "print(1)"}, {"text": hook}]
    for result in (
        {"response": {"output": f"print(1){hook}"}},
        {"response": {"output": "an image"}, "parts": parts},
    ):
        answer = said("user", "u2", [{"functionResponse": {"id": "c1", **result}}])
        records = [said("user", "u1", "Go"), gemini_call(9_000), answer, gemini_call(9_100, "g2")]
        assert places(gemini, written(tmp_path, START, *records)) == ([ON_BRANCH], "")
        resumed: Record = {"$set": {"messages": records}}
        assert places(gemini, written(tmp_path, resumed)) == ([ON_BRANCH], "")


# Antigravity


def step(number: int, kind: str, content: str, source: str = "USER_EXPLICIT") -> Record:
    return {"step_index": number, "type": kind, "source": source, "content": content}


def test_antigravity_tells_the_last_request(tmp_path: Path) -> None:
    asked = "<USER_REQUEST>\nRun the tests\n</USER_REQUEST>\n<ADDITIONAL_METADATA>now</ADDITIONAL_METADATA>"
    path = written(
        tmp_path,
        step(0, "USER_INPUT", "First"),
        step(4, "USER_INPUT", asked),
        step(5, "PLANNER_RESPONSE", "USER_INPUT it is", "MODEL"),
        step(6, "USER_INPUT", "ambient", "AMBIENT"),
    )
    assert last_prompt(path) == ("Run the tests", "4")
    assert last_prompt(str(tmp_path / "none")) == ("", "")


# All of them


@pytest.mark.parametrize("name", ["antigravity", "cursor"])
def test_transcripts_without_figures_tell_nothing(name: str, tmp_path: Path) -> None:
    client = load_client(name)
    assert client is not None
    event = Event("prompt", "", {})
    event.transcript = written(tmp_path, {"role": "user", "message": {"content": BLOCK}})
    assert client.read_usage(event) is None
    assert client.read_branch(event, {TOLD}) is None


NAMES = """
uuid parentUuid promptId hookEvent SessionStart
type data payload message usage tokens content attachment attrs info $set $rewindTo id
assistant user gemini system compact_boundary hook_additional_context event_msg
token_count compacted session.usage_record session.compaction_complete user.message
assistant.message llm_request USER_INPUT last_token_usage inputTokens input messages
isSidechain role developer response_item subtype compactMetadata postTokens toolCalls args
tool_use arguments changes timestamp toolRequests attachments
"""
WORDS = st.sampled_from(NAMES.split())
VALUES = st.recursive(
    WORDS | st.integers() | st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)
RECORDS = st.dictionaries(WORDS, VALUES, max_size=6)
PIECES = st.binary(max_size=40) | RECORDS


@given(st.lists(PIECES, max_size=6))
@settings(max_examples=examples(150))
def test_no_file_makes_a_reader_fail(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[Record | bytes]
) -> None:
    folder = tmp_path_factory.mktemp("t")
    path = written(folder, *pieces, name="transcripts/s.jsonl")
    readers: list[Callable[[str], object]] = [last_prompt]
    readers += [module.read_usage for module in ALL]
    readers += [
        lambda path, module=module: module.read_branch(path, {TOLD}, "id", "id")  # type: ignore[misc]
        for module in (claude, codex, copilot, gemini)
    ]
    for reader in readers:
        reader(path)
    lines = lines_of(*pieces)
    transcript_formats.find_reader(lines)
    for history in transcript_formats.READERS:
        list(history.read_turns(lines.split(b"\n")))
