"""VS Code's own harness ("Local").

It takes Claude Code's names and, from files with a ``version``, Copilot's, which it turns
into the former before it calls.

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
from synapse_ls.integrations.hook_event import Event
from synapse_ls.integrations.transcript_tail import file_size


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

    def wrap_context(self, event: Event, text: str) -> Reply:
        return {"additionalContext": text, **nested_context(event, text)}

    def wrap_decision(self, event: Event, decision: str, reason: str) -> Reply:
        fields = permission_fields(decision, reason)
        return {**fields, **nested_permission(event, decision, reason)}

    def find_summary(self, event: Event, since: int) -> tuple[int, str]:
        # No event tells of a compaction; a file of an earlier version is written anew as a whole.
        transcript = self._transcript()
        path = transcript.chat_file(event.transcript, event.session_id)
        start = since if path.endswith(".jsonl") else 0
        return file_size(path), transcript.last_summary(path, start)


CLIENT = VisualStudioCode()
