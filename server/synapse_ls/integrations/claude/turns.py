"""Read the turns of a transcript of Claude Code (format: the `transcript` module beside it).

A record holds one block of an answer; the records of one answer share a message id. A prompt whose
parent is not the record before it undoes what came after its parent. After ``compact_boundary``
come the summary and the messages that the client kept. Text that hooks add counts as the user's.
"""

import re
from collections.abc import Iterable, Iterator

from synapse_ls.compaction.message import Compaction, Message, Role, Text
from synapse_ls.compaction.message_reader import read_blocks
from synapse_ls.integrations import tool_error_text, transcript_turns
from synapse_ls.integrations.claude import transcript
from synapse_ls.integrations.transcript_tail import Record, inner_object, object_items, string_value
from synapse_ls.integrations.typed_words import typed_blocks, typed_words

EDITING_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
# How records begin that stand in the place of a prompt and are none.
CLIENT_PREFIXES = (
    "<local-command-", "<bash-", "<task-notification>", "<system-reminder>", "[Request interrupted",
    "Caveat: The messages below", "Another Claude session sent", "Stop hook feedback:",
)  # fmt: skip

# How the result of a tool begins that a person, and not the tool, has stopped.
DECLINED_PREFIXES = ("The user doesn't want", "[Request interrupted")

CLEARING_COMMANDS = ("/clear", "/reset", "/new")  # commands that no model and no hook gets to see

LOCAL_COMMAND = "<local-command-"  # what the client itself did at a command, without the model


def recognises_record(record: Record) -> bool:
    """Return whether Claude Code wrote a record like this."""
    if "projectHash" in record or "payload" in record:
        return False
    if record.get("type") == "summary":
        return "leafUuid" in record
    return "sessionId" in record and ("uuid" in record or "isSidechain" in record)


def read_turns(lines: Iterable[bytes]) -> Iterator[transcript_turns.Turn]:
    """Yield the turns of the main conversation with Claude Code, in the order of the file, without
    prompts that were cancelled before their first answer: the next one has the same parent.
    """
    reading = transcript_turns.TurnReader()
    parent: object = None
    injected: list[str] = []  # what hooks had said before the last prompt
    for record in transcript_turns.parse_records(lines):
        if record.get("isSidechain") is True:
            continue
        if (kind := record.get("type")) == "user" and transcript.is_prompt(record):
            draft = reading.draft
            follows = record.get("parentUuid", record)  # no other record where it has no ids
            if draft is not None and not draft.answered and follows == parent:
                reading.drop_turn()
                reading.pending = injected
            blocks = transcript_turns.text_blocks(inner_object(record, "message").get("content"))
            content = "\n".join(blocks)
            if prompt := typed_prompt(blocks) if _is_typed(record) else "":
                yield from reading.open_turn(prompt, record.get("timestamp"))
                parent = follows
                injected = list(reading.draft.injected) if reading.draft else []
            elif content.startswith(LOCAL_COMMAND):
                draft = reading.draft
                if draft is not None and draft.prompt.startswith("/") and not draft.answered:
                    reading.drop_turn()
        elif kind == "user" and reading.draft is not None:
            # Add the failures among the results that the tools of an answer have given back.
            draft = reading.draft
            for part in object_items(inner_object(record, "message").get("content")):
                if part.get("type") == "tool_result" and part.get("is_error") is True:
                    words = transcript_turns.message_text(part.get("content"), "text")
                    key = string_value(part.get("tool_use_id"))
                    if words.startswith(DECLINED_PREFIXES):
                        draft.declined.add(key)
                    else:
                        draft.add_failure(key, tool_error_text.trim_failure(words))
        elif kind == "attachment":
            attachment = inner_object(record, "attachment")
            if (attachment_kind := attachment.get("type")) == "hook_additional_context":
                hook = string_value(attachment.get("hookEvent"))
                within = "Tool" in hook or hook == "Stop"
                reading.add_injected(transcript.injected_texts(record), within=within)
            elif attachment_kind == "model":
                reading.model = (
                    string_value(inner_object(attachment, "identity").get("modelId"))
                    or reading.model
                )
            elif attachment_kind in ("file", "edited_text_file") and reading.draft is not None:
                reading.draft.add_files((string_value(attachment.get("filename")),))
        elif kind == "system" and record.get("subtype") == "compact_boundary":
            reading.add_compaction()
        elif kind == "assistant" and reading.draft is not None:
            _add_answer(reading.draft, record)
    yield from reading.close_turn()


# What says in a record that no person has typed its text.
_UNTYPED_MARKS = (
    "textNotTyped", "handedOff", "isVirtual", "isVisibleInTranscriptOnly", "queueTranscriptOnly",
    "scheduledTaskId", "wakeupSource", "hostInitiator",
)  # fmt: skip


def _is_typed(record: Record) -> bool:
    """Return whether the client says of nobody but a person that a prompt is theirs."""
    origin = inner_object(record, "origin").get("kind") if record.get("origin") else "human"
    is_clients = record.get("promptSource") == "system"
    return origin == "human" and not is_clients and not any(map(record.get, _UNTYPED_MARKS))


_COMMAND = re.compile(
    r"\s*(?:<command-message>[^<]*</command-message>\s*)?<command-name>([^<]*)</command-name>\s*"
    r"(?:<command-message>[^<]*</command-message>\s*)?(?:<command-args>(.*)</command-args>\s*)?",
    re.DOTALL,
)


def _typed_command(block: str) -> str:
    """Return a command that a person typed, if a text is nothing but it; "" for any other text."""
    command = _COMMAND.fullmatch(block)
    if command is None or (command[2] and not typed_words(command[2])):
        return ""
    return f"{command[1].strip()} {(command[2] or '').strip()}".rstrip()


def typed_prompt(blocks: list[str]) -> str:
    """Return the words of a person in the texts of a record of Claude Code; a command of theirs as
    they typed it; "" for the client's own.
    """
    commands = [command for block in blocks if (command := _typed_command(block))]
    # What stands beside a command is attached to it, and no other command.
    is_one = len(commands) == 1 and all(block.lstrip().startswith("<") for block in blocks)
    words = (commands[0] if is_one else "") if commands else typed_blocks(blocks)
    return "" if words.startswith(CLIENT_PREFIXES) or words in CLEARING_COMMANDS else words


def _add_answer(draft: transcript_turns.TurnDraft, record: Record) -> None:
    used, model = transcript.sent_tokens(record), transcript.record_model(record)
    if used:
        draft.set_usage(used, transcript.model_window(model, used), model)
    for part in object_items(inner_object(record, "message").get("content")):
        if part.get("type") == "tool_use":
            name, key = part.get("name"), part.get("id")
            draft.add_tool_call(name, part.get("input"), key, edits=name in EDITING_TOOLS)
        elif part.get("type") == "text":
            draft.add_reply(string_value(part.get("text")))
    draft.answered = True


def read_messages(lines: Iterable[bytes]) -> list[Message]:
    """Return the messages of the main conversation that stand in the window of Claude Code at the
    end of the transcript.
    """
    reading = _MessageReader()
    for record in transcript_turns.parse_records(lines):
        if record.get("isSidechain") is not True:
            reading.add_record(record)
    reading.window.entries += reading.kept_entries
    return reading.window.to_messages()


class _MessageReader:
    """A reader that builds the window from records.

    kept_entries: what a compaction has left, until the summary that stands before it was
    read.
    """

    def __init__(self) -> None:
        self.window = transcript_turns.MessageWindow()
        self.kept_entries: list[tuple[str, Message]] = []
        self.length_after: dict[str, int] = {}  # by id of a record: how many messages stood then
        self.keys: dict[str, str] = {}  # by id of a record: the key of the message it is part of

    def add_record(self, record: Record) -> None:
        if (kind := record.get("type")) == "user":
            self._add_user_record(record)
        elif kind == "assistant":
            answer = inner_object(record, "message")
            content = read_blocks(answer.get("content"))
            key = string_value(answer.get("id")) or string_value(record.get("uuid"))
            self.keys[string_value(record.get("uuid"))] = key
            if self.window.entries and self.window.entries[-1][0] == key:
                self.window.extend(Role.ASSISTANT, content)
            else:
                self.window.add(Role.ASSISTANT, content, key)
        elif kind == "attachment":
            for injected_text in transcript.injected_texts(record):
                self.window.add(Role.USER, (Text(injected_text),))
        elif record.get("subtype") == "compact_boundary":
            kept_ids = transcript_turns.list_value(
                inner_object(record, "compactMetadata", "preservedMessages").get("uuids")
            )
            keys = {self.keys[name] for name in map(string_value, kept_ids) if name in self.keys}
            self.kept_entries = [entry for entry in self.window.cut_after(0) if entry[0] in keys]
            self.length_after.clear()
        if identity := string_value(record.get("uuid")):
            self.length_after[identity] = len(self.window.entries)

    def _add_user_record(self, record: Record) -> None:
        content = read_blocks(inner_object(record, "message").get("content"))
        identity = string_value(record.get("uuid"))
        message = Message(Role.USER, content)
        if record.get("isCompactSummary") is True:
            self.window.add(Role.USER, (Compaction(message.text),), identity)
            self.window.entries += self.kept_entries
            self.kept_entries = []
            return
        if message.is_prompt:
            self.window.cut_after(
                self.length_after.get(
                    string_value(record.get("parentUuid")), len(self.window.entries)
                )
            )
        self.keys[identity] = identity
        self.window.add(Role.USER, content, identity)


READER = transcript_turns.HistoryReader("claude", recognises_record, read_turns, read_messages)
