"""The messages that stand in the window at the end of a transcript."""

from __future__ import annotations

from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.compaction import Compaction, Message, Role, Text, ToolResult, ToolUse
from synapse_ls.integrations.claude import turns as claude
from synapse_ls.integrations.codex import turns as codex
from synapse_ls.integrations.gemini import turns as gemini
from tests.integrations.transcripts.claude_records import answer, boundary, hook, prompt, tool
from tests.integrations.transcripts.support import BLOCK, Record, lines_of
from tests.integrations.transcripts.test_others import message, rollout, said


def read(module: ModuleType, *records: Record | bytes) -> list[Message]:
    found: list[Message] = module.read_messages(lines_of(*records).splitlines())
    assert [one.number for one in found] == list(range(1, len(found) + 1))
    return found


def words(*texts: str) -> list[Message]:
    """Messages of user and assistant in turn."""
    say = (Message.user, Message.assistant)
    return [say[number % 2](text) for number, text in enumerate(texts)]


def part(identity: str, *content: Record, **more: object) -> Record:
    """A record of an answer, which holds a block of it."""
    return {
        "type": "assistant",
        "uuid": f"{identity}-{len(str(content))}",
        "sessionId": "s",
        "message": {"id": identity, "content": list(content)},
        **more,
    }


def test_claude_has_the_blocks_of_an_answer_in_one_message() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok", "is_error": True}
    found = read(
        claude,
        prompt("Fix it", 0),
        part("m1", {"type": "text", "text": "Looking."}),
        part("m1", tool("Read", "/r/a.py")),
        {"type": "user", "uuid": "u9", "sessionId": "s", "message": {"role": "user", "content": [result]}},
        part("m2", {"type": "text", "text": "Of a sub-agent."}, isSidechain=True),
        part("m3", {"type": "text", "text": "Done."}),
    )  # fmt: skip
    assert found == [
        Message.user("Fix it"),
        Message(Role.ASSISTANT, (Text("Looking."), ToolUse("t", "Read", {"file_path": "/r/a.py"}))),
        Message(Role.USER, (ToolResult("t", (Text("ok"),), True),)),
        Message.assistant("Done."),
    ]


def test_a_call_that_an_interruption_left_without_an_answer_is_not_sent_again() -> None:
    calls = [
        rollout("response_item", type="function_call", call_id=name, name="sh", arguments="{}")
        for name in ("lost", "kept")
    ]
    output = rollout("response_item", type="function_call_output", call_id="kept", output="hi")
    kept = Message(Role.ASSISTANT, (ToolUse("kept", "sh", {}),))
    answered = Message(Role.USER, (ToolResult("kept", (Text("hi"),)),))
    found = read(codex, message("user", "Run it"), *calls, output, message("user", "Go on"))
    assert found == [Message.user("Run it"), kept, answered, Message.user("Go on")]
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    broken = answer(9_000, "Looking.", thought, tool("Read", "a"))
    assert read(claude, prompt("Fix it"), broken)[1].content[0] == Text("Looking.")
    broken["message"]["content"] = broken["message"]["content"][1:]
    assert read(claude, prompt("Fix it"), broken) == words("Fix it")


def test_claude_has_what_hooks_add() -> None:
    found = read(claude, prompt("Fix it", 0), hook(BLOCK), answer(9_000))
    assert [one.text for one in found] == ["Fix it", BLOCK, "Done."]


def test_claude_begins_anew_with_a_summary_and_what_was_kept() -> None:
    found = read(
        claude,
        prompt("First", 0),
        answer(9_000, "One.", second=1),
        prompt("Second", 2),
        answer(9_000, "Two.", second=3),
        boundary(preservedMessages={"uuids": ["u2", "a3", "lost"]}),
        prompt("All was said.", 4, isCompactSummary=True),
        prompt("Third", 5),
    )
    summary = Message(Role.USER, (Compaction("All was said."),))
    assert found == [summary, Message.user("Second"), Message.assistant("Two."), Message.user("Third")]  # fmt: skip


def test_claude_without_a_summary_keeps_what_it_says_it_kept() -> None:
    kept = boundary(preservedMessages={"uuids": ["u0"]})
    assert read(claude, prompt("First", 0), answer(9_000), kept) == words("First")
    assert read(claude, prompt("First", 0), answer(9_000), boundary()) == []


def test_claude_takes_back_what_came_after_the_place_that_was_gone_back_to() -> None:
    found = read(
        claude,
        prompt("First", 0),
        answer(9_000, "One.", second=1, parentUuid="u0"),
        prompt("Wrong", 2, parentUuid="a1"),
        answer(9_000, "Two.", second=3, parentUuid="u2"),
        prompt("Right", 4, parentUuid="a1"),
    )
    assert found == words("First", "One.", "Right")


def test_codex() -> None:
    found = read(
        codex,
        rollout("session_meta", base_instructions={"text": "You are."}),
        message("developer", "Rules"),
        message("user", "Run it"),
        rollout("event_msg", type="user_message", message="Run it"),
        rollout("response_item", type="function_call", call_id="c", name="sh", arguments='{"a":1}'),
        rollout("response_item", type="function_call_output", call_id="c", output="hi"),
        rollout("response_item", type="ghost_snapshot", ghost_commit={}),
        message("assistant", "Done."),
    )
    assert found == [
        Message.system("You are."),
        Message.system("Rules"),
        Message.user("Run it"),
        Message(Role.ASSISTANT, (ToolUse("c", "sh", {"a": 1}),)),
        Message(Role.USER, (ToolResult("c", (Text("hi"),)),)),
        Message.assistant("Done."),
    ]


def test_codex_puts_another_history_in_the_place_of_one() -> None:
    summed = f"{codex.SUMMARY_PREFIX}: all was said."
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        for text in ("Run it", summed)
    ]
    compacted = rollout("compacted", message="", replacement_history=history)
    found = read(codex, message("user", "Run it"), message("assistant", "Done."), compacted)
    assert found == [Message.user("Run it"), Message(Role.USER, (Compaction(summed),))]


def test_codex_of_old_keeps_instructions_beside_a_summary() -> None:
    compacted = rollout("compacted", message="All was said.")
    found = read(codex, message("developer", "Rules"), message("user", "Run it"), compacted)
    summary = Message(Role.USER, (Compaction("All was said."),))
    assert found == [Message.system("Rules"), summary]


def test_codex_takes_turns_back() -> None:
    back = rollout("event_msg", type="thread_rolled_back", num_turns=1)
    spoken = [message("user", "First"), message("assistant", "One."), message("user", "Wrong")]
    assert read(codex, *spoken, message("assistant", "Two."), back) == words("First", "One.")


def gemini_call(name: str, *calls: Record, content: str = "") -> Record:
    return said("gemini", name, content, toolCalls=list(calls))


CALL: Record = {
    "id": "c",
    "name": "read_file",
    "args": {"file_path": "a"},
    "status": "success",
    "result": [{"functionResponse": {"id": "c", "response": {"output": "text"}}}],
}


def test_gemini_writes_a_message_again_when_it_knows_more() -> None:
    failed = {
        **CALL,
        "status": "error",
        "result": [{"functionResponse": {"response": {"error": "no"}}}],
    }
    found = read(
        gemini,
        said("user", "u1", [{"text": "Read it"}]),
        gemini_call("g1", content="Looking."),
        gemini_call("g1", CALL, failed, content="Looking."),
        said("gemini", "g2", "Done."),
    )  # fmt: skip
    use = ToolUse("c", "read_file", {"file_path": "a"})
    assert found == [
        Message.user("Read it"),
        Message(Role.ASSISTANT, (Text("Looking."), use, use)),
        Message(
            Role.USER, (ToolResult("c", (Text("text"),)), ToolResult("c", (Text("no"),), True))
        ),
        Message.assistant("Done."),
    ]


def test_gemini_replaces_its_history_and_goes_back() -> None:
    spoken = [
        said("user", "u1", "First"),
        said("gemini", "g1", "One."),
        said("user", "u2", "Wrong"),
    ]
    assert read(gemini, *spoken, {"$rewindTo": "u2"}) == words("First", "One.")
    summary = said("user", "s1", "<state_snapshot>All was said.</state_snapshot>")
    found = read(gemini, *spoken, {"$set": {"messages": [summary]}}, said("user", "u3", "Go on"))
    assert found[0].is_summary
    assert [one.text for one in found[1:]] == ["Go on"]


odd = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["type", "message", "content", "payload", "role", "uuid", "id", "$set", "messages",
             "toolCalls", "result", "compactMetadata", "replacement_history", "args", "status"]
        ),
        inner | st.sampled_from(["user", "assistant", "gemini", "response_item", "compacted", "system"]),
        max_size=5,
    ),
    max_leaves=15,
)  # fmt: skip


@pytest.mark.parametrize("module", [claude, codex, gemini])
@given(records=st.lists(st.dictionaries(st.sampled_from(["type", "message", "payload", "$set", "id", "uuid", "subtype", "content", "toolCalls", "isCompactSummary"]), odd), max_size=6))  # fmt: skip
def test_no_record_makes_a_reader_fail(module: ModuleType, records: list[Record]) -> None:
    read(module, *records)
