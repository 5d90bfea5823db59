"""Gemini CLI, which escapes the angle brackets of what hooks add, so its blocks have none.

Source: the hooks reference in google-gemini/gemini-cli, checked against 0.61.
"""

from collections.abc import Collection

from synapse_ls.integrations.hook_client import HookClient, Reply, nested_context
from synapse_ls.integrations.hook_event import (
    COMPACTING,
    OTHER,
    PROMPT,
    SESSION_START,
    TOOL,
    Event,
    Payload,
    text_field,
)
from synapse_ls.integrations.transcript_tail import Branch, file_size

_CONTEXT_OPEN = "<hook_context>"
_CONTEXT_CLOSE = "</hook_context>"
_FILE_CONTENTS = "\n--- Content from referenced files ---"
_FILE_CONTENT = "\nContent from @"
_CLIENT_PROMPT = "[System: "  # how a prompt begins that the client itself writes


class GeminiCli(HookClient):
    """Gemini CLI; injected text stays in the conversation (measured, against its documentation).

    It can ask, but without a terminal it then waits for an answer for good.
    """

    name = "gemini"
    folder_field = "dir_path"
    event_names = (
        "BeforeAgent", "SessionStart", "PreCompress", "BeforeTool", "AfterTool", "AfterAgent",
        "SessionEnd",
    )  # fmt: skip
    # What the start of a session says is lost when it is resumed, cleared or rewound, and without a
    # terminal takes the prompt with it that it is put before (measured).
    context_events = (PROMPT, TOOL)
    can_ask = False
    project_variable = "GEMINI_PROJECT_DIR"
    reads_usage = True
    has_branches = True

    def parse_event(self, raw: Payload, name: str) -> Event:
        if (event := super().parse_event(raw, name)).kind == PROMPT:
            event.prompt, event.files = typed_prompt(text_field(raw, "prompt"))
            event.is_counted = not event.prompt.startswith(_CLIENT_PROMPT)
            event.transcript = self._transcript().history_file(event.transcript)
        elif event.kind == COMPACTING and raw.get("trigger") == "auto":
            event.kind = OTHER  # comes before every model call, and hardly ever is anything cut
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        return nested_context(event, convert_tags_to_headings(text))

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return {"decision": decision, "reason": reason}

    def read_branch(
        self, event: Event, hashes: Collection[str], newest: str = "", turn: str = ""
    ) -> Branch | None:
        # A process that resumes a session names a file of its own until it has read the session.
        is_start = event.kind == SESSION_START
        return None if is_start else super().read_branch(event, hashes, newest, turn)

    def find_summary(self, event: Event, since: int) -> tuple[int, str]:
        # Its compression is announced before every model call, and ends unsaid.
        size = file_size(event.transcript)
        unread = size - since if since <= size else size
        return size, self._transcript().last_summary(event.transcript, unread)


def typed_prompt(prompt: str) -> tuple[str, tuple[str, ...]]:
    """Return a prompt as it was typed, and the files that it attaches.

    Hooks of the session's start have put something before it. The client looks for a file behind
    each ``@name``, writes the path of the first that has the name in its own, and appends its
    content: an ``@agent`` is lost where some file is called like it.
    """
    typed, attached, contents = prompt.partition(_FILE_CONTENTS)
    typed = typed.strip()
    while typed.startswith(_CONTEXT_OPEN) and _CONTEXT_CLOSE in typed:
        typed = typed.partition(_CONTEXT_CLOSE)[2].strip()
    while typed.endswith(_CONTEXT_CLOSE) and _CONTEXT_OPEN in typed:
        typed = typed.rpartition(_CONTEXT_OPEN)[0].strip()
    typed = CLIENT.typed_words(typed)
    if not attached:
        return typed, ()
    names = [part.partition(":\n")[0] for part in contents.split(_FILE_CONTENT)[1:]]
    files = []
    parts = typed.split("@")
    for at, part in enumerate(parts[1:], 1):
        if (path := (part.split(None, 1) or [""])[0]) in names:
            names.remove(path)
            files.append(path)
        elif ("/" in path or "." in path) and (
            name := next((name for name in names if name and name in path), "")
        ):
            names.remove(name)
            parts[at] = name + part[len(path) :]
    return "@".join(parts), tuple(files)


def convert_tags_to_headings(text: str) -> str:
    r"""Return a reply with headings for the tags of blocks.

    >>> convert_tags_to_headings("<synapse-rules>\n\n[GLOBAL]\n\n</synapse-rules>")
    '[SYNAPSE-RULES]\n\n[GLOBAL]\n\n[END OF SYNAPSE-RULES]'
    """
    return _exchange_marks(text, "<{}>", "</{}>", "[{}]", "[END OF {}]", upper=True)


def convert_headings_to_tags(text: str) -> str:
    """Return a reply with the tags of blocks that `convert_tags_to_headings` has taken from it."""
    return _exchange_marks(text, "[{}]", "[END OF {}]", "<{}>", "</{}>", upper=False)


def _exchange_marks(
    text: str, opening: str, closing: str, new_opening: str, new_closing: str, *, upper: bool
) -> str:
    """Return ``text`` with other marks in the lines that open and close a block."""
    before, _, after = closing.partition("{}")
    lines = text.split("\n")
    start = 0
    for at, line in enumerate(lines):
        if line.startswith(before) and line.endswith(after):
            name = line[len(before) : -len(after)]
            if (first := opening.format(name)) in lines[start:at]:
                new_name = name.upper() if upper else name.lower()
                lines[lines.index(first, start)] = new_opening.format(new_name)
                lines[at] = new_closing.format(new_name)
                start = at + 1
    return "\n".join(lines)


CLIENT = GeminiCli()
