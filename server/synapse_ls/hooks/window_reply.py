"""This module replies to an agent with what its window lacks, and records what the window holds
then.
"""

from __future__ import annotations

from synapse_ls.engine.delivery_certainty import STANDS
from synapse_ls.engine.delivery_difference import has_been_compacted
from synapse_ls.engine.situation import Request
from synapse_ls.hooks import (
    compaction_counting,
    delivery_confirmation,
    reply_freshness,
    touched_files,
    usage_figures,
)
from synapse_ls.hooks.acting_agent import known_agent, turn_number
from synapse_ls.hooks.block_composition import compose_block
from synapse_ls.integrations.hook_event import TOOL
from synapse_ls.integrations.window_usage import measure_window_usage
from synapse_ls.memory import situation_memories
from synapse_ls.storage import plan_cache, session_changes, window_content
from synapse_ls.storage.state_record import COMPACTION
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.hooks.block_composition import TypedPrompt
    from synapse_ls.hooks.hook_call import HookCall
    from synapse_ls.storage.session_state import SessionState
    from synapse_ls.storage.window_state import WindowState


def reply_limit(host: ModuleType, kind: str) -> int:
    """Returns how many code points the client passes on whole in a reply to an event of this kind."""
    limits = getattr(host, "EVENT_LIMITS", {})
    limit: int = limits.get(kind, host.REPLY_LIMIT)
    return limit


def can_follow_up(host: ModuleType) -> bool:
    """Returns whether a tool event can bring what the reply to a prompt has left out."""
    return TOOL in getattr(host, "CONTEXT_EVENTS", ())


def prepare_window(
    call: HookCall, session: SessionState, window: WindowState, *, is_prompt: bool = False
) -> Mapping[str, object] | None:
    """Prepares a window for a reply: notes what became of it since the last one, as a compaction, or
    of the last ones, as with a rewind; returns what the client says of its usage.
    """
    event = call.event
    main = not event.subagent
    if main:
        compacted = delivery_confirmation.confirm_arrivals(call, window, is_prompt=is_prompt)
        came_about = not delivery_confirmation.shows_compactions(call.host, event)
        compaction_counting.settle_announced(session, call.now, came_about=came_about)
    found = usage_figures.current_figures(call, session)
    if main:
        now = measure_window_usage(call.current_plan.plan, session, found)
        summarized = compaction_counting.note_summary(call.host, window, event)
        if (
            compacted
            or summarized
            or compaction_counting.is_transcript_shorter(window, event)
            or has_been_compacted(window, now)
        ):
            compaction_counting.record_unannounced(session, call.now)
            load_module("synapse_ls.storage.digest_marks").mark_digest_due(
                session, event, "compact", call.now
            )
    elif compaction_counting.is_transcript_shorter(window, event):
        window.forget(COMPACTION)
    return found


def reply_to_window(
    call: HookCall,
    session: SessionState,
    window: WindowState,
    prompt: str,
    turn: int,
    client_figures: Mapping[str, object] | None,
    *,
    within_turn: bool = False,
    whole: bool = False,
    extra_text: str = "",
    before_reply: Callable[[Situation], None] | None = None,
    typed: TypedPrompt | None = None,
) -> Assembly:
    """Replies with what ``window`` lacks and returns the assembly.

    client_figures: what the client says of usage. within_turn: this is no prompt, but something that
    happens while one is worked on. whole: there will be no other reply that could bring what the
    budget leaves over. extra_text: text for the agent that is delivered whatever the window holds.
    before_reply: called with the situation before anything is said of it. typed: what the person may
    confirm.
    """
    event, host = call.event, call.host
    limit = reply_limit(host, event.kind)
    main = not event.subagent
    before = window_content.WindowContent({}, "")

    extra_text = "\n\n".join(filter(None, (extra_text, *window.warnings)))

    def read_content(current: Plan, situation: Situation) -> window_content.WindowContent:
        nonlocal before
        before = window_content.window_content(
            current, situation, window, keeps=host.KEEPS_CONTEXT, within_turn=within_turn
        )
        return before

    plan = call.current_plan.plan
    touched_files.remember_files(window, touched_files.event_files(call.root, event), turn)
    request = _build_request(call, session, window, prompt, turn)
    left = measure_window_usage(plan, session if main else None, client_figures)
    made = compose_block(
        call.current_plan,
        request,
        left,
        window=read_content,
        limit=max(1, limit - len(extra_text) - 2) if extra_text else limit,
        whole=whole or not (window.standing or can_follow_up(host)),
        typed=typed,
    )
    assembly = made.assembly
    _record_work(call, session, made.plan, assembly.situation)
    text = f"{assembly.text}\n\n{extra_text}".strip() if extra_text else assembly.text
    if before_reply is not None:
        before_reply(assembly.situation)
    told = call.reply_text(text)
    if told:
        without = window.copy()
        window.warnings = _memory_warnings(call, assembly)
        window.follow_ups += within_turn
        _record_reply(call, session, window, made.plan, assembly, text, before)
        situation_memories.record_delivered(call.root, window, assembly, call.now)
        if text and host.KEEPS_CONTEXT and main:
            delivery_confirmation.expect_arrival(call, window, without, text)
        elif not host.KEEPS_CONTEXT and not within_turn:
            window.turn_reply = text
    if main:
        _record_state(session, assembly, client_figures)
    return assembly


_UNREAD_MEMO = "unread-memories"
_MOST_TOLD = 500  # warnings that are known as told


def _memory_warnings(call: HookCall, assembly: Assembly) -> tuple[str, ...]:
    """Returns what is still to be said of memories, with the next reply: once in a session that one
    cannot be read, and once at all that one is not as the program wrote it.
    """
    memories = assembly.situation.memories
    if memories is None or not (memories.unread or memories.changed):
        return ()
    kept = plan_cache.read_memo(call.root, _UNREAD_MEMO).get("told")
    known = kept if isinstance(kept, list) else []
    unread = {f"{call.event.session_id}:{note}": note for note in memories.unread}
    changed = {f"{path}:{digest}": path for path, digest in memories.changed.items()}
    new = [name for name in (*unread, *changed) if name not in known]
    if not new:
        return ()
    plan_cache.write_memo(call.root, _UNREAD_MEMO, {"told": [*known, *new][-_MOST_TOLD:]})
    notes = [unread[name] for name in new if name in unread]
    paths = [changed[name] for name in new if name in changed]
    if paths:
        digests = load_module("synapse_ls.storage.memory_checksums")
        if left := digests.leave_out_committed(call.root, paths):
            notes.append(". ".join(digests.describe_changes(left)))
    return tuple(f"Synapse LS: {note}" for note in notes)


def _build_request(
    call: HookCall, session: SessionState, window: WindowState, prompt: str, turn: int
) -> Request:
    """Returns what is asked for; a sub-agent goes on with the task of its own prompt."""
    plan, main = call.current_plan.plan, not call.event.subagent
    own = None if main or prompt else session.window_tasks.get(call.window_key)
    return Request(
        prompt,
        agent=known_agent(plan, call.event, window),
        task=(own.id or "") if own else "",
        story=(own.story or "") if own else "",
        session=session,
        recalled=window.recalled_domains(turn, plan.profile.recall_prompts),
        files=touched_files.recent_files(window, turn),
        turn=turn,
        resumes=main and window.is_empty,
        hosted=True,
    )


def _record_work(call: HookCall, session: SessionState, plan: Plan, situation: Situation) -> None:
    """Records who is at work on what: in the session, or in the window of a sub-agent."""
    if not call.event.subagent:
        session_changes.record_work(session, plan, situation, call.now)
    elif situation.prompt.text:
        session_changes.record_window_task(session, call.window_key, plan, situation, call.now)


def reply_after_compaction(call: HookCall, session: SessionState, window: WindowState) -> None:
    """Replies with the block at once after a compaction, with the matches of the prompt that is
    worked on.
    """
    if not call.takes_context or window.standing:
        call.reply_text()
        return
    found = usage_figures.current_figures(call, session)
    prompt = " ".join(f"*{name}" for name in window.commands)
    reply_to_window(
        call, session, window, prompt, turn_number(call, session, window), found, within_turn=True
    )


def _record_reply(
    call: HookCall,
    session: SessionState,
    window: WindowState,
    plan: Plan,
    assembly: Assembly,
    text: str,
    before: window_content.WindowContent,
) -> None:
    certainty_of = getattr(call.host, "reply_certainty", None)
    certainty = certainty_of(call.event) if certainty_of else STANDS
    window_content.record_delivery(window, assembly, before, certainty)
    cached = call.current_plan.cached
    written = cached.written if cached is not None and cached.plan is plan else 0
    reply_freshness.remember_sources(window, session, call.event, plan, written, assembly)
    if text or call.event.prompt:
        call.log_reply(plan, assembly, text, before.full_reason, tuple(window.files))


def _record_state(
    session: SessionState, assembly: Assembly, client_figures: Mapping[str, object] | None
) -> None:
    situation = assembly.situation
    left = situation.usage
    usage_figures.keep_figures(session, client_figures)
    session_changes.record_usage(session, situation.bracket.name, left.used, left.remaining)
    labels = [
        domain.label
        for layer, taken in sorted(assembly.selection.by_layer.items())
        for domain, verdict in taken
        if verdict.code != "on-command"
    ]
    session_changes.record_domains(session, labels)
