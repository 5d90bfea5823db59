"""Finding things by a few letters."""

from __future__ import annotations

from time import process_time

from synapse_ls.ide.symbols import MOST_SYMBOLS, workspace_symbols
from tests.ide.views import SQUAD
from tests.trees import TEAM, tree_of

TREE = tree_of(
    {
        **TEAM,
        **SQUAD,
        ".claude/agents/dev.md": "---\nname: dev\n---\n",
        ".aiox-core/development/tasks/qa-gate.md": "# Gate\n",
        ".aiox-core/data/workflow-patterns.yaml": "workflows:\n  ship_it: {}\n",
        ".aiox-core/data/workflow-chains.yaml": "workflows:\n  - {id: mend-it, chain: []}\n",
        "docs/stories/1.md": "# Story 1.2: Login\n",
    }
)
MANY = 3_000


def found(query: str) -> list[tuple[str, str]]:
    return [(symbol.name, symbol.kind) for symbol in workspace_symbols(TREE, query)]


def test_everything_has_a_name_but_rules_come_only_when_asked_for() -> None:
    names = found("")
    for one in (
        ("TESTING", "domain"), ("ETL_PIPELINE", "domain"), ("etl-squad", "squad"), ("*brief", "command"),
        ("dev", "agent"), ("qa-gate", "task"), ("ship_it", "workflow"), ("mend-it", "workflow"), ("1.2 Login", "story"),
    ):  # fmt: skip
        assert one in names
    assert not [name for name, kind in names if kind == "rule"]


def test_separators_and_letter_case_do_not_count() -> None:
    assert found("agentdev")[0] == ("AGENT_DEV", "domain")
    assert found("Etl Squad")[0] == ("etl-squad", "squad")


def test_the_letters_need_not_stand_side_by_side() -> None:
    assert ("WORKFLOW_STORY_DEV", "domain") in found("wfstdev")
    assert ("TESTING_RULE_1", "rule") in found("tstru1")


def test_beginnings_come_before_middles_and_these_before_scattered_letters() -> None:
    names = [name for name, _ in found("dev")]
    assert names.index("dev") < names.index("AGENT_DEV") < names.index("AGENT_DEV_RULE_0")


def test_a_symbol_is_where_it_is_named() -> None:
    for query in ("TESTING", "dev", "etl-squad", "ship_it", "TESTING_RULE_1", "brief"):
        symbol = workspace_symbols(TREE, query)[0]
        facts = TREE.snapshot.facts(symbol.path)
        assert facts is not None
        assert symbol.span.cut(facts.text) == symbol.name.removeprefix("*")


def test_there_is_an_end_to_a_list() -> None:
    lines = "".join(f"D{n}_STATE=active\n" for n in range(MOST_SYMBOLS + 50))
    assert len(workspace_symbols(tree_of({".synapse/manifest": lines}), "d")) == MOST_SYMBOLS


def test_a_large_tree_is_searched_while_one_types() -> None:
    files = {".synapse/manifest": "".join(f"D{n}_STATE=active\n" for n in range(MANY))}
    files |= {
        f".synapse/d{n}": "".join(f"D{n}_RULE_{i}=a\n" for i in range(10)) for n in range(MANY)
    }
    tree = tree_of(files)
    workspace_symbols(tree, "x")  # what is read once
    begin = process_time()
    assert workspace_symbols(tree, "D77_RULE_3")[0].name == "D77_RULE_3"
    assert process_time() - begin < 0.5
