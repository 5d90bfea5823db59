"""OpenCode and Kilo Code, and what clients share that load our plugin.

They call no command, so `install` writes a plugin, ``hook_caller.js`` and ``plugin.js``, which
does.

Source: the hooks of ``@opencode-ai/plugin``, checked against OpenCode 1.18.33 and Kilo 7.7.9.
"""

from collections.abc import Collection

from synapse_ls.integrations.hook_client import HookClient, Names
from synapse_ls.integrations.hook_event import (
    PROMPT,
    SUBAGENT_START,
    Event,
    Payload,
    local_paths,
    number_field,
    text_field,
    text_items,
)
from synapse_ls.integrations.transcript_tail import (
    COMPACTION_ROW,
    MESSAGE_ROW,
    Branch,
    Row,
    read_rows,
)


class PluginClient(HookClient):
    """A client that loads our plugin, which can stop a tool only, and nothing else.

    What it is told it stores as a part of the prompt (measured); the start of a session that
    follows a compaction it reports before the next call of the model, with whose last message it
    stores the reply. Sessions are in a database, which nobody reads here: where a session goes on,
    or something was taken back in it, the plugin sends the replies that stand.

    title: the client that the figures of usage are from.
    """

    title: str
    event_names: Names = (
        "UserPromptSubmit", "SessionStart", "SubagentStart", "PreCompact", "PreToolUse",
        "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd",
    )  # fmt: skip
    unread_events: Names = ("PostToolUseFailure",)  # the model has the error before the plugin has
    can_ask = False
    has_branches = True
    transcript_has_failures = False
    marks_commands = True

    def parse_event(self, raw: Payload, name: str) -> Event:
        event = super().parse_event(raw, name)
        # Codex is known by a ``turn_id``; the plugin names the message of a prompt instead.
        event.turn = text_field(raw, "message_id")
        if event.kind == PROMPT:
            event.files = local_paths(text_items(raw.get("files")))
        elif event.kind == SUBAGENT_START:
            event.prompt = self.typed_words(text_field(raw, "prompt"))
        if used := number_field(raw, "context_tokens"):
            window = number_field(raw, "context_window_size") or None
            event.figures = {
                "used": used, "window": window, "model": event.model, "origin": self.title,
            }  # fmt: skip
        return event

    def read_branch(
        self, event: Event, hashes: Collection[str], newest: str = "", turn: str = ""
    ) -> Branch | None:
        texts = event.raw.get("conversation")
        if not isinstance(texts, list):
            return None
        live = [Row(MESSAGE_ROW, "", text_items(texts))]
        if summarized := event.raw.get("summarized"):
            live.append(Row(COMPACTION_ROW, time=summarized))
        branch = read_rows(live, hashes)
        if summarized is None:
            branch.dropped = ""  # an earlier version of the plugin says nothing of summaries
        return branch

    def is_one_shot(self, event: Event) -> bool:
        """Return whether it was started as ``opencode run``."""
        return event.raw.get("one_shot") is True

    def forked_from(self, event: Event) -> str:
        return text_field(event.raw, "forked_from")


class OpenCode(PluginClient):
    """OpenCode."""

    name = "opencode"
    title = "OpenCode"
    folder_field = "workdir"


class KiloCode(PluginClient):
    """Kilo Code, whose agent grew out of OpenCode: it loads the same plugin, on the command line
    and in VS Code. Checked against 7.7.9 of the command line.
    """

    name = "kilo"
    title = "Kilo Code"
    folder_field = "workdir"


CLIENT = OpenCode()
KILO = KiloCode()
