"""Read the turns of a transcript of Antigravity (format: the `transcript` module beside it).

A tool call is part of a ``PLANNER_RESPONSE``, each argument a JSON text. Its result is a later
step, named after the kind of tool (``RUN_COMMAND``), or an ``ERROR_MESSAGE``; neither names the
call, so results belong to calls in order. A step that continues is written again.
"""

from collections.abc import Iterable, Iterator

from synapse_ls.integrations import tool_error_text, transcript_turns
from synapse_ls.integrations.antigravity import step_prompt
from synapse_ls.integrations.transcript_tail import Record, inner_object, object_items, string_value
from synapse_ls.text.fast_json import loads

EDITING_TOOLS = ("write_to_file", "replace_file_content", "multi_replace_file_content", "edit_file")
_IGNORED_STEPS = frozenset({
    "BRAIN_UPDATE", "CHECKPOINT", "CONVERSATION_HISTORY", "DIRECTORY_RULES", "EPHEMERAL_MESSAGE",
    "KI_INSERTION", "KNOWLEDGE_ARTIFACTS", "KNOWLEDGE_GENERATION", "SUGGESTED_RESPONSES",
    "SYSTEM_MESSAGE", "FINISH", "NOTIFY_USER",
})  # fmt: skip
# States of a step that will not go on, and that nobody has stopped.
_FINAL_STATES = ("", "DONE", "ERROR")
_TIME_HEADERS = ("Created At: ", "Completed At: ")
_ERROR_START = "Error Message:"
_ERROR_END = "\nGuidance:"
_DENIED_WORD = "denied"


def recognises_record(record: Record) -> bool:
    """Return whether Antigravity wrote a step like this."""
    kind = string_value(record.get("type"))
    return kind.isupper() and ("step_index" in record or "source" in record)


def read_turns(lines: Iterable[bytes]) -> Iterator[transcript_turns.Turn]:
    """Yield the turns of the conversation with Antigravity, in the order of the file."""
    reading, calls = transcript_turns.TurnReader(), _PendingCalls()
    for record in transcript_turns.parse_records(lines):
        if (kind := string_value(record.get("type"))) == "USER_INPUT":
            if prompt := step_prompt(record):
                yield from reading.open_turn(prompt, record.get("created_at"))
                calls = _PendingCalls()
        elif reading.draft is None or kind in _IGNORED_STEPS:
            continue
        elif kind == "PLANNER_RESPONSE":
            calls.add_calls(reading.draft, record)
        else:
            reading.draft.add_failure(calls.match_answer(record), _step_failure(record))
    yield from reading.close_turn()


class _PendingCalls:
    """The tool calls of a turn: those that wait for an answer, and which step has answered
    which.
    """

    def __init__(self) -> None:
        self.waiting: dict[str, str] = {}
        self.call_by_step: dict[str, str] = {}

    def add_calls(self, draft: transcript_turns.TurnDraft, record: Record) -> None:
        """Add what the agent has said and the tools that it called."""
        step = str(record.get("step_index", ""))
        draft.add_reply(string_value(record.get("content")), step)
        for number, used in enumerate(object_items(record.get("tool_calls"))):
            name = string_value(used.get("name")).removeprefix("default_api:")
            key = string_value(used.get("id")) or f"{step}.{number}"
            arguments_by_field = {
                field: _decode_argument(value)
                for field, value in inner_object(used, "args").items()
            }
            draft.add_tool_call(name, arguments_by_field, key, edits=name in EDITING_TOOLS)
            if key not in self.call_by_step.values():
                self.waiting[key] = name.upper()

    def match_answer(self, record: Record) -> str:
        """Return the call that a step answers, "" for none: the first that waits for such a step,
        or for any.
        """
        step, kind = str(record.get("step_index", "")), record.get("type")
        if step not in self.call_by_step and self.waiting:
            of_kind = (key for key, name in self.waiting.items() if name == kind)
            self.call_by_step[step] = key = next(of_kind, next(iter(self.waiting)))
            del self.waiting[key]
        return self.call_by_step.get(step, "")


def _decode_argument(value: object) -> object:
    """Return an argument, which is a text, or JSON of one."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            inner = loads(value)
        except ValueError:
            return value
        return inner if isinstance(inner, str) else value
    return value


def _step_failure(record: Record) -> str:
    """Return the words of a failure that a step tells, "" where it tells of none."""
    if (status := string_value(record.get("status")).upper()) not in _FINAL_STATES:
        return ""
    # Return what a step says without the times that stand before it.
    time_words = string_value(record.get("error")) or string_value(record.get("content"))
    while time_words.startswith(_TIME_HEADERS):
        time_words = time_words.partition("\n")[2].lstrip("\n")
    words = time_words.strip()
    if record.get("type") == "ERROR_MESSAGE":
        if _ERROR_START in words:
            words = words.partition(_ERROR_START)[2].partition(_ERROR_END)[0]
        return "" if _DENIED_WORD in words.lower() else tool_error_text.trim_failure(words)
    if status == "ERROR" or record.get("exit_code") not in (None, 0):
        return tool_error_text.trim_failure(words)
    return tool_error_text.response_failure(words)


READER = transcript_turns.HistoryReader("antigravity", recognises_record, read_turns)
