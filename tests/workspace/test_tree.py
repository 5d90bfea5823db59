"""The resolved view: domains and their files, squads, agents, workflows."""

from __future__ import annotations

import pytest

from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from tests.workspace.trees import facts_of, state, tree_of, workflow


def test_domains_come_in_the_order_of_the_manifest() -> None:
    tree = tree_of({".synapse/manifest": "QA_STATE=active\nDEV_STATE=active\nQA_RECALL=x\n"})
    assert [(d.name, d.position) for d in tree.domains] == [("QA", 0), ("DEV", 1)]


@pytest.mark.parametrize(
    "present",
    [
        [
            "agent-dev",
            "agent_dev",
            "agent-dev.env",
            "agent_dev.env",
            "agent-dev.md",
            "agent_dev.md",
        ],
        ["agent_dev", "agent-dev.env", "agent-dev.md"],
        ["agent-dev.env", "agent_dev.env", "agent-dev.md"],
        ["agent_dev.env", "agent-dev.md"],
        ["agent-dev.md", "agent_dev.md"],
        ["agent_dev.md"],
    ],
)
def test_a_domain_is_served_by_the_best_file_there_is(present: list[str]) -> None:
    files: dict[str, str | None] = {f".synapse/{name}": "- a\n" for name in present}
    tree = tree_of({".synapse/manifest": "AGENT_DEV_STATE=active\n", **files})
    assert tree.domains[0].file == f".synapse/{present[0]}"
    assert tree.orphan_files == tuple(sorted(f".synapse/{name}" for name in present[1:]))


def test_a_domain_without_a_file_has_none() -> None:
    tree = tree_of({".synapse/manifest": "DEV_STATE=active\n"})
    assert (tree.domains[0].file, tree.rules_of(tree.domains[0])) == (None, ())


def test_the_manifest_does_not_serve_a_domain_of_its_name() -> None:
    tree = tree_of({".synapse/manifest": "MANIFEST_STATE=active\n"})
    assert tree.domains[0].file is None


def test_built_in_files_are_domains_without_a_manifest() -> None:
    tree = tree_of(
        {
            f".synapse/{name}": ""
            for name in ("commands", "context.md", "global", "constitution", "testing")
        }
    )
    assert [(d.name, d.file, d.builtin, d.declaration) for d in tree.domains] == [
        ("CONSTITUTION", ".synapse/constitution", True, None),
        ("GLOBAL", ".synapse/global", True, None),
        ("CONTEXT", ".synapse/context.md", True, None),
        ("COMMANDS", ".synapse/commands", True, None),
    ]
    assert tree.orphan_files == (".synapse/testing",)


def test_a_built_in_file_that_the_manifest_does_not_mention_follows_the_declared_domains() -> None:
    tree = tree_of(
        {
            ".synapse/manifest": "DEV_STATE=active\nGLOBAL_STATE=inactive\n",
            ".synapse/global": "",
            ".synapse/constitution": "",
        }
    )
    assert [(d.name, d.position, d.builtin, d.is_active) for d in tree.domains] == [
        ("DEV", 0, False, True),
        ("GLOBAL", 1, True, False),
        ("CONSTITUTION", 2, True, True),
    ]


def test_a_built_in_domain_in_another_case_is_not_there_twice() -> None:
    tree = tree_of(
        {
            ".synapse/manifest": "Commands_STATE=active\n",
            ".synapse/commands": "COMMANDS_RULE_BRIEF_0=a\n",
        }
    )
    assert [(domain.name, domain.builtin) for domain in tree.domains] == [("Commands", True)]
    assert [command.name for command in tree.commands] == ["brief"]


def test_the_rules_of_a_domain_are_those_of_its_file() -> None:
    tree = tree_of(
        {
            ".synapse/manifest": "DEV_STATE=active\nCOMMANDS_STATE=active\nCONTEXT_STATE=active\n",
            ".synapse/dev": "DEV_RULE_1=b\nDEV_RULE_0=a\n",
            ".synapse/commands": "COMMANDS_RULE_B_0=x\nCOMMANDS_RULE_A_0=y\nCOMMANDS_RULE_B_1=z\n",
            ".synapse/context": "CONTEXT_RULE_FRESH_0=f\nCONTEXT_RULE_0=g\n",
        }
    )
    assert [[rule.text for rule in tree.rules_of(domain)] for domain in tree.domains] == [
        ["b", "a"],
        ["x", "y", "z"],
        ["f", "g"],
    ]


def test_squads_follow_the_root_by_folder_name() -> None:
    tree = tree_of(
        {
            "squads/b/.synapse/manifest": "X_STATE=active\n",
            "squads/a/.synapse/manifest": "Y_STATE=active\n",
            ".synapse/manifest": "Z_STATE=active\n",
        }
    )
    assert [(d.label, d.squad, d.name) for d in tree.domains] == [
        ("Z", "", "Z"),
        ("A_Y", "a", "Y"),
        ("B_X", "b", "X"),
    ]


def test_a_squads_files_serve_only_its_own_domains() -> None:
    tree = tree_of(
        {
            ".synapse/manifest": "PIPELINE_STATE=active\n",
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\n",
            "squads/etl/.synapse/pipeline": "- a\n",
        }
    )
    assert [d.file for d in tree.domains] == [None, "squads/etl/.synapse/pipeline"]


def test_built_in_names_mean_nothing_special_in_a_squad() -> None:
    tree = tree_of(
        {
            "squads/etl/.synapse/manifest": "GLOBAL_STATE=active\n",
            "squads/etl/.synapse/global": "- a\n",
            "squads/etl/.synapse/constitution": "- a\n",
        }
    )
    assert [(d.label, d.builtin) for d in tree.domains] == [("ETL_GLOBAL", False)]
    assert tree.orphan_files == ("squads/etl/.synapse/constitution",)


def test_the_file_rules_serves_the_only_domain_without_a_file_whatever_its_keys() -> None:
    tree = tree_of(
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nLOAD_STATE=active\n",
            "squads/etl/.synapse/load": "- a\n",
            "squads/etl/.synapse/rules": "OTHER_RULE_0=b\n",
        }
    )
    assert [(d.name, d.file, d.shared) for d in tree.domains] == [
        ("PIPELINE", "squads/etl/.synapse/rules", False),
        ("LOAD", "squads/etl/.synapse/load", False),
    ]
    assert [rule.text for rule in tree.rules_of(tree.domains[0])] == ["b"]


def test_the_file_rules_is_divided_among_several_domains_by_prefix() -> None:
    tree = tree_of(
        {
            "squads/etl/.synapse/manifest": "A_STATE=active\nB_STATE=active\nC_STATE=active\n",
            "squads/etl/.synapse/rules": "A_RULE_0=a\nETL_B_RULE_0=b\nX_RULE_0=x\n",
        }
    )
    assert [(d.name, d.shared, [r.text for r in tree.rules_of(d)]) for d in tree.domains] == [
        ("A", True, ["a"]),
        ("B", True, ["b"]),
        ("C", False, []),
    ]


def test_plain_rules_cannot_be_divided_among_several_domains() -> None:
    tree = tree_of(
        {
            "squads/etl/.synapse/manifest": "A_STATE=active\nB_STATE=active\n",
            "squads/etl/.synapse/rules": "- a\n",
        }
    )
    assert [d.file for d in tree.domains] == [None, None]
    assert tree.orphan_files == ("squads/etl/.synapse/rules",)


def test_a_domain_called_rules_owns_its_file() -> None:
    tree = tree_of(
        {
            "squads/etl/.synapse/manifest": "RULES_STATE=active\nB_STATE=active\n",
            "squads/etl/.synapse/rules": "- a\n",
        }
    )
    assert [d.file for d in tree.domains] == ["squads/etl/.synapse/rules", None]


def test_the_file_rules_means_nothing_in_the_root() -> None:
    tree = tree_of({".synapse/manifest": "A_STATE=active\n", ".synapse/rules": "- a\n"})
    assert (tree.domains[0].file, tree.orphan_files) == (None, (".synapse/rules",))


SQUAD = "name: {name}\nversion: 1.0.0\nconfig:\n  extends: {extends}\n"


def test_a_squad_is_described_by_its_yaml() -> None:
    tree = tree_of(
        {
            "squads/etl-squad/squad.yaml": SQUAD.format(name="data-etl", extends="override"),
            "squads/etl-squad/.synapse/manifest": "PIPELINE_STATE=active\n",
        }
    )
    (squad,) = tree.squads
    assert (squad.folder, squad.path, squad.name, squad.namespace) == (
        "etl-squad",
        "squads/etl-squad",
        "data-etl",
        "ETL",
    )
    assert (squad.extends, squad.extends_source, squad.has_conflict) == (
        "override",
        "squads/etl-squad/squad.yaml",
        False,
    )
    assert (squad.manifest_path, squad.yaml_path) == (
        "squads/etl-squad/.synapse/manifest",
        "squads/etl-squad/squad.yaml",
    )


@pytest.mark.parametrize("name", ["ETL", "ETL_SQUAD", "ETL-SQUAD", "DATA_ETL"])
def test_the_manifest_may_say_how_a_squad_extends(name: str) -> None:
    tree = tree_of(
        {
            "squads/etl-squad/squad.yaml": "name: data-etl\nversion: 1.0.0\n",
            "squads/etl-squad/.synapse/manifest": f"{name}_EXTENDS=none\n",
        }
    )
    assert (tree.squads[0].extends, tree.squads[0].extends_source) == (
        "none",
        "squads/etl-squad/.synapse/manifest",
    )


def test_extends_of_another_squad_is_not_ours() -> None:
    tree = tree_of({"squads/etl/.synapse/manifest": "OTHER_EXTENDS=none\n"})
    assert (tree.squads[0].extends, tree.squads[0].extends_source) == ("extend", "")


def test_squad_yaml_wins_over_the_manifest_and_the_conflict_is_said() -> None:
    tree = tree_of(
        {
            "squads/etl/squad.yaml": SQUAD.format(name="etl", extends="extend"),
            "squads/etl/.synapse/manifest": "ETL_EXTENDS=none\n",
        }
    )
    assert (tree.squads[0].extends, tree.squads[0].has_conflict) == ("extend", True)


def test_an_unknown_mode_is_as_if_nothing_were_said() -> None:
    tree = tree_of({"squads/etl/squad.yaml": SQUAD.format(name="etl", extends="merge")})
    assert (tree.squads[0].extends, tree.squads[0].extends_source) == ("extend", "")


@pytest.mark.parametrize(
    "config",
    [
        "name: data-etl\nagents:\n  - id: loader\n",
        "squad:\n  name: data-etl\n  version: 1\n",
        "pack:\n  name: data-etl\n",
    ],
)
def test_a_former_manifest_describes_a_squad_that_has_no_other(config: str) -> None:
    files = {"squads/etl/config.yaml": config, "squads/etl/agents/loader.md": None}
    (squad,) = tree_of(files).squads
    assert (squad.name, squad.yaml_path) == ("data-etl", "squads/etl/config.yaml")
    assert squad.agents == ("loader",)


@pytest.mark.parametrize(
    ("current", "name"),
    [
        ("name: new\nversion: 1.0.0\n", "new"),
        ("name: new\ndeprecated: true\n", "old"),
        ("name: [\n", "etl"),
    ],
)
def test_a_former_manifest_yields_to_one_that_is_no_deprecated_stub(
    current: str, name: str
) -> None:
    files = {"squads/etl/squad.yaml": current, "squads/etl/config.yaml": "name: old\n"}
    (squad,) = tree_of(files).squads
    assert squad.name == name


def test_a_folder_without_yaml_and_tree_is_no_squad() -> None:
    tree = tree_of({"squads/x/agents/a.md": "# A\n"})
    assert (tree.squads, dict(tree.agents)) == ((), {})


def test_the_agents_of_a_squad_are_those_it_lists_and_those_with_a_file() -> None:
    tree = tree_of(
        {
            "squads/etl/squad.yaml": (
                "name: etl\nversion: 1.0.0\ncomponents:\n  agents: [loader.md, ghost.md]\n"
            ),
            "squads/etl/agents/loader.md": None,
            "squads/etl/agents/extra.md": None,
        }
    )
    assert tree.squads[0].agents == ("loader", "ghost", "extra")


def test_an_agent_that_is_listed_by_its_file_goes_by_its_id() -> None:
    tree = tree_of(
        {
            "squads/etl/squad.yaml": (
                "name: etl\nversion: 1.0.0\ncomponents:\n  agents: [loader-agent.md]\n"
            ),
            "squads/etl/agents/loader-agent.md": AGENT.format("loader"),
        }
    )
    assert tree.squads[0].agents == ("loader",)


AGENT = "# x\n\n```yaml\nagent:\n  id: {}\n  name: X\n```\n"
AGENTS = ".aiox-core/development/agents"


def test_an_agent_goes_by_the_id_it_states_and_unread_by_its_stem() -> None:
    tree = tree_of({f"{AGENTS}/a.md": AGENT.format("builder"), f"{AGENTS}/b.md": None})
    assert dict(tree.agents) == {"builder": f"{AGENTS}/a.md", "b": f"{AGENTS}/b.md"}


def test_the_roots_agent_comes_before_a_squads_of_the_same_id() -> None:
    tree = tree_of(
        {
            "squads/a/squad.yaml": "name: a\nversion: 1.0.0\n",
            "squads/a/agents/dev.md": None,
            "squads/a/agents/own.md": None,
            f"{AGENTS}/dev.md": None,
        }
    )
    assert dict(tree.agents) == {"dev": f"{AGENTS}/dev.md", "own": "squads/a/agents/own.md"}


def test_the_first_configured_folder_of_agents_wins() -> None:
    old = ".aios-core/development/agents/dev.md"
    assert tree_of({old: None, f"{AGENTS}/dev.md": None}).agents["dev"] == f"{AGENTS}/dev.md"


def test_workflows_and_tasks_are_found_in_any_spelling() -> None:
    tree = tree_of(
        {
            ".aiox-core/development/workflows/x.yaml": workflow("story-development"),
            ".aiox-core/development/tasks/build_it.md": None,
        }
    )
    assert tree.workflows["STORY_DEVELOPMENT"] == ".aiox-core/development/workflows/x.yaml"
    assert tree.tasks["build-it"] == ".aiox-core/development/tasks/build_it.md"


def test_stories_are_sorted() -> None:
    tree = tree_of({"docs/stories/b.md": None, "docs/stories/a/c.md": None})
    assert tree.stories == ("docs/stories/a/c.md", "docs/stories/b.md")


def test_commands_are_those_of_the_root() -> None:
    tree = tree_of(
        {
            ".synapse/commands": "COMMANDS_RULE_BRIEF_0=a\nCOMMANDS_RULE_DEEP_DIVE_0=b\n",
            "squads/x/.synapse/commands": "COMMANDS_RULE_OTHER_0=a\n",
        }
    )
    assert [command.name for command in tree.commands] == ["brief", "deep-dive"]


def states(*files: tuple[str, str, int]) -> list[str]:
    index = TreeIndex()
    for name, text, mtime_ns in files:
        path = f".aiox/{name}-state.yaml"
        index.put_facts(facts_of(path, text, mtime_ns=mtime_ns))
    return [path[6:-11] for path, _ in Tree(index.snapshot()).workflow_states]


def test_the_newest_active_state_comes_first_whatever_the_zone() -> None:
    assert states(
        ("old", state("a", updated="2026-01-01T10:00:00Z"), 9),
        ("done", state("b", updated="2026-03-01T10:00:00Z", status="completed"), 9),
        ("new", state("c", updated="2026-01-01T09:30:00-02:00"), 1),
    ) == ["new", "old", "done"]


def test_states_of_one_time_are_ordered_by_the_files_time_and_then_by_name() -> None:
    same = state("a")
    assert states(("b", same, 1), ("c", same, 2), ("a", same, 1)) == ["c", "a", "b"]


def test_a_state_without_a_readable_time_is_the_oldest() -> None:
    assert states(("a", state("a", updated="yesterday"), 9), ("b", state("b"), 1)) == ["b", "a"]


def test_the_state_of_an_epic_is_no_workflow_state() -> None:
    assert states(("epic", "epic_state:\n  epicId: E\n  status: active\n", 1)) == []


def test_labels_find_a_domain_and_files_the_domains_they_serve() -> None:
    tree = tree_of(
        {".synapse/manifest": "dev_STATE=active\nDEV_STATE=active\n", ".synapse/dev": "- a\n"}
    )
    assert tree.domains_by_label["DEV"].position == 1
    assert [domain.name for domain in tree.domains_of_file(".synapse/dev")] == ["dev", "DEV"]


def test_an_unchanged_squad_is_taken_over_from_the_tree_before() -> None:
    before = tree_of(
        {
            "squads/a/.synapse/manifest": "X_STATE=active\n",
            "squads/b/.synapse/manifest": "Y_STATE=active\n",
        }
    )
    assert len(before.squads) == 2
    changed = before.snapshot.with_text("squads/b/.synapse/manifest", "Z_STATE=active\n")
    after = Tree(changed, before)
    assert [domain.label for domain in after.domains] == ["A_X", "B_Z"]
    assert after.squads[0] is before.squads[0]


def test_squads_stay_in_the_order_of_their_folders_when_one_goes_and_comes_back() -> None:
    squad_a, squad_b = "squads/etl/.synapse/manifest", "squads/etl-squad/.synapse/manifest"
    tree = tree_of({squad_a: "X_STATE=active\n", squad_b: "Y_STATE=active\n"})
    assert [squad.folder for squad in tree.squads] == ["etl", "etl-squad"]
    tree = Tree(tree.snapshot.replace_file(squad_a, None)[0], tree, [squad_a])
    assert [squad.folder for squad in tree.squads] == ["etl-squad"]
    tree = Tree(tree.snapshot.with_text(squad_a, "Z_STATE=active\n"), tree, [squad_a])
    assert [squad.folder for squad in tree.squads] == ["etl", "etl-squad"]


def test_the_root_is_taken_over_where_only_squads_changed() -> None:
    squad, own = "squads/a/.synapse/manifest", ".synapse/manifest"
    before = tree_of({own: "X_STATE=active\n", squad: "Y_STATE=active\n"})
    assert [home.squad is None for home in before.homes] == [True, False]
    beside = Tree(before.snapshot.with_text(squad, "Z_STATE=active\n"), before, [squad])
    assert beside.root is before.root
    after = Tree(beside.snapshot.with_text(own, "W_STATE=active\n"), beside, [own])
    assert [domain.label for domain in after.domains] == ["W", "A_Z"]
