from __future__ import annotations

import math

import pytest

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.setup.init.starter_tree import GITIGNORE, plan_init, starter_files
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG
from tests.edits.support import MANIFEST, text_of
from tests.trees import tree_of


@pytest.fixture(scope="module")
def started() -> Tree:
    empty = tree_of({})
    return tree_after(empty, plan_init(empty).plan)


def test_lays_out_the_whole_starter_where_there_is_nothing() -> None:
    found = plan_init(tree_of({}))
    assert {change.path for change in found.plan.edits} == set(starter_files())
    assert found.kept_paths == ()


def test_every_domain_has_a_file_with_rules_and_every_file_a_domain(started: Tree) -> None:
    assert not started.orphan_files
    assert all(started.rules_of(domain) for domain in started.domains)


def test_the_starter_has_no_problems(started: Tree) -> None:
    for path in started.snapshot.paths():
        facts = started.snapshot.facts(path)
        assert facts is not None
        assert facts.problems == (), path


def test_the_constitution_has_the_six_articles_of_the_adr(started: Tree) -> None:
    facts = started.snapshot.facts(".synapse/constitution")
    assert facts is not None
    document = facts.document
    assert isinstance(document, ConstitutionDocument)
    assert [(article.title, article.severity) for article in document.articles] == [
        ("CLI First", "NON-NEGOTIABLE"),
        ("Agent Authority", "NON-NEGOTIABLE"),
        ("Story-Driven", "MUST"),
        ("No Invention", "MUST"),
        ("Quality First", "MUST"),
        ("Absolute Imports", "SHOULD"),
    ]


def test_the_constitution_costs_at_most_150_tokens(started: Tree) -> None:
    texts = [rule.text for rule in started.rules_of(started.domains_by_label["CONSTITUTION"])]
    assert math.ceil(len("\n".join(texts)) / 4) <= 150


def test_live_brackets_are_the_profile(started: Tree) -> None:
    assert started.snapshot.config.profile == "synapse-live"


def test_git_ignores_what_is_written_at_run_time() -> None:
    ignored = starter_files()[GITIGNORE].splitlines()
    assert {"sessions/", "cache/", "metrics/", "memory/"} <= set(ignored)


def test_files_that_exist_are_kept_and_named() -> None:
    files = {MANIFEST: "GLOBAL_STATE=active\nTESTING_STATE=active\n", ".synapse/global": "mine\n"}
    found = plan_init(tree_of(files), [GITIGNORE])
    assert found.kept_paths == (MANIFEST, GITIGNORE, ".synapse/global")
    assert {change.path for change in found.plan.edits} == {CONFIG, ".synapse/testing"}


def test_a_rule_file_of_another_spelling_is_kept() -> None:
    files = {MANIFEST: "AGENT_DEV_STATE=active\n", ".synapse/agent_dev.md": "- Test first\n"}
    found = plan_init(tree_of(files))
    assert ".synapse/agent_dev.md" in found.kept_paths
    assert ".synapse/agent-dev" not in {change.path for change in found.plan.edits}


def test_an_inhabited_tree_gets_no_rules_that_nothing_would_bring_in() -> None:
    tree = tree_of({MANIFEST: "GLOBAL_STATE=active\n"})
    assert tree_after(tree, plan_init(tree).plan).orphan_files == ()


def test_a_second_time_there_is_nothing_to_do(started: Tree) -> None:
    assert not plan_init(started, [GITIGNORE]).plan


def test_every_file_explains_itself(started: Tree) -> None:
    for path in starter_files():
        text = starter_files()[path] if path == GITIGNORE else text_of(started, path)
        assert text.startswith("# ")
