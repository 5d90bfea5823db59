"""This module recommends what an agent is to do next, from the workflow, the hand-off and the story
alone.
"""

from __future__ import annotations

import re

from synapse_ls.activation.activation_facts import ActivationFacts
from synapse_ls.activation.workflow_position import WorkflowPosition
from synapse_ls.engine.workflow_detection import Suggestion

# State of a story -> whose turn it is and with which command: the story's life cycle.
_STORY_LIFE_CYCLE = {
    "draft": ("po", ("validate-story-draft", "validate-next-story")),
    "ready": ("dev", ("develop", "develop-story")),
    "in_progress": ("dev", ("develop", "develop-story", "run-tests")),
    "in_review": ("qa", ("review", "review-story", "review-qa", "gate")),
    "done": ("devops", ("push", "pre-push")),
}
_PLACEHOLDER = re.compile(r"\$?\{([^{}]*)\}")


def recommend_action(facts: ActivationFacts) -> str:
    """Returns the next action of an agent, the one thing to do, as a sentence; "" where nothing is
    known.
    """
    left = facts.handoff
    if left is not None and left.next_action and not left.consumed:
        who = f", says @{left.from_agent}" if left.from_agent else ""
        return f"“{left.next_action}”{who}."
    return _position_action(facts) or _story_action(facts)


def _position_action(facts: ActivationFacts) -> str:
    """Returns what the position in the workflow asks for; "" where it asks for nothing."""
    found = facts.workflow_position
    if found is None:
        return ""
    step = found.position.step if found.position else None
    on_turn, agent = found.agent_on_turn, facts.agent.id
    if found.begun_command and (found.position is None or on_turn == agent):
        has_more = found.next or found.following_text
        after = f", then {_describe_following(found, facts)}" if has_more else ""
        return f"finish `*{found.begun_command}`{after}."
    if on_turn and on_turn != agent:
        what = f" for {step.label}" if step else ""
        by = f" with `{fill_command(found.next[0], facts)}`" if found.next else what
        return f"it is the turn of @{on_turn}{by} (`synapse activate {on_turn}`)."
    if found.next:
        first = found.next[0]
        what = f" — {first.description}" if first.description else ""
        return f"`{fill_command(first, facts)}`{what}"
    if step is None:
        return ""
    command, what = _story_command(facts), step.action or step.label
    return f"`{command}` — {what}" if command else f"{what}."


def _story_action(facts: ActivationFacts) -> str:
    """Returns what the life cycle of the story asks for; "" where it asks for nothing."""
    story = facts.story
    if story is None or story.state not in _STORY_LIFE_CYCLE:
        return ""
    who, state = _STORY_LIFE_CYCLE[story.state][0], story.state.replace("_", " ")
    if facts.agent.id != who:
        return f"story {story.id} is {state}, which is the turn of @{who}."
    command = _story_command(facts)
    return f"`{command}`, as the story is {state}." if command else ""


def _describe_following(found: WorkflowPosition, facts: ActivationFacts) -> str:
    """Returns what comes after the command that was begun, and who does it."""
    if not found.next:
        return found.following_text
    who = (
        f" (@{found.agent_on_turn})"
        if found.agent_on_turn and found.agent_on_turn != facts.agent.id
        else ""
    )
    return f"`{fill_command(found.next[0], facts)}`{who}"


def _story_command(facts: ActivationFacts) -> str:
    """Returns the agent's own command for a story in this state, where it is its turn."""
    story, agent = facts.story, facts.agent
    who, names = _STORY_LIFE_CYCLE.get(story.state, ("", ())) if story else ("", ())
    command = next((name for name in names if agent.id == who and agent.has_command(name)), "")
    return f"*{command} {story.id}" if command and story else ""


def fill_command(suggestion: Suggestion, facts: ActivationFacts) -> str:
    """Returns the command of an agent's next action with its arguments; those that are not known
    are left out.
    """
    story, at = facts.story, facts.project.head if facts.project else None
    id = story.id if story else ""
    found, left = facts.workflow_position, facts.handoff
    if left is not None and found is not None and found.source == "handoff":
        id = left.story or id
    known = {
        "story_path": story.path if story else "",
        "story": id,
        "story-id": id,
        "story_id": id,
        "epic": story.epic if story else "",
        "branch": at.branch if at else "",
    }
    missing = False

    def placeholder_value(match: re.Match[str]) -> str:
        nonlocal missing
        told = known.get(match.group(1).strip().casefold(), "")
        missing = missing or not told
        return told

    arguments = _PLACEHOLDER.sub(placeholder_value, suggestion.arguments).strip()
    return f"*{suggestion.command}" if missing else f"*{suggestion.command} {arguments}".strip()
