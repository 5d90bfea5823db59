"""Render the state of the work as lines, for whoever continues it.

``carried`` is what a session keeps for its hand-off: ``agent``, ``next``, and the lists
``decisions``, ``open``, ``errors`` and ``files``. ``work``, from another session, has ``agent``,
``workflow``, ``phase``, ``task``, ``story`` and ``criteria`` as they were then.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from synapse_ls.engine import active_task, text_escaping, word_matching
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Situation
from synapse_ls.formats.session_values import read_text, read_texts
from synapse_ls.text.phrases import shorten_line

MAX_LINE_LENGTH: Final = 180  # code points of a line
MAX_FILES: Final = 6
STATE_END: Final = "-state.yaml"  # workflow states, which whoever goes on is told of anyway
WORK_PARTS: Final = ("workflow", "phase", "task", "story")


def work_state_lines(situation: Situation, *, listed: bool = False) -> list[str]:
    """Return the lines on the state of the work, one for each part that there is, the most telling
    first.

    listed: whether the same block lists the acceptance criteria.
    """
    carried = situation.carried
    facts = situation.task_facts
    criteria = facts.all_criteria if facts else ()
    still = [] if listed else [text for text, ticked in criteria if not ticked]
    story = (facts.story if facts else "") or situation.story
    following = next_step(open_story_criteria(situation), carried)
    parts = (
        f"agent @{agent}" if (agent := situation.agent or read_text(carried.get("agent"))) else "",
        f"workflow {situation.workflow_written}" if situation.workflow else "",
        f"phase {situation.phase}" if situation.phase else "",
        f"task {situation.task}" if situation.task else "",
        f"story {story}" if story else "",
    )
    # The tasks that other agents have taken up and not ended, the latest first.
    work = situation.said
    waiting = (
        f"@{task.agent} has {task.id}" + (f", story {task.story}" if task.story else "")
        for task in reversed([*work.waiting.values(), *filter(None, [work.task])] if work else [])
        if task.agent and task.agent != situation.agent
    )
    open_criteria = f"Acceptance criteria still open ({len(still)} of {len(criteria)})"
    files = read_texts(carried.get("files")) or tuple(
        path for path in situation.files if not path.endswith(STATE_END)
    )
    return _labelled_lines(
        ("At work", ", ".join(filter(None, parts))),
        ("Waiting", "; ".join(waiting)),
        ("Next", following),
        (open_criteria, "" if still == [following] else "; ".join(still)),
        *_carried_lines(carried, files, following),
    )


def open_story_criteria(situation: Situation) -> list[str]:
    """Return the open criteria of the active story; those of a task alone are the same each
    time.
    """
    facts = situation.task_facts
    criteria = facts.criteria if facts and facts.story else ()
    return [text for text, ticked in criteria if not ticked]


def next_step(criteria: Sequence[str], carried: Mapping[str, Any]) -> str:
    """Return what comes next in the work: the first of the open ``criteria``, else what the
    conversation has begun or left open, "" for nothing.
    """
    return criteria[0] if criteria else read_text(carried.get("next"))


def noted_lines(plan: Plan, situation: Situation, work: Mapping[str, Any]) -> list[str]:
    """Return the lines on the work as another session has left it, and on what differs from that
    now.
    """
    carried = situation.carried
    parts = [f"agent @{agent}" if (agent := read_text(work.get("agent"))) else ""]
    parts += [f"{name} {text}" for name in WORK_PARTS if (text := read_text(work.get(name)))]
    differences, same_story = _differences(plan, situation, work)
    criteria = read_texts(work.get("criteria"))
    facts = situation.task_facts
    done = {text for text, is_ticked in (facts.all_criteria if facts else ()) if is_ticked}
    ticked = [text for text in criteria if text in done]
    if same_story and ticked:
        differences.append(f"ticked since: {', '.join(ticked)}")
    following = next_step([text for text in criteria if text not in ticked], carried)
    return _labelled_lines(
        ("At work then", ", ".join(filter(None, parts))),
        ("Different now", "; ".join(differences)),
        ("Next", following),
        (f"Acceptance criteria open then ({len(criteria)})", "; ".join(criteria)),
        *_carried_lines(carried, read_texts(carried.get("files")), following),
    )


def _differences(
    plan: Plan, situation: Situation, work: Mapping[str, Any]
) -> tuple[list[str], bool]:
    """Return what of the noted work is otherwise now, and whether the story is the same."""
    phases = {*situation.phases, word_matching.slug_of(situation.phase)}
    facts = situation.task_facts
    story = (facts.story if facts else "") or situation.story
    then = {name: read_text(work.get(name)) for name in WORK_PARTS}
    story_path = active_task.find_story_path(plan.stories, then["story"]) or then["story"]
    now = (facts.story_path if facts else "") or story
    same = {
        "workflow": plan.workflow_id(then["workflow"]) == situation.workflow,
        "phase": word_matching.slug_of(then["phase"]) in phases,
        "task": word_matching.slug_of(then["task"]) == word_matching.slug_of(situation.task),
        "story": bool(now) and story_path == now,
    }
    current = {
        "workflow": situation.workflow_written,
        "phase": situation.phase,
        "task": situation.task,
        "story": story,
    }
    differences = [
        f"{name} {current[name]}" if current[name] else f"no {name}"
        for name in WORK_PARTS
        if not same[name] and (then[name] or current[name])
    ]
    if read_text(work.get("agent")) and not situation.agent:
        differences.insert(0, "no agent is active")
    return differences, same["story"]


def _carried_lines(
    carried: Mapping[str, Any], files: Sequence[str], following: str
) -> tuple[tuple[str, str], ...]:
    """Return what was noted of decisions, open items beside the ``following`` one, errors and
    files, with labels.
    """
    items, begun = read_texts(carried.get("open")), read_text(carried.get("next"))
    if not any(begun in item for item in items):
        items = (*items, begun)
    rest = [text for text in items if text != following]
    return (
        ("Decided", "; ".join(read_texts(carried.get("decisions")))),
        ("Open", "; ".join(rest)),
        ("Not solved", "; ".join(read_texts(carried.get("errors")))),
        ("Files", ", ".join(files[-MAX_FILES:])),
    )


def _labelled_lines(*lines: tuple[str, str]) -> list[str]:
    return [
        f"{name}: {shorten_line(text_escaping.neutralise_text(text), MAX_LINE_LENGTH)}"
        for name, text in lines
        if text
    ]
