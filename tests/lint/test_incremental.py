"""Keeping diagnostics up to date gives what a fresh run gives, and checks only what it must."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, combinations, groupby, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.lint import incremental_findings
from synapse_ls.lint.incremental_findings import IncrementalFindings, affected_paths
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import Key
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from tests.lint.clean import CLEAN, INDEXED
from tests.workspace.trees import facts_of

VERSIONS = {
    ".synapse/manifest": (
        "X_STATE=active\nX_RECALL=a test, b\nY_AGENT_TRIGGER=dev\n",
        "# moved\nGLOBAL_EXCLUDE=pipe\nX_STATE=active\nX_RECALL=a test\nY_AGENT_TRIGGER=dev\n",
        "GLOBAL_EXCLUDE=test\nX_STATE=active\nX_WORKFLOW_TRIGGER=load\nY_STATE=active\n",
        "X_STATE=active\nX_NON_NEGOTIABLE=true\nW_STATE=active\nW_WORKFLOW_TRIGGER=load\n",
        "X_STATE=active\nX_NON_NEGOTIABLE=false\nS_P_STATE=active\nW_STATE=inactive\n",
        "GLOBAL_EXCLUDE=pipe\nXS_STATE=active\nY_AGENT_TRIGGER=qa\nZ_WORKFLOW_TRIGGER=load\n",
        "GLOBAL_STATE=inactive\nX_STATE=active\nx_RECALL=b\nY_STATE active\nGLOBAL_RECALL=a\n",
    ),
    ".synapse/x": (
        "X_RULE_0=a\n",
        "Y_RULE_0=a\nb\n",
        "X_AUTH_0=EXCLUSIVE: a, b\nDOMAIN_RULE_0=TODO\n",
        "".join(f"X_RULE_{n}=Step {n} has a name, a date and a witness.\n" for n in range(250)),
    ),
    ".synapse/y": ("Y_RULE_0=a\n", "Y_AUTH_0=ALLOWED: a\n", "# b\nY_AUTH_0=BLOCKED: b\n"),
    ".synapse/global": ("GLOBAL_RULE_0=a\n", "# a\nGLOBAL_RULE_0=b\nGLOBAL_RULE_1=a\n"),
    ".synapse/commands": ("COMMANDS_RULE_BRIEF_0=a\n",),
    ".synapse/context": ("CONTEXT_RULE_FRESH_0=All layers are active\n",),
    ".synapse/config.toml": (
        "matching = 'substring'\n",
        "[lint]\nignore = ['SYN1', 'SYN2']\n",
        "# ours\nprofile = 'synapse-live'\n",
        "profile = \n",
    ),
    ".synapse/tests/a.toml": (
        '[[case]]\nname = "a"\nrules = ["X_RULE_0", "GLOBAL_RULE_1"]\nbracket = "FRESHH"\n',
        '[[case]]\nname = "a"\ndomains = ["X"]\nagent = "qa"\nno_rules = ["P_RULE_0"]\n',
    ),
    ".claude/agents/dev.md": (
        "---\nname: dev\n---\n",
        "---\nname: qa\n---\n",
        "```yaml\nagent: {id: dev}\ncommands: [brief]\n```\n",
    ),
    "squads/s/squad.yaml": (
        "name: s\nversion: 1.0.0\n",
        "name: s\nversion: 1.0.0\ncomponents: {agents: [qa.md]}\nconfig: {extends: none}\n",
    ),
    "squads/s/.synapse/manifest": (
        "S_EXTENDS=extend\nP_STATE=active\nP_RECALL=a pipe\nP_AGENT_TRIGGER=qa\n",
        "S_EXTENDS=extend\nP_STATE=active\nQ_STATE=active\nQ_AGENT_TRIGGER=loader\n",
        "P_STATE=inactive\nQ_STATE=active\nQ_RECALL=a pipe\nR_STATE=active\n",
    ),
    "squads/s/.synapse/rules": ("P_RULE_0=a\n", "P_RULE_0=a\nQ_RULE_0=b\n", "a\n"),
    "squads/s/workflows/load.yaml": (
        "workflow: {id: load, sequence: [{id: a, agent: qa, task: b.md}]}\n",
        "workflow: {id: load, sequence: [{id: b}, {id: c, agent: dev}]}\n",
        "workflow: {}\n",
    ),
    "squads/s/tasks/b.md": ("---\nresponsavel_type: dev\n---\n", "# B\n"),
    "squads/s/tools/c.js": ("", "x"),
    "squads/s-squad/squad.yaml": (
        "name: t\ncomponents: {tools: [c.js]}\ndependencies: {squads: [s]}\n",
        "name: s\nconfig: {extends: override}\n",
    ),
    "squads/s-squad/.synapse/manifest": ("X_STATE=active\n", "S_P_STATE=active\n", "# Later.\n"),
    ".synapse/w": ("W_RULE_0=Phase a: b\n", "W_RULE_0=Phase b: b\n", ""),
    ".synapse/constitution": (
        "CONSTITUTION_RULE_ART1_0=A (MUST)\nCONSTITUTION_RULE_ART1_1=MUST: b\n",
        "CONSTITUTION_RULE_ART1_0=A (MUST)\n",
    ),
    ".aiox-core/constitution.md": ("# I. A (MUST)\n- MUST: b\n", "# I. A (MUST)\n- MUST: c\n"),
    ".aiox/a-state.yaml": (
        "workflow_id: load\nstatus: active\nsteps: []\n",
        "workflow_id: lode\nstatus: active\nsquad_name: s\nsteps: [{agent: loader}]\n",
        "workflow_id: load\nstatus: active\nsteps: [{agent: dev}]\n",
    ),
}
FACTS = {path: tuple(facts_of(path, text) for text in texts) for path, texts in VERSIONS.items()}
STEPS = st.lists(
    st.sampled_from([(path, n) for path, texts in VERSIONS.items() for n in range(-1, len(texts))]),
    min_size=1,
    max_size=25,
)


def fresh(tree: Tree, notes: Iterable[Finding] = ()) -> dict[str, tuple[object, ...]]:
    by_path = groupby(lint_tree(tree, notes=notes), key=lambda diagnostic: diagnostic.path)
    return {path: tuple(diagnostics) for path, diagnostics in by_path}


def apply(index: TreeIndex, path: str, version: int) -> frozenset[Key]:
    return index.drop_file(path) if version < 0 else index.put_facts(FACTS[path][version])


def follow(steps: Iterable[tuple[str, int]], index: TreeIndex) -> None:
    """Update results step by step and compare them with a fresh run of the same files after each."""
    tree = Tree(index.snapshot())
    results = IncrementalFindings(tree)
    versions: dict[str, int] = {}
    expected: dict[frozenset[tuple[str, int]], dict[str, tuple[object, ...]]] = {}
    for path, version in steps:
        versions[path] = version
        changed = apply(index, path, version)
        before = dict(results.by_path)
        tree = Tree(index.snapshot(), tree)
        differing = results.update(tree, changed)
        now = results.by_path
        files = frozenset(versions.items())
        if files not in expected:
            expected[files] = fresh(tree)
        assert now == expected[files]
        assert differing == {p for p in before.keys() | now.keys() if before.get(p) != now.get(p)}


@settings(deadline=None)
@given(STEPS)
def test_after_any_changes_the_results_are_those_of_a_fresh_run(
    steps: list[tuple[str, int]],
) -> None:
    follow(steps, TreeIndex())


@pytest.mark.slow
@pytest.mark.parametrize("path", VERSIONS)
@pytest.mark.parametrize("others", [0, -1])
def test_after_each_change_of_a_file_the_results_are_those_of_a_fresh_run(
    path: str, others: int
) -> None:
    index = TreeIndex()
    for facts in FACTS.values():
        index.put_facts(facts[others])
    versions = range(-1, len(VERSIONS[path]))
    tour = [*chain.from_iterable(combinations(versions, 2)), -1]  # from each to each other, once
    assert len(set(pairwise(tour))) == len(versions) * (len(versions) - 1)
    follow(((path, version) for version in tour), index)


def clean_index() -> TreeIndex:
    index = TreeIndex()
    for path, text in INDEXED.items():
        index.put_facts(facts_of(path, text))
    return index


def reached(path: str, text: str) -> set[str]:
    """The paths that a change of one file of the clean tree makes the rules look at."""
    index = clean_index()
    before = Tree(index.snapshot())
    changed = index.put_facts(facts_of(path, text))
    return affected_paths(before, Tree(index.snapshot()), changed)


def test_the_text_of_a_rule_concerns_its_own_file_the_budgets_what_is_referred_to_and_what_is_synced() -> (
    None
):
    reach = reached(".synapse/testing", "TESTING_RULE_0=Other words.\nTESTING_RULE_1=More.\n")
    assert reach == {
        ".synapse/testing",
        ".synapse/manifest",
        ".synapse/config.toml",
        "GEMINI.md",
    }


def test_a_comment_in_the_manifest_concerns_no_other_rule_file() -> None:
    text = "# A comment.\n" + CLEAN[".synapse/manifest"]
    assert reached(".synapse/manifest", text) == {
        ".synapse/manifest",
        ".synapse/config.toml",
        "GEMINI.md",
    }


def test_a_domain_concerns_the_files_that_serve_it_and_those_that_wait_for_one() -> None:
    text = CLEAN[".synapse/manifest"].replace("TESTING_STATE=active", "TESTING_STATE=inactive")
    reach = reached(".synapse/manifest", text)
    assert ".synapse/testing" in reach
    assert ".synapse/agent-dev" not in reach


def test_a_trigger_does_not_concern_other_squads() -> None:
    text = CLEAN[".synapse/manifest"].replace("RECALL=unit test", "RECALL=unit tests")
    assert not any(path.startswith("squads/") for path in reached(".synapse/manifest", text))


def test_a_global_exclusion_concerns_every_manifest() -> None:
    text = CLEAN[".synapse/manifest"].replace("GLOBAL_EXCLUDE=draft", "GLOBAL_EXCLUDE=drafts")
    assert "squads/etl-squad/.synapse/manifest" in reached(".synapse/manifest", text)


def test_a_new_note_of_the_loader_is_reported_and_a_past_one_forgotten() -> None:
    tree = Tree(clean_index().snapshot())
    results = IncrementalFindings(tree)
    note = Finding(Span(0, 0), "It was late.", kind="late", path=".synapse/late")
    assert results.update(tree, (), [note]) == {".synapse/late"}
    assert [d.code for d in results.by_path[".synapse/late"]] == ["SYN101"]
    assert results.update(tree, ()) == {".synapse/late"}
    assert results.by_path == {}
    assert incremental_findings.IncrementalFindings(tree, [note]).by_path == fresh(tree, [note])
