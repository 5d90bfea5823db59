"""Compose an agent's greeting, with the next thing to do, from the facts of its activation.

Eight sections, of which each occasion shows some (ADR-001 C6, C8, E7). Pure: the same facts give
the same text. Whatever comes from files, git or people is kept on one line.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from synapse_ls.activation.activation_files import inline_code
from synapse_ls.activation.active_story import Story
from synapse_ls.activation.agent_definition import Agent, AgentMemories
from synapse_ls.activation.agent_handoff import AgentHandoff
from synapse_ls.activation.framework_settings import AUTO, GUIDED, Permission, Preferences
from synapse_ls.activation.project_status import Head, ProjectStatus
from synapse_ls.activation.workflow_position import WorkflowPosition
from synapse_ls.engine import active_task, workflow_detection
from synapse_ls.engine.text_escaping import neutralise_markup, neutralise_text
from synapse_ls.formats.session_file import SessionState
from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.text.phrases import format_count, quotation, shorten_line

NEW, EXISTING, WORKFLOW = "new", "existing", "workflow"
OCCASIONS = (NEW, EXISTING, WORKFLOW)
# Seconds without a prompt after which somebody begins anew.
IDLE_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """What a session knows of its past, by which the occasion of a greeting is told.

    ``used``: star-commands, the last one last; ``running``: those of its last prompt. ``previous``:
    the agent that was active before this one, "" for none.
    """

    prompts: int = 0
    used: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    previous: str = ""
    is_idle: bool = False


def read_history(session: SessionState | None, agent: str, now: float) -> SessionHistory:
    """Read, for the occasion of a greeting, the past of ``session``, None for one that begins;
    ``now`` in seconds since 1970.
    """
    if session is None:
        return SessionHistory()
    last = parse_moment(session.last_activity)
    before = [name for name in session.history.agents if name != agent]
    return SessionHistory(
        prompts=session.prompt_count,
        used=session.history.star_commands,
        running=session.find_window(session.latest_window_key()).commands,
        previous=before[-1] if before else "",
        is_idle=last is not None and now - last > IDLE_SECONDS,
    )


def choose_occasion(history: SessionHistory, *, in_workflow: bool) -> tuple[str, str]:
    """Return the occasion of a greeting and why, as a sentence part."""
    if not history.prompts and not history.used:
        return NEW, "the session has no prompt yet"
    if history.is_idle:
        return NEW, "the last prompt of the session was more than an hour ago"
    if in_workflow:
        return WORKFLOW, "a workflow is under way"
    return EXISTING, "the session goes on, and no workflow is under way"


AGENTE, WORKER, HUMANO, CLONE = "Agente", "Worker", "Humano", "Clone"
EXECUTORS = (AGENTE, WORKER, HUMANO, CLONE)
ENGLISH_EXECUTORS = {"Agent": AGENTE, "Human": HUMANO}


@dataclass(frozen=True, slots=True)
class ActivationFacts:
    """The facts of an activation, what is known when an agent greets. ``task``: what it is to do,
    None for nothing.

    ``handoff``: what another agent has left for it.
    ``missing``: a sentence part for each thing that could not be found out; ``late``: names of what
    was not found out in time.
    """

    agent: Agent
    occasion: str = NEW
    executor: str = AGENTE
    permission: Permission = field(default_factory=Permission)
    preferences: Preferences = field(default_factory=Preferences)
    project: ProjectStatus | None = None
    story: Story | None = None
    workflow_position: WorkflowPosition | None = None
    handoff: AgentHandoff | None = None
    task: active_task.TaskFacts | None = None
    memories: AgentMemories = field(default_factory=AgentMemories)
    history: SessionHistory = field(default_factory=SessionHistory)
    missing: tuple[str, ...] = ()
    late: tuple[str, ...] = ()


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
    """Return the next action of an agent, the one thing to do, as a sentence; "" where nothing is
    known.
    """
    if (handoff := facts.handoff) is not None and handoff.next_action and not handoff.consumed:
        who = f", says @{handoff.from_agent}" if handoff.from_agent else ""
        return f"{quotation(handoff.next_action)}{who}."
    action = _position_action(facts)
    story = facts.story
    if action or story is None or story.state not in _STORY_LIFE_CYCLE:
        return action
    who, state = _STORY_LIFE_CYCLE[story.state][0], story.state.replace("_", " ")
    if facts.agent.id != who:
        return f"story {story.id} is {state}, which is the turn of @{who}."
    command = _story_command(facts)
    return f"`{command}`, as the story is {state}." if command else ""


def _position_action(facts: ActivationFacts) -> str:
    """Return what the position in the workflow asks for; "" where it asks for nothing."""
    if (found := facts.workflow_position) is None:
        return ""
    step = found.position.step if found.position else None
    on_turn, agent = found.agent_on_turn, facts.agent.id
    command = f"`{fill_command(found.next[0], facts)}`" if found.next else ""
    is_others = on_turn not in ("", agent)
    if found.begun_command and (found.position is None or on_turn == agent):
        who = f" (@{on_turn})" if is_others else ""
        following = f"{command}{who}" if command else found.following_text
        after = f", then {following}" if following else ""
        return f"finish `*{found.begun_command}`{after}."
    if is_others:
        by = f" with {command}" if command else f" for {step.label}" if step else ""
        return f"it is the turn of @{on_turn}{by} (`synapse activate {on_turn}`)."
    if command:
        what = f" — {found.next[0].description}" if found.next[0].description else ""
        return f"{command}{what}"
    if step is None:
        return ""
    command, what = _story_command(facts), step.action or step.label
    return f"`{command}` — {what}" if command else f"{what}."


def _story_command(facts: ActivationFacts) -> str:
    """Return the agent's own command for a story in this state, where it is its turn."""
    story, agent = facts.story, facts.agent
    who, names = _STORY_LIFE_CYCLE.get(story.state, ("", ())) if story else ("", ())
    command = next((name for name in names if agent.id == who and agent.has_command(name)), "")
    return f"*{command} {story.id}" if command and story else ""


def fill_command(suggestion: workflow_detection.Suggestion, facts: ActivationFacts) -> str:
    """Return the command of an agent's next action with its arguments; those that are not known are
    left out.
    """
    story, at = facts.story, facts.project.head if facts.project else None
    id = story.id if story else ""
    if facts.handoff and facts.workflow_position and facts.workflow_position.source == "handoff":
        id = facts.handoff.story or id
    values = {
        "story_path": story.path if story else "",
        **dict.fromkeys(("story", "story-id", "story_id"), id),
        "epic": story.epic if story else "",
        "branch": at.branch if at else "",
    }
    words = {
        place[0]: values.get(place[1].strip().casefold(), "")
        for place in _PLACEHOLDER.finditer(suggestion.arguments)
    }
    if not all(words.values()):
        return f"*{suggestion.command}"
    arguments = _PLACEHOLDER.sub(lambda place: words[place[0]], suggestion.arguments)
    return f"*{suggestion.command} {arguments.strip()}".strip()


MOST_COMMANDS = 12  # that are listed
LONGEST_SUBJECT = 60  # characters of the last commit's subject
MOST_FILES = 3  # changed files that are named
MOST_CRITERIA = 12  # of a task that are listed

_MAIN_BRANCHES = ("main", "master")
_DEFAULT_ICON = "🤖"
_COMMAND_LISTS = {
    NEW: ("Available Commands", "full"),
    EXISTING: ("Quick Commands", "quick"),
    WORKFLOW: ("Key Commands", "key"),
}
_GREETING_LEVELS = {NEW: "archetypal", EXISTING: "named", WORKFLOW: "named"}


def presentation_lines(facts: ActivationFacts) -> Iterator[str]:
    """Yield the greeting's first section, the presentation: the agent's own words, what is going
    on, and the permission badge.
    """
    words = _escape_beginning(agent_words(facts, _GREETING_LEVELS[facts.occasion]))
    if facts.occasion == WORKFLOW:
        words += " — workflow active"
    elif facts.occasion == EXISTING:
        story = facts.story
        words += f" — continuing {inline_code(story.id)}" if story else " — welcome back"
    yield f"{words} {facts.permission.badge}"


def agent_words(facts: ActivationFacts, level: str) -> str:
    """Return the agent's words of greeting at a level, made up from its names where it has none."""
    agent = facts.agent
    icon, name = agent.icon or _DEFAULT_ICON, agent.name or agent.id
    if words := agent.greeting(level):
        return words
    if level == "minimal":
        return f"{icon} {agent.id} ready"
    if level == "named":
        kind = f" ({agent.archetype})" if agent.archetype else ""
        return f"{icon} {name}{kind} ready"
    kind = f" the {agent.archetype}" if agent.archetype else ""
    return f"{icon} {name}{kind} is ready"


# How a heading, a quotation, a list, a fence, a row or a label of ours begins (CommonMark 0.31).
_BLOCK_MARK = re.compile(r"[#>|=]|[-+*](?=\s|\Z)|\*\*|__|```|~~~|[-_]\W*\Z|(?<=\d)[.)](?=\s|\Z)")


def _escape_beginning(words: str) -> str:
    """Return an agent's own words as a line of the greeting, of which they are no block of
    Markdown.
    """
    words = " ".join(words.split())
    mark = _BLOCK_MARK.match(words, len(words) - len(words.lstrip("0123456789")))
    return f"{words[: mark.start()]}\\{words[mark.start() :]}" if mark else words


def role_lines(facts: ActivationFacts) -> Iterator[str]:
    """Yield the greeting's section on the agent's role: who it is, in a new session, and on what
    it works.
    """
    if facts.occasion != NEW:
        return
    agent, story, head = facts.agent, facts.story, facts.project.head if facts.project else None
    if role := agent.role or agent.title or agent.description:
        yield f"**Role:** {role}"
    places = []
    if story:
        places.append(f"**Story:** {inline_code(story.id)} {story.title}".rstrip())
    if head and head.branch and head.branch not in _MAIN_BRANCHES:
        places.append(f"**Branch:** {inline_code(head.branch)}")
    if places:
        yield " | ".join(places)


def project_lines(facts: ActivationFacts) -> Iterator[str]:
    """Yield the greeting's section on the project: what git says, as sentences; in a workflow on
    one line.
    """
    if (project := facts.project) is None:
        return
    if project.head is None:
        yield "📊 **Project Status:** no git repository here."
        return
    if facts.occasion == WORKFLOW:
        at, changes = project.head, project.changes
        parts = [f"🌿 {inline_code(at.branch or at.commit or 'unknown')}"]
        if changes is not None and changes.total:
            parts.append(f"📝 {changes.total:,}{'+' if changes.at_least else ''} changed")
        if facts.story:
            parts.append(f"📖 {inline_code(facts.story.id)}")
        yield f"📊 {' | '.join(parts)}"
        return
    here, changes = _describe_head(project.head), project.changes
    if changes is not None and changes.total:
        at_least = "at least " if changes.at_least else ""
        here += f", with {at_least}{format_count(changes.total, 'changed file')}"
        here += f" ({changes.conflicted} in conflict)" if changes.conflicted else ""
    elif changes is not None:
        here += ", and nothing is changed"
    sentences = [f"You are {here}."]
    if (story := facts.story) and story.state:
        state, id = story.state.replace("_", " "), inline_code(story.id)
        sentences.append(
            f"No story is named; of the {story.others + 1} that are {state}, {id} changed last."
            if story.others
            else f"Story {id} is {state}."
        )
    if changes and changes.files:
        files = changes.files[:MOST_FILES]
        rest = changes.total - len(files)
        more = f" and {rest:,} more" if rest > 0 else ""
        sentences.append(f"Changed: {', '.join(map(inline_code, files))}{more}.")
    if project.commits:
        last = project.commits[0]
        sentences.append(
            f"Last commit {inline_code(last.hash)}: "
            f"{quotation(shorten_line(last.subject, LONGEST_SUBJECT))}."
        )
    yield f"📊 **Project Status:** {' '.join(sentences)}"


def _describe_head(at: Head) -> str:
    where = f" in the work tree {inline_code(at.worktree)}" if at.worktree else ""
    busy = f" with a {at.under_way} under way" if at.under_way else ""
    if at.state == "unborn":
        return f"on the new branch {inline_code(at.branch)}{where}, which has no commit yet"
    if at.state == "detached":
        of = f" (of {inline_code(at.branch)})" if at.branch else ""
        return f"at the detached commit {inline_code(at.commit)}{of}{where}{busy}"
    if at.branch:
        return f"on branch {inline_code(at.branch)}{where}{busy}"
    return f"on an unknown branch{where}{busy}"


def context_lines(facts: ActivationFacts) -> list[str]:
    """Return the greeting's section on the work: where it is, and the one thing to do next."""
    if facts.occasion == NEW and facts.workflow_position is None and facts.handoff is None:
        return []
    lines = []
    if facts.workflow_position is not None:
        lines.append(f"**Context:** {facts.workflow_position.location}.")
    elif facts.history.previous and facts.occasion != NEW:
        lines.append(f"**Context:** @{facts.history.previous} was at work before.")
    if facts.handoff is not None:
        lines += _handoff_lines(facts.handoff)
    if advice := recommend_action(facts):
        lines.append(f"**Recommended:** {advice}")
    return [f"💡 {lines[0]}", *lines[1:]] if lines else []


def _handoff_lines(handoff: AgentHandoff) -> Iterator[str]:
    """Yield what another agent has left, as long as nobody has taken it over."""
    when = f"{handoff.at[:16].replace('T', ' ')}, " if handoff.at else ""
    who = f" by @{handoff.from_agent}" if handoff.from_agent else ""
    about = f"**Handed over**{who} ({when}{inline_code(handoff.path)})"
    if handoff.consumed:
        yield f"{about}: taken over already."
        return
    status = f" ({handoff.story_status})" if handoff.story_status else ""
    facts = [
        f"story {inline_code(handoff.story)}{status}" if handoff.story else "",
        f"on {inline_code(handoff.branch)}" if handoff.branch else "",
    ]
    yield f"{about}: {' '.join(filter(None, facts))}" if any(facts) else about
    for name, words in (
        ("task", handoff.task),
        ("decided", "; ".join(handoff.decisions)),
        ("⚠ blocked", "; ".join(handoff.blockers)),
        ("files", ", ".join(map(inline_code, handoff.files))),
    ):
        if words:
            yield f"   - {name}: {words}"
    if handoff.left_out:
        yield f"   - … {handoff.left_out} more"


def workflow_lines(facts: ActivationFacts) -> list[str]:
    """Return the greeting's section on the workflow: what is to be done in the step at hand, what
    may follow, and who does it.
    """
    if (workflow_position := facts.workflow_position) is None:
        return []
    is_step = workflow_position.position is not None
    lines = []
    for suggestion in workflow_position.next:
        command = fill_command(suggestion, facts)
        who = f" (@{suggestion.agent})" if suggestion.agent not in ("", facts.agent.id) else ""
        about = f": {suggestion.description}" if suggestion.description else ""
        lines.append(f"   - {'now: ' if is_step else ''}{inline_code(command)}{who}{about}")
    if is_step and workflow_position.following_text:
        lines.append(f"   - then: {workflow_position.following_text}")
    lines += [f"   - ⚠ {note}" for note in workflow_position.notes]
    return ["🧭 **Workflow:**", *lines] if lines else []


def hints_lines(facts: ActivationFacts) -> Iterator[str]:
    """Yield the greeting's section with hints: what the agent remembers, and what could not be
    found out.
    """
    yield from (f"🧠 {memory.title}" for memory in facts.memories.shown)
    yield from (f"⚠ {why}" for why in facts.missing)
    if facts.late:
        yield f"⚠ not known in time: {', '.join(facts.late)}"


def task_lines(facts: ActivationFacts) -> Iterator[str]:
    """Yield the greeting's section on what a person has to do: conditions, criteria and files of
    the task.
    """
    if (task := facts.task) is None:
        yield "📋 **Task:** none is active. `synapse session set` or a task command sets one."
        return
    story = f" (story {inline_code(task.story)})" if task.story else ""
    yield f"📋 **Task:** {inline_code(task.id)}{story}"
    for title, items in (
        ("Pre-conditions", task.preconditions),
        ("Post-conditions", task.postconditions),
        ("Acceptance criteria", task.all_criteria),
    ):
        if items:
            done = sum(ticked for _, ticked in items)
            yield from ("", f"**{title}** ({done} of {len(items)} done):")
            for text, ticked in items[:MOST_CRITERIA]:
                yield f"- [{'x' if ticked else ' '}] {text}"
            if len(items) > MOST_CRITERIA:
                yield f"- … {len(items) - MOST_CRITERIA} more"
    if files := (*task.files, *task.own_files)[:MOST_CRITERIA]:
        yield from ("", f"**Files:** {', '.join(inline_code(path) for path, _ in files)}")
    if task.problem:
        yield from ("", f"⚠ {task.problem}")


def commands_lines(facts: ActivationFacts) -> list[str]:
    """Return the greeting's section with the agent's commands: those of the list that fits the
    occasion, else the first ones.
    """
    title, visibility = _COMMAND_LISTS[facts.occasion]
    agent_commands = facts.agent.commands
    chosen = tuple(c for c in agent_commands if visibility in c.visibility) or agent_commands
    if not chosen:
        return []
    lines = []
    for command in chosen[:MOST_COMMANDS]:
        name = inline_code(f"*{command.name} {command.arguments}".strip())
        about = f": {command.description}" if command.description else ""
        lines.append(f"   - {name}{about}")
    if (rest := len(agent_commands) - len(lines)) > 0:
        listed = "; `*help` lists them" if facts.agent.has_command("help") else ""
        lines.append(f"   - … {rest} more{listed}")
    return [f"**{title}:**", *lines]


def footer_lines(facts: ActivationFacts) -> Iterator[str]:
    """Yield the greeting's last section: how to go on, by commands that the agent has, and its
    closing words.
    """
    agent, hint = facts.agent, ""
    if facts.occasion == NEW and agent.has_command("guide"):
        hint = "Type `*guide` for comprehensive usage instructions."
    elif agent.has_command("help"):
        about = " and `*session-info` for this session" if agent.has_command("session-info") else ""
        hint = f"Type `*help` for all commands{about}."
    if hint:
        yield from (hint, "") if agent.signature else (hint,)
    if agent.signature:
        yield _escape_beginning(agent.signature)


# The one agent that people with the profile "bob" talk to.
GUIDE_AGENT = "pm"

SectionWriter = Callable[[ActivationFacts], Iterable[str]]  # gives its lines


@dataclass(frozen=True, slots=True)
class GreetingSection:
    """A section of a greeting. ``why``: the reason where it is empty."""

    name: str
    text: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Greeting:
    """Its parts in order, and ``kind``, which says why it has these."""

    parts: tuple[GreetingSection, ...]
    kind: str

    @property
    def text(self) -> str:
        """The greeting as an agent says it, "" for an executor that does not speak."""
        return "\n\n".join(part.text for part in self.parts if part.text)


ALL_SECTIONS: tuple[tuple[str, SectionWriter], ...] = (
    ("presentation", presentation_lines), ("role", role_lines), ("project", project_lines),
    ("context", context_lines), ("workflow", workflow_lines), ("hints", hints_lines),
    ("commands", commands_lines), ("footer", footer_lines),
)  # fmt: skip
_TASK_SECTIONS = (ALL_SECTIONS[0], ("task", task_lines))
_CLONE_SECTIONS: tuple[tuple[str, SectionWriter], ...] = (
    ALL_SECTIONS[0],
    (
        "role",
        lambda facts: [
            f"**{name}:** {text}"
            for name, text in (("Role", facts.agent.role), ("Tone", facts.agent.tone))
            if text
        ],
    ),
    ("footer", lambda facts: [_escape_beginning(facts.agent.signature)]),
)
_GUIDED_SECTIONS: tuple[tuple[str, SectionWriter], ...] = (
    ALL_SECTIONS[0],
    (
        "footer",
        lambda facts: [
            f"In this profile @pm speaks for everybody: ask @pm, who calls @{facts.agent.id} when "
            "needed."
        ],
    ),
)


# After these a space takes a link, an image or a tag its meaning.
_LIVE = re.compile(r"\](?=[(:\[])|<(?=[a-zA-Z/!?])")


def build_greeting(facts: ActivationFacts) -> Greeting:
    """Build the greeting that fits executor, profile, preference and occasion, in this order."""
    level, is_guide = facts.preferences.greeting, facts.agent.id == GUIDE_AGENT
    sections, kind = ALL_SECTIONS, f"{facts.occasion} session"
    if facts.executor == WORKER:
        sections, kind = (), "a Worker is not greeted"
    elif facts.executor == HUMANO:
        sections, kind = _TASK_SECTIONS, "a Humano gets of the task"
    elif facts.executor == CLONE:
        sections, kind = _CLONE_SECTIONS, "a Clone speaks in its own manner"
    elif facts.preferences.profile == GUIDED and not is_guide:
        sections, kind = _GUIDED_SECTIONS, "the user profile is bob, who talks to @pm"
    elif level != AUTO and not is_guide:
        sections = (("presentation", lambda facts: [_escape_beginning(agent_words(facts, level))]),)
        kind = f"the preference is {level}"
    parts = []
    for name, section in sections:
        # Nothing of what is quoted may pass for the markup of a block or of Markdown, or begin a
        # line.
        text = "\n".join(
            line[: len(line) - len(line.lstrip(" "))] + _LIVE.sub(r"\g<0> ", neutralise_text(line))
            for line in section(facts)
        )
        text = neutralise_markup(text)
        parts.append(GreetingSection(name, text, "" if text else _absence_reason(name, facts)))
    return Greeting(tuple(parts), kind)


def _absence_reason(name: str, facts: ActivationFacts) -> str:
    agent, is_new = f"the definition of @{facts.agent.id}", facts.occasion == NEW
    return {
        "role": f"{agent} names no role" if is_new else "it is for new sessions only",
        "project": "the project's status is not known",
        "context": "it is a new session and no workflow is under way"
        if is_new
        else "nothing was done before that leads anywhere",
        "workflow": "no workflow is under way",
        "hints": "nothing is remembered, and nothing is missing",
        "commands": f"{agent} has no commands",
        "footer": f"{agent} has no closing words and no command for help",
    }.get(name, "there is nothing to say")
