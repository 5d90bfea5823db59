"""Claude Code.

Source: the Claude Code hooks reference, checked against 2.1.
"""

from __future__ import annotations

import os

from synapse_ls.integrations.hook_client import HookClient
from synapse_ls.integrations.hook_event import COMPACTING, SESSION_START, number_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.integrations.hook_event import Event, Payload


# Tags of what the client or an editor puts beside the words of a person.
ATTACHED_TAGS = (
    "ide_selection", "ide_opened_file", "ide_diagnostics", "new-diagnostics", "system-reminder",
    "teammate-message", "channel", "mcp-resource",
)  # fmt: skip


def strip_attached(words: str) -> str:
    """Return a prompt without what is attached to it: from the first tag of any sort to the last
    end of any, since what is attached may have such tags of its own.
    """
    begin, end = len(words), 0
    for tag in ATTACHED_TAGS:
        before, mark, _ = words.rpartition(f"</{tag}>")
        if mark:
            end = max(end, len(before) + len(mark))
        if f"<{tag}" in words:
            begin = min(begin, words.index(f"<{tag}"))
    return words[:begin] + words[end:] if begin < end else words


class ClaudeCode(HookClient):
    """Claude Code; injected text stays in the conversation (measured)."""

    name = "claude"
    event_names = (
        "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PostCompact",
        "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    )  # fmt: skip
    reply_limit = 9_500  # past 10,000 characters the model gets a preview and a path
    silent_events = (COMPACTING,)  # what is printed then becomes an instruction for the summary
    project_variable = "CLAUDE_PROJECT_DIR"
    reads_usage = True
    usage_fields = ("model",)
    has_branches = True
    shows_forks = True

    def is_one_shot(self, event: Event) -> bool:
        """Return whether it runs with ``--print`` or for its SDK: its environment names that."""
        return os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        if "<" in event.prompt:
            event.prompt = strip_attached(event.prompt)
        tokens = number_field(raw, "context_tokens")
        if event.kind == SESSION_START and tokens:
            window = self._transcript().model_window(event.model, tokens)
            origin = "Claude Code's session start"
            event.figures = {
                "used": tokens, "window": window, "model": event.model, "origin": origin,
            }  # fmt: skip
        return event


CLIENT = ClaudeCode()
