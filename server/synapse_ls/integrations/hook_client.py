"""An agent client whose hooks are answered, and the replies that several clients accept."""

from __future__ import annotations

from synapse_ls.formats.session_values import STANDS
from synapse_ls.integrations import hook_event
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any, Final

    from synapse_ls.integrations.transcript_tail import Branch

    Names = Collection[str]
    Reply = dict[str, Any]
    Usage = dict[str, object]
else:
    # For the annotations of clients, whose modules have no use for `typing` while they answer.
    Names = Reply = Usage = object

ALLOW: Final = "allow"  # nothing is said, so that the client asks what it would ask anyway
ASK: Final = "ask"
DENY: Final = "deny"


class HookClient:
    """An agent client: which events it reports, and what becomes of the replies.

    Attributes:
        name: that of ``--client``, and of the folder.
        event_names: the events that have a kind, as it spells them (any other is answered with
            nothing); event_kinds: each -> its kind.
        context_events: kinds of events whose reply reaches the model; unread_events: names of those
            among them whose reply does not.
        reply_limit: code points of a reply that are passed on whole. settings_limit: the same where
            the client's settings do not say how many; written_limit: what ours say; 0 where
            they never do.
        keeps_context: whether what a reply told stands in the requests that follow.
        prompts_per_model_call: whether its prompt event comes before each call of the model.
        can_ask: whether it can have a person asked before a tool is used.
        shows_notices: whether it shows the person what a reply says to them.
        prints_nothing: whether an empty reply is no bytes; silent_events: kinds of events where it
        is. project_variable: the variable in which it names the project's folder, "" for none.
        reads_usage, has_branches: whether its transcript shows what is in the window, and which
            replies of hooks stand there. shows_forks: whether it names the session that it was
            forked from. shows_rewinds_late: whether only a tool's event shows that the prompt
            before it was sent in the place of others, or in its own, where events name no turn,
            and only a later turn a compaction.
            reports_stops: whether the end of a turn is what shows that it stands, as nobody can
            read the history. usage_fields: what of the event `read_usage` of the transcript wants
            to know beside its path.
        transcript_has_failures: whether its transcript has the words of failed tools.
        folder_field: the field of its shell tool that says where a command runs, "" for none.
        marks_commands: whether the text of a repository's command comes as no prompt, or marked.
        stamps_events: whether all hooks that it calls for an event are given the same time.
    """

    name: str
    event_names: Names = ()
    context_events: Names = (
        hook_event.PROMPT,
        hook_event.SESSION_START,
        hook_event.SUBAGENT_START,
        hook_event.TOOL_BEFORE,
        hook_event.TOOL,
    )
    unread_events: Names = ()
    reply_limit: int = 60_000  # no limit is known
    settings_limit: int = 0
    written_limit: int = 0
    keeps_context: bool = True
    prompts_per_model_call: bool = False
    can_ask: bool = True
    shows_notices: bool = True
    prints_nothing: bool = False
    silent_events: Names = ()
    project_variable: str = ""
    reads_usage: bool = False
    usage_fields: tuple[str, ...] = ()
    has_branches: bool = False
    shows_forks: bool = False
    shows_rewinds_late: bool = False
    reports_stops: bool = False
    transcript_has_failures: bool = True
    folder_field: str = ""
    marks_commands: bool = False
    stamps_events: bool = False

    def __init__(self) -> None:
        self.event_kinds = {
            name: hook_event.KINDS_BY_NAME[hook_event.fold_name(name)] for name in self.event_names
        }

    @property
    def tells_at_start(self) -> bool:
        """Whether the start of a session is told what a first prompt is."""
        return False

    @property
    def follows_up(self) -> bool:
        """Whether a tool's event can bring what the reply to a prompt has left out."""
        return hook_event.TOOL in self.context_events

    def is_one_shot(self, event: hook_event.Event) -> bool:
        """Return whether this process of the client does one prompt and ends, as far as that shows
        in its environment, its transcript or the event.
        """
        return False

    def takes_whole(self, event: hook_event.Event, *, stands: bool) -> bool:
        """Return whether a reply to a prompt brings all that is due, since nothing can follow
        within the turn; ``stands``: whether anything stands in the window.
        """
        return self.is_one_shot(event) or not (self.follows_up or (stands and self.keeps_context))

    def limit_of(self, kind: str) -> int:
        """Return how many code points of a reply to such an event are passed on whole."""
        return self.reply_limit

    def empty_reply(self, kind: str) -> Reply | None:
        """Return what stands for a reply that says nothing; None for no bytes."""
        return None if self.prints_nothing or kind in self.silent_events else {}

    def parse_event(self, raw: hook_event.Payload, name: str) -> hook_event.Event:
        """Return the event in a payload; ``name``: that for which the command was registered."""
        event = hook_event.read_event(raw, name, self.event_kinds, self.project_variable)
        if event.prompt:
            event.prompt = self.typed_words(event.prompt)
        if event.kind == hook_event.TOOL:
            tools = load_module("synapse_ls.integrations.tool_uses")
            event.files, event.edited = tools.event_files(raw)
            if tools.may_have_failed(raw, event.name):
                errors = load_module("synapse_ls.integrations.tool_error_text")
                event.error = errors.tool_error(raw, event.name)
                event.edited = () if event.error else event.edited
        return event

    def typed_words(self, prompt: str) -> str:
        """Return what a person typed of a prompt."""
        if "<" not in prompt and "# " not in prompt and "--- " not in prompt:
            return prompt
        words: str = load_module("synapse_ls.integrations.typed_words").typed_words(prompt)
        return words

    def context_reply(self, event: hook_event.Event, text: str) -> Reply:
        """Return the reply that puts ``text`` before the model; an empty one says nothing."""
        if not text or event.kind not in self.context_events or event.name in self.unread_events:
            return {}
        return self.wrap_context(event, text)

    def wrap_context(self, event: hook_event.Event, text: str) -> Reply:
        """Return the reply with ``text`` for the model, in the client's own shape."""
        return nested_context(event, text)

    def notice_reply(self, event: hook_event.Event, text: str) -> Reply:
        """Return the reply that shows ``text`` to the person."""
        return {"systemMessage": text} if text and self.shows_notices else {}

    def decision_reply(self, event: hook_event.Event, decision: str, reason: str) -> Reply:
        """Return the reply about a tool that is about to be used.

        "allow" gives an empty one, so that the client goes on as it would; "ask" has a person
        asked, and keeps the tool from being used, as "deny" does, where the client cannot ask.
        """
        if (answer := self.final_decision(event, decision)) != decision:
            reason += " Nobody can be asked from here, so a person has to do it, or to allow it."
        return self.wrap_decision(event, answer, reason) if answer in (ASK, DENY) else {}

    def final_decision(self, event: hook_event.Event, decision: str) -> str:
        """Return what becomes of a decision: "deny" in the place of "ask" where the client cannot
        ask.
        """
        return DENY if decision == ASK and not self.can_ask_at(event) else decision

    def can_ask_at(self, event: hook_event.Event) -> bool:
        """Return whether the client can have a person asked at this event."""
        return self.can_ask

    def wrap_decision(self, event: hook_event.Event, decision: str, reason: str) -> Reply:
        """Return the reply with "ask" or "deny", in the client's own shape."""
        return nested_permission(event, decision, reason)

    def read_usage(self, event: hook_event.Event) -> Usage | None:
        """Return what is in the window: as the event itself has it, else the transcript."""
        if event.figures is not None or not event.transcript or not self.reads_usage:
            return event.figures
        fields = (getattr(event, name) for name in self.usage_fields)
        usage: Usage | None = self._transcript().read_usage(event.transcript, *fields)
        return usage

    def ends_turn(self, event: hook_event.Event) -> bool:
        """Return whether a stop is the end of a turn that nobody has interrupted."""
        return self.reports_stops

    def read_branch(
        self, event: hook_event.Event, hashes: Collection[str], newest: str = "", turn: str = ""
    ) -> Branch | None:
        """Return the branch of the conversation that leads to the newest message.

        The arguments are those of `claude.transcript.read_branch`. None where there is no
        transcript.
        """
        if not event.transcript or not self.has_branches:
            return None
        branch: Branch = self._transcript().read_branch(event.transcript, hashes, newest, turn)
        return branch

    def forked_from(self, event: hook_event.Event) -> str:
        """Return the id of the session of which the event's session is a fork, "" for none that is
        known.
        """
        if not event.transcript or not self.shows_forks:
            return ""
        parent: str = self._transcript().forked_from(event.transcript)
        return parent

    def find_summary(self, event: hook_event.Event, since: int) -> tuple[int, str] | None:
        """Find the last summary in the client's record of the conversation.

        Return how many bytes that has, and what names the last summary behind the byte ``since``,
        "" for none; None for a client whose events tell of compactions.
        """
        return None

    def reply_certainty(self, event: hook_event.Event) -> str:
        """Return how certain it is that what a reply brings stands before the model."""
        return STANDS

    def _transcript(self) -> Any:
        return load_module(f"synapse_ls.integrations.{self.name}.transcript")


def nested_context(event: hook_event.Event, text: str) -> Reply:
    """Return a reply with context in the shape of the Claude Code hooks reference."""
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": text}}


def nested_permission(event: hook_event.Event, decision: str, reason: str) -> Reply:
    """Return a reply with "ask" or "deny" in the shape of the Claude Code hooks reference."""
    fields = permission_fields(decision, reason)
    return {"hookSpecificOutput": {"hookEventName": event.name, **fields}}


def permission_fields(decision: str, reason: str) -> Reply:
    """Return the fields of a reply with a decision, which clients have in different places."""
    return {"permissionDecision": decision, "permissionDecisionReason": reason}
