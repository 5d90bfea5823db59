"""VS Code's own harness ("Local").

It accepts Claude Code's event names and, in files with a ``version``, Copilot's, which it converts
before it calls.

Source: the hooks reference in microsoft/vscode-docs, checked against the Copilot extension of
1.139.
"""

from synapse_ls.integrations.hook_client import (
    HookClient,
    Reply,
    nested_context,
    nested_permission,
    permission_fields,
)
from synapse_ls.integrations.hook_event import (
    COMPACTING,
    PROMPT,
    TOOL,
    TOOL_BEFORE,
    Event,
    Payload,
    text_field,
)
from synapse_ls.integrations.transcript_tail import file_size

_OF_ANY_AGENT = (PROMPT, TOOL_BEFORE, TOOL, COMPACTING)  # events that do not name a sub-agent


class VisualStudioCode(HookClient):
    """VS Code's own harness; later requests have each prompt as it was rendered (its code).

    Replies have the text at their top level as well: Copilot's harness looks the same where it
    names no variables, and this client reads one of the two places. Transcripts say that a tool has
    failed, but not why; what hooks add is in the file of the chat.
    """

    name = "vscode"
    event_names = (
        "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PreToolUse",
        "PostToolUse", "Stop",
    )  # fmt: skip
    reads_usage = True
    usage_fields = ("session_id",)
    has_branches = True
    shows_rewinds_late = True
    transcript_has_failures = False
    stamps_events = True

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        if event.kind in _OF_ANY_AGENT and event.transcript and not event.subagent:
            call = text_field(raw, "tool_use_id")
            event.subagent = self._transcript().running_subagent(event.transcript, call)
        return event

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"additionalContext": text, **nested_context(event, text)}

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        return {**permission_fields(decision, reason), **nested_permission(event, decision, reason)}

    def find_summary(self, event: Event, since: int) -> tuple[int, str]:
        # The branch shows them; a size of 0 says that no file does.
        return file_size(self._transcript().chat_file(event.transcript, event.session_id)), ""


CLIENT = VisualStudioCode()
