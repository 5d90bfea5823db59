"""Who works on what over a session: the latest word counts, whoever said it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.integrations import hook_event
from synapse_ls.storage.plan_cache import remember_session
from tests.hooks.hook_clients import Scripted
from tests.trees import write_tree

STATE = ".aiox/cycle-state.yaml"
OTHER_STATE = ".aiox/epic-state.yaml"


def state(
    *,
    workflow: str = "story-development-cycle",
    agent: str = "dev",
    status: str = "active",
    **more: str,
) -> str:
    """A workflow state file."""
    extra = "".join(
        f"{key}: {value}\n" for key, value in more.items() if key not in ("phase", "task")
    )
    return (
        f"workflow_id: {workflow}\nworkflow_name: Cycle\ninstance_id: {workflow}-1\n"
        "target_context: core\nstarted_at: '2026-01-01T00:00:00Z'\n"
        f"updated_at: '2026-01-01T00:00:00Z'\nstatus: {status}\n{extra}"
        f"current_phase: {more.get('phase', 'development')}\ncurrent_step_index: 0\nsteps:\n"
        f"  - phase: {more.get('phase', 'development')}\n    agent: {agent}\n"
        f"    task: {more.get('task', '')}\n    status: pending\n"
    )


def agent_file(id: str, name: str, *tasks: str) -> str:
    """A definition of an agent that depends on tasks."""
    listed = "".join(f"    - {task}.md\n" for task in tasks)
    return (
        f"# {id}\n\n```yaml\nagent:\n  name: {name}\n  id: {id}\n  aliases: [{id}-helper]\n"
        f"commands:\n  - name: help\n    description: Help\n"
        f"dependencies:\n  data:\n    - notes.md\n  tasks:\n{listed}```\n"
    )


def story(id: str, *criteria: str, status: str = "In Progress") -> str:
    """A story with criteria."""
    listed = "".join(f"- [ ] {text}\n" for text in criteria)
    return f"# Story {id}: Work\n\n**Status:** {status}\n\n## Acceptance Criteria\n\n{listed}"


def task(responsible: str = "") -> str:
    """A task that somebody may be responsible for."""
    owner = f"responsável: {responsible}\n" if responsible else ""
    return f"# Task\n\n```yaml\ntask: work()\n{owner}responsavel_type: Agente\n```\n"


FILES = {
    ".synapse/manifest": """\
        GLOBAL_STATE=active
        GLOBAL_ALWAYS_ON=true
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        AGENT_QA_STATE=active
        AGENT_QA_AGENT_TRIGGER=qa
        AGENT_UX_STATE=active
        AGENT_UX_AGENT_TRIGGER=ux-design-expert
        STORY_STATE=active
        STORY_WORKFLOW_TRIGGER=story_development
        EPIC_STATE=active
        EPIC_WORKFLOW_TRIGGER=epic_creation
        """,
    ".synapse/config.toml": 'profile = "synapse-live"\n',
    ".synapse/global": "GLOBAL_RULE_0=Keep it short\n",
    ".synapse/agent-dev": "AGENT_DEV_RULE_0=Write the test first\n",
    ".synapse/agent-qa": "AGENT_QA_RULE_0=Run all checks\n",
    ".synapse/agent-ux": "AGENT_UX_RULE_0=Draw it first\n",
    ".synapse/story": "STORY_RULE_0=Phase development: write code\nSTORY_RULE_1=Phase qa: judge code\n",
    ".synapse/epic": "EPIC_RULE_0=Plan the epic\n",
    ".aiox-core/development/agents/dev.md": agent_file("dev", "Dex", "dev-develop-story"),
    ".aiox-core/development/agents/qa.md": agent_file("qa", "Quinn", "qa-gate", "qa-review-story"),
    ".aiox-core/development/tasks/dev-develop-story.md": task("Dex (Builder)"),
    ".aiox-core/development/tasks/qa-gate.md": task(),
    ".aiox-core/development/tasks/qa-review-story.md": task(),
    ".claude/agents/aiox-dev.md": "---\nname: aiox-dev\ndescription: Developer\n---\n",
    ".claude/agents/aiox-ux.md": "---\nname: aiox-ux\ndescription: Designer\n---\n",
    ".claude/agents/brad-frost.md": "---\nname: brad-frost\ndescription: Himself\n---\n",
    "docs/stories/STORY-1.1-sync.md": story("1.1", "Sync works"),
    "docs/stories/STORY-1.2-login.md": story("1.2", "Login works"),
    "docs/stories/STORY-42.md": "# Payment\n\n## Acceptance Criteria\n\n- [ ] Payment works\n",
}  # fmt: skip


@pytest.fixture
def client(tmp_path: Path) -> Scripted:
    return Scripted(write_tree(tmp_path / "tree", FILES))


def write(client: Scripted, **files: str) -> None:
    """Write files below the tree's root, a path for each."""
    write_tree(client.root, files)


def task_of(client: Scripted) -> dict[str, Any]:
    """What the session says of the task."""
    found: dict[str, Any] = client.document()["active_task"] or {}
    return {key: found[key] for key in ("id", "story", "agent") if found.get(key)}


def test_the_next_story_of_an_agent_ends_the_one_before(client: Scripted) -> None:
    client.prompt("@dev *develop 1.1")
    told = client.prompt("*develop 1.2")
    assert "Story: 1.2" in told
    assert "Login works" in told
    assert task_of(client) == {"id": "dev-develop-story", "story": "1.2", "agent": "dev"}
    for _ in range(12):
        assert "Sync works" not in client.prompt("go on")


def test_a_command_that_a_definition_binds_to_a_task_takes_it_up(client: Scripted) -> None:
    client.prompt("@dev *develop 1.1")
    told = client.prompt("@qa *qa-gate 1.2")
    assert "Active Task: qa-gate" in told
    assert "Login works" in told
    assert task_of(client) == {"id": "qa-gate", "story": "1.2", "agent": "qa"}
    assert "Active Task: qa-review-story" in client.prompt("*review 1.2")
    assert task_of(client)["id"] == "qa-review-story"


def test_a_task_is_told_to_the_agent_that_took_it_up(client: Scripted) -> None:
    client.prompt("@dev *develop 1.1")
    told = client.prompt("@ux-design-expert what do you think?")
    assert "no longer" in told
    assert "Executor: @ux-design-expert" not in told
    back = client.prompt("@dev go on")
    assert "Story: 1.1" in back
    assert "Sync works" in back


def test_the_executor_is_who_the_task_names_else_who_took_it_up(client: Scripted) -> None:
    assert "Executor: @dev (Agente)" in client.prompt("@qa *develop 1.1")
    assert "Executor: @qa (Agente)" in client.prompt("*gate 1.1")


@pytest.mark.parametrize(
    "written",
    ["STORY-1.2", "story 1.2", "1.2", "1.2 yolo", "story_1_2", "`1.2`", "the story 1.2, please",
     "docs/stories/STORY-1.2-login.md", "STORY-1.2-login", "--fast 1.2"],
)  # fmt: skip
def test_a_story_goes_by_its_id_however_it_is_written(client: Scripted, written: str) -> None:
    told = client.prompt(f"@dev *develop {written}")
    assert "Story: 1.2" in told
    assert "Login works" in told
    assert "Sync works" not in told


@pytest.mark.parametrize("written", ["9.9", "story", "the login story please", "1", "1.2.3"])
def test_a_word_that_is_no_story_is_no_story_and_that_is_said(
    client: Scripted, written: str
) -> None:
    told = client.prompt(f"@dev *develop {written}")
    assert "Story:" not in told
    assert "works" not in told
    assert told.count("No story answers to") == 1
    assert "story" not in task_of(client)
    assert "No story" not in client.prompt("go on")


@pytest.mark.parametrize("written", ["", "yolo", "please", "the rest now"])
def test_words_that_name_no_story_leave_the_one_that_is_worked_on(
    client: Scripted, written: str
) -> None:
    client.prompt("@dev *develop 1.2")
    assert "No story" not in client.prompt(f"*develop {written}".strip())
    assert task_of(client)["story"] == "1.2"


def test_a_story_without_an_id_is_called_by_its_file(client: Scripted) -> None:
    assert "Story: STORY-42" in client.prompt("@dev *develop 42")
    assert task_of(client)["story"] == "STORY-42"


def test_two_stories_of_one_name_are_named_and_neither_is_told(client: Scripted) -> None:
    write(
        client,
        **{
            "docs/stories/a/7.1.md": story("7.1", "A works"),
            "docs/stories/b/7.1.md": story("7.1", "B works"),
        },
    )
    told = client.prompt("@dev *develop 7.1")
    assert "Several stories answer to “7.1”" in told
    assert "works" not in told
    assert "B works" in client.prompt("*develop b/7.1.md")


def test_exit_ends_the_work_of_an_agent(client: Scripted) -> None:
    client.prompt("@dev *develop 1.2")
    told = client.prompt("*exit")
    assert "@dev's rules no longer apply" in told
    document = client.document()
    assert (document["active_agent"]["id"], document["active_task"]) == (None, None)
    assert "Login works" not in client.prompt("@dev hello again")


def test_a_task_ends_when_its_story_becomes_done(client: Scripted) -> None:
    client.prompt("@dev *develop 1.2")
    write(client, **{"docs/stories/STORY-1.2-login.md": story("1.2", "Login works", status="Done")})
    assert "TASK CONTEXT" in client.prompt("and now?")
    assert task_of(client) == {}


def test_work_on_a_story_that_was_done_before_stays(client: Scripted) -> None:
    write(client, **{"docs/stories/STORY-1.2-login.md": story("1.2", "Login works", status="Done")})
    client.prompt("@dev *develop 1.2")
    client.prompt("go on")
    assert task_of(client)["story"] == "1.2"


def test_a_state_file_that_moves_on_ends_the_task_and_tells_its_own(client: Scripted) -> None:
    write(client, **{STATE: state()})
    client.prompt("@dev *develop 1.1")
    assert task_of(client)["story"] == "1.1"
    write(client, **{STATE: state(agent="qa", phase="qa", task="qa-gate.md", story_id="1.1")})
    told = client.prompt("@qa go on")
    assert "judge code" in told
    assert "Active Task: qa-gate" in told
    assert task_of(client) == {}


def test_a_word_of_the_person_after_the_state_file_counts(client: Scripted) -> None:
    write(client, **{STATE: state(agent="qa", phase="qa", task="qa-gate.md", story_id="1.2")})
    assert "Active Task: qa-gate" in client.prompt("@qa hello")
    assert "Active Task: qa-review-story" in client.prompt("*review 1.1")
    assert task_of(client)["story"] == "1.1"
    client.prompt("go on")
    assert task_of(client)["story"] == "1.1"


@pytest.mark.parametrize("how", ["touched", "rewritten", "later stamp"])
def test_a_state_file_whose_values_are_the_same_says_nothing(client: Scripted, how: str) -> None:
    write(client, **{STATE: state()})
    client.prompt("@dev *develop 1.1")
    text = state()
    if how == "later stamp":
        text = text.replace("updated_at: '2026-01-01", "updated_at: '2031-05-05")
    elif how == "rewritten":
        text += "notes: a remark\n"
    write(client, **{STATE: text})
    client.prompt("go on")
    assert task_of(client)["story"] == "1.1"


def test_a_phase_of_the_same_agent_goes_on_with_the_task(client: Scripted) -> None:
    write(client, **{STATE: state(phase="planning")})
    client.prompt("@dev *develop 1.1")
    write(client, **{STATE: state(phase="development")})
    assert "PHASE: development" in client.prompt("go on")
    assert task_of(client)["story"] == "1.1"


def test_a_workflow_that_is_completed_ends_with_its_task(client: Scripted) -> None:
    write(client, **{STATE: state()})
    assert "write code" in client.prompt("@dev *develop 1.1")
    write(client, **{STATE: state(status="completed")})
    assert "no longer" in client.prompt("done")
    assert task_of(client) == {}


def test_other_work_in_a_state_file_does_not_displace_the_person(client: Scripted) -> None:
    write(client, **{STATE: state(story_id="1.1")})
    client.prompt("@dev *develop 1.1")
    write(
        client,
        **{OTHER_STATE: state(workflow="epic-creation", agent="pm", task="x.md", story_id="1.2")},
    )
    told = client.prompt("go on")
    assert "not by this session" in told
    assert task_of(client)["story"] == "1.1"
    assert "not by this session" not in client.prompt("go on")


def test_other_work_that_this_session_writes_displaces_the_person(client: Scripted) -> None:
    write(client, **{STATE: state(story_id="1.1")})
    client.prompt("@dev *develop 1.1")
    write(client, **{OTHER_STATE: state(workflow="epic-creation", agent="pm", story_id="1.2")})
    client.tool(str(client.root / OTHER_STATE))
    assert task_of(client) == {}
    assert "Plan the epic" in str(client.document())


@pytest.mark.parametrize(
    ("said", "agent"),
    [
        ("@dev go", "dev"), ("@aiox-dev go", "dev"), ("@agent-aiox-dev go", "dev"),
        ("@Quinn go", "qa"), ("@qa-helper go", "qa"), ("@aiox-ux go", "ux-design-expert"),
        ("@ux go", "ux-design-expert"), ("@brad-frost go", "brad-frost"), ("@aios-qa go", "qa"),
    ],
)  # fmt: skip
def test_an_agent_goes_by_every_name_it_has(client: Scripted, said: str, agent: str) -> None:
    client.prompt(said)
    assert client.document()["active_agent"]["id"] == agent


@pytest.mark.parametrize("kind", ["aiox-dev", "dev", "plugin:aiox-dev", "Dex"])
def test_a_sub_agent_of_the_framework_gets_its_agents_rules(client: Scripted, kind: str) -> None:
    client.prompt("@qa hello")
    told = client.send(hook_event.SUBAGENT_START, agent=kind, subagent="w1", prompt="do it")
    assert "Write the test first" in told
    assert "Run all checks" not in told


LEFT = """\
    ---
    version: 1.0
    session_id: the-one-before
    created_at: 2027-01-15T07:00:00.000Z
    reason: manual
    agent: dev
    workflow: story-development-cycle
    step: development
    task: dev-develop-story
    story: 1.1
    ---

    ## Decisions

    - Queue it

    ## Open items

    - Acceptance criterion: Sync works
    - Index the table
    """


@pytest.fixture
def left(client: Scripted) -> str:
    """What a session of this user has left."""
    remember_session(str(client.root), "the-one-before")
    return LEFT


def continuation(told: str) -> str:
    """The section that says where the work was left."""
    return told.partition("[CONTINUATION]")[2].partition("\n\n")[0]


def test_a_continuation_tells_what_was_noted_then_and_what_differs_now(
    client: Scripted, left: str
) -> None:
    write(client, **{".synapse/continuation/latest.md": left, STATE: state(phase="qa", agent="qa")})
    told = continuation(client.prompt("@dev *develop 1.2"))
    assert (
        "At work then: agent @dev, workflow story-development-cycle, phase development, "
        "task dev-develop-story, story 1.1"
    ) in told
    assert "Different now: phase qa; story 1.2" in told
    assert "Acceptance criteria open then (1): Sync works" in told
    assert "Decided: Queue it" in told
    assert "Open: Index the table" in told


def test_a_continuation_says_what_nobody_has_taken_up_again(client: Scripted, left: str) -> None:
    write(client, **{".synapse/continuation/latest.md": left})
    told = continuation(client.prompt("where were we?"))
    assert "story 1.1" in told
    assert "Different now: no agent is active; no workflow; no phase; no task; no story" in told


def test_a_continuation_of_the_same_work_names_no_difference(client: Scripted, left: str) -> None:
    done = story("1.1", "Sync works").replace("[ ]", "[x]")
    write(client, **{".synapse/continuation/latest.md": left, STATE: state(),
                     "docs/stories/STORY-1.1-sync.md": done})  # fmt: skip
    told = continuation(client.prompt("@dev *develop 1.1"))
    assert "Different now: ticked since: Sync works" in told


PATTERNS = """\
    workflows:
      story_development:
        description: Stories
        agent_sequence: [dev, qa]
        key_commands: [develop, review-qa, validate]
        trigger_threshold: 2
        transitions:
          development:
            trigger: "develop completed"
            confidence: 0.9
            greeting_message: Developed
            next_steps: []
    """


def test_a_workflow_that_the_commands_tell_wakes_its_rules(client: Scripted) -> None:
    write(client, **{".aiox-core/data/workflow-patterns.yaml": PATTERNS})
    assert "write code" not in client.prompt("@dev *validate 1.1")
    told = client.prompt("*develop 1.1")
    assert "[ACTIVE WORKFLOW: story_development]" in told
    assert "write code" in told
    assert "judge code" in told
    assert "no longer" not in client.prompt("go on")
    assert client.document()["detected_workflow"]["id"] == "story_development"


def test_a_workflow_of_a_state_file_goes_before_one_that_commands_tell(client: Scripted) -> None:
    write(client, **{".aiox-core/data/workflow-patterns.yaml": PATTERNS,
                     STATE: state(workflow="epic-creation")})  # fmt: skip
    client.prompt("@dev *validate 1.1")
    told = client.prompt("*develop 1.1")
    assert "[ACTIVE WORKFLOW: story_development]" not in told


@pytest.mark.parametrize(
    "said", ["hey @dev fix it", "olá @dev", "please activate @qa", "good morning, @aiox-dev!",
             "I would like you to switch to @qa now"],
)  # fmt: skip
def test_an_agent_that_is_called_and_not_activated_is_explained_once(
    client: Scripted, said: str
) -> None:
    told = client.prompt(said)
    assert "was not activated: a prompt that begins with @" in told
    assert client.document()["active_agent"]["id"] is None
    assert "not activated" not in client.prompt(said)


def test_an_agent_beside_the_one_that_the_client_has_chosen_is_explained_once(
    client: Scripted,
) -> None:
    text = client.prompt("@qa look at it", agent="aiox-dev")
    assert "[ACTIVE AGENT: @dev]" in text
    assert "@qa is not activated: outside of the prompt" in text
    assert "it is @dev that was chosen" in text
    assert client.prompt("@qa look at it", agent="aiox-dev") == ""
    assert "not activated" not in client.prompt("@dev go on", agent="aiox-dev")


@pytest.mark.parametrize(
    "said", ["ask @qa about it", "install @types/node", "mail me@dev.io", "what did @qa say?",
             "@dev hello", "the review by @qa is done", "is it done? tell @dev then"],
)  # fmt: skip
def test_who_is_only_spoken_of_is_not_explained(client: Scripted, said: str) -> None:
    assert "not activated" not in client.prompt(said)


DAY = 86_400.0


def test_a_session_that_is_resumed_after_a_day_names_what_differs(client: Scripted) -> None:
    write(client, **{STATE: state(phase="development")})
    client.prompt("@dev *develop 1.1")
    write(client, **{STATE: state(phase="qa", agent="qa")})
    told = client.prompt("good morning", later=DAY)
    assert "Since this session was last at work" in told
    assert "phase development then" in told
    assert "phase qa now" in told
    assert "last at work" not in client.prompt("go on", later=DAY)


def test_a_change_within_the_day_is_told_by_what_holds_alone(client: Scripted) -> None:
    write(client, **{STATE: state(phase="development")})
    client.prompt("@dev hello")
    write(client, **{STATE: state(phase="qa", agent="qa")})
    assert "last at work" not in client.prompt("go on")


def test_a_sub_agents_commands_change_its_own_window_only(client: Scripted) -> None:
    client.prompt("@dev *develop 1.1")
    told = client.send(
        hook_event.SUBAGENT_START, agent="aiox-qa", subagent="w1", prompt="*qa-gate 1.2 now"
    )
    assert "Login works" in told
    assert task_of(client) == {"id": "dev-develop-story", "story": "1.1", "agent": "dev"}
    write(client, **{".synapse/global": "GLOBAL_RULE_0=Keep it shorter\n"})
    later = client.tool("x.py", subagent="w1", agent="aiox-qa")
    assert "Keep it shorter" in later
    assert "TASK" not in later
    assert "Sync works" not in client.prompt("go on")
