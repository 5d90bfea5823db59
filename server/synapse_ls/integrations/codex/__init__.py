"""Codex CLI.

It rejects a hook's reply with any field that the schema of its event does not have.

Source: the schemas of hook inputs and outputs in openai/codex, checked against 0.169.
"""

from synapse_ls.integrations.hook_client import HookClient, Reply
from synapse_ls.integrations.hook_event import OTHER, Event


class Codex(HookClient):
    """Codex CLI, which tells the model what hooks add as a message of the developer (measured).

    It has "ask" in its schema, but goes on as if nothing had been said.
    """

    name = "codex"
    folder_field = "workdir"
    event_names = (
        "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PostCompact",
        "PreToolUse", "PostToolUse", "Stop", "SessionEnd",
    )  # fmt: skip
    settings_limit = 9_500  # its additionalContextLimit is 2,500 tokens of four bytes unless set
    written_limit = 60_000
    can_ask = False
    reads_usage = True
    usage_fields = ("model",)
    has_branches = True
    shows_forks = True
    marks_commands = True  # it reads none of a repository

    def is_one_shot(self, event: Event) -> bool:
        """Return whether ``codex exec`` has begun the session."""
        return bool(event.transcript) and self._transcript().is_of_exec(event.transcript)

    def notice_reply(self, event: Event, text: str) -> Reply:
        # An unknown event may have a schema without it.
        return super().notice_reply(event, text) if event.kind != OTHER else {}


CLIENT = Codex()
