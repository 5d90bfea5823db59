"""This module says an answer in lines for people: who is at work on what, and what is odd.

It loads nothing that a prompt has not loaded already: ``*synapse`` answers with it.
"""

from __future__ import annotations

from synapse_ls.engine.compiled_plan import slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.hooks.block_composition import ComposedBlock
    from synapse_ls.queries.context_query import Answer

_STATE_FILE = "the workflow's state file"
_SOURCE_WORDS = {
    "given": "given",
    "prompt": "from the prompt",
    "session": "from the session",
    "agent": "the agent's own",
    "command": "from the prompt's command",
    "commands": "from the commands used so far",
}


def story_label(situation: Situation) -> str:
    """Returns the story at work, as it calls itself where that is known."""
    facts = situation.task_facts
    return (facts.story if facts else "") or situation.story


def workflow_label(situation: Situation) -> str:
    """Returns the workflow as it was written, with the id that triggers know it by where that is
    another.
    """
    written, known = situation.workflow_written, situation.workflow
    return f"{written} ({known})" if known and slug_of(written) != known else written


def situation_lines(plan: Plan, situation: Situation) -> Iterator[tuple[str, str, str]]:
    """Yields (what, value, where it is known from) of who is at work on what, "" where nothing is
    known.
    """
    s = situation
    sources = {**_SOURCE_WORDS, "state": f"from {plan.extra.get('state') or _STATE_FILE}"}
    phase = f"phase {s.phase}" if s.phase else ""
    story = story_label(s)
    story = f"story {story}" if story and story != s.task else ""
    executor = f"executor {s.executor}" if s.executor else ""
    for what, named, source, more in (
        ("agent", f"@{s.agent}" if s.agent else "", s.agent_source, ()),
        ("workflow", workflow_label(s), s.workflow_source, (phase,)),
        ("task", s.task, s.task_source, (story, executor)),
        ("squad", s.squad, s.squad_source, ()),
    ):
        value = ", ".join(part for part in (named, *more) if part)
        yield what, value, sources.get(source, source) if named else ""


def answer_notes(answer: Answer | ComposedBlock) -> tuple[str, ...]:
    """Returns sentences about what is odd: usage, situation, sources, layers, budget."""
    assembly = answer.assembly
    situation = assembly.situation
    facts = situation.task_facts
    notes = [*answer.notes, *situation.usage.notes, *situation.notes]
    if facts is not None and facts.problem:
        notes.append(f"task {facts.id}: {facts.problem}")
    notes += situation.memories.notes if situation.memories else ()
    notes += [
        f"{layer} could not contribute: {why}" for layer, why in assembly.degraded_layers.items()
    ]
    if assembly.is_over_budget:
        notes.append(
            f"what may not be cut takes more than the {assembly.budget} tokens of "
            f"{situation.bracket.name}"
        )
    return tuple(dict.fromkeys(notes))
