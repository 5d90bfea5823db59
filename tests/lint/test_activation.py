"""Keywords, agents and workflows that a manifest waits for."""

from __future__ import annotations

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from tests.engine.blocks import block
from tests.lint.clean import findings
from tests.trees import plan_of, tree_of

X = {".synapse/x": "X_RULE_0=a\n"}
DEV = {".claude/agents/dev-lead.md": "---\nname: dev-lead\ndescription: Leads.\n---\n"}
LOAD = {".aiox-core/development/workflows/w.yaml": "workflow: {id: load-data, sequence: []}\n"}
PATTERNS = {".aiox-core/data/workflow-patterns.yaml": "workflows:\n  story_development: {}\n"}


TRIGGERS = ("SYN302", "SYN303", "SYN304", "SYN305")


def in_manifest(text: str, **other: dict[str, str]) -> list[str]:
    files = {".synapse/manifest": f"X_STATE=active\n{text}", **X}
    for more in other.values():
        files |= more
    return findings(files, select=TRIGGERS)


@pytest.mark.parametrize(
    ("recall", "exclude", "shadowed"),
    [
        ("unit test", "test", ["unit test"]),
        ("test", "test", ["test"]),
        ("Código", "codigo", ["Código"]),
        ("unit  test", "UNIT TEST", ["unit  test"]),
        ("latest, test", "test", ["test"]),
        ("test", "unit test", []),
        ("c++ code", "c++", ["c++ code"]),
        ("src/.git", ".git", ["src/.git"]),
        ("tests", "test", []),
        ("", "test", []),
    ],
)
def test_a_keyword_is_shadowed_where_the_matcher_always_finds_the_exclusion(
    recall: str, exclude: str, shadowed: list[str]
) -> None:
    expected = [f"SYN302 {word}" for word in shadowed]
    assert in_manifest(f"X_RECALL={recall}\nX_EXCLUDE={exclude}\n") == expected
    assert in_manifest(f"GLOBAL_EXCLUDE={exclude}\nX_RECALL={recall}\n") == expected


def test_substring_matching_shadows_within_words() -> None:
    config = {".synapse/config.toml": "matching = 'substring'\n"}
    assert in_manifest("X_RECALL=latest\nX_EXCLUDE=test\n", config=config) == ["SYN302 latest"]


def test_a_keyword_is_not_deleted_for_an_exclusion_inside_of_its_word() -> None:
    config = {".synapse/config.toml": "matching = 'substring'\n"}
    manifest = "X_STATE=active\nX_RECALL=voicemail, phone\nX_EXCLUDE=email\n"
    (found,) = lint_tree(tree_of({".synapse/manifest": manifest, **X, **config}), select=TRIGGERS)
    assert (found.code, found.fix) == ("SYN302", None)


def test_the_deletion_of_a_shadowed_keyword_is_for_a_person_to_say() -> None:
    manifest = "X_STATE=active\nX_RECALL=unit test, phone\nX_EXCLUDE=test\n"
    (found,) = lint_tree(tree_of({".synapse/manifest": manifest, **X}), select=TRIGGERS)
    assert found.fix
    assert not found.fix.safe


def test_the_exclusion_of_another_domain_shadows_nothing() -> None:
    files = {
        ".synapse/manifest": "X_STATE=active\nX_RECALL=test\nY_STATE=active\nY_EXCLUDE=test\n",
        ".synapse/y": "Y_RULE_0=a\n",
        **X,
    }
    assert findings(files, select=TRIGGERS) == []


def test_a_global_exclusion_of_the_root_shadows_in_squads_but_not_the_other_way() -> None:
    files = {
        ".synapse/manifest": "GLOBAL_EXCLUDE=draft\nX_STATE=active\nX_RECALL=a sketch\n",
        "squads/s/.synapse/manifest": "GLOBAL_EXCLUDE=sketch\nP_STATE=active\nP_RECALL=a draft\n",
        "squads/s/.synapse/p": "P_RULE_0=a\n",
        **X,
    }
    (found,) = lint_tree(tree_of(files), select=TRIGGERS)
    assert (found.code, found.path) == ("SYN302", "squads/s/.synapse/manifest")
    assert [related.path for related in found.related] == [".synapse/manifest"]


def test_a_domain_that_is_switched_off_has_no_shadowed_keywords() -> None:
    files = {".synapse/manifest": "X_STATE=inactive\nX_RECALL=test\nX_EXCLUDE=test\n", **X}
    assert findings(files) == []


@pytest.mark.parametrize("trigger", ["dev-lead", "dev_lead", "DEV-LEAD"])
def test_an_agent_is_known_in_any_spelling(trigger: str) -> None:
    assert in_manifest(f"X_AGENT_TRIGGER={trigger}\n", agents=DEV) == []


def test_without_any_agent_no_trigger_is_unknown() -> None:
    assert in_manifest("X_AGENT_TRIGGER=ghost\n") == []


@pytest.mark.parametrize(
    ("trigger", "meant"),
    [("dve", "dev"), ("analist", "analyst"), ("ux-desing-expert", "ux-design-expert")],
)
def test_without_any_agent_a_misspelt_one_of_the_framework_is_known(
    trigger: str, meant: str
) -> None:
    files = {".synapse/manifest": f"X_STATE=active\nX_AGENT_TRIGGER={trigger}\n", **X}
    (found,) = lint_tree(tree_of(files), select=TRIGGERS)
    assert (found.code, found.remedy) == ("SYN303", f"Write `{meant}`.")


@pytest.mark.parametrize("trigger", ["des", "rev", "pa", "dev", "DevOps", "frontend-dev", "@qa"])
def test_without_any_agent_another_name_is_no_misspelling(trigger: str) -> None:
    assert in_manifest(f"X_AGENT_TRIGGER={trigger}\n") == []


@pytest.mark.parametrize("trigger", ["dev,qa", "@dev, @qa", "dev; qa", "dev|qa"])
def test_a_domain_waits_for_one_id(trigger: str) -> None:
    assert in_manifest(f"X_AGENT_TRIGGER={trigger}\n") == [f"SYN303 {trigger}"]
    assert in_manifest(f"X_WORKFLOW_TRIGGER={trigger}\n") == [f"SYN304 {trigger}"]


def test_of_a_list_of_ids_those_are_named_that_bring_nothing_in() -> None:
    manifest = "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev, qa\n"
    files = {".synapse/manifest": manifest, ".synapse/agent-dev": "- a\n"}
    (found,) = lint_tree(tree_of(files), select=TRIGGERS)
    assert found.message == "Only one agent can stand here, so `@qa` does not activate AGENT_DEV."
    assert "1. a" in block(plan_of(files), "@dev go").text


def test_an_agent_by_which_a_domain_is_called_all_the_same_is_not_unknown() -> None:
    files = {
        ".synapse/manifest": "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dve\n",
        ".synapse/agent-dev": "- a\n",
    }
    assert findings(files, select=TRIGGERS) == []


def test_the_at_sign_of_a_mention_is_no_part_of_the_id() -> None:
    assert in_manifest("X_AGENT_TRIGGER=@dev-lead\n", agents=DEV) == []
    plan = plan_of({".synapse/manifest": "X_AGENT_TRIGGER=@dev\n", **X})
    assert plan.agents["dev"] == "dev"


def test_an_unknown_agent_is_reported_with_the_one_that_was_meant() -> None:
    files = {".synapse/manifest": "X_STATE=active\nX_AGENT_TRIGGER=dev-laed\n", **X, **DEV}
    (found,) = lint_tree(tree_of(files))
    assert (found.code, found.remedy) == ("SYN303", "Write `dev-lead`.")


def test_an_agent_that_a_squad_lists_is_known_in_the_squad() -> None:
    files = {
        "squads/s/squad.yaml": "name: sq\nversion: 1.0.0\ncomponents: {agents: [loader.md]}\n",
        "squads/s/.synapse/manifest": "P_STATE=active\nP_AGENT_TRIGGER=loader\n",
        "squads/s/.synapse/p": "P_RULE_0=a\n",
        **DEV,
    }
    assert findings(files, select=["SYN3"]) == []


@pytest.mark.parametrize("trigger", ["ghost", "aios-dev-lead", "agent-dev-lead"])
def test_an_agent_that_a_mention_brings_is_not_unknown(trigger: str) -> None:
    assert in_manifest(f"X_AGENT_TRIGGER={trigger}\n", agents=DEV) == []
    files = {".synapse/manifest": f"X_STATE=active\nX_AGENT_TRIGGER={trigger}\n", **X, **DEV}
    assert "1. a" in block(plan_of(files), f"@{trigger} go").text


@pytest.mark.parametrize("trigger", ["story_development", "epic_creation", "architecture_review"])
def test_names_of_the_frameworks_workflows_are_known_where_a_squad_has_workflows(
    trigger: str,
) -> None:
    assert in_manifest(f"X_WORKFLOW_TRIGGER={trigger}\n", workflows=LOAD) == []


def test_a_domain_that_is_switched_off_waits_for_nobody() -> None:
    files = {".synapse/manifest": "X_STATE=inactive\nX_AGENT_TRIGGER=ghost\n", **X, **DEV}
    assert findings(files) == []


@pytest.mark.parametrize("trigger", ["load-data", "load_data", "Load-Data"])
def test_a_workflow_is_known_in_any_spelling(trigger: str) -> None:
    assert in_manifest(f"X_WORKFLOW_TRIGGER={trigger}\n", workflows=LOAD) == []


def test_the_ids_of_workflow_patterns_are_known() -> None:
    trigger = "X_WORKFLOW_TRIGGER=story_development\n"
    assert in_manifest(trigger, workflows=LOAD, patterns=PATTERNS) == []


@pytest.mark.parametrize("trigger", ["story_development", "sdc"])
def test_the_frameworks_own_names_of_a_workflow_are_known(trigger: str) -> None:
    cycle = {
        ".aiox-core/development/workflows/c.yaml": (
            "workflow: {id: story-development-cycle, sequence: []}\n"
        )
    }
    assert in_manifest(f"X_WORKFLOW_TRIGGER={trigger}\n", workflows=cycle) == []


def test_an_alias_of_the_configuration_is_known() -> None:
    config = {".synapse/config.toml": "[workflow.aliases]\nload_data = 'nightly'\n"}
    assert in_manifest("X_WORKFLOW_TRIGGER=nightly\n", workflows=LOAD, config=config) == []


def test_a_workflow_in_progress_is_known_without_a_definition() -> None:
    state = {
        ".aiox/a-state.yaml": (
            "workflow_id: nightly\nworkflow_name: n\ninstance_id: a\ntarget_context: core\n"
            "started_at: a\nupdated_at: b\nstatus: active\ncurrent_step_index: 0\n"
            "steps: [{agent: dev, status: pending}]\n"
        )
    }
    found = in_manifest("X_WORKFLOW_TRIGGER=nightly\n", workflows=LOAD, states=state)
    assert not [code for code in found if code.startswith("SYN304")]


def test_without_any_workflow_no_trigger_is_unknown() -> None:
    assert in_manifest("X_WORKFLOW_TRIGGER=ghost\n") == []


@pytest.mark.parametrize(
    ("trigger", "found"),
    [
        ("story_developement", ["SYN304 story_developement"]),
        ("story-development", []),
        ("story_deployment", []),
        ("nightly", []),
    ],
)
def test_without_any_workflow_a_misspelt_one_of_the_framework_is_known(
    trigger: str, found: list[str]
) -> None:
    assert in_manifest(f"X_WORKFLOW_TRIGGER={trigger}\n") == found


def test_two_domains_on_one_agent_are_reported_at_the_second() -> None:
    files = {
        ".synapse/manifest": (
            "X_STATE=active\nX_AGENT_TRIGGER=dev-lead\nY_STATE=active\nY_AGENT_TRIGGER=dev_lead\n"
        ),
        ".synapse/y": "Y_RULE_0=a\n",
        **X,
    }
    assert findings(files) == ["SYN305 dev_lead"]


@pytest.mark.parametrize("off", ["X", "Y"])
def test_a_domain_that_is_switched_off_shares_no_trigger(off: str) -> None:
    manifest = "X_STATE=active\nX_AGENT_TRIGGER=dev\nY_STATE=active\nY_AGENT_TRIGGER=dev\n"
    files = {
        ".synapse/manifest": manifest.replace(f"{off}_STATE=active", f"{off}_STATE=inactive"),
        ".synapse/y": "Y_RULE_0=a\n",
        **X,
    }
    assert findings(files) == []


def test_a_squad_may_add_to_an_agent_of_the_root() -> None:
    files = {
        ".synapse/manifest": "X_STATE=active\nX_AGENT_TRIGGER=dev\n",
        "squads/s/.synapse/manifest": "P_STATE=active\nP_AGENT_TRIGGER=dev\n",
        "squads/s/.synapse/p": "P_RULE_0=a\n",
        **X,
    }
    assert findings(files) == []


def test_a_squad_may_have_a_domain_called_constitution() -> None:
    files = {
        "squads/s/.synapse/manifest": "CONSTITUTION_STATE=inactive\n",
        "squads/s/.synapse/constitution": "CONSTITUTION_RULE_ART1_0=A (MUST)\n",
    }
    assert findings(files) == []


@pytest.mark.parametrize(
    ("lines", "dormant"),
    [
        ("X_STATE=active\n", True),
        ("X_RECALL=\nX_AGENT_TRIGGER=\n", True),
        ("X_RECALL=,\n", True),
        ("X_ALWAYS_ON=false\n", True),
        ("X_EXCLUDE=a\n", True),
        ("X_RECALL=a\n", False),
        ("X_PATHS=src/**\n", False),
        ("X_AGENT_TRIGGER=dev\n", False),
        ("X_WORKFLOW_TRIGGER=w\n", False),
        ("X_EVERY_N_TURNS=3\n", False),
        ("X_ON_TOKENS=3\n", False),
        ("X_ALWAYS_ON=yes\n", False),
        ("X_STATE=inactive\n", False),
        ("X_RECAL=a\n", False),
        ("x_recall=a\nX_STATE=active\n", False),
        ("GLOBAL_STATE=active\nX_RECALL=a\n", False),
        ("Y_STATE=active\nX_RECALL=a\n", False),
    ],
)
def test_a_domain_with_rules_that_nothing_can_wake_is_reported(lines: str, dormant: bool) -> None:
    files = {".synapse/manifest": lines, ".synapse/global": "GLOBAL_RULE_0=a\n", **X}
    assert findings(files, select=["SYN312"]) == (["SYN312 X"] if dormant else [])


def test_a_squad_brings_its_domains_in_by_itself() -> None:
    files = {
        "squads/s/.synapse/manifest": "P_STATE=active\n",
        "squads/s/.synapse/p": "P_RULE_0=a\n",
    }
    assert findings(files, select=["SYN312"]) == []


def test_of_a_domain_that_nothing_can_wake_nobody_says_that_it_is_injected() -> None:
    rules = "X_RULE_0=TODO\nOTHER_RULE_0=a\nDOMAIN_RULE_0=b\n"
    files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": rules}
    said = [d.message for d in lint_tree(tree_of(files)) if d.code != "SYN312"]
    assert not [message for message in said if "injected" in message]


@pytest.mark.parametrize(
    ("manifest", "marked"),
    [
        ("TESTNG_RECALL=a\nTESTING_STATE=active\n", ["SYN201 TESTNG"]),
        ("TESTNG_RECALL=a\nTESTING_RECALL=b\n", ["SYN201 TESTNG"]),
        ("TESTNG_STATE=active\nTESTING_STATE=active\n", ["SYN201 TESTNG", "SYN312 TESTING"]),
    ],
)
def test_a_misspelt_name_is_told_apart_from_a_domain_without_a_file(
    manifest: str, marked: list[str]
) -> None:
    files = {".synapse/manifest": manifest, ".synapse/testing": "TESTING_RULE_0=a\n"}
    found = [f for f in findings(files, select=["SYN201", "SYN312"]) if f.startswith("SYN")]
    assert found == marked
