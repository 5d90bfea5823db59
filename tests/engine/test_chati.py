"""The ``chati`` profile: Chati Context Engine, from the files that Chati.dev has."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import estimate_tokens, measure_usage, usage_of_turns
from synapse_ls.engine.delivery_difference import standing_after
from synapse_ls.engine.memory_hints import Hint
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.chati_trees import BOARD, DOCUMENT, MEMORIES, SAME
from tests.support import corpus, examples
from tests.trees import plan_of

BRACKETS = {"FRESH": 80, "MODERATE": 50, "DEPLETED": 30, "CRITICAL": 20}
BUDGETS = {"FRESH": 2500, "MODERATE": 2000, "DEPLETED": 1500, "CRITICAL": 800}
LAYERS = {
    "FRESH": ["L0", "L1", "L2", "L3", "L4"],
    "MODERATE": ["L0", "L1", "L2", "L3", "L4"],
    "DEPLETED": ["L0", "L1", "L2"],
    "CRITICAL": ["L0", "L1"],
}


def made(files: Mapping[str, str] | Plan, remaining: float = 80, **said: object) -> Assembly:
    plan = files if isinstance(files, Plan) else plan_of(files)
    request = Request(**said)  # type: ignore[arg-type]
    return assemble_block(plan, resolve_situation(plan, request, measure_usage(reported=remaining)))


def parsed(assembly: Assembly) -> ElementTree.Element:
    return ElementTree.fromstring(assembly.text)


def tags(assembly: Assembly) -> list[str]:
    return [element.tag for element in parsed(assembly)]


def test_the_block_of_the_document_comes_out_exactly() -> None:
    assert made(SAME, 50, hints=MEMORIES).text == DOCUMENT


def test_the_files_decide_on_the_profile() -> None:
    assert plan_of(SAME).profile.name == "chati"


@pytest.mark.parametrize("bracket", BRACKETS)
def test_a_bracket_has_the_budget_and_the_layers_of_its_row(bracket: str) -> None:
    assembly = made(SAME, BRACKETS[bracket])
    assert assembly.situation.bracket.name == bracket
    assert assembly.budget == BUDGETS[bracket]
    assert sorted(assembly.selection.awake) == LAYERS[bracket]


@pytest.mark.parametrize(
    ("remaining", "bracket"),
    [
        (100, "FRESH"),
        (60, "FRESH"),
        (59.9, "MODERATE"),
        (40, "MODERATE"),
        (39.9, "DEPLETED"),
        (25, "DEPLETED"),
        (24.9, "CRITICAL"),
        (0, "CRITICAL"),
    ],
)
def test_brackets_begin_where_the_table_says(remaining: float, bracket: str) -> None:
    assert made(SAME, remaining).situation.bracket.name == bracket


def test_depleted_tells_the_agent_and_no_pipeline() -> None:
    assert tags(made(SAME, 30)) == ["constitution", "mode", "agent"]


def test_critical_tells_constitution_and_mode_and_advises_a_hand_off() -> None:
    assert tags(made(SAME, 20)) == ["constitution", "mode", "handoff"]


@pytest.mark.parametrize("bracket", BRACKETS)
def test_a_tree_in_every_bracket(bracket: str, snapshot: SnapshotAssertion) -> None:
    assert made(BOARD, BRACKETS[bracket], hints=MEMORIES).text == snapshot


def test_below_fifteen_percent_the_hand_off_is_required(snapshot: SnapshotAssertion) -> None:
    assert made(BOARD, 14.9).text == snapshot


@pytest.mark.parametrize(("remaining", "due"), [(15, None), (14.999, "true"), (0, "true")])
def test_only_below_fifteen_percent_it_is_required(remaining: float, due: str | None) -> None:
    handoff = parsed(made(BOARD, remaining)).find("handoff")
    assert handoff is not None
    assert handoff.get("required") == due


def test_what_is_no_measurement_requires_a_hand_off() -> None:
    handoff = parsed(made(BOARD, float("nan"))).find("handoff")
    assert handoff is not None
    assert handoff.get("required") == "true"


def test_no_budget_drops_a_required_hand_off() -> None:
    plan = plan_of(BOARD)
    table = {**plan.profile_table}
    table["brackets"] = tuple({**row, "budget": 1} for row in table["brackets"])
    plan = Plan({**_fields(plan), "profile_table": table})
    assembly = made(plan, 10)
    assert assembly.is_over_budget
    assert tags(assembly) == ["constitution", "mode", "global", "handoff"]


def test_a_hand_off_carries_the_state() -> None:
    handoff = parsed(made(BOARD, 10)).find("handoff")
    assert handoff is not None
    assert handoff.get("from") == "dev"
    told = "".join(handoff.itertext())
    assert "chati.dev/artifacts/handoffs/dev-handoff.md" in told
    assert "Mode: build" in told
    assert "task T1.1" in told
    assert "Still to come: Dev, QA-Implementation" in told


def _fields(plan: Plan) -> dict[str, object]:
    return {name: getattr(plan, name) for name in Plan.__slots__ if name[0] != "_"}


def test_a_wrong_path_of_a_hand_off_brings_no_other_one() -> None:
    session = SAME[".chati/session.yaml"]
    text = session.replace("chati.dev/artifacts/handoffs/", ".chati/artifacts/handoffs/")
    assert text != session
    assert "handoff" not in tags(made({**SAME, ".chati/session.yaml": text}))


def test_a_hand_off_without_a_score_has_that_of_the_session() -> None:
    path = "chati.dev/artifacts/handoffs/greenfield-wu-handoff.md"
    for said in ("score: N/A\n", "score: 0\n", ""):
        text = SAME[path].replace("score: 95\n", said)
        handoff = parsed(made({**SAME, path: text})).find("handoff")
        assert handoff is not None
        assert handoff.get("score") == "100"


@pytest.mark.parametrize("score", ["450", "-5", ".inf", "1e300", "100.5"])
def test_what_is_no_score_is_not_told_as_percent(score: str) -> None:
    session = SAME[".chati/session.yaml"]
    text = session.replace("score: 100", f"score: {score}")
    assert text != session
    pipeline = parsed(made({**SAME, ".chati/session.yaml": text})).findtext("pipeline") or ""
    assert pipeline.strip().startswith("WU(completed) -> Brief(in_progress, 45%)")


# L0


def test_without_a_summary_each_article_has_a_line() -> None:
    files = {
        "chati.dev/constitution.md": "# C\n\n## Article I: Roles\n\n## Article II: Quality & <more>\n"
    }
    told = parsed(made(files)).findtext("constitution") or ""
    assert told.split("\n") == [
        "",
        "    Article I: Roles",
        "    Article II: Quality & <more>",
        "  ",
    ]


def test_without_summary_and_articles_the_rules_stand() -> None:
    text = "rules:\n  - {id: art-i, text: Agents follow their role.}\n"
    told = parsed(made({"chati.dev/domains/constitution.yaml": text})).findtext("constitution")
    assert (told or "").strip() == "Agents follow their role."


def test_the_summary_stands_for_the_rules_and_explain_says_so() -> None:
    from synapse_ls.engine.rule_account import account_for_domains

    text = "summary: Short.\nrules:\n  - {id: art-i, text: Agents follow their role.}\n"
    plan = plan_of({"chati.dev/domains/constitution.yaml": text})
    (domain, *_) = account_for_domains(plan, made(plan))
    assert [(rule.is_rendered, rule.reason) for rule in domain.rules] == [
        (True, "the constitution holds always"),
        (False, "the summary says it instead"),
    ]


# L1


@pytest.mark.parametrize(
    ("state", "mode"),
    [
        ("discover", "planning"),
        ("plan", "planning"),
        ("planning", "planning"),
        ("build", "build"),
        ("validate", "build"),
        ("deploy", "deploy"),
        ("completed", "deploy"),
        ("anything", "planning"),
    ],
)
def test_a_state_is_governed_by_a_mode(state: str, mode: str) -> None:
    session = f"project: {{name: A, type: greenfield, state: {state}}}\n"
    assert parsed(made({**SAME, ".chati/session.yaml": session})).findtext("mode") == mode


def test_without_a_session_planning_governs() -> None:
    assert (
        parsed(made({"chati.dev/config.yaml": "version: 1.0.0\n"})).findtext("mode") == "planning"
    )


def test_only_what_the_current_mode_allows_is_told() -> None:
    found = parsed(made(BOARD)).find("global")
    assert found is not None
    assert found.findtext("write-scope") == "*"
    assert found.findtext("blocked") == "deploy_to_production"


def test_without_a_session_the_language_is_that_of_the_configuration() -> None:
    config = {"chati.dev/config.yaml": "version: 1.0.0\nlanguage: fr\n"}
    assert parsed(made(config)).findtext("global/language") == "fr"
    assert parsed(made({**SAME, **config})).find("global/language") is None  # the session says "en"


def test_another_language_than_english_is_told() -> None:
    session = SAME[".chati/session.yaml"].replace("language: en", "language: pt")
    assert (
        parsed(made({**SAME, ".chati/session.yaml": session})).findtext("global/language") == "pt"
    )


# L2


def test_an_agent_given_by_the_caller_wins_over_the_sessions() -> None:
    agent = parsed(made(BOARD, agent="brief")).find("agent")
    assert agent is not None
    assert agent.get("name") == "brief"


def test_an_agent_without_anything_but_a_mission_is_an_element_of_its_own() -> None:
    files = {
        "chati.dev/agents/planning/brief.md": '# Brief Agent\n\n## Mission\n\nAsk "why" <twice>.\n'
    }
    agent = parsed(made(files, agent="brief")).find("agent")
    assert agent is not None
    assert dict(agent.attrib) == {"name": "brief", "mission": 'Ask "why" <twice>.'}


def test_what_the_agents_file_does_not_say_its_domain_does() -> None:
    agent = parsed(made(BOARD)).find("agent")
    assert agent is not None
    assert agent.get("mission") == "Implement each task"
    assert agent.findtext("outputs") == "source code, test files"
    assert [rule.get("id") for rule in agent.findall("rule")] == ["dev-task", "dev-lint"]


def test_an_unknown_agent_has_no_element_and_a_note() -> None:
    assembly = made(BOARD, agent="nobody")
    assert parsed(assembly).find("agent") is None
    assert any("@nobody" in note for note in assembly.situation.notes)


def test_under_a_small_budget_rules_go_before_what_the_agent_is_for() -> None:
    plan = plan_of(BOARD)
    table = {**plan.profile_table}
    table["brackets"] = tuple({**row, "budget": 210} for row in table["brackets"])
    agent = parsed(made(Plan({**_fields(plan), "profile_table": table}), 30)).find("agent")
    assert agent is not None
    assert agent.find("criteria") is not None
    assert agent.find("rule") is None


# L3


def test_the_pipeline_shows_the_agents_of_the_phase_four_to_a_line() -> None:
    told = parsed(made(SAME)).findtext("pipeline") or ""
    assert [line.count("(") for line in told.strip().split("\n")] == [4, 4]


def test_a_phase_of_another_mode_has_other_agents() -> None:
    told = (parsed(made(BOARD)).findtext("pipeline") or "").strip()
    assert told == "Dev(in_progress, 60%) -> QA-Implementation(pending)"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("{status: completed, score: 97, criteria_count: 1}", "Dev(97%)"),
        ("{status: completed, score: 0, criteria_count: 1}", "Dev(completed)"),
        (
            "{status: needs_revalidation, score: 80, criteria_count: 1}",
            "Dev(needs_revalidation, 80%)",
        ),
        ("{status: skipped, score: 0, criteria_count: 1}", "Dev(skipped)"),
        ("{status: 'odd & <new>', score: .nan, criteria_count: 1}", "Dev(odd & <new>)"),
    ],
)
def test_an_agent_is_told_with_its_status_and_score(state: str, told: str) -> None:
    session = f"project: {{name: A, type: greenfield, state: build}}\nagents:\n  dev: {state}\n"
    found = parsed(made({".chati/session.yaml": session, **_agents("dev")})).findtext("pipeline")
    assert (found or "").strip() == told


def _agents(*names: str) -> dict[str, str]:
    return {
        f"chati.dev/agents/all/{name}.md": f"# {name.title()} Agent\n\n## Mission\n\nWork.\n"
        for name in names
    }


def test_without_a_workflow_the_agents_of_the_session_are_in_pipeline_order() -> None:
    session = """\
project: {name: A, type: brownfield, state: planning}
agents:
  ux: {status: pending, score: 0}
  greenfield-wu: {status: pending, score: 0}
  brief: {status: pending, score: 0}
  brownfield-wu: {status: completed, score: 96}
"""
    found = parsed(made({".chati/session.yaml": session})).findtext("pipeline")
    assert (found or "").strip() == "WU(96%) -> Brief(pending) -> UX(pending)"


def test_open_items_of_the_backlog_are_told_by_priority() -> None:
    found = parsed(made(BOARD)).findall("backlog/item")
    assert [(item.get("id"), item.text) for item in found] == [
        ("BL-002", "Limit uploads"),
        ("BL-001", "Tune the search"),
    ]


def test_the_rules_of_the_workflow_are_told() -> None:
    workflow = parsed(made(BOARD)).find("workflow")
    assert workflow is not None
    assert workflow.get("name") == "greenfield-fullstack"
    assert [rule.get("id") for rule in workflow] == ["gf-gate"]


# L4


def test_the_last_hand_off_is_that_of_the_session() -> None:
    handoff = parsed(made(BOARD)).find("handoff")
    assert handoff is not None
    assert dict(handoff.attrib) == {"from": "qa-planning", "score": "97"}
    assert "Decision: storage: object store" in (handoff.text or "")
    assert "Blocker: No staging account" in (handoff.text or "")


def test_a_hand_off_may_be_named_by_its_agent() -> None:
    session = BOARD[".chati/session.yaml"].replace(
        "chati.dev/artifacts/handoffs/qa-planning-handoff.md", "qa-planning"
    )
    assert parsed(made({**BOARD, ".chati/session.yaml": session})).find("handoff") is not None


def test_without_agent_and_task_no_hand_off_is_told() -> None:
    session = "project: {name: A, type: greenfield, state: build}\nlast_handoff: qa-planning\n"
    assert "handoff" not in tags(made({**BOARD, ".chati/session.yaml": session}))


def test_a_task_of_no_file_is_told_as_it_is_called() -> None:
    assert parsed(made(SAME, task="Tidy up & <go>")).findtext("task") == "Tidy up & <go>"


# memory


def test_fresh_has_no_memory() -> None:
    assert parsed(made(SAME, 80, hints=MEMORIES)).find("memory") is None


@pytest.mark.parametrize(
    ("remaining", "level", "tokens"),
    [(50, "metadata", 50), (30, "chunks", 200), (10, "full", 1000)],
)
def test_memory_has_a_level_and_tokens_of_its_own(
    remaining: float, level: str, tokens: int
) -> None:
    hints = tuple(
        Hint(f"memory-{n}", f"Memory {n}", "word " * 40, tier="hot", level="full")
        for n in range(80)
    )
    without, with_hints = made(SAME, remaining), made(SAME, remaining, hints=hints)
    memory = parsed(with_hints).find("memory")
    assert memory is not None
    assert memory.get("level") == level
    lines = "\n".join(line for line in (memory.text or "").split("\n")[1:-1])
    assert 0 < estimate_tokens(lines) <= tokens
    assert with_hints.tokens > without.tokens
    assert not with_hints.cut_entries


def test_memories_are_named_by_tier() -> None:
    hints = (
        Hint("auth", "Auth", tier="hot"),
        Hint("mem-2026-02-10-001", "JWT & more", tier="warm"),
    )
    told = parsed(made(SAME, 50, hints=hints)).findtext("memory") or ""
    assert [line.strip() for line in told.strip().split("\n")] == [
        "[1 HOT memory available: auth]",
        "[1 WARM memory available: JWT & more]",
    ]


# usage


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (0, 100),
        (1, 98),
        (2, 95),
        (3, 93),
        (10, 75),
        (13, 68),
        (16, 60),
        (17, 57),
        (24, 40),
        (25, 38),
        (30, 25),
        (31, 22),
        (34, 15),
        (35, 13),
        (40, 0),
        (50, 0),
    ],
)
def test_turns_are_estimated_as_the_bracket_tracker_does(turns: int, left: int) -> None:
    assert usage_of_turns(turns, 40).remaining == left


def test_turns_that_are_none_count_as_critical() -> None:
    assert (usage_of_turns(-5, 40).source, usage_of_turns(10, 0).source) == ("invalid", "invalid")


def test_where_only_turns_are_known_they_are_the_measure() -> None:
    session = SAME[".chati/session.yaml"] + "turn_count: 17\n"
    plan = plan_of({**SAME, ".chati/session.yaml": session})
    assert measure_window_usage(plan, None).remaining == 57
    assert measure_window_usage(plan, None, remaining=80).remaining == 80
    assert measure_window_usage(plan_of(SAME), None).remaining == 100


# invariants

_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)


def _quoted(text: str) -> str:
    """``text`` as a YAML scalar in double quotes."""
    return (
        '"'
        + "".join(
            c if c.isalnum() and c.isascii() else f"\\U{ord(c):08x}"
            for c in text
            if not 0xD800 <= ord(c) < 0xE000
        )
        + '"'
    )


@st.composite
def _trees(draw: st.DrawFn) -> dict[str, str]:
    def said() -> str:
        return draw(_TEXT)

    flat = " ".join(said().split()).encode(errors="replace").decode()
    return {
        "chati.dev/domains/constitution.yaml": f"summary: {_quoted(said())}\n",
        "chati.dev/domains/global.yaml": (
            f"rules:\n  - {{id: {_quoted(said())}, text: {_quoted(said())}}}\n"
            f"modes: {{planning: {{writeScope: {_quoted(said())}, allowedActions: [{_quoted(said())}]}}}}\n"
        ),
        "chati.dev/agents/planning/brief.md": (
            f"# {flat} Agent\n\n## Mission\n\n{said()}\n\n## Inputs\n\n{said()}\n\n## Criteria\n\n- {said()}\n"
        ),
        "chati.dev/domains/agents/brief.yaml": (
            f"mission: {_quoted(said())}\nauthority: {{blocked: [{_quoted(said())}], "
            f"redirectMessage: {_quoted(said())}}}\nrules: [{{id: {_quoted(said())}, text: {_quoted(said())}}}]\n"
        ),
        "chati.dev/artifacts/handoffs/wu.md": f"---\nfrom_agent: {_quoted(said())}\n---\n## Summary\n\n{said()}\n",
        ".chati/session.yaml": (
            "project: {name: A, type: greenfield, state: planning}\ncurrent_agent: brief\n"
            f"current_task: {_quoted(said())}\nlast_handoff: wu\n"
            f"agents: {{brief: {{status: {_quoted(said())}, score: 3}}, {_quoted(said())}: {{status: pending}}}}\n"
            f"backlog: [{{id: {_quoted(said())}, title: {_quoted(said())}, priority: {_quoted(said())}, status: pending}}]\n"
        ),
    }


@settings(deadline=None, max_examples=examples(60))
@given(_trees(), st.sampled_from([80, 50, 30, 20, 10]), _TEXT, _TEXT)
def test_every_text_makes_well_formed_xml(
    files: dict[str, str], remaining: float, agent: str, memory: str
) -> None:
    plan = plan_of(files)
    hints = (Hint(memory, memory, memory, tier="hot", level="full"),)
    for said in ({}, {"agent": agent, "task": agent}):
        assembly = made(plan, remaining, hints=hints, **said)
        assert not assembly.degraded_layers
        assert parsed(assembly).tag == "chati-context"


@settings(deadline=None, max_examples=examples(30))
@given(_trees(), st.sampled_from([80, 50, 30, 10]), st.integers(1, 700), st.integers(1, 700))
def test_a_smaller_budget_keeps_a_subset_within_it(
    files: dict[str, str], remaining: float, one: int, other: int
) -> None:
    plan = plan_of(files)

    def within(budget: int) -> Assembly:
        table = {**plan.profile_table}
        table["brackets"] = tuple({**row, "budget": budget} for row in table["brackets"])
        return made(Plan({**_fields(plan), "profile_table": table}), remaining)

    small, large = within(min(one, other)), within(max(one, other))
    for assembly in (small, large):
        assert assembly.tokens <= assembly.budget or assembly.is_over_budget
        assert assembly.tokens == estimate_tokens(assembly.text)
        assert parsed(assembly).tag == "chati-context"
    kept = [
        {(section.id, entry.hash) for section in a.sent_sections for entry in section.entries}
        for a in (small, large)
    ]
    assert kept[0] <= kept[1]


def _standing_of(told: Assembly) -> dict[str, dict[str, str]]:
    assert told.review is not None
    return standing_after({}, told.sent_sections, told.situation, told.review)


@settings(deadline=None, max_examples=examples(30))
@given(_trees(), _trees(), st.sampled_from([80, 50, 30, 10]), st.sampled_from([80, 50, 30, 10]))
def test_what_is_taken_back_is_well_formed_too(
    before: dict[str, str], after: dict[str, str], one: float, other: float
) -> None:
    told = made(before, one)
    stands = _standing_of(told)
    plan = plan_of(after)
    request = resolve_situation(plan, Request(), measure_usage(reported=other))
    again = assemble_block(plan, request, standing=stands)
    assert not again.text or ElementTree.fromstring(again.text).tag == "chati-context"


def test_what_no_longer_holds_is_named_by_its_element() -> None:
    told = made(SAME, 50)
    stands = _standing_of(told)
    plan = plan_of({path: text for path, text in SAME.items() if "handoffs" not in path})
    again = assemble_block(
        plan, resolve_situation(plan, Request(), measure_usage(reported=50)), standing=stands
    )
    lines = (parsed(again).findtext("revoked") or "").strip().split("\n")
    assert [line.strip() for line in lines] == ["handoff: what was given before no longer applies"]


def test_the_same_inputs_give_the_same_bytes() -> None:
    assert made(BOARD, 50, hints=MEMORIES).text == made(BOARD, 50, hints=MEMORIES).text


def test_every_row_is_accounted_for() -> None:
    from synapse_ls.engine.rule_account import account_for_domains

    plan = plan_of(BOARD)
    for remaining in (80, 50, 30, 10):
        for domain in account_for_domains(plan, made(plan, remaining)):
            for rule in domain.rules:
                assert rule.is_rendered or rule.reason != "its section was not assembled", rule.key


# real files


def _corpus_plan() -> Plan:
    root = str(corpus() / "chati")
    return compile_plan(Tree(load_tree(root, LoadScope.PROMPT).index.snapshot()), root)


@pytest.mark.parametrize("bracket", BRACKETS)
def test_every_agent_of_the_framework_has_a_block_within_its_budget(bracket: str) -> None:
    plan = _corpus_plan()
    assert len(plan.by_agent) == 13
    for agent in plan.by_agent:
        assembly = made(plan, BRACKETS[bracket], agent=agent)
        root = parsed(assembly)
        assert root.get("bracket") == bracket
        assert assembly.tokens <= BUDGETS[bracket]
        assert not (assembly.cut_entries or assembly.degraded_layers or assembly.is_over_budget)
        assert [element.tag for element in root][:3] == ["constitution", "mode", "global"]
        if bracket != "CRITICAL":
            found = root.find("agent")
            assert found is not None
            assert found.get("mission")
            assert found.find("rule") is not None


def test_what_sleeps_says_which_bracket_wakes_it() -> None:
    from synapse_ls.engine.rule_account import account_for_domains

    plan = plan_of(BOARD)
    accounts = {found.label: found for found in account_for_domains(plan, made(plan, 30))}
    assert accounts["PIPELINE"].reason == "L3 is inactive in DEPLETED until MODERATE (40–60% left)"
    assert accounts["PIPELINE"].remedy == "try --bracket MODERATE"


def test_a_hand_off_that_nobody_needs_says_so() -> None:
    from synapse_ls.engine.rule_account import account_for_domains

    session = "project: {name: A, type: greenfield, state: build}\nlast_handoff: qa-planning\n"
    plan = plan_of({**BOARD, ".chati/session.yaml": session})
    accounts = {found.label: found for found in account_for_domains(plan, made(plan))}
    assert accounts["HANDOFF"].reason == "no agent and no task is active"


def test_what_is_for_another_mode_says_so() -> None:
    from synapse_ls.engine.rule_account import account_for_domains

    plan = plan_of(BOARD)
    accounts = {found.label: found for found in account_for_domains(plan, made(plan))}
    reasons = {rule.key: rule.reason for rule in accounts["GLOBAL"].rules}
    assert reasons["MODE_PLANNING_BLOCKED"] == "it is for mode planning; the mode is build"
