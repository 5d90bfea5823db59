"""The commands that tools ran and the tools that failed, in the transcripts of all clients."""

from __future__ import annotations

import io
import json

import pytest

from synapse_ls.integrations.antigravity.turns import READER as ANTIGRAVITY_READER
from synapse_ls.integrations.claude.turns import READER as CLAUDE_READER
from synapse_ls.integrations.codex.turns import READER as CODEX_READER
from synapse_ls.integrations.copilot.turns import READER as COPILOT_READER
from synapse_ls.integrations.cursor.turns import READER as CURSOR_READER
from synapse_ls.integrations.gemini.turns import READER as GEMINI_READER
from synapse_ls.integrations.transcript_formats import find_reader
from synapse_ls.integrations.transcript_turns import HistoryReader, ToolStep
from synapse_ls.memory.session_digest import Digest, build_digest
from tests.integrations.transcripts.claude_records import answer, prompt
from tests.integrations.transcripts.support import Record, lines_of
from tests.integrations.transcripts.test_others import (
    START,
    event,
    gemini_call,
    message,
    rollout,
    said,
    step,
)

ASKED = "No, use the adapter. Then fix it"
REPLY = "TODO: the changelog is missing."
ERROR = "Error: boom\n    at a.js:1:2"


def claude_result(key: str, content: object, **more: object) -> Record:
    part = {"type": "tool_result", "tool_use_id": key, "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [part]}, "sessionId": "s"}


def claude_use(key: str, command: str) -> Record:
    return {"type": "tool_use", "id": key, "name": "Bash", "input": {"command": command}}


CLAUDE = (
    prompt(ASKED, 1),
    answer(9_000, REPLY, claude_use("t1", "npm test"), second=2),
    claude_result("t1", f"Exit code 1\n{ERROR}", is_error=True),
    answer(9_100, "", claude_use("t2", "npm ci"), second=3),
    claude_result("t2", [{"type": "text", "text": "ok"}]),
    answer(9_200, "", claude_use("t3", "rm -rf x"), second=4),
    claude_result("t3", "The user doesn't want to proceed with this tool use.", is_error=True),
)
CODEX = (
    rollout("session_meta", id="s", cwd="/r"),
    rollout("event_msg", 1, type="user_message", message=ASKED),
    rollout(
        "response_item",
        type="function_call",
        name="shell",
        call_id="c1",
        arguments=json.dumps({"command": ["npm", "test"]}),
    ),
    rollout(
        "response_item",
        type="function_call_output",
        call_id="c1",
        output=json.dumps({"output": ERROR, "metadata": {"exit_code": 1}}),
    ),
    rollout(
        "response_item",
        type="function_call",
        name="exec_command",
        call_id="c2",
        arguments=json.dumps({"cmd": "npm ci"}),
    ),
    rollout("response_item", type="function_call_output", call_id="c2", output="ok"),
    rollout(
        "response_item", type="function_call", name="shell", call_id="c3",
        arguments=json.dumps({"command": "rm -rf x"}),
    ),
    message("assistant", REPLY, 3),
)  # fmt: skip
COPILOT = (
    event("session.start", sessionId="s"),
    event("user.message", 1, content=ASKED),
    event("assistant.message", 2, content=REPLY, messageId="m1"),
    event(
        "tool.execution_start", toolCallId="a", toolName="bash", arguments={"command": "npm test"}
    ),
    event("tool.execution_complete", toolCallId="a", success=False, error={"message": ERROR}),
    event("tool.execution_start", toolCallId="b", toolName="bash", arguments={"command": "npm ci"}),
    event("tool.execution_complete", toolCallId="b", success=True, result={"content": "ok"}),
    event(
        "tool.execution_start", toolCallId="c", toolName="bash", arguments={"command": "rm -rf x"}
    ),
)


def gemini_use(command: str, status: str, output: str) -> Record:
    answered = {"functionResponse": {"id": command, "response": {"output": output}}}
    return {
        "id": command,
        "name": "run_shell_command",
        "args": {"command": command},
        "status": status,
        "result": [answered],
    }


GEMINI = (
    START,
    said("user", "u1", ASKED, 1),
    {
        **gemini_call(9_000),
        "content": REPLY,
        "toolCalls": [
            gemini_use("npm test", "success", f"Output: {ERROR}\nExit Code: 1"),
            gemini_use("npm ci", "success", "Output: ok\nExit Code: 0"),
            gemini_use("rm -rf x", "cancelled", "[Operation Cancelled]"),
        ],
    },
)
CURSOR = (
    {"role": "user", "message": {"content": [{"type": "text", "text": ASKED}]}},
    {
        "role": "assistant",
        "message": {
            "content": [
                {"type": "text", "text": REPLY},
                *(
                    {"type": "tool_use", "name": "Shell", "input": {"command": command}}
                    for command in ("npm test", "npm ci", "rm -rf x")
                ),
            ]
        },
    },
)


def antigravity_use(number: int, command: str) -> Record:
    """A call; each of its arguments is JSON of its own."""
    args = {"CommandLine": json.dumps(command), "Cwd": '"/r"', "WaitMsBeforeAsync": "500"}
    called = [{"name": "run_command", "args": args}]
    return {**step(number, "PLANNER_RESPONSE", "", "MODEL"), "tool_calls": called}


def antigravity_result(number: int, said: str, status: str = "DONE") -> Record:
    when = "Created At: 2026-03-02T09:00:00Z\nCompleted At: 2026-03-02T09:00:01Z\n\n"
    return {**step(number, "RUN_COMMAND", f"{when}\t\t\t\t{said}", "MODEL"), "status": status}


ANTIGRAVITY = (
    step(0, "USER_INPUT", f"<USER_REQUEST>{ASKED}</USER_REQUEST>"),
    antigravity_use(1, "npm test"),
    step(2, "SYSTEM_MESSAGE", "<SYSTEM_MESSAGE>noop</SYSTEM_MESSAGE>", "SYSTEM"),
    antigravity_result(3, "The command is running", "RUNNING"),
    antigravity_result(3, f"The command failed with exit code: 1\n\t\t\t\tOutput:\n{ERROR}"),
    antigravity_use(4, "npm ci"),
    antigravity_result(5, "The command exited with code 0.\nOutput:\nok"),
    {**antigravity_use(6, "rm -rf x"), "content": REPLY},
    antigravity_result(7, "The command was stopped with exit code: 1", "CANCELED"),
)
ALL: dict[HistoryReader, tuple[Record, ...]] = {
    CLAUDE_READER: CLAUDE,
    CODEX_READER: CODEX,
    COPILOT_READER: COPILOT,
    GEMINI_READER: GEMINI,
    CURSOR_READER: CURSOR,
    ANTIGRAVITY_READER: ANTIGRAVITY,
}
TELL_FAILURES = (CLAUDE_READER, CODEX_READER, COPILOT_READER, GEMINI_READER, ANTIGRAVITY_READER)


def name_of(module: HistoryReader) -> str:
    return module.client


def steps(module: HistoryReader) -> tuple[ToolStep, ...]:
    lines = lines_of(*ALL[module])
    assert find_reader(lines) is module
    (turn,) = module.read_turns(io.BytesIO(lines))
    found: tuple[ToolStep, ...] = turn.steps
    return found


def digest(module: HistoryReader) -> Digest:
    return build_digest(module.read_turns(io.BytesIO(lines_of(*ALL[module]))))


@pytest.mark.parametrize("module", ALL, ids=name_of)
def test_the_commands_that_were_run(module: HistoryReader) -> None:
    assert [one.command for one in steps(module)] == ["npm test", "npm ci", "rm -rf x"]


@pytest.mark.parametrize("module", ALL, ids=name_of)
def test_the_errors_that_a_client_tells(module: HistoryReader) -> None:
    expected = ERROR if module in TELL_FAILURES else ""
    assert [one.error for one in steps(module)] == [expected, "", ""]


def antigravity_errors(*records: Record) -> list[tuple[str, str]]:
    lines = lines_of(step(0, "USER_INPUT", "Go"), *records)
    (turn,) = ANTIGRAVITY_READER.read_turns(io.BytesIO(lines))
    return [(one.command, one.error) for one in turn.steps]


def test_antigravity_answers_several_calls_one_after_the_other() -> None:
    calls = [
        {"name": "default_api:view_file", "args": {"AbsolutePath": '"/r/none.md"'}},
        {"name": "run_command", "args": {"CommandLine": '"npm test"'}},
        {"name": "run_command", "args": {"CommandLine": '"not" json"'}},
    ]
    found = antigravity_errors(
        {**step(1, "PLANNER_RESPONSE", "", "MODEL"), "tool_calls": calls},
        antigravity_result(2, "The command exited with code 7.\nOutput:\nboom"),
        {**step(3, "VIEW_FILE", "no such file", "SYSTEM"), "status": "ERROR"},
        {**step(4, "RUN_COMMAND", "bang", "MODEL"), "exit_code": 2},
        {**step(5, "GREP_SEARCH", "of no call", "MODEL"), "status": "ERROR"},
    )
    assert found == [("", "no such file"), ("npm test", "boom"), ('"not" json"', "bang")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "There was a problem parsing the tool call. \nError Message: model output error: no such "
            "file\nGuidance: try again.",
            "model output error: no such file",
        ),
        (
            "Created At: now\nError invalid tool call: no such tool",
            "Error invalid tool call: no such tool",
        ),
        ("Error invalid tool call: tool call denied", ""),
    ],
)
def test_a_call_that_antigravity_could_not_make_has_failed(said: str, expected: str) -> None:
    found = antigravity_errors(
        antigravity_use(1, "npm test"),
        {
            "step_index": 2,
            "source": "SYSTEM",
            "type": "ERROR_MESSAGE",
            "status": "DONE",
            "error": said,
        },
    )
    assert found == [("npm test", expected)]


def test_the_files_of_antigravity_are_paths_without_quotation_marks() -> None:
    args = {"TargetFile": '"/r/src/a.ts"', "CodeContent": '"x"'}
    used = [{"name": "write_to_file", "args": args}]
    lines = lines_of(
        step(0, "USER_INPUT", "Go"),
        {**step(1, "PLANNER_RESPONSE", "", "MODEL"), "tool_calls": used},
    )
    (turn,) = ANTIGRAVITY_READER.read_turns(io.BytesIO(lines))
    assert (turn.files, turn.edited) == (("/r/src/a.ts",), ("/r/src/a.ts",))


@pytest.mark.parametrize("module", ALL, ids=name_of)
def test_a_digest_of_it(module: HistoryReader) -> None:
    found = digest(module)
    assert [one.text for one in found.corrections] == ["No, use the adapter."]
    assert found.open_items == ("TODO: the changelog is missing.",)
    assert found.commands == ("npm test", "npm ci", "rm -rf x")
    assert [one.message for one in found.errors] == ["Error: boom"] * (module in TELL_FAILURES)
