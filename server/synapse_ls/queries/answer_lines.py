"""Render an answer as lines for people: the situation, and remarks on it."""

from collections.abc import Iterator

from synapse_ls.engine import block_assembly, context_usage, rule_account, word_matching
from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Situation
from synapse_ls.hooks.window_reply import ComposedBlock
from synapse_ls.queries.context_question import Answer
from synapse_ls.text.phrases import format_count

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
    """Return, for the lines of an answer, the story at work, as it calls itself where that is
    known.
    """
    facts = situation.task_facts
    return (facts.story if facts else "") or situation.story


def situation_lines(plan: Plan, situation: Situation) -> Iterator[tuple[str, str, str]]:
    """Yield the lines of an answer about who is at work on what, (what, value, where it is known
    from), "" where nothing is known.
    """
    s = situation
    sources = {**_SOURCE_WORDS, "state": f"from {plan.extra.get('state') or _STATE_FILE}"}
    phase = f"phase {s.phase}" if s.phase else ""
    story = story_label(s)
    story = f"story {story}" if story and story != s.task else ""
    executor = f"executor {s.executor}" if s.executor else ""
    # The workflow as it was written, with the id that triggers know it by where that is another.
    workflow = s.workflow_written
    if s.workflow and word_matching.slug_of(workflow) != s.workflow:
        workflow = f"{workflow} ({s.workflow})"
    for what, named, source, more in (
        ("agent", f"@{s.agent}" if s.agent else "", s.agent_source, ()),
        ("workflow", workflow, s.workflow_source, (phase,)),
        ("task", s.task, s.task_source, (story, executor)),
        ("squad", s.squad, s.squad_source, ()),
    ):
        value = ", ".join(part for part in (named, *more) if part)
        yield what, value, sources.get(source, source) if named else ""


def told_place(answer: Answer | ComposedBlock) -> str:
    """Return, for an answer in lines, where the told rules are: "in the window" or "in the
    block".
    """
    return "in the window" if answer.assembly.standing else "in the block"


def tree_counts(answer: Answer | ComposedBlock) -> str:
    """Return, for an answer in lines, how many domains and rules the tree has, and how many of them
    are in the block, or in the window.
    """
    counts = rule_account.count_in_block(answer.plan, answer.assembly)
    return (
        f"{format_count(counts.domains, 'domain')} with {format_count(counts.rules, 'rule')}; "
        f"{format_count(counts.held_rules, 'rule')} of "
        f"{format_count(counts.held_domains, 'domain')} {told_place(answer)}"
    )


def cost_line(assembly: block_assembly.Assembly) -> str:
    """Return the line of an answer about what the block costs, or the reply to a window in which
    something stands, and what does not fit in it; the debug view is outside of the budget.
    """
    debug = sum(len(render_section(s)) + 2 for s in assembly.sent_sections if s.id == "DEVMODE")
    only_debug = all(section.id == "DEVMODE" for section in assembly.sent_sections)
    tokens = 0 if only_debug else context_usage.tokens_of_length(len(assembly.text) - debug)
    parts = [rule_account.describe_size(assembly, tokens)]
    if debug:
        parts.append("the debug view outside of it")
    if assembly.is_over_budget:
        parts.append("over the budget with what may not be cut")
    left_out = len(assembly.cut_entries) + len(assembly.limited_entries)
    if left_out and assembly.follows:
        parts.append(f"{format_count(left_out, 'line')} to follow")
    elif left_out:
        parts.append(f"{format_count(left_out, 'line')} cut")
    return ", ".join(parts)


def answer_notes(answer: Answer | ComposedBlock) -> tuple[str, ...]:
    """Return the lines of an answer about what is odd: usage, situation, sources, layers,
    budget.
    """
    assembly = answer.assembly
    situation = assembly.situation
    facts = situation.task_facts
    notes = [*answer.notes, *situation.usage.notes, *situation.notes]
    if facts is not None and facts.problem:
        notes.append(f"task {facts.id}: {facts.problem}")
    sleeps = facts is not None and "L4" not in situation.bracket.layers
    if sleeps and (untold := rule_account.explain_untold_task(answer.plan, assembly)):
        what = f"task {situation.task}" if situation.task else f"story {situation.story}"
        remedy = f"; to change that, {untold.remedy}" if untold.remedy else ""
        notes.append(f"the block says nothing of {what}: {untold.reason}{remedy}")
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


def cut_notes(answer: Answer) -> tuple[str, ...]:
    """Return the line of an answer about what a first block leaves out for its budget, and when it
    is told.
    """
    assembly = answer.assembly
    left_out = sum(bool(entry.file) for entry in assembly.cut_entries)
    if not left_out or assembly.has_window:
        return ()
    from synapse_ls.lint.reply_limits import describe_next_replies  # it imports the linter's tree

    lines = format_count(left_out, "line")
    verb = "does" if left_out == 1 else "do"
    when = describe_next_replies(always=answer.plan.settings.get("injection") == "always")
    return (f"{lines} {verb} not fit into a first block. {when}",)
