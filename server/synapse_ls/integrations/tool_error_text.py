"""Extract the error text of a failed tool use from a client's payload.

A failure is what the client or tool calls one, or a command with output and an exit code other than
0: ``grep`` without a match has no output. What a person declined or interrupted is none.

Sources: the hooks references of Claude Code (``PostToolUseFailure``), Cursor
(``postToolUseFailure``), GitHub Copilot (``toolResult.resultType``), Gemini CLI
(``tool_response.error``), Codex (exit codes in its shell's output), VS Code and Antigravity.
"""

from synapse_ls.integrations.hook_event import Payload, fold_name, text_field
from synapse_ls.text.fast_json import loads

MAX_ERROR_LENGTH = 4_000  # characters of an error that are kept: its beginning and its end

RESPONSE_FIELDS = (
    "tool_response", "tool_output", "tool_result", "toolResult", "toolResponse", "result",
    "output",
)  # fmt: skip
ERROR_FIELDS = ("error", "error_message", "errorMessage", "tool_error", "stderr_message")
TEXT_FIELDS = (
    "message", "stderr", "aggregated_output", "output", "stdout", "llmContent",
    "textResultForLlm", "text_result_for_llm", "content", "text", "returnDisplay",
)  # fmt: skip
EXIT_CODE_FIELDS = ("exit_code", "exitCode", "returncode", "code")

# What stands before the exit code of a command in what its client tells the model.
EXIT_PHRASES = ("exit code:", "exit code", "exited with code", "exited with", "exit status")
_EXIT_LEAD_WORDS = frozenset(
    ("process", "command", "the", "failed", "exited", "with", "script", "program", "tool", "it")
)
# How lines begin and end in which a client tells of the command and not the command of its work.
_FRAME_PREFIXES = (
    "command:", "directory:", "signal:", "background pids:", "process group pgid:", "wall time:",
    "chunk id:", "original token count:", "total output lines:",
)  # fmt: skip
_FRAME_SUFFIXES = (": (none)", ": (empty)", ": 0")

_FAILED_STATES = ("failure", "error", "failed")
_DECLINED_STATES = (
    "denied", "rejected", "permission_denied", "cancelled", "interrupted", "aborted",
)  # fmt: skip
_DECLINED_PHRASES = ("permission denied by user", "user rejected", "user cancelled")


def tool_error(raw: Payload, event_name: str) -> str:
    """Return the text of a tool's error in the payload of the event ``event_name``; "" where there
    was none.
    """
    if _is_declined(raw):
        return ""
    call = raw.get("toolCall")
    for holder in (raw, call if isinstance(call, dict) else {}):
        for field in ERROR_FIELDS:
            if words := _value_text(holder.get(field)):
                return trim_failure(words)
    response = next((raw[field] for field in RESPONSE_FIELDS if field in raw), None)
    if fold_name(event_name).endswith(_FAILED_STATES):
        return trim_failure(_value_text(response))
    return response_failure(response)


def response_failure(response: object) -> str:
    """Return the words of the failure that the response of a tool tells; "" where it tells of
    none.
    """
    if isinstance(response, str):
        if (stripped := response.strip()).startswith("{") and stripped.endswith("}"):
            try:
                return response_failure(loads(stripped))
            except ValueError:
                pass
        lines = response.strip().splitlines()
        has_failed = any(map(_is_exit_line, (*lines[:4], *lines[-4:])))
        return trim_failure(response) if has_failed else ""
    if isinstance(response, list):
        return next((failure for part in response if (failure := response_failure(part))), "")
    if not isinstance(response, dict) or _is_declined(response):
        return ""
    if words := _value_text(response.get("error")):
        return trim_failure(words)
    metadata = response.get("metadata")
    kind = text_field(response, "resultType", "result_type", "status").lower()
    has_failed = kind in _FAILED_STATES or response.get("success") is False
    is_error = response.get("is_error") is True or response.get("isError") is True
    has_code = _has_error_code(response) or (
        isinstance(metadata, dict) and _has_error_code(metadata)
    )
    if has_failed or is_error or has_code:
        return trim_failure(_value_text(response))
    for field in TEXT_FIELDS:
        value = response.get(field)
        if isinstance(value, str | list) and (failure := response_failure(value)):
            return failure
    return ""


def trim_failure(words: str) -> str:
    """Return the text of a tool's error without the lines that a client puts around it; "" for no
    words.

    At most `MAX_ERROR_LENGTH` characters are kept, the beginning and the end, both masked: behind
    the cut nobody could tell the rest of a secret.
    """
    lines = [
        line
        for line in words.strip().splitlines()
        if not (low := line.strip().lower()).startswith(_FRAME_PREFIXES)
        and not low.endswith(_FRAME_SUFFIXES)
        and not _is_exit_line(line)
    ]
    text = "\n".join(lines).strip()
    for mark in ("Output:", "output:"):
        text = text.removeprefix(mark).strip()
    if len(text) > MAX_ERROR_LENGTH:
        from synapse_ls.text.secret_masking import mask_beginning, mask_end

        half = MAX_ERROR_LENGTH // 2
        text = f"{mask_beginning(text, half)}\n…\n{mask_end(text, half)}"
    return text


def _is_declined(holder: Payload) -> bool:
    """Return whether a person, and not the tool, is why it went no further."""
    if holder.get("is_interrupt") is True or holder.get("interrupted") is True:
        return True
    kind = text_field(holder, "failure_type", "failureType", "resultType", "result_type", "status")
    if kind.lower() in _DECLINED_STATES:
        return True
    words = text_field(holder, *ERROR_FIELDS).lower()
    return any(mark in words for mark in _DECLINED_PHRASES)


def _has_error_code(holder: Payload) -> bool:
    return bool(next((n for n in map(holder.get, EXIT_CODE_FIELDS) if type(n) is int), 0))


def _value_text(value: object) -> str:
    """Return what a value says: a text, the text fields of an object, or the parts of a list."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(_value_text, value)))
    if isinstance(value, dict):
        texts = [text for field in TEXT_FIELDS if (text := _value_text(value.get(field)).strip())]
        return "\n".join(dict.fromkeys(texts))
    return ""


def _is_exit_line(line: str) -> bool:
    """Return whether a line does nothing but name an exit code other than 0."""
    low = line.strip().lower()
    if len(low) > 120:
        return False
    for mark in EXIT_PHRASES:
        before, phrase, after = low.partition(mark)
        number = after.strip(" :.").partition(" ")[0].rstrip(".,;)>")
        lead_words = before.strip("<( ").split()
        if phrase and number.lstrip("-").isdecimal() and _EXIT_LEAD_WORDS.issuperset(lead_words):
            return int(number) != 0
    return False
