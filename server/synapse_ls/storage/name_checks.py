"""Check the names that a person gave (workflow, phase, story) against the tree, and say "did you
mean": remarks, never refusals.

Unknown agents, squads and phases are named by the engine, unknown tasks by what is read of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.engine.word_matching import slug_of
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.naming_conventions import suggest_names, upper_snake
from synapse_ls.workspace.tree_loader import load_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation

_DEFINING = (FileKind.WORKFLOW, FileKind.PATTERNS, FileKind.CHAINS)


def find_label(plan: Plan, name: str) -> str:
    """Check the name of a domain, in any spelling, and return its label; raise UserError with near
    misses where there is none.
    """
    wanted = upper_snake(name)
    label = next((label for label in plan.labels if upper_snake(label) == wanted), "")
    if not label or not wanted:
        raise UserError(
            f'The tree has no domain "{name}".',
            suggest_names(wanted, plan.labels, "`synapse domains` lists them."),
        )
    return label


def unknown_name_notes(plan: Plan, situation: Situation, *, workflow: str, story: str) -> list[str]:
    """Return a sentence for each given name (not "") that is unknown."""
    facts = situation.task_facts
    notes = (
        workflow_note(plan, workflow) if workflow else "",
        _unknown_note("story", story, plan.stories)
        if story and not (facts and facts.story_path)
        else "",
    )
    return [note for note in notes if note]


def workflow_note(plan: Plan, written: str) -> str:
    """Return what is odd about a workflow's id: no trigger, definition, state or alias has it; else
    "".
    """
    wanted = plan.workflow_id(written)
    names = {*plan.by_workflow, *plan.aliases, *plan.aliases.values()}
    names |= {slug_of(state.id) for state in plan.states}
    if wanted in names:
        return ""
    names |= _defined_workflows(
        plan.root
    )  # a prompt does not need to know them, so the plan does not
    return "" if wanted in names else _unknown_note("workflow", written, names)


def phase_note(plan: Plan, workflow: str, written: str) -> str:
    """Return what is odd about a phase: no rule, state or alias of the workflow has it; else "".

    Where nothing is known of the workflow's phases, any will do.
    """
    identity, wanted = plan.workflow_id(workflow), slug_of(written)
    rules = {
        row.phase
        for position in plan.by_workflow.get(identity, ())
        for row in plan.domain(position).rules
        if row.phase
    }
    table = plan.phases.get(identity, {})
    states = (state for state in plan.states if plan.workflow_id(state.id) == identity)
    names = {*rules, *table, *table.values(), *(name for state in states for name in state.phases)}
    if not rules or wanted in map(slug_of, names):
        return ""
    return _unknown_note("phase", written, names, f" of {workflow}")


def _defined_workflows(root: str) -> set[str]:
    """Return the workflows that have a file or a pattern, as they are compared."""
    snapshot = load_tree(root, LoadScope.ALL).index.snapshot()
    workflows = set()
    for kind in _DEFINING:
        for path in snapshot.paths(kind):
            facts = snapshot.facts(path)
            defined = facts.definitions if facts else ()
            workflows |= {slug_of(d.key[1]) for d in defined if d.key[0] == "workflow"}
    return workflows


def _unknown_note(noun: str, written: str, known: Iterable[str], owner: str = "") -> str:
    word = nearest_word(written, sorted(known))
    return f'no {noun}{owner} is called "{written}"' + (
        f' (did you mean "{word}"?)' if word else ""
    )
