"""The trees that this repository ships and lives by."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.ide.tree_test_runner import run_case
from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.queries.context_question import Answer, Question, answer_question
from synapse_ls.setup.init.starter_tree import aiox_files, plan_init, settings_files
from synapse_ls.storage.edit_application import apply_plan
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.trees import tree_of

ROOT = Path(__file__).parents[2]
SHOWCASE = ROOT / "tests" / "workspaces" / "showcase"
PROMPT = (
    "*brief Add a unit test and a log line for each retry of the refund webhook; "
    "what does settlement expect?"
)
MODERATE = 50


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def started(tmp_path: Path) -> Path:
    root = tmp_path / "started"
    root.mkdir()
    apply_plan(root, plan_init(tree_of({}), {**aiox_files(), **settings_files()}))
    return root


def ask(root: Path, prompt: str = "", agent: str = "", remaining: float = 100) -> Answer:
    return answer_question(Question(str(root), prompt, agent=agent, remaining=remaining))


@pytest.mark.parametrize("root", [ROOT, SHOWCASE], ids=["live", "showcase"])
def test_every_file_is_sound_and_every_domain_has_rules(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    assert not loaded.notes
    assert not tree.orphan_files
    assert all(tree.rules_of(domain) for domain in tree.domains)
    for path in tree.snapshot.paths():
        facts = tree.snapshot.facts(path)
        assert facts is not None
        assert facts.problems == (), path


@pytest.mark.parametrize("root", [ROOT, SHOWCASE], ids=["live", "showcase"])
def test_every_agent_trigger_names_a_defined_agent(root: Path) -> None:
    tree = Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())
    declared = (domain.declaration for domain in tree.domains if domain.declaration)
    assert all(d.agent_trigger in tree.agents for d in declared if d.agent_trigger)


@pytest.mark.parametrize("root", [ROOT, SHOWCASE], ids=["live", "showcase"])
def test_the_tests_of_a_tree_pass(root: Path) -> None:
    compiled = CompiledTree(Tree(load_tree(str(root), LoadScope.ALL).index.snapshot()), str(root))
    [path] = compiled.tree.snapshot.paths(FileKind.TESTS)
    facts = compiled.tree.snapshot.facts(path)
    assert facts is not None
    assert isinstance(facts.document, TreeTests)
    assert facts.document.cases
    for case in facts.document.cases:
        assert run_case(compiled, case).failures == (), case.name.value


@pytest.mark.parametrize("agent", ["dev", "qa", "devops"])
def test_a_started_tree_fits_a_fresh_window(started: Path, agent: str) -> None:
    made = ask(started, agent=agent).assembly
    assert made.situation.bracket.name == "FRESH"
    assert made.tokens <= 800
    assert not made.cut_entries


def test_a_started_tree_wakes_its_keyword_domain_in_a_fresh_window(started: Path) -> None:
    assert 'TESTING (matched "unit test")' in ask(started, "Write a unit test").assembly.text


@pytest.mark.parametrize("agent", ["core", "server", "extension", "docs"])
def test_the_live_tree_fits_a_fresh_window_with_a_keyword(agent: str) -> None:
    made = ask(ROOT, "add a lint rule", agent).assembly
    assert "LINT_RULES (matched" in made.text
    assert not made.cut_entries


def test_the_showcase_shows_all_eight_layers_in_a_moderate_window() -> None:
    made = ask(SHOWCASE, PROMPT, "dev", MODERATE).assembly
    assert made.situation.bracket.name == "MODERATE"
    assert not made.cut_entries
    for heading in (
        "[CONSTITUTION]",
        "[GLOBAL]",
        "[ACTIVE AGENT: @dev]",
        "[ACTIVE WORKFLOW: story_development]",
        "[TASK CONTEXT]",
        "[SQUAD: settlement-squad]",
        "[KEYWORD MATCHES]",
        "[STAR-COMMANDS]",
        "[CONTEXT BRACKET]",
        "[LOADED DOMAINS SUMMARY]",
    ):
        assert f"\n{heading}" in made.text


def test_the_showcase_tells_the_story_of_its_task() -> None:
    text = ask(SHOWCASE, "hello", "dev", MODERATE).assembly.text
    assert "\n  Story: STORY-42\n" in text
    assert "[ ] AC3." in text
    assert "src/webhooks/retry-schedule.ts (new)" in text


def test_in_the_showcase_a_squad_adds_its_rules_when_recalled() -> None:
    text = ask(SHOWCASE, "explain settlement", "dev", MODERATE).assembly.text
    assert "Pair by acquirer reference, never by amount" in text


def test_in_the_showcase_a_squad_replaces_a_root_domain_of_the_same_name() -> None:
    text = ask(SHOWCASE, "add a log line", "dev", MODERATE).assembly.text
    assert "Log through @/log/redacting only" in text
    assert "Log a failure once" not in text


def test_in_the_showcase_an_independent_squad_counts_only_while_it_is_active() -> None:
    rule = "An event keeps its fields for good"
    assert rule in ask(SHOWCASE, "hello", "dev", MODERATE).assembly.text
    other = Question(str(SHOWCASE), "hello", squad="settlement-squad", remaining=MODERATE)
    assert rule not in answer_question(other).assembly.text
