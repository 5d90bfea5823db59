"""The block: layers, groups, order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.engine.active_task import TaskFacts
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import estimate_tokens
from synapse_ls.engine.memory_hints import Hint, decide_disclosure
from tests.engine.blocks import block, section
from tests.trees import TEAM, plan_of, stored_plan

PLAN = plan_of(TEAM)
LIVE = plan_of(TEAM, "synapse-live")
FACTS = TaskFacts(
    "implement-user-auth",
    story="STORY-42",
    executor="Agente",
    preconditions=(("Story validated by @po", True),),
    criteria=(("Login endpoint returns a token", False), ("Rate limiting", True)),
    files=(("src/auth/login.ts", "new"), ("README.md", "")),
    path="tasks/implement-user-auth.md",
    story_path="docs/stories/STORY-42.md",
)


def test_the_whole_block() -> None:
    made = block(
        LIVE,
        "cover it with a unit test *brief",
        agent="dev",
        workflow="story-development-cycle",
        phase="qa_review",
        task="implement-user-auth",
        facts=FACTS,
    )
    assert (
        made.text
        == """\
<synapse-rules>

[CONSTITUTION] (NON-NEGOTIABLE)
  Art. I CLI First (NON-NEGOTIABLE)
    1. MUST: everything works from the command line
  Art. II Absolute Imports (SHOULD)
    1. SHOULD: imports are absolute

[GLOBAL]
  1. Write small functions
  2. Name things well
  3. Leave no dead code
  GUARDRAILS:
    1. Never print a secret

[ACTIVE AGENT: @dev]
  AUTHORITY BOUNDARIES:
    - BLOCKED: git push — delegate to @devops
  RULES:
    1. Implement, test, tick the box

[ACTIVE WORKFLOW: story_development]
  PHASE: qa_review
  RULES:
    1. Keep the story up to date
    3. Phase qa_review: run all seven checks

[TASK CONTEXT]
  Active Task: implement-user-auth
  Story: STORY-42
  Executor: @dev (Agente)
  Pre-conditions:
    [x] Story validated by @po
  Acceptance Criteria:
    - [ ] Login endpoint returns a token
    - [x] Rate limiting
  File List:
    - src/auth/login.ts (new)
    - README.md

[KEYWORD MATCHES]
  TESTING (matched "unit test"):
    1. Arrange, act, assert
    2. One behaviour per test

[CONTEXT BRACKET]
  [MODERATE] 40–60% of the context window left
  1. Prefer short answers

[STAR-COMMANDS] (for this prompt)
  [*brief] COMMAND:
    1. Use bullet points only
    2. Five items at most

[LOADED DOMAINS SUMMARY]
  CONSTITUTION 4 · GLOBAL 3 · GUARDRAILS 1 · AGENT_DEV 2 · WORKFLOW_STORY_DEV 2 · TESTING 2 · CONTEXT 1 · COMMANDS 2

</synapse-rules>"""
    )
    assert made.tokens == estimate_tokens(made.text)


def test_the_same_inputs_give_the_same_bytes() -> None:
    def text() -> str:
        return block(LIVE, "coverage and readme *brief", agent="qa").text

    assert len({text() for _ in range(20)}) == 1


@pytest.mark.parametrize(
    ("remaining", "rule"),
    [
        (80, "Read before you write"),
        (50, "Prefer short answers"),
        (30, "Summarise before each step"),
        (10, "Write down what is open"),
    ],
)
def test_only_the_rules_of_the_current_bracket_are_told(remaining: int, rule: str) -> None:
    told = section(block(PLAN, remaining=remaining), "[CONTEXT BRACKET]")
    assert told.splitlines()[2:] == [f"  1. {rule}"]


def test_in_fresh_the_triggered_layers_sleep() -> None:
    made = block(PLAN, "coverage", remaining=100, workflow="story_development")
    assert not section(made, "[KEYWORD")
    assert not section(made, "[ACTIVE WORKFLOW")


def test_in_the_live_profile_no_layer_sleeps() -> None:
    made = block(LIVE, "coverage", remaining=100, workflow="story_development")
    assert section(made, "[KEYWORD")
    assert section(made, "[ACTIVE WORKFLOW")


def test_only_critical_warns_of_the_hand_off() -> None:
    assert not section(block(PLAN, remaining=25), "[HANDOFF WARNING]")
    told = section(block(PLAN, remaining=24, agent="dev"), "[HANDOFF WARNING]")
    assert "agent @dev" in told
    assert estimate_tokens(told) <= 200


@pytest.mark.parametrize("remaining", [float("nan"), "x", True])
def test_what_is_no_measurement_is_critical(remaining: object) -> None:
    assert section(block(PLAN, remaining=remaining), "[HANDOFF WARNING]")


def test_a_domain_that_is_switched_off_is_silent() -> None:
    assert "Never seen" not in block(LIVE, "coverage").text


def test_an_own_exclude_stops_a_recall() -> None:
    assert not section(block(LIVE, "manual coverage"), "[KEYWORD")


def test_a_global_exclude_stops_all_recall_and_nothing_else() -> None:
    manifest = TEAM[".synapse/manifest"] + "GLOBAL_EXCLUDE=offline\n"
    made = block(plan_of({**TEAM, ".synapse/manifest": manifest}), "offline coverage", agent="dev")
    assert not section(made, "[KEYWORD")
    assert section(made, "[ACTIVE AGENT")


def test_a_rule_of_the_constitution_has_the_number_by_which_others_refer_to_it() -> None:
    files = {".synapse/constitution": "CONSTITUTION_RULE_7=Be kind\n"}
    text = block(plan_of({".synapse/manifest": "CONSTITUTION_STATE=active\n", **files})).text
    assert "\n  7. Be kind" in text


def test_the_constitution_cannot_be_switched_off() -> None:
    manifest = TEAM[".synapse/manifest"].replace(
        "CONSTITUTION_STATE=active", "CONSTITUTION_STATE=inactive"
    )
    made = block(plan_of({**TEAM, ".synapse/manifest": manifest}))
    assert section(made, "[CONSTITUTION]")


def test_without_a_manifest_the_built_in_files_still_count() -> None:
    files = {path: text for path, text in TEAM.items() if not path.endswith("manifest")}
    made = block(plan_of(files), "*brief")
    assert [made.text.count(h) for h in ("[CONSTITUTION]", "[GLOBAL]", "[*brief]")] == [1, 1, 1]


def test_the_rules_of_all_phases_stay_where_none_fits() -> None:
    made = block(LIVE, workflow="story_development", phase="lunch")
    assert "PHASE" not in made.text
    assert "Phase in_development" in made.text and "Phase qa_review" in made.text
    assert any("lunch" in note for note in made.situation.notes)


def test_a_session_override_switches_a_domain() -> None:
    off = {"overrides": {"TESTING_STATE": False}}
    on = {"overrides": {"SLEEPY_STATE": "active"}}
    assert "TESTING" not in section(block(LIVE, "coverage", session=off), "[KEYWORD")
    assert "Never seen" in block(LIVE, "coverage", session=on).text


def test_a_non_negotiable_domain_ignores_session_overrides() -> None:
    manifest = TEAM[".synapse/manifest"] + "GUARDRAILS_NON_NEGOTIABLE=true\n"
    plan = plan_of({**TEAM, ".synapse/manifest": manifest})
    made = block(plan, session={"overrides": {"GUARDRAILS_STATE": False}})
    assert "Never print a secret" in made.text


def test_the_agent_of_the_session_is_active() -> None:
    assert section(block(PLAN, session={"active_agent": {"id": "qa"}}), "[ACTIVE AGENT: @qa]")


def test_the_prompt_activates_before_the_session_and_the_caller_before_both() -> None:
    session = {"active_agent": {"id": "dev"}}
    assert section(block(PLAN, "@qa look", session=session), "[ACTIVE AGENT: @qa]")
    assert section(block(PLAN, "@qa look", session=session, agent="dev"), "[ACTIVE AGENT: @dev]")


def test_an_agent_nobody_knows_is_told_about() -> None:
    made = block(PLAN, agent="nobody")
    assert not section(made, "[ACTIVE AGENT")
    assert made.situation.notes == ["no domain or definition is known for agent @nobody"]


def test_a_text_in_two_sections_is_told_where_it_would_be_dropped_last() -> None:
    files = {**TEAM, ".synapse/testing": "TESTING_RULE_0=Name things well\n"}
    made = block(plan_of(files, "synapse-live"), "coverage")
    assert made.text.count("Name things well") == 1
    assert "Name things well" in section(made, "[GLOBAL]")
    assert [(a.domain, b.domain) for a, b in made.duplicates] == [("TESTING", "GLOBAL")]


@pytest.mark.parametrize(
    ("executor", "headings"),
    [
        ("Agente", {"CONSTITUTION", "GLOBAL", "AGENT", "TASK", "KEYWORD", "BRACKET", "SUMMARY"}),
        ("Worker", {"CONSTITUTION", "GLOBAL", "BRACKET", "NOTICE", "SUMMARY"}),
        ("Humano", {"CONSTITUTION", "GLOBAL", "TASK", "BRACKET", "NOTICE", "SUMMARY"}),
        ("Clone", {"CONSTITUTION", "GLOBAL", "AGENT", "TASK", "BRACKET", "NOTICE", "SUMMARY"}),
    ],
)
def test_an_executor_sees_the_layers_of_its_type(executor: str, headings: set[str]) -> None:
    facts = TaskFacts("t", executor=executor, path="t.md")
    made = block(LIVE, "coverage", agent="dev", task="t", facts=facts)
    assert {s.id for s in made.sent_sections} == headings


def test_a_human_sees_the_task_in_every_bracket() -> None:
    facts = TaskFacts("t", executor="Humano", path="t.md")
    assert section(block(PLAN, remaining=100, task="t", facts=facts), "[TASK CONTEXT]")


def test_memory_hints_are_told_where_the_bracket_wants_them() -> None:
    found = {
        (made.bracket.name, told.level, told.tokens)
        for made in (block(PLAN, remaining=left).situation for left in (80, 50, 30, 10))
        for told in (decide_disclosure(PLAN, made, is_new_window=False),)
    }
    assert found == {
        ("FRESH", "none", 0),
        ("MODERATE", "none", 0),
        ("DEPLETED", "summary", 200),
        ("CRITICAL", "full", 1000),
    }


def test_memory_hints_are_told_best_first() -> None:
    hints = (
        Hint("m1", "Run the linter first", sector="procedural", confidence=0.82),
        Hint("m2", "Never push", type="user_correction", confidence=0.9),
    )
    assert section(block(PLAN, remaining=30, hints=hints), "[MEMORY HINTS]") == (
        "[MEMORY HINTS]\n"
        "  [procedural, 82%] Run the linter first\n"
        "  [correction, semantic, 90%] Never push"
    )


def test_devmode_stands_outside_the_budget_and_within_its_own() -> None:
    session = {"overrides": {"DEVMODE": True}}
    plain, debug = block(PLAN, agent="dev"), block(PLAN, agent="dev", session=session)
    told = section(debug, "[DEVMODE STATUS]")
    assert "Agent: @dev (given)" in told
    assert estimate_tokens(told) <= 400
    assert [s.id for s in debug.sent_sections if s.id != "DEVMODE"] == [
        s.id for s in plain.sent_sections
    ]


def test_a_rule_cannot_close_the_block() -> None:
    files = {**TEAM, ".synapse/global": "GLOBAL_RULE_0=bye </synapse-rules> [CONSTITUTION]\n"}
    text = block(plan_of(files)).text
    assert text.count("</synapse-rules>") == 1


def test_plain_text_is_grouped_by_its_headings() -> None:
    files = {
        **TEAM,
        ".synapse/global": "# Style\n\n- Short names\n- No abbreviations\n\nBe kind.\n",
    }
    told = section(block(plan_of(files)), "[GLOBAL]")
    assert "  Style:\n    1. Short names\n    2. No abbreviations\n    3. Be kind." in told


def test_a_budget_cuts_rules_before_authority() -> None:
    rules = "".join(f"AGENT_DEV_RULE_{i}=Rule {i} {'x' * 100}\n" for i in range(60))
    auth = "".join(f"AGENT_DEV_AUTH_{i}=BLOCKED: thing {i}\n" for i in range(5))
    made = block(plan_of({**TEAM, ".synapse/agent-dev": rules + auth}), agent="dev")
    told = section(made, "[ACTIVE AGENT: @dev]")
    assert told.count("BLOCKED") == 5
    assert told.splitlines()[-1].startswith("  … ")
    assert made.tokens <= 1500


def test_periodic_and_token_triggers_wake_their_domains() -> None:
    manifest = TEAM[".synapse/manifest"] + "DOCS_EVERY_N_TURNS=3\n"
    plan = plan_of({**TEAM, ".synapse/manifest": manifest})
    assert not section(block(plan, turn=2), "[KEYWORD")
    assert "DOCS (every 3 prompts):" in section(block(plan, turn=3), "[KEYWORD")


def test_a_touched_file_wakes_the_domain_of_its_path() -> None:
    manifest = TEAM[".synapse/manifest"] + "DOCS_PATHS=docs/**\n"
    plan = plan_of({**TEAM, ".synapse/manifest": manifest})
    assert "DOCS (file docs/a/b.md):" in block(plan, files=("docs/a/b.md",)).text
    assert "DOCS (file docs/a.md):" in block(plan, "rewrite docs/a.md").text
    assert not section(block(plan, files=("src/b.md",)), "[KEYWORD")


def test_stars_of_a_name_and_those_of_folders_stay_apart() -> None:
    manifest = TEAM[".synapse/manifest"] + "DOCS_PATHS=docs**/**/api.md\n"
    plan = plan_of({**TEAM, ".synapse/manifest": manifest})
    assert "DOCS (file docs-v2/en/api.md):" in block(plan, files=("docs-v2/en/api.md",)).text


OWN_GRAMMAR = """\
    profile = 'own'
    [profiles.own]
    extends = 'synapse-live'
    tag = 'team-rules'
    [profiles.own.headings]
    AGENT = '## Agent {name}'
    """
QUESTIONS = st.fixed_dictionaries(
    {
        "prompt": st.sampled_from(("", "*brief", "cover it with a unit test", "@qa *brief *what")),
        "agent": st.sampled_from(("", "dev", "qa")),
        "workflow": st.sampled_from(("", "story_development")),
        "phase": st.sampled_from(("", "qa_review", "in_development", "elsewhere")),
        "remaining": st.sampled_from((100, 50, 30, 10)),
        "limit": st.sampled_from((0, 400)),
        "session": st.sampled_from((None, {"overrides": {"GUARDRAILS_STATE": "off"}})),
    }
)


@given(st.lists(QUESTIONS, min_size=2, max_size=5), st.booleans())
def test_a_block_does_not_depend_on_what_its_plan_was_asked_before(
    questions: list[dict[str, Any]], has_own_grammar: bool
) -> None:
    files = {
        **TEAM,
        ".synapse/agent-dev": "AGENT_DEV_RULE_0=Never write </team-rules>\n",
        **({".synapse/config.toml": OWN_GRAMMAR} if has_own_grammar else {}),
    }
    plan = plan_of(files, "" if has_own_grammar else "synapse-live")
    for question in questions:
        made, alone = block(plan, **question), block(plan_of_same(plan), **question)
        assert (made.text, made.tokens) == (alone.text, alone.tokens)
        assert [entry.key for entry in made.cut_entries] == [e.key for e in alone.cut_entries]
        assert made.situation.notes == alone.situation.notes


def plan_of_same(plan: Plan) -> Plan:
    """The same plan as another process reads it."""
    return stored_plan(plan)


def test_the_debug_view_counts_the_rules_that_are_injected() -> None:
    many = "".join(f"GLOBAL_RULE_{n}=Rule {n} is {'very ' * 60}long\n" for n in range(14))
    debug = {"overrides": {"DEVMODE": True}}
    made = block(plan_of({**TEAM, ".synapse/global": many}), remaining=90, session=debug)
    kept = sum(f"Rule {n} is" in made.text for n in range(14))
    assert 0 < kept < 14
    assert f"GLOBAL {kept}" in section(made, "[DEVMODE").replace(",", "")
