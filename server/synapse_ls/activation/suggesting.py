"""What an agent is advised to do next, from the workflow and the story alone."""

from __future__ import annotations

import re

from synapse_ls.activation.facts import Facts
from synapse_ls.activation.whereabouts import Whereabouts
from synapse_ls.engine.detection import Suggestion

# State of a story -> whose turn it is and with which command: the story's life cycle.
_LIFE = {
    "draft": ("po", ("validate-story-draft", "validate-next-story")),
    "ready": ("dev", ("develop", "develop-story")),
    "in_progress": ("dev", ("develop", "develop-story", "run-tests")),
    "in_review": ("qa", ("review", "review-story", "review-qa", "gate")),
    "done": ("devops", ("push", "pre-push")),
}
_PLACEHOLDER = re.compile(r"\$?\{([^{}]*)\}")


def recommended(facts: Facts) -> str:
    """The one thing to do next, as a sentence; "" where nothing is known."""
    found = facts.whereabouts
    agent = facts.agent
    left = facts.handoff
    if left is not None and left.next_action and not left.consumed:
        who = f", says @{left.from_agent}" if left.from_agent else ""
        return f"“{left.next_action}”{who}."
    if found is not None and found.begun and (found.position is None or found.turn == agent.id):
        after = f", then {_following(found, facts)}" if found.next or found.then else ""
        return f"finish `*{found.begun}`{after}."
    if found is not None and found.turn and found.turn != agent.id:
        what = f" for {found.position.stop.what}" if found.position and found.position.stop else ""
        by = f" with `{filled(found.next[0], facts)}`" if found.next else what
        return f"it is the turn of @{found.turn}{by} (`synapse activate {found.turn}`)."
    if found is not None and found.next:
        first = found.next[0]
        return f"`{filled(first, facts)}`" + (
            f" — {first.description}" if first.description else ""
        )
    command = _of_story(facts)
    if found is not None and found.position is not None and found.position.stop is not None:
        what = found.position.stop.action or found.position.stop.what
        return f"`{command}` — {what}" if command else f"{what}."
    story = facts.story
    if story is None or story.state not in _LIFE:
        return ""
    who, state = _LIFE[story.state][0], story.state.replace("_", " ")
    if agent.id != who:
        return f"story {story.id} is {state}, which is the turn of @{who}."
    return f"`{command}`, as the story is {state}." if command else ""


def _following(found: Whereabouts, facts: Facts) -> str:
    """What comes after the command that was begun, and who does it."""
    if not found.next:
        return found.then
    who = f" (@{found.turn})" if found.turn and found.turn != facts.agent.id else ""
    return f"`{filled(found.next[0], facts)}`{who}"


def _of_story(facts: Facts) -> str:
    """The agent's own command for a story in this state, where it is its turn."""
    story, agent = facts.story, facts.agent
    who, names = _LIFE.get(story.state, ("", ())) if story else ("", ())
    command = next((name for name in names if agent.id == who and agent.has(name)), "")
    return f"*{command} {story.id}" if command and story else ""


def filled(one: Suggestion, facts: Facts) -> str:
    """The command with its arguments; those that are not known are left out."""
    story, at = facts.story, facts.project.head if facts.project else None
    id = story.id if story else ""
    found, left = facts.whereabouts, facts.handoff
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

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        told = known.get(match.group(1).strip().casefold(), "")
        missing = missing or not told
        return told

    arguments = _PLACEHOLDER.sub(value, one.arguments).strip()
    return f"*{one.command}" if missing else f"*{one.command} {arguments}".strip()
