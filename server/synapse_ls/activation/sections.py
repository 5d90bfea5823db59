"""The sections of a greeting, each made of facts alone; "" where it has nothing to say."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.activation.facts import Facts
from synapse_ls.activation.occasion import EXISTING, NEW, WORKFLOW
from synapse_ls.activation.sources.definition import Command
from synapse_ls.activation.sources.handoff import HandedOver
from synapse_ls.activation.sources.project import Changes, Project
from synapse_ls.activation.suggesting import filled, recommended
from synapse_ls.engine.escape import neutralise
from synapse_ls.text.counted import counted

COMMANDS = 12  # that are listed
SUBJECT = 60  # characters of the last commit's subject
NAMED = 3  # changed files that are named
CRITERIA = 12  # of a task that are listed

_MAIN = ("main", "master")
_ICON = "🤖"
_LISTS = {
    NEW: ("Available Commands", "full"),
    EXISTING: ("Quick Commands", "quick"),
    WORKFLOW: ("Key Commands", "key"),
}
_LEVELS = {NEW: "archetypal", EXISTING: "named", WORKFLOW: "named"}


def presentation(facts: Facts) -> str:
    """The agent's own words, what is going on, and the permission badge."""
    told = words(facts, _LEVELS[facts.occasion])
    if facts.occasion == WORKFLOW:
        told += " — workflow active"
    elif facts.occasion == EXISTING:
        story = facts.story
        told += f" — continuing {code(story.id)}" if story else " — welcome back"
    return f"{told} {facts.permission.badge}"


def words(facts: Facts, level: str) -> str:
    """The agent's words at a level, made up from its names where it has none."""
    agent = facts.agent
    own = agent.greeting(level)
    if own:
        return own
    icon = agent.icon or _ICON
    name = agent.name or agent.id
    if level == "minimal":
        return f"{icon} {agent.id} ready"
    named = f"{name} ({agent.archetype})" if agent.archetype else name
    if level == "named":
        return f"{icon} {named} ready"
    return (
        f"{icon} {name} the {agent.archetype} is ready"
        if agent.archetype
        else f"{icon} {named} is ready"
    )


def role(facts: Facts) -> str:
    """Who the agent is, in a new session; and on what it works."""
    agent = facts.agent
    lines = []
    if facts.occasion == NEW:
        told = agent.role or agent.title or agent.description
        lines += [f"**Role:** {told}"] if told else []
        place = " | ".join(filter(None, (_story(facts), _branch(facts))))
        lines += [place] if place else []
    return "\n".join(lines)


def manner(facts: Facts) -> str:
    """Role and manner, for a clone."""
    agent = facts.agent
    told = [
        f"**Role:** {agent.role}" if agent.role else "",
        f"**Tone:** {agent.tone}" if agent.tone else "",
    ]
    return "\n".join(filter(None, told))


def _story(facts: Facts) -> str:
    story = facts.story
    return (
        f"**Story:** {code(story.id)}" + (f" {story.title}" if story.title else "") if story else ""
    )


def _branch(facts: Facts) -> str:
    at = facts.project.head if facts.project else None
    return f"**Branch:** {code(at.branch)}" if at and at.branch and at.branch not in _MAIN else ""


def project(facts: Facts) -> str:
    """What git says, as sentences; in a workflow on one line."""
    known = facts.project
    if known is None:
        return ""
    if known.head is None:
        return "📊 **Project Status:** no git repository here."
    if facts.occasion == WORKFLOW:
        return _condensed(facts, known)
    sentences = [f"You are {_checked_out(known)}{_with(known.changes)}."]
    story = facts.story
    if story and story.state:
        more = f" (and {counted(story.others, 'other')})" if story.others else ""
        sentences.append(f"Story {code(story.id)}{more} is {story.state.replace('_', ' ')}.")
    if known.changes and known.changes.files:
        sentences.append(f"Changed: {_files(known.changes)}.")
    if known.commits:
        last = known.commits[0]
        sentences.append(f"Last commit {code(last.hash)}: “{short(last.subject, SUBJECT)}”.")
    return f"📊 **Project Status:** {' '.join(sentences)}"


def _checked_out(known: Project) -> str:
    at = known.head
    assert at is not None
    where = f" in the work tree {code(at.worktree)}" if at.worktree else ""
    busy = f" with a {at.under_way} under way" if at.under_way else ""
    if at.state == "unborn":
        return f"on the new branch {code(at.branch)}{where}, which has no commit yet"
    if at.state == "detached":
        of = f" (of {code(at.branch)})" if at.branch else ""
        return f"at the detached commit {code(at.commit)}{of}{where}{busy}"
    if at.branch:
        return f"on branch {code(at.branch)}{where}{busy}"
    return f"on a branch that cannot be told{where}{busy}"


def _with(changes: Changes | None) -> str:
    if changes is None:
        return ""
    if not changes.total:
        return ", and nothing is changed"
    at_least = "at least " if changes.at_least else ""
    told = f", with {at_least}{counted(changes.total, 'changed file')}"
    return f"{told} ({changes.conflicted} in conflict)" if changes.conflicted else told


def _files(changes: Changes) -> str:
    shown = changes.files[:NAMED]
    rest = changes.total - len(shown)
    more = f" and {rest:,} more" if rest > 0 else ""
    return ", ".join(map(code, shown)) + more


def _condensed(facts: Facts, known: Project) -> str:
    at, changes = known.head, known.changes
    assert at is not None
    parts = [f"🌿 {code(at.branch or at.commit or 'unknown')}"]
    if changes is not None and changes.total:
        parts.append(f"📝 {changes.total:,}{'+' if changes.at_least else ''} changed")
    if facts.story:
        parts.append(f"📖 {code(facts.story.id)}")
    return f"📊 {' | '.join(parts)}"


def context(facts: Facts) -> str:
    """Where the work is and the one thing to do next."""
    if facts.occasion == NEW and facts.whereabouts is None and facts.handoff is None:
        return ""
    found, lines = facts.whereabouts, []
    if found is not None:
        lines.append(f"**Context:** {found.where}.")
    elif facts.history.previous and facts.occasion != NEW:
        lines.append(f"**Context:** @{facts.history.previous} was at work before.")
    if facts.handoff is not None:
        lines += _handed_over(facts.handoff)
    advice = recommended(facts)
    if advice:
        lines.append(f"**Recommended:** {advice}")
    return "💡 " + "\n".join(lines) if lines else ""


def _handed_over(known: HandedOver) -> Iterator[str]:
    """What another agent has left, as long as nobody has taken it over."""
    when = f"{known.at[:16].replace('T', ' ')}, " if known.at else ""
    who = f" by @{known.from_agent}" if known.from_agent else ""
    about = f"**Handed over**{who} ({when}{code(known.path)})"
    if known.consumed:
        yield f"{about}: taken over already."
        return
    status = f" ({known.story_status})" if known.story_status else ""
    told = [
        f"story {code(known.story)}{status}" if known.story else "",
        f"on {code(known.branch)}" if known.branch else "",
    ]
    yield f"{about}: {' '.join(filter(None, told))}" if any(told) else about
    yield from (f"   - task: {known.task}",) if known.task else ()
    yield from (f"   - decided: {'; '.join(known.decisions)}",) if known.decisions else ()
    yield from (f"   - ⚠ blocked: {'; '.join(known.blockers)}",) if known.blockers else ()
    yield from (f"   - files: {', '.join(map(code, known.files))}",) if known.files else ()
    yield from (f"   - … {known.left_out} more",) if known.left_out else ()


def workflow(facts: Facts) -> str:
    """What is to be done in the step at hand, what may follow, and who does it."""
    found = facts.whereabouts
    if found is None:
        return ""
    is_step = found.position is not None
    lines = []
    for one in found.next:
        command = filled(one, facts)
        who = f" (@{one.agent})" if one.agent and one.agent != facts.agent.id else ""
        about = f": {one.description}" if one.description else ""
        lines.append(f"   - {'now: ' if is_step else ''}{code(command)}{who}{about}")
    if is_step and found.then:
        lines.append(f"   - then: {found.then}")
    lines += [f"   - ⚠ {note}" for note in found.notes]
    return "\n".join(("🧭 **Workflow:**", *lines)) if lines else ""


def hints(facts: Facts) -> str:
    """What the agent remembers, and what could not be found out."""
    lines = [f"🧠 {memory.title}" for memory in facts.memories.shown]
    lines += [f"⚠ {why}" for why in facts.missing]
    return "\n".join(lines)


def task(facts: Facts) -> str:
    """What a person has to do: pre-conditions, criteria and files of the task."""
    known = facts.task
    if known is None:
        return "📋 **Task:** none is active. `synapse session set` or a task command sets one."
    lines = [
        f"📋 **Task:** {code(known.id)}" + (f" (story {code(known.story)})" if known.story else "")
    ]
    for title, items in (
        ("Pre-conditions", known.preconditions),
        ("Acceptance criteria", known.criteria),
    ):
        if items:
            done = sum(ticked for _, ticked in items)
            lines += ["", f"**{title}** ({done} of {len(items)} done):"]
            lines += [
                f"- [{'x' if ticked else ' '}] {neutralise(text)}"
                for text, ticked in items[:CRITERIA]
            ]
            if len(items) > CRITERIA:
                lines.append(f"- … {len(items) - CRITERIA} more")
    if known.files:
        lines += [
            "",
            f"**Files:** {', '.join(code(neutralise(path)) for path, _ in known.files[:CRITERIA])}",
        ]
    if known.problem:
        lines += ["", f"⚠ {neutralise(known.problem)}"]
    return "\n".join(lines)


def commands(facts: Facts) -> str:
    """The commands of the list that fits the occasion, else the first ones."""
    title, visibility = _LISTS[facts.occasion]
    own = facts.agent.commands
    chosen = [one for one in own if visibility in one.visibility] or list(own)
    if not chosen:
        return ""
    lines = [_command(one) for one in chosen[:COMMANDS]]
    rest = len(own) - len(lines)
    if rest > 0:
        listed = "; `*help` lists them" if facts.agent.has("help") else ""
        lines.append(f"   - … {rest} more{listed}")
    return "\n".join((f"**{title}:**", *lines))


def _command(one: Command) -> str:
    name = f"*{one.name} {one.arguments}".strip()
    return f"   - {code(name)}: {one.description}" if one.description else f"   - {code(name)}"


def footer(facts: Facts) -> str:
    """How to go on, by commands that the agent has, and its closing words."""
    agent, lines = facts.agent, []
    if facts.occasion == NEW and agent.has("guide"):
        lines.append("Type `*guide` for comprehensive usage instructions.")
    elif agent.has("help"):
        about = " and `*session-info` for this session" if agent.has("session-info") else ""
        lines.append(f"Type `*help` for all commands{about}.")
    closing = signature(facts)
    return "\n\n".join(filter(None, (*lines, closing)))


def signature(facts: Facts) -> str:
    """The agent's closing words."""
    return facts.agent.signature


def redirect(facts: Facts) -> str:
    """For people who talk to the project manager only."""
    return f"In this profile @pm speaks for everybody: ask @pm, who calls @{facts.agent.id} when needed."


def absence(name: str, facts: Facts) -> str:
    """Why a section has nothing to say."""
    agent = f"the definition of @{facts.agent.id}"
    return {
        "role": f"{agent} names no role"
        if facts.occasion == NEW
        else "it is for new sessions only",
        "project": "the project's status is not known",
        "context": "it is a new session and no workflow is under way"
        if facts.occasion == NEW
        else "nothing was done before that leads anywhere",
        "workflow": "no workflow is under way",
        "hints": "nothing is remembered, and nothing is missing",
        "commands": f"{agent} has no commands",
        "footer": f"{agent} has no closing words and no command for help",
    }.get(name, "there is nothing to say")


def code(text: str) -> str:
    """``text`` as Markdown code on one line, which nothing in it can end."""
    return f"`{text.replace('`', '´')}`"


def short(text: str, most: int) -> str:
    """At most so many characters, cut at a word where there is one."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[most // 2 :] else head) + "…"
