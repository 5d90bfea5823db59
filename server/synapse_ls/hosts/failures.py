"""What a tool's failure says, in the words of each client.

A failure is what the client or the tool itself calls one, or a command that ended with another code
than 0 *and* said something: ``grep`` that finds nothing says nothing. What a person declined or
interrupted is no failure of the work.

Sources: the hooks references of Claude Code (``PostToolUseFailure``), Cursor (``postToolUseFailure``),
GitHub Copilot (``toolResult.resultType``), Gemini CLI (``tool_response.error``), Codex (exit codes in
the output of its shell), VS Code and Antigravity.
"""

from __future__ import annotations

from synapse_ls.hosts.fields import folded, text
from synapse_ls.text.json import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

MOST: Final = 4_000  # characters of an error that are kept: its beginning and its end

RESPONSES: Final = (
    "tool_response", "tool_output", "tool_result", "toolResult", "toolResponse", "result",
    "output",
)  # fmt: skip
ERRORS: Final = ("error", "error_message", "errorMessage", "tool_error", "stderr_message")
WORDS: Final = (
    "message", "stderr", "aggregated_output", "output", "stdout", "llmContent",
    "textResultForLlm", "text_result_for_llm", "content", "text", "returnDisplay",
)  # fmt: skip
CODES: Final = ("exit_code", "exitCode", "returncode", "code")

# What stands before the exit code of a command in what its client tells the model.
ENDED: Final = ("exit code:", "exit code", "exited with code", "exited with", "exit status")
_BEFORE: Final = frozenset(
    ("process", "command", "the", "failed", "exited", "with", "script", "program", "tool", "it")
)
# How lines begin and end in which a client tells of the command and not the command of its work.
_FRAME: Final = (
    "command:", "directory:", "signal:", "background pids:", "process group pgid:", "wall time:",
    "chunk id:", "original token count:", "total output lines:",
)  # fmt: skip
_EMPTY: Final = (": (none)", ": (empty)", ": 0")

_FAILED: Final = ("failure", "error", "failed")
_DECLINED: Final = (
    "denied",
    "rejected",
    "permission_denied",
    "cancelled",
    "interrupted",
    "aborted",
)
_TURNED_OFF: Final = ("permission denied by user", "user rejected", "user cancelled")


def error_of(raw: dict[str, Any], told: str) -> str:
    """The words of the failure in the payload of the event ``told``; "" where there was none."""
    if _is_declined(raw):
        return ""
    call = raw.get("toolCall")
    for holder in (raw, call if isinstance(call, dict) else {}):
        for field in ERRORS:
            if words := _words(holder.get(field)):
                return failed_text(words)
    response = next((raw[field] for field in RESPONSES if field in raw), None)
    if folded(told).endswith(_FAILED):
        return failed_text(_words(response))
    return failure_in(response)


def failure_in(response: object) -> str:
    """The words of the failure that the response of a tool tells; "" where it tells of none."""
    if isinstance(response, str):
        stripped = response.strip()
        if stripped.startswith("{") and stripped.endswith("}"):
            try:
                return failure_in(loads(stripped))
            except ValueError:
                pass
        return failed_text(response) if _exit_code(response) else ""
    if isinstance(response, list):
        return next((found for part in response if (found := failure_in(part))), "")
    if not isinstance(response, dict) or _is_declined(response):
        return ""
    if words := _words(response.get("error")):
        return failed_text(words)
    metadata = response.get("metadata")
    if _says_failed(response) or (isinstance(metadata, dict) and _code(metadata)):
        return failed_text(_words(response))
    for field in WORDS:
        value = response.get(field)
        if isinstance(value, str | list) and (found := failure_in(value)):
            return found
    return ""


def failed_text(words: str) -> str:
    """The words of a failure without the lines that a client puts around them; "" for no words."""
    lines = [line for line in words.strip().splitlines() if not _is_frame(line)]
    told = "\n".join(lines).strip()
    for mark in ("Output:", "output:"):
        told = told.removeprefix(mark).strip()
    if len(told) > MOST:
        half = MOST // 2
        told = f"{told[:half]}\n…\n{told[-half:]}"
    return told


def _is_declined(holder: dict[str, Any]) -> bool:
    """Whether a person, and not the tool, is why it went no further."""
    if holder.get("is_interrupt") is True or holder.get("interrupted") is True:
        return True
    kind = text(holder, "failure_type", "failureType", "resultType", "result_type", "status")
    if kind.lower() in _DECLINED:
        return True
    said = text(holder, *ERRORS).lower()
    return any(mark in said for mark in _TURNED_OFF)


def _says_failed(response: dict[str, Any]) -> bool:
    kind = text(response, "resultType", "result_type", "status").lower()
    if kind in _FAILED or response.get("success") is False:
        return True
    return response.get("is_error") is True or response.get("isError") is True or _code(response)


def _code(holder: dict[str, Any]) -> bool:
    for field in CODES:
        code = holder.get(field)
        if isinstance(code, int) and not isinstance(code, bool):
            return code != 0
    return False


def _words(value: object) -> str:
    """What a value says: a text, the text fields of an object, or the parts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_words, value)))
    if isinstance(value, dict):
        found = [said for field in WORDS if (said := _words(value.get(field)).strip())]
        return "\n".join(dict.fromkeys(found))
    return ""


def _exit_code(words: str) -> bool:
    """Whether the first or one of the last lines tells an exit code other than 0."""
    lines = words.strip().splitlines()
    return any(_tells_code(line) for line in (*lines[:4], *lines[-4:]))


def _tells_code(line: str) -> bool:
    low = line.strip().lower()
    if len(low) > 120:
        return False
    for mark in ENDED:
        before, found, after = low.partition(mark)
        number = after.strip(" :.").partition(" ")[0].rstrip(".,;)>")
        said = before.strip("<( ").split()
        if found and number.lstrip("-").isdecimal() and _BEFORE.issuperset(said):
            return int(number) != 0
    return False


def _is_frame(line: str) -> bool:
    """Whether a line is what a client puts around the words of a command."""
    low = line.strip().lower()
    return low.startswith(_FRAME) or low.endswith(_EMPTY) or _tells_code(line)
