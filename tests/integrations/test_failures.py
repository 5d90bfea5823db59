"""What counts as a failure of a tool, and in which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.integrations import tool_uses
from synapse_ls.integrations.tool_error_text import (
    MAX_ERROR_LENGTH,
    response_failure,
    tool_error,
    trim_failure,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "response",
    [
        None,
        "ok",
        "Exit code: 0\nOutput:\nError: not really",
        "Exit code: 1",
        {"stdout": "Error in the text of a file", "stderr": "", "interrupted": False},
        {"success": True},
        {"exit_code": 0, "output": "x"},
        {"resultType": "rejected", "textResultForLlm": "no"},
        {"interrupted": True, "is_error": True, "stderr": "x"},
        [{"type": "text", "text": "The exit code of the program is described in 3 places"}],
        {"success": False},
    ],
)
def test_what_is_no_failure(response: object) -> None:
    assert response_failure(response) == ""


@pytest.mark.parametrize(
    "response",
    [
        {"is_error": True, "content": [{"type": "text", "text": "boom"}]},
        {"isError": True, "content": "boom"},
        {"success": False, "message": "boom"},
        {"error": {"message": "boom"}},
        {"error": "boom"},
        {"exitCode": 2, "stderr": "boom", "stdout": ""},
        {"metadata": {"exit_code": 1}, "output": "boom"},
        '{"output": "boom", "metadata": {"exit_code": 1}}',
        "boom\nProcess exited with code 1",
        "Command failed with exit code 127\nboom",
        "boom\n(exit code 1)",
        [{"type": "text", "text": "boom\nExit code: 2"}],
    ],
)
def test_what_is_one(response: object) -> None:
    assert response_failure(response) == "boom"


@given(st.integers(0, 40))
def test_a_long_error_keeps_no_part_of_a_secret_where_it_is_cut(shift: int) -> None:
    setting = "db_password=hunter2hunter2, error: refused"
    error = f"Error: {'x ' * 1500}{setting} {'y' * (1_950 - len(setting) + shift)}"
    assert "hunter2" not in response_failure({"error": error, "exit_code": 1})


def test_a_long_error_keeps_its_beginning_and_its_end() -> None:
    told = trim_failure("first\n" + "x" * 100_000 + "\nlast")
    assert told.startswith("first")
    assert told.endswith("last")
    assert len(told) < MAX_ERROR_LENGTH + 10


@given(
    st.dictionaries(st.sampled_from(["error", "tool_response", "toolResult", "status", "x"]), JSON)
)
def test_any_payload_is_read(raw: dict[str, object]) -> None:
    found = tool_error(raw, "PostToolUse")
    assert isinstance(found, str)
    if found:
        assert tool_uses.may_have_failed(raw, "PostToolUse")
