"""New names for agents, workflows, squads, star-commands and tasks; and what holds for all renames."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.edits.rename_plans import RENAMES
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.storage.edit_application import apply_plan, plan_diff
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import MOVE, EditPlan, FileEdit, edit_file
from synapse_ls.workspace.naming_conventions import snake_case
from synapse_ls.workspace.rule_tree import Tree
from tests.edits.support import MANIFEST, refusal, result, text_of
from tests.engine.blocks import block
from tests.support import examples
from tests.trees import Files, tree_of, write_tree

AGENT = ".claude/agents/dev.md"
WORKFLOWS = ".aiox-core/development/workflows"
SQUAD = "squads/etl-squad"
TREE: Files = {
    MANIFEST: """\
        GLOBAL_STATE=active
        COMMANDS_STATE=active
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        LOAD_STATE=active
        LOAD_WORKFLOW_TRIGGER=nightly_load
        TESTING_STATE=active
        TESTING_RECALL=unit test
        """,
    ".synapse/global": "GLOBAL_RULE_0=Ask @dev, and say *brief to be brief\n",
    ".synapse/agent-dev": "# From .claude/agents/dev.md\nDEV_AUTH_0=NEVER push\nAGENT_DEV_RULE_0=Test\n",
    ".synapse/load": "NIGHTLY_LOAD_RULE_0=Phase one: check the counts\nLOAD_RULE_1=Keep a log\n",
    ".synapse/testing": "TESTING_RULE_0=One behaviour per test\n",
    ".synapse/commands": "# [*brief] COMMAND:\nCOMMANDS_RULE_BRIEF_0=Bullet points only\n",
    ".synapse/config.toml": '[lint.per_path]\n"squads/etl-squad/**" = ["SYN9"]\n',
    AGENT: "---\nname: dev\n---\n",
    f"{WORKFLOWS}/nightly-load.yaml": (
        "workflow:\n  id: nightly-load\n  sequence:\n"
        "    - {step: one, agent: dev, phase: one, task: count-rows.md}\n"
    ),
    ".aiox-core/development/tasks/count-rows.md": "---\ntask: Count\nresponsavel: '@dev'\n---\n",
    ".aiox/n-state.yaml": (
        "workflow_id: nightly-load\nworkflow_name: N\ninstance_id: n\ntarget_context: core\n"
        "started_at: '2026-01-01T00:00:00Z'\nupdated_at: '2026-01-01T00:00:00Z'\nstatus: active\n"
        "squad_name: etl-squad\ncurrent_step_index: 0\n"
        "steps: [{phase: one, agent: dev, action: a, status: pending}]\n"
    ),
    f"{SQUAD}/squad.yaml": (
        "name: etl-squad\nversion: 1.0.0\ncomponents:\n  agents: [loader.md]\nconfig: {extends: extend}\n"
    ),
    f"{SQUAD}/agents/loader.md": "```yaml\nagent:\n  id: etl-loader\n```\n",
    f"{SQUAD}/.synapse/manifest": """\
        ETL_EXTENDS=extend
        ETL_PIPELINE_STATE=active
        ETL_PIPELINE_RECALL=pipeline
        STORE_STATE=active
        STORE_RECALL=store
        """,
    f"{SQUAD}/.synapse/etl-pipeline": "ETL_PIPELINE_RULE_0=Validate on both sides\n",
    f"{SQUAD}/.synapse/store": "ETL_STORE_RULE_0=Write once\n",
}  # fmt: skip
NAMES = (
    ("domain", "TESTING"),
    ("domain", "AGENT_DEV"),
    ("domain", "ETL_STORE"),
    ("agent", "dev"),
    ("agent", "etl-loader"),
    ("workflow", "nightly-load"),
    ("squad", "etl-squad"),
    ("command", "brief"),
    ("task", "count-rows"),
)
WORDS = st.from_regex(r"[a-z][a-z0-9]{2,9}", fullmatch=True)


def contents(tree: Tree) -> dict[str, str]:
    return {path: text_of(tree, path) for path in tree.snapshot.paths()}


def findings(tree: Tree) -> list[str]:
    return sorted(found.code for found in lint_tree(tree))


def blocks(tree: Tree) -> list[str]:
    plan = compile_plan(tree, "root")
    return [
        block(plan, prompt, agent=agent, workflow="nightly-load").text
        for prompt in ("a unit test of the pipeline store", "*brief", "")
        for agent in ("", *sorted(tree.agents))
    ]


def new_label(tree: Tree, family: str, old: str, new: str) -> str:
    """What a renamed object goes by."""
    if family != "domain":
        return new
    squad = tree.domains_by_label[old].squad
    return f"ETL_{new.upper()}" if squad else new.upper()


@settings(deadline=None, max_examples=examples(60))
@given(st.sampled_from(NAMES), WORDS, WORDS)
def test_there_and_back_gives_the_same_bytes(name: tuple[str, str], one: str, two: str) -> None:
    family, old = name
    # A name of several words can be spelled in two ways, one of a single word cannot.
    new = f"{one}-{two}" if "-" in old else one
    if old == "AGENT_DEV":
        new = f"agent-{one}"
    tree = tree_of(TREE)
    try:
        renamed = tree_after(tree, RENAMES[family](tree, old, new))
    except UserError:
        assume(False)
    back_to = old.removeprefix("ETL_") if family == "domain" else old
    label = new_label(tree, family, old, new.replace("-", "_") if family == "domain" else new)
    back = tree_after(renamed, RENAMES[family](renamed, label, back_to))
    assert contents(back) == contents(tree)
    assert findings(renamed) == findings(tree)


@pytest.mark.parametrize(("family", "old"), NAMES)
def test_the_rules_stay_what_they_were(family: str, old: str) -> None:
    tree = tree_of(TREE)
    spelled = {"agent": "zz-top", "squad": "zz-squad", "workflow": "zz-top"}.get(family, "zz")
    renamed = tree_after(tree, RENAMES[family](tree, old, spelled))
    rules = sorted(rule.text for domain in tree.domains for rule in tree.rules_of(domain))
    now = sorted(rule.text for domain in renamed.domains for rule in renamed.rules_of(domain))
    sign = {"agent": "@", "command": "*"}.get(family, "#")
    assert now == sorted(rule.replace(sign + old, sign + spelled) for rule in rules)


def test_the_block_is_the_same_but_for_the_name() -> None:
    tree = tree_of(TREE)
    now = blocks(tree_after(tree, RENAMES["domain"](tree, "TESTING", "checks")))
    assert now == [text.replace("TESTING", "CHECKS") for text in blocks(tree)]
    assert any("CHECKS" in text for text in now)


def test_an_agent_is_renamed_wherever_it_is_named() -> None:
    tree = result(TREE, lambda t: RENAMES["agent"](t, "dev", "builder"))
    assert text_of(tree, ".claude/agents/builder.md") == "---\nname: builder\n---\n"
    assert "AGENT_DEV_AGENT_TRIGGER=builder\n" in text_of(tree, MANIFEST)
    assert text_of(tree, ".synapse/global").startswith("GLOBAL_RULE_0=Ask @builder, ")
    assert text_of(tree, ".synapse/agent-dev").startswith("# From .claude/agents/builder.md\nDEV_")
    assert "agent: builder" in text_of(tree, f"{WORKFLOWS}/nightly-load.yaml")
    assert "'@builder'" in text_of(tree, ".aiox-core/development/tasks/count-rows.md")
    assert "agent: builder" in text_of(tree, ".aiox/n-state.yaml")


def test_a_task_that_hands_over_to_the_agent_names_it_anew() -> None:
    path = ".aiox-core/development/tasks/review.md"
    handoff = (
        "# Review\n\nAsk @dev\n\n## Handoff\nnext_agent: @dev\nalternatives:\n"
        "  - agent: @dev, command: *apply, condition: It fails\n  - agent: @dev-ops, command: *x\n"
    )
    tree = result({**TREE, path: handoff}, lambda t: RENAMES["agent"](t, "dev", "builder"))
    assert text_of(tree, path) == handoff.replace("agent: @dev\n", "agent: @builder\n").replace(
        "agent: @dev,", "agent: @builder,"
    )


def test_keys_that_carry_the_agents_name_follow_it() -> None:
    files = {
        MANIFEST: "AGENT_UX_STATE=active\nAGENT_UX_AGENT_TRIGGER=designer\n",
        ".synapse/agent-ux": "DESIGNER_RULE_0=a\nUX_RULE_1=b\n",
    }
    tree = result(files, lambda t: RENAMES["agent"](t, "designer", "artist"))
    assert text_of(tree, ".synapse/agent-ux") == "ARTIST_RULE_0=a\nUX_RULE_1=b\n"


def test_a_file_that_is_called_otherwise_keeps_its_name() -> None:
    tree = result(TREE, lambda t: RENAMES["agent"](t, "etl-loader", "etl-reader"))
    assert "id: etl-reader" in text_of(tree, f"{SQUAD}/agents/loader.md")
    assert "loader.md" in text_of(tree, f"{SQUAD}/squad.yaml")


def test_a_workflow_is_renamed_in_the_spelling_of_each_place() -> None:
    tree = result(TREE, lambda t: RENAMES["workflow"](t, "nightly-load", "daily-load"))
    assert "LOAD_WORKFLOW_TRIGGER=daily_load\n" in text_of(tree, MANIFEST)
    assert text_of(tree, ".synapse/load").startswith("DAILY_LOAD_RULE_0=Phase one")
    assert "id: daily-load" in text_of(tree, f"{WORKFLOWS}/daily-load.yaml")
    assert text_of(tree, ".aiox/n-state.yaml").startswith("workflow_id: daily-load\n")


FRAMEWORK: Files = {
    MANIFEST: "W_STATE=active\nW_WORKFLOW_TRIGGER=story_development\n",
    ".synapse/w": "W_RULE_0=Keep it up to date\n",
    ".aiox/s-state.yaml": "workflow_id: story-development-cycle\nstatus: active\nsteps: []\n",
}


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, '[workflow.aliases]\nship_cycle = "story_development"\n'),
        ("devmode = true\n", 'devmode = true\n\n[workflow.aliases]\nship_cycle = "story_development"\n'),
        ("[workflow.aliases]\nx = 'y'\n", "[workflow.aliases]\nship_cycle = \"story_development\"\nx = 'y'\n"),
        ("[workflow.aliases]\nstory-development-cycle = 'y'\n", "[workflow.aliases]\nship-cycle = 'y'\n"),
    ],
)  # fmt: skip
def test_a_workflow_keeps_the_rules_that_the_framework_knows_it_by(
    config: str | None, expected: str
) -> None:
    files = {**FRAMEWORK, **({".synapse/config.toml": config} if config else {})}
    tree = result(files, lambda t: RENAMES["workflow"](t, "story-development-cycle", "ship-cycle"))
    assert text_of(tree, ".synapse/config.toml") == expected


def test_a_workflow_can_go_back_to_the_name_that_the_framework_knows() -> None:
    there = result(FRAMEWORK, lambda t: RENAMES["workflow"](t, "story-development-cycle", "ship"))
    back = tree_after(there, RENAMES["workflow"](there, "ship", "story-development-cycle"))
    assert text_of(back, ".aiox/s-state.yaml") == FRAMEWORK[".aiox/s-state.yaml"]
    meant = {snake_case(k): v for k, v in back.snapshot.config.workflow.aliases.items()}
    assert meant == {"story_development_cycle": "story_development"}


def test_a_workflow_that_the_framework_leads_to_is_not_renamed() -> None:
    refused = refusal(FRAMEWORK, lambda t: RENAMES["workflow"](t, "story_development", "shipping"))
    assert "story_development_cycle as story_development" in refused.sentence


def test_a_squad_is_renamed_with_its_folder_and_its_prefix() -> None:
    tree = result(TREE, lambda t: RENAMES["squad"](t, "etl-squad", "data-squad"))
    home = "squads/data-squad"
    assert text_of(tree, f"{home}/squad.yaml").startswith("name: data-squad\n")
    assert text_of(tree, f"{home}/.synapse/manifest") == (
        "DATA_EXTENDS=extend\nDATA_PIPELINE_STATE=active\nDATA_PIPELINE_RECALL=pipeline\n"
        "STORE_STATE=active\nSTORE_RECALL=store\n"
    )
    assert text_of(tree, f"{home}/.synapse/data-pipeline").startswith("DATA_PIPELINE_RULE_0=")
    assert text_of(tree, f"{home}/.synapse/store").startswith("DATA_STORE_RULE_0=")
    assert "squad_name: data-squad" in text_of(tree, ".aiox/n-state.yaml")
    assert '"squads/data-squad/**"' in text_of(tree, ".synapse/config.toml")
    assert not tree.snapshot.paths_under(SQUAD)
    assert {"DATA_PIPELINE", "DATA_STORE"} <= set(tree.domains_by_label)


def test_a_squads_own_name_for_itself_stays_where_it_is_another() -> None:
    files = {**TREE, f"{SQUAD}/squad.yaml": "name: loaders\nversion: 1.0.0\n"}
    tree = result(files, lambda t: RENAMES["squad"](t, "etl-squad", "data-squad"))
    assert text_of(tree, "squads/data-squad/squad.yaml") == files[f"{SQUAD}/squad.yaml"]


def test_a_command_is_renamed_in_headers_keys_and_text() -> None:
    tree = result(TREE, lambda t: RENAMES["command"](t, "*brief", "short"))
    assert text_of(tree, ".synapse/commands") == (
        "# [*short] COMMAND:\nCOMMANDS_RULE_SHORT_0=Bullet points only\n"
    )
    assert text_of(tree, ".synapse/global").endswith("say *short to be brief\n")


def test_a_command_in_the_keys_of_carl_is_renamed() -> None:
    files = {**TREE, ".synapse/commands": "BRIEF_RULE_0=a\nBRIEF_RULE_1=b\n"}
    tree = result(files, lambda t: RENAMES["command"](t, "brief", "in-short"))
    assert text_of(tree, ".synapse/commands") == "IN_SHORT_RULE_0=a\nIN_SHORT_RULE_1=b\n"


def test_a_task_is_renamed_with_what_names_its_file() -> None:
    tree = result(TREE, lambda t: RENAMES["task"](t, "count-rows", "count-all"))
    assert "task: count-all.md" in text_of(tree, f"{WORKFLOWS}/nightly-load.yaml")
    assert tree.tasks["count-all"] == ".aiox-core/development/tasks/count-all.md"


@pytest.mark.parametrize(
    ("family", "old", "new", "says"),
    [
        ("agent", "dev", "etl-loader", "already defines the agent"),
        ("agent", "dev", "Dev Ops", "cannot name an agent"),
        ("agent", "nobody", "somebody", 'There is no agent "nobody"'),
        ("workflow", "nightly-load", "sdc", "another name of story_development"),
        ("squad", "etl-squad", "x" * 60, "at most 50"),
        ("squad", "nobody", "x", 'There is no squad "nobody"'),
        ("command", "brief", "synapse-x", "answered by Synapse itself"),
        ("command", "nothing", "x", "There is no star-command *nothing"),
        ("task", "count-rows", "../x", "cannot name a task"),
        ("agent", "dev", "null", "YAML reads that word as a value"),
        ("workflow", "nightly-load", "true", "YAML reads that word as a value"),
        ("task", "count-rows", "no", "YAML reads that word as a value"),
        ("squad", "etl-squad", "on", "YAML reads that word as a value"),
    ],
)
def test_what_cannot_be_is_refused(family: str, old: str, new: str, says: str) -> None:
    assert says in refusal(TREE, lambda t: RENAMES[family](t, old, new)).sentence


def test_a_label_that_another_domain_has_is_refused() -> None:
    files = {**TREE, "squads/web-squad/.synapse/manifest": "STORE_STATE=active\n"}
    refused = refusal(files, lambda t: RENAMES["squad"](t, "web-squad", "etl"))
    assert "already declares ETL_STORE, as which WEB_STORE would be known" in refused.sentence


def test_a_prefix_that_a_domain_carries_by_chance_is_refused() -> None:
    refused = refusal(TREE, lambda t: RENAMES["squad"](t, "etl-squad", "store"))
    assert "has a domain STORE" in refused.sentence


def test_a_file_in_the_way_is_refused() -> None:
    files = {**TREE, ".claude/agents/builder.md": "---\nname: other\n---\n"}
    refused = refusal(files, lambda t: RENAMES["agent"](t, "dev", "builder"))
    assert ".claude/agents/builder.md already exists" in refused.sentence


def test_a_folder_moves_with_all_that_is_in_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"squads/a/notes.txt": "n", "squads/a/squad.yaml": "name: a\n"})
    plan = EditPlan(
        (
            edit_file("squads/a/squad.yaml", "name: a\n", [TextEdit(Span(6, 7), "b")]),
            FileEdit("squads/a", MOVE, (), target="squads/b"),
        )
    )
    assert "rename from squads/a\nrename to squads/b\n" in plan_diff(plan)
    apply_plan(root, plan)
    assert (root / "squads/b/squad.yaml").read_text() == "name: b\n"
    assert (root / "squads/b/notes.txt").read_text() == "n"
    assert not (root / "squads/a").exists()


def test_a_folder_in_the_way_stays_and_nothing_is_written(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"squads/a/x": "1", "squads/b/y": "2"})
    with pytest.raises(UserError, match="squads/b already exists"):
        apply_plan(root, EditPlan((FileEdit("squads/a", MOVE, (), target="squads/b"),)))
    assert (root / "squads/a/x").read_text() == "1"
