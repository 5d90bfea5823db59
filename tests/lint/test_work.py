"""Workflows, their states, tasks, stories and agents, and the rules that wait for them."""

from __future__ import annotations

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Severity
from tests.lint.clean import findings
from tests.support import corpus
from tests.trees import tree_of

CORE = ".aiox-core/development"
WORKFLOW = f"{CORE}/workflows/release.yaml"
AGENTS = {".claude/agents/dev.md": "---\nname: dev\n---\n"}
TASKS = {f"{CORE}/tasks/cut-release.md": "# Cut\n"}
STEPS = """\
    workflow:
      id: release-train
      sequence:
        - {phase: 1, name: Preparation}
        - {id: freeze, agent: dev}
        - {step: tag, agent: dev}
    """


def state(workflow: str = "release_train", *, status: str = "active", steps: str = "") -> str:
    return (
        f"workflow_id: {workflow}\ninstance_id: r-1\nstatus: {status}\ncurrent_step_index: 1\n"
        f"steps: [{steps or '{}, {agent: dev}, {agent: dev}'}]\n"
    )


def running(text: str, *codes: str, definition: str = STEPS) -> list[str]:
    return findings({WORKFLOW: definition, ".aiox/r-state.yaml": text, **AGENTS}, select=codes)


@pytest.mark.parametrize("status", ["active", "paused"])
def test_a_state_of_no_workflow_is_reported(status: str) -> None:
    assert running(state("relaese_train", status=status), "SYN703") == ["SYN703 relaese_train"]


@pytest.mark.parametrize("status", ["completed", "aborted"])
def test_what_is_over_may_have_lost_its_workflow(status: str) -> None:
    assert running(state("old", status=status), "SYN703") == []


@pytest.mark.parametrize(
    ("alias", "found"),
    [
        ('nightly = "relaese_train"', ["SYN703 relaese_train"]),
        ('nightly = "release-train"', []),
        ('release_train = "nightly"', []),
    ],
)
def test_an_alias_has_to_lead_to_a_workflow(alias: str, found: list[str]) -> None:
    config = {".synapse/config.toml": f"[workflow.aliases]\n{alias}\n"}
    assert findings({**config, WORKFLOW: STEPS}, select=["SYN703"]) == found
    assert findings(config, select=["SYN703"]) == []


def test_an_alias_is_a_workflow() -> None:
    config = {".synapse/config.toml": '[workflow.aliases]\nnightly = "release-train"\n'}
    files = {WORKFLOW: STEPS, ".aiox/r-state.yaml": state("nightly"), **config}
    assert findings(files, select=["SYN703"]) == []


def test_without_any_workflow_none_is_unknown() -> None:
    assert findings({".aiox/r-state.yaml": state("x")}, select=["SYN703"]) == []


def test_an_instance_mirrors_its_definition() -> None:
    assert running(state(), "SYN711") == []


@pytest.mark.parametrize(
    "steps", ["{agent: dev}, {agent: dev}", "{}, {agent: qa}, {agent: dev}", "{}, {}, {agent: qa}"]
)
def test_an_instance_of_other_steps_is_reported_at_them(steps: str) -> None:
    assert running(state(steps=steps), "SYN711") == ["SYN711 steps"]


def test_only_the_current_steps_agent_is_compared() -> None:
    assert running(state(steps="{}, {agent: dev}, {agent: qa}"), "SYN711") == []
    assert running(state(steps="{}, {}, {}, {agent: qa}", status="paused"), "SYN711") == []


def step(agent: str) -> list[str]:
    definition = f"workflow:\n  id: w\n  sequence:\n    - {{id: a, agent: {agent}}}\n"
    files = {"squads/s/workflows/w.yaml": definition, "squads/s/squad.yaml": "name: s\n", **AGENTS}
    return findings(files, select=["SYN704"])


@pytest.mark.parametrize(
    "agent", ["dev", '"@dev"', "core:dev", "Dev", "dev/qa", "system", "various", "'${x.y}'", "null"]
)
def test_a_step_may_name_an_agent_in_many_ways_or_nobody(agent: str) -> None:
    assert step(agent) == []


def test_an_unknown_agent_is_mended_within_what_stands_around_it() -> None:
    definition = 'workflow:\n  id: w\n  sequence:\n    - {id: a, agent: "@dve"}\n'
    files = {"squads/s/workflows/w.yaml": definition, "squads/s/squad.yaml": "name: s\n", **AGENTS}
    (found,) = lint_tree(tree_of(files), select=["SYN704"])
    assert found.fix
    ((_, edit),) = found.fix.edits
    assert (edit.span.cut(definition), edit.new_text) == ("dve", "dev")


def test_an_agent_that_a_squad_lists_or_whose_file_is_called_so_is_known() -> None:
    files = {
        "squads/s/workflows/w.yaml": (
            "workflow:\n  id: w\n  sequence:\n    - {agent: loader}\n    - {agent: builder}\n"
        ),
        "squads/s/squad.yaml": "name: s\ncomponents: {agents: [loader.md]}\n",
        "squads/s/agents/builder.md": "---\nname: bob\n---\n",
    }
    assert findings(files, select=["SYN704"]) == []


def test_of_an_instance_only_the_steps_that_are_to_be_done_of_an_active_one_count() -> None:
    steps = "{agent: ghost}, {agent: spook}, {agent: wraith}"
    assert running(state(steps=steps), "SYN704") == ["SYN704 spook", "SYN704 wraith"]
    assert running(state(steps=steps, status="completed"), "SYN704") == []


def test_without_any_agent_none_is_unknown() -> None:
    files = {"squads/s/workflows/w.yaml": "workflow:\n  id: w\n  sequence: [{agent: x}]\n"}
    files["squads/s/squad.yaml"] = "name: s\n"
    assert findings(files, select=["SYN704"]) == []


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("cut-release.md", []),
        ('"cut_release.md"', []),
        ("tasks/cut-release.md", []),
        ("develop", []),
        ("cut-relaese.md", ["SYN712 cut-relaese.md"]),
    ],
)
def test_the_task_file_of_a_step_has_to_exist(task: str, expected: list[str]) -> None:
    definition = f"workflow:\n  id: w\n  sequence:\n    - {{id: a, task: {task}}}\n"
    files = {"squads/s/workflows/w.yaml": definition, "squads/s/squad.yaml": "name: s\n"}
    assert findings({**files, **TASKS}, select=["SYN712"]) == expected
    assert findings(files, select=["SYN712"]) == []


CHAINS = "docs/chains.yaml"
COMMANDS = {
    ".claude/agents/dev.md": "# dev\n\n```yaml\nagent: {id: dev}\ncommands:\n  - build {x}: Build\n```\n",
    ".claude/agents/qa.md": "---\nname: qa\n---\n",
    f"{CORE}/tasks/cut-release.md": "# Cut\n",
}


def chained(step: str, *codes: str) -> list[str]:
    files = {
        ".synapse/config.toml": f'[paths]\nchains = ["{CHAINS}"]\n',
        CHAINS: f"workflows:\n  - id: w\n    chain:\n      - {step}\n",
        **COMMANDS,
    }
    return findings(files, select=codes or ["SYN704", "SYN712", "SYN715", "SYN716"])


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ('{step: 1, agent: "@dev", command: "*build {id}", task: cut-release.md}', []),
        ('{step: 1, agent: dev, command: "*BUILD"}', []),
        (
            '{step: 1, agent: qa, command: "*whatever"}',
            [],
        ),  # a definition that lists none says nothing
        ('{step: 1, agent: "@dve", command: "*build"}', ["SYN704 dve"]),
        ('{step: 1, agent: dev, command: "*build", task: cut.md}', ["SYN712 cut.md"]),
        ('{step: 1, agent: dev, command: "*biuld {id}"}', ["SYN716 biuld"]),
        (
            "{agent: dev, command: build, alternatives: [{agent: ghost, command: b}, {agent: dev, command: c}]}",
            ["SYN704 ghost", "SYN716 c"],
        ),
        ('{step: 1, command: "*build"}', ["SYN715 step"]),
    ],
)
def test_the_steps_of_a_chain_have_to_exist(step: str, expected: list[str]) -> None:
    assert chained(step) == expected


def test_a_misspelt_command_of_a_step_is_mended_within_its_field() -> None:
    text = "workflows:\n  - {id: w, chain: [{agent: dev, command: '*biuld {id}'}]}\n"
    config = {".synapse/config.toml": f'[paths]\nchains = ["{CHAINS}"]\n'}
    (found,) = lint_tree(tree_of({**config, CHAINS: text, **COMMANDS}), select=["SYN716"])
    assert found.fix
    ((_, edit),) = found.fix.edits
    assert (edit.span.cut(text), edit.new_text) == ("biuld", "build")


def test_a_chain_makes_its_workflow_known_and_no_other_unknown() -> None:
    chain = "workflows:\n  - {id: release-train, chain: []}\n"
    config = {".synapse/config.toml": f'[paths]\nchains = ["{CHAINS}"]\n'}
    files = {**config, CHAINS: chain, ".aiox/r-state.yaml": state("release_train")}
    assert (
        findings({**files, WORKFLOW: STEPS.replace("release-train", "x")}, select=["SYN703"]) == []
    )
    assert findings({**files, ".aiox/r-state.yaml": state("else")}, select=["SYN703"]) == []


def phases(rule: str, *, definition: str = STEPS, config: str = "") -> list[str]:
    files = {
        ".synapse/manifest": "W_STATE=active\nW_WORKFLOW_TRIGGER=release_train\n",
        ".synapse/w": f"W_RULE_0={rule}\nW_RULE_1={rule} again\n",
        ".synapse/config.toml": config,
        WORKFLOW: definition,
    }
    return findings(files, select=["SYN206"])


@pytest.mark.parametrize("name", ["freeze", "tag", "TAG", "preparation"])
def test_a_phase_is_known_by_id_step_or_name(name: str) -> None:
    assert phases(f"Phase {name}: Be quick.") == []


def test_an_unknown_phase_is_reported_once_and_mended() -> None:
    assert phases("Phase freze: Be quick.") == ["SYN206 freze"]


def test_a_phase_of_the_configuration_is_known() -> None:
    config = '[workflow.phases.release-train]\nfreeze = "stop"\n'
    assert phases("Phase stop: Be quick.", config=config) == []


def test_a_definition_without_steps_is_no_evidence() -> None:
    empty = "workflow: {id: release-train, sequence: []}\n"
    assert phases("Phase freze: Be quick.", definition=empty) == []


def test_the_frameworks_own_phases_are_known() -> None:
    rules = "W_RULE_0=Phase qa_review: Test.\nW_RULE_1=Phase in_development: Build.\n"
    workflows = corpus() / "aiox" / f"{CORE}/workflows"
    files = {
        ".synapse/manifest": "W_STATE=active\nW_WORKFLOW_TRIGGER=story_development\n",
        ".synapse/w": rules,
        **{
            f"{CORE}/workflows/{path.name}": path.read_text(encoding="utf-8")
            for path in workflows.glob("*.yaml")
        },
    }
    assert findings(files, select=["SYN206"]) == []


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        ("in_devlopment", ["SYN206 in_devlopment"]),
        ("in-development", []),
        ("completed", []),
        ("our_own", []),
    ],
)
def test_without_a_definition_a_misspelt_phase_of_the_framework_is_known(
    phase: str, expected: list[str]
) -> None:
    files = {
        ".synapse/manifest": "W_STATE=active\nW_WORKFLOW_TRIGGER=story_development\n",
        ".synapse/w": f"W_RULE_0=Phase {phase}: Build.\n",
    }
    assert findings(files, select=["SYN206"]) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Draft", []),
        ("Ready for Review ✅", []),
        ("Em andamento", []),
        ("{{status}}", []),
        ("Almost there", ["SYN708 Almost there"]),
    ],
)
def test_a_status_has_to_say_where_the_story_stands(status: str, expected: list[str]) -> None:
    story = {"docs/stories/1.md": f"# Story 1: A\n\n**Status:** {status}\n"}
    assert findings(story, select=["SYN708"]) == expected


@pytest.mark.parametrize(
    "name",
    ["EPIC-KCC.md", "epics/SPRINT-ROADMAP.md", "architecture/ADR-1-stack.md", "STORY-BACKLOG.md"],
)
def test_what_stands_beside_stories_has_words_of_its_own(name: str) -> None:
    page = {f"docs/stories/{name}": "# Something else\n\n**Status:** Aceite\n"}
    assert findings(page, select=["SYN708"]) == []


def test_a_page_about_stories_is_none() -> None:
    text = "# Story Numbering\n\n**Status:** Research\n\n# Story 1: An example\n"
    assert findings({"docs/stories/NUMBERS.md": text}, select=["SYN708"]) == []


@pytest.mark.parametrize("name", ["1.1.story.md", "story-login.md", "1.1-login.md"])
def test_a_story_is_known_by_its_file_too(name: str) -> None:
    page = {f"docs/stories/{name}": "# Login\n\n**Status:** Almost there\n"}
    assert findings(page, select=["SYN708"]) == ["SYN708 Almost there"]


@pytest.mark.parametrize("status", ["Cancelled", "❌ Superseded by 1.2", "Cancelada", "DECLINED"])
def test_a_story_that_was_called_off_stands_nowhere(status: str) -> None:
    story = {"docs/stories/1.md": f"# Story 1: A\n\n**Status:** {status}\n"}
    assert findings(story, select=["SYN708"]) == []


@pytest.mark.parametrize("text", ["", "## Status: Scaffolded\n\n> **Before it:**\n> 1. A key\n"])
def test_a_story_without_a_status_is_no_finding(text: str) -> None:
    story = {"docs/stories/1.md": f"# Story 1: A\n\n{text}"}
    assert findings(story, select=["SYN708"]) == []


def assigned(text: str) -> list[str]:
    story = {"docs/stories/1.md": f"# Story 1: A\n\n{text}\n", **AGENTS}
    return findings(story, select=["SYN713", "SYN714"])


@pytest.mark.parametrize(
    "text",
    [
        "**Executor:** @dev",
        "**Executor:** Maria",
        "**Executor:** @{agent}",
        "**Executor:** `@dev` (Dex)",
        "**Quality Gate:** @dev",
        "```yaml\nexecutor: '@dev'\nquality_gate: Maria\n```",
    ],
)
def test_a_story_may_be_given_to_a_known_agent_or_to_a_person(text: str) -> None:
    assert assigned(text) == []


def test_an_assigned_agent_that_is_not_there_is_reported() -> None:
    assert assigned("**Executor:** @Dve") == ["SYN713 Dve"]
    assert assigned('```yaml\nexecutor: "@dev"\nquality_gate: "@qua"\n```') == ["SYN713 qua"]


def test_a_gate_that_is_the_executor_is_reported() -> None:
    assert assigned("**Executor:** @dev\n**Quality Gate:** dev") == ["SYN714 dev"]


def agent(path: str, text: str) -> list[str]:
    return findings({path: text, "squads/s/squad.yaml": "name: s\n"}, select=["SYN709"])


def test_the_name_of_a_file_is_the_id_of_a_squads_agent() -> None:
    assert agent("squads/s/agents/dev.md", "# Dev\n\n**ID:** dev\n") == []
    assert agent("squads/s/agents/dev.md", "# Dev\n") == []


def test_claude_code_asks_an_agent_to_say_who_it_is() -> None:
    path = ".claude/agents/dev.md"
    assert agent(path, "# Dev\n") == ["SYN709 # Dev"]
    assert agent(path, "---\nname: dev\ndescription: Builds.\n---\n") == []
    assert agent(path, "```yaml\nagent:\n  id: dev\n```\n") == []


@pytest.mark.parametrize(
    "description",
    ["", "description:\n", "description: |\n", "description: >-\n\n", 'description: ""\n'],
)
def test_claude_code_asks_an_agent_when_to_use_it(description: str) -> None:
    text = f"---\nname: dev\n{description}---\n"
    assert agent(".claude/agents/dev.md", text) == ["SYN709 ---"]


@pytest.mark.parametrize("mark", ["", " |", " >-"])
def test_an_agent_is_described_below_the_key(mark: str) -> None:
    text = (
        f"---\nname: dev\ndescription:{mark}\n\n  Builds.\n---\n```yaml\nagent:\n  id: dev\n```\n"
    )
    assert agent(".claude/agents/dev.md", text) == []


def test_a_definition_below_front_matter_does_not_hide_its_description() -> None:
    definition = "```yaml\nagent:\n  id: dev\n```\n"
    front = "---\nname: dev\ndescription: Builds.\n---\n"
    assert agent(".claude/agents/dev.md", front + definition) == []


# As Claude Code 2.1.330 offered agents with such front matter.
@pytest.mark.parametrize(
    "line",
    [
        "description: Use this: always",
        "description: @team plans",
        "description: *all* of it",
        "description: {a} b",
        "description: [a",
        "description: - a: b",
        'description: "a" this: b',
        "description: |a",
        "description: a\nargument-hint: [a] [b]",
        "description: a: b\ntools:\n\t- Read",
        "description: one\ndescription: a: b",
    ],
)
def test_front_matter_that_claude_code_reads_all_the_same_has_no_finding(line: str) -> None:
    path, text = ".claude/agents/dev.md", f"---\nname: dev\n{line}\n---\nText.\n"
    assert lint_tree(tree_of({path: text})) == ()


@pytest.mark.parametrize(
    "line",
    [
        'description: "a" b',
        'description: "a" and "b"',
        'description: "a',
        "description: 'it's a'",
        'description: "a \\d"',
        "description: - a",
        "description: ends with:",
        "description: a\n  b: c",
        "description: a\nno pair",
        "description: >-\n  a\ncolor: a: b",
        "description: a\nskills:\n  - *b",
        "description: a\nkey2: b: c",
        "color: no: description",
    ],
)
def test_front_matter_that_claude_code_refuses_is_an_error(line: str) -> None:
    path, text = ".claude/agents/dev.md", f"---\nname: dev\n{line}\n---\nText.\n"
    (finding, *_) = lint_tree(tree_of({path: text}), select=["SYN117"])
    assert finding.severity is Severity.ERROR
    assert "so Claude Code does not offer this agent" in finding.message


def test_claude_code_refuses_front_matter_with_crlf_that_it_reads_with_lf() -> None:
    text = "---\r\nname: dev\r\ndescription: a: b\r\n---\r\nText.\r\n"
    (finding,) = lint_tree(tree_of({".claude/agents/dev.md": text}), select=["SYN117"])
    assert finding.severity is Severity.ERROR


def test_front_matter_above_a_definition_is_checked_too() -> None:
    text = "---\nname: dev\ndescription: 'a\n---\n```yaml\nagent:\n  id: dev\n```\n"
    (finding,) = lint_tree(tree_of({".claude/agents/dev.md": text}), select=["SYN117"])
    assert "so Claude Code does not offer this agent" in finding.message


@pytest.mark.parametrize(
    ("stem", "name"), [("@x", "x"), ("7-up", "'7-up'"), ("no", "'no'"), ("x", "x")]
)
def test_the_name_that_is_advised_is_valid_yaml(stem: str, name: str) -> None:
    (found,) = lint_tree(tree_of({f".claude/agents/{stem}.md": "# A\n"}), select=["SYN709"])
    assert f"`name: {name}`" in found.remedy


@pytest.mark.parametrize(
    ("stem", "head"),
    [
        ("PLAN", "# Plano de Implementação\n\n**Agente:** Planner  \n**Data:** 2026-02-12  \n"),
        ("rollout", "# Rollout\n\n- **Date**: 12/02/2026\n"),
        ("audit", "# Audit\n\nFecha: 12 de febrero de 2026\n"),
        ("explorer-report", "# What the explorer found\n"),
        ("relatório", "# O que foi visto\n"),
    ],
)
def test_a_report_that_lies_among_the_agents_is_none(stem: str, head: str) -> None:
    assert agent(f".claude/agents/{stem}.md", head) == []


@pytest.mark.parametrize(
    ("stem", "head"),
    [
        ("planner", "# Planner\n\nWrite the date as 2026-02-12.\n"),
        ("report-writer", "# Agent: writer of reports\n"),
        ("dev", f"# Dev\n{'Text.' * 40}\n" + "\n" * 30 + "**Date:** 2026-02-12\n"),
    ],
)
def test_an_agent_may_speak_of_dates_and_reports(stem: str, head: str) -> None:
    assert agent(f".claude/agents/{stem}.md", head) == ["SYN709 " + head.partition("\n")[0]]


def test_front_matter_makes_an_agent_of_a_report() -> None:
    (found,) = lint_tree(
        tree_of({".claude/agents/report.md": "---\ntools: Read\n---\nDate: 2026-02-12\n"}),
        select=["SYN709"],
    )
    assert "no `name`" in found.message


def test_elsewhere_a_file_may_be_an_agents_name() -> None:
    config = {".synapse/config.toml": '[paths]\nagents = ["team"]\n', "docs/stories/x.md": ""}
    assert findings(config, select=["SYN709"]) == []


def executor(value: str) -> list[str]:
    task = f"---\ntask: load()\nresponsavel_type: {value}\n---\n"
    files = {"squads/s/tasks/load.md": task, "squads/s/squad.yaml": "name: s\n", **AGENTS}
    files[".claude/agents/po.md"] = "---\nname: po\n---\n"
    return findings(files, select=["SYN710"])


@pytest.mark.parametrize(
    "value",
    [
        "Agente",
        "agent",
        "Worker (cron)",
        "Humano",
        "hybrid",
        '"@qa"',
        "dev",
        "dev + po",
        "",
        "{type}",
    ],
)
def test_known_executors_agents_and_gaps_are_no_finding(value: str) -> None:
    assert executor(value) == []


def test_an_unknown_executor_is_reported() -> None:
    assert executor("Robot") == ["SYN710 Robot"]


@pytest.mark.parametrize(
    "body",
    ["**Acceptance criteria**\n\n- [ ] Done\n", "## Post-Conditions\n\n- [ ] Done\n"],
)
def test_a_task_with_criteria_or_post_conditions_is_complete(body: str) -> None:
    files = {"squads/s/tasks/load.md": f"# Load\n\n{body}", "squads/s/squad.yaml": "name: s\n"}
    assert findings(files, select=["SYN707"]) == []


def test_a_task_without_either_is_reported_when_asked() -> None:
    files = {"squads/s/tasks/load.md": "# Load\n", "squads/s/squad.yaml": "name: s\n"}
    assert findings(files, select=["SYN7"]) == []
    assert findings(files, select=["SYN707"]) == ["SYN707 # Load"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("{}/agents/{}.md", "---\nname: same\n---\n"),
        ("{}/workflows/{}.yaml", "workflow: {{id: same, sequence: []}}\n"),
    ],
)
def test_an_id_is_given_once_in_a_folder(path: str, text: str) -> None:
    text = text.replace("{{", "{").replace("}}", "}")
    files = {path.format("squads/s", name): text for name in ("a", "b")}
    (found,) = lint_tree(tree_of({**files, "squads/s/squad.yaml": "name: s\n"}), select=["SYN204"])
    assert (found.path, found.related[0].path) == tuple(sorted(files, reverse=True))
    assert found.span.cut(text) == "same"


def test_of_two_files_with_an_id_the_one_that_has_it_as_its_name_comes_first() -> None:
    text = "---\nname: dev\n---\n"
    files = {f"squads/s/agents/{name}.md": text for name in ("dev 2", "dev")}
    tree = tree_of({**files, "squads/s/squad.yaml": "name: s\n"})
    (found,) = lint_tree(tree, select=["SYN204"])
    assert found.path == "squads/s/agents/dev 2.md"
    assert tree.agents["dev"] == "squads/s/agents/dev.md"


def test_files_whose_names_differ_in_spelling_only_are_one_task() -> None:
    files = {f"squads/s/tasks/{name}.md": "# Load\n" for name in ("load-it", "load_it")}
    found = findings({**files, "squads/s/squad.yaml": "name: s\n"}, select=["SYN204"])
    assert found == ["SYN204 # Load"]


def test_copies_in_other_folders_may_share_an_id() -> None:
    files = {f"{CORE}/agents/dev.md": "```yaml\nagent:\n  id: dev\n```\n", **AGENTS}
    files["squads/s/agents/dev.md"] = "---\nname: dev\n---\n"
    assert findings({**files, "squads/s/squad.yaml": "name: s\n"}, select=["SYN204"]) == []


@pytest.mark.parametrize("text", ["", "# Rules for tests\n", "\n\n"])
def test_a_file_without_a_rule_leaves_its_domain_empty(text: str) -> None:
    files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": text}
    assert [found[:6] for found in findings(files, select=["SYN207"])] == ["SYN207"]
    files[".synapse/manifest"] = "X_STATE=inactive\n"
    assert findings(files, select=["SYN207"]) == []


def test_a_built_in_file_that_nobody_declared_may_be_empty() -> None:
    files = {".synapse/manifest": "", ".synapse/commands": "# Commands\n"}
    assert findings(files, select=["SYN207"]) == []


def test_a_line_that_was_meant_as_a_rule_is_reported_itself() -> None:
    files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": "X_RULE_0=\n"}
    assert findings(files, select=["SYN207"]) == []


def test_an_agent_that_exists_only_as_a_domain_is_not_unknown_to_a_step() -> None:
    steps = "workflow:\n  id: w\n  sequence:\n    - {id: a, agent: keeper}\n    - {id: b, agent: ghost}\n"
    files = {
        ".synapse/manifest": "X_STATE=active\nX_AGENT_TRIGGER=keeper\n",
        ".synapse/x": "- a\n",
        ".claude/agents/dev.md": "---\nname: dev\n---\n",
        "squads/s/squad.yaml": "name: s\n",
        "squads/s/workflows/w.yaml": steps,
    }
    assert findings(files, select=["SYN704"]) == ["SYN704 ghost"]


ASTRAY = """\
workflow:
  id: page
  sequence:
    - {id: a, agent: client_dev}
    - {id: b, agent: design_system_curator}
    - {id: c, agent: boss}
    - {id: d, agent: nobody_at_all}
"""


def test_agents_that_a_squad_has_outside_agents_are_one_finding() -> None:
    squad = "name: s\norchestrator: boss\nagents: [strategy/client_dev, x/design_system_curator]\n"
    files = {"squads/s/workflows/w.yaml": ASTRAY, "squads/s/squad.yaml": squad, **AGENTS}
    astray, unknown = lint_tree(tree_of(files), select=["SYN704"])
    assert (
        astray.message
        == "`squad.yaml` names `client_dev`, but the squad's `agents/` has no definition of it, "
        "so this step and 2 steps after it activate no agent's rules."
    )
    assert astray.fix is None
    assert len(astray.related) == 2
    assert "`nobody_at_all`" in unknown.message


def test_no_step_is_given_to_an_agent_whose_name_only_shares_a_word() -> None:
    files = {"squads/s/workflows/w.yaml": ASTRAY, "squads/s/squad.yaml": "name: s\n", **AGENTS}
    found = lint_tree(tree_of(files), select=["SYN704"])
    assert [d.fix for d in found] == [None] * 4
    assert "`client_dev`" in found[0].message


def test_the_remedy_for_an_unknown_executor_is_one_of_the_four() -> None:
    files = {
        "squads/s/squad.yaml": "name: s\n",
        "squads/s/tasks/t.md": "---\ntask: t()\nresponsavel_type: robot\n---\n",
    }
    (found,) = lint_tree(tree_of(files), select=["SYN710"])
    assert found.remedy == "Write one of Agente, Worker, Humano, Clone."
