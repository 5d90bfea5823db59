"""Where a definition leads from each part of a tree."""

from __future__ import annotations

from tests.ide.views import SQUAD, STATE, check_targets
from tests.trees import TEAM

MANIFEST = ".synapse/manifest"
DEV = {**TEAM, ".claude/agents/dev.md": "---\nname: dev\n---\n"}


def test_a_manifest_key_leads_to_the_first_rule_of_its_domain() -> None:
    check_targets(MANIFEST, "«TESTING_RECALL»=a\n", (".synapse/testing", "TESTING_RULE_0"))


def test_a_key_of_a_shared_squad_file_leads_to_the_first_rule_of_its_own() -> None:
    files = {
        **SQUAD,
        "squads/etl-squad/.synapse/rules": "LOAD_RULE_0=a\nSTORE_RULE_0=b\n",
    }
    check_targets(
        "squads/etl-squad/.synapse/manifest",
        "LOAD_STATE=active\n«STORE_STATE»=active\n",
        ("squads/etl-squad/.synapse/rules", "STORE_RULE_0"),
        files=files,
    )


def test_a_rule_key_leads_to_the_declaration_of_its_domain() -> None:
    check_targets(".synapse/testing", "«TESTING_RULE_0»=a\n", (MANIFEST, "TESTING"))


def test_the_rule_key_of_a_squad_leads_to_the_manifest_of_the_squad() -> None:
    check_targets(
        "squads/etl-squad/.synapse/pipeline",
        "«PIPELINE_RULE_0»=a\n",
        ("squads/etl-squad/.synapse/manifest", "PIPELINE"),
        files={**TEAM, **SQUAD},
    )


def test_an_agent_trigger_leads_to_the_definition_of_the_agent() -> None:
    check_targets(
        MANIFEST,
        "AGENT_DEV_AGENT_TRIGGER=«dev»\n",
        (".claude/agents/dev.md", "dev"),
        files=DEV,
    )


def test_a_workflow_trigger_leads_to_the_definition_of_the_workflow() -> None:
    path = ".aiox-core/development/workflows/w.yaml"
    files = {**TEAM, path: "workflow:\n  id: story_development\n  sequence: []\n"}
    check_targets(
        MANIFEST,
        "W_WORKFLOW_TRIGGER=«story_development»\n",
        (path, "story_development"),
        files=files,
    )


def test_a_workflow_state_leads_to_the_definition_and_to_the_domain() -> None:
    path = ".aiox-core/development/workflows/w.yaml"
    definition = "workflow:\n  id: story-development-cycle\n  sequence: []\n"
    check_targets(
        ".aiox/a-state.yaml",
        STATE.replace("story-development-cycle\n", "«story-development-cycle»\n", 1),
        (path, "story-development-cycle"),
        (MANIFEST, "story_development"),
        files={**TEAM, path: definition},
    )


def test_the_agent_of_a_step_leads_to_its_definition() -> None:
    check_targets(
        ".aiox/a-state.yaml",
        STATE.replace("agent: dev,", "agent: «dev»,"),
        (".claude/agents/dev.md", "dev"),
        files=DEV,
    )


def test_a_component_of_a_squad_leads_to_its_file() -> None:
    check_targets(
        "squads/etl-squad/squad.yaml",
        "name: etl-squad\nversion: 1.0.0\ncomponents:\n  agents:\n    - «loader.md»\n",
        ("squads/etl-squad/agents/loader.md", ""),
        files={**SQUAD, "squads/etl-squad/agents/loader.md": "# Loader\n"},
    )


def test_a_component_never_leads_out_of_its_squad() -> None:
    text = "name: etl-squad\nversion: 1.0.0\ncomponents:\n  templates:\n    - «../../x»\n"
    check_targets("squads/etl-squad/squad.yaml", text, files=SQUAD)


def test_a_mention_of_a_star_command_leads_to_its_definition() -> None:
    check_targets(
        ".synapse/global", "GLOBAL_RULE_0=Say «*brief» often\n", (".synapse/commands", "brief")
    )


def test_a_mention_of_an_agent_leads_to_its_definition() -> None:
    check_targets(
        ".synapse/global",
        "GLOBAL_RULE_0=Ask @«dev» first\n",
        (".claude/agents/dev.md", "dev"),
        files=DEV,
    )


def test_a_definition_leads_to_itself() -> None:
    path = ".claude/agents/dev.md"
    check_targets(path, "---\nname: «dev»\n---\n", (path, "dev"))


def test_the_agent_of_a_task_and_of_a_story_leads_to_its_definition() -> None:
    definition = (".claude/agents/dev.md", "dev")
    task = "---\ntask: Build\nresponsavel: '@«dev»'\n---\n"
    check_targets(".aiox-core/development/tasks/b.md", task, definition, files=DEV)
    check_targets("docs/stories/s.md", "# S\n\n**Executor:** @«dev»\n", definition, files=DEV)


def test_a_task_leads_to_its_story_and_a_step_to_its_task() -> None:
    task = ".aiox-core/development/tasks/build.md"
    check_targets(
        task,
        "---\ntask: Build\nstory: «login»\n---\n",
        ("docs/stories/login.md", ""),
        files={**TEAM, "docs/stories/login.md": "# Login\n"},
    )
    flow = "workflow:\n  id: w\n  sequence:\n    - {step: a, agent: qa, task: «build».md}\n"
    path = ".aiox-core/development/workflows/w.yaml"
    check_targets(path, flow, (task, ""), files={**TEAM, task: "# Build\n"})


def test_a_file_that_a_rule_or_a_story_names_is_led_to() -> None:
    files = {**TEAM, ".aiox-core/constitution.md": "# C\n"}
    check_targets(
        ".synapse/global",
        "GLOBAL_RULE_0=See «.aiox-core/constitution.md»\n",
        (".aiox-core/constitution.md", ""),
        files=files,
    )
    check_targets("docs/stories/s.md", "# S\n\n## File List\n\n- `«src/a.ts»`\n", ("src/a.ts", ""))


def test_emphasis_is_no_mention() -> None:
    check_targets(".synapse/plain", "say «*loudly*» so\n", files={})


def test_a_path_of_the_configuration_leads_to_the_folder() -> None:
    check_targets(
        ".synapse/config.toml", '[paths]\nagents = [«"docs/agents/"»]\n', ("docs/agents", "")
    )


def test_a_step_without_a_known_agent_leads_nowhere() -> None:
    check_targets(".aiox/a-state.yaml", STATE.replace("agent: dev,", "agent: «dev»,"))
