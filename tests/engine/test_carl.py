"""The block of a ``.carl/`` tree: CARL's sections in its order, by its own rules of what comes in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from synapse_ls.engine import profiles
from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan, Profile
from synapse_ls.engine.context_usage import measure_usage, tokens_of_length
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.carl_trees import BAND, BAND_V2
from tests.engine.blocks import block, section
from tests.engine.test_delivery_difference import Agent
from tests.support import corpus, examples
from tests.trees import TEAM, plan_of, tree_of

PROMPT = "*encore how loud is the sound desk at this venue?"
LEFT = {"FRESH": 80, "MODERATE": 50, "DEPLETED": 30, "CRITICAL": 10}


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of(BAND)


@pytest.mark.parametrize("bracket", LEFT)
def test_the_block_of_carl(plan: Plan, bracket: str, snapshot: SnapshotAssertion) -> None:
    assert block(plan, PROMPT, remaining=LEFT[bracket]).text == snapshot


@pytest.mark.parametrize("bracket", LEFT)
def test_the_block_of_carl_v2(bracket: str, snapshot: SnapshotAssertion) -> None:
    assert block(plan_of(BAND_V2), PROMPT, remaining=LEFT[bracket]).text == snapshot


def test_the_sections_are_in_carls_order(plan: Plan) -> None:
    lines = block(plan, PROMPT, remaining=10).text.splitlines()
    headings = [line for line in lines if line and not line.startswith(" ")]
    assert headings == [
        "<carl-rules>",
        "⚠️ CONTEXT CRITICAL: less than 25% remaining ⚠️",
        "Recommend: compact session OR spawn fresh agent for remaining work",
        "CONTEXT BRACKET: [CRITICAL] (less than 25% remaining)",
        "[CRITICAL] CONTEXT RULES:",
        "🎯 ACTIVE COMMANDS 🎯",
        "EXPLICIT COMMAND INVOCATION - EXECUTE THESE INSTRUCTIONS:",
        "🚫 DEVMODE=false 🚫",
        "LOADED DOMAINS:",
        "[GLOBAL] RULES:",
        "[STAGE] RULES:",
        "[MIX] RULES:",
        "[TOUR] RULES:",
        "</carl-rules>",
    ]


# What is there, and how it is numbered


def test_rules_are_counted_from_0_in_the_order_of_the_file(plan: Plan) -> None:
    assert section(block(plan), "[GLOBAL] RULES:").splitlines()[1:] == [
        "  0. Count in before you play",
        "  1. Tune between songs, not during them",
    ]
    assert section(block(plan, "mix it"), "[MIX] RULES:").splitlines()[1:] == [
        "  0. Cut before you boost",
        "  1. Leave headroom = 6 dB",
    ]


def test_rules_of_a_bracket_are_counted_from_1(plan: Plan) -> None:
    assert "\n  1. Try things out" in block(plan, remaining=80).text


def test_critical_is_told_the_rules_of_depleted(plan: Plan) -> None:
    depleted = section(block(plan, remaining=30), "[DEPLETED] CONTEXT RULES:").splitlines()[1:]
    critical = section(block(plan, remaining=10), "[CRITICAL] CONTEXT RULES:").splitlines()[1:]
    assert depleted == critical != []


def test_critical_goes_by_the_switch_of_depleted() -> None:
    off = {**BAND, ".carl/context": "DEPLETED_RULES=false\nDEPLETED_RULE_0=Play\n"}
    assert "CONTEXT RULES" not in block(plan_of(off), remaining=10).text


def test_a_bracket_that_is_switched_off_has_no_rules(plan: Plan) -> None:
    text = block(plan, remaining=50).text
    assert "CONTEXT BRACKET: [MODERATE] (40–60% remaining)" in text
    assert "Keep to the set list" not in text


@pytest.mark.parametrize(
    ("files", "left", "bracket"),
    [
        (BAND, 60, "FRESH"),
        (BAND, 59, "MODERATE"),
        (BAND, 40, "MODERATE"),
        (BAND, 39, "DEPLETED"),
        (BAND, 25, "DEPLETED"),
        (BAND, 24, "CRITICAL"),
        (BAND_V2, 70, "FRESH"),
        (BAND_V2, 69, "MODERATE"),
        (BAND_V2, 39, "DEPLETED"),
        (BAND_V2, 15, "DEPLETED"),
        (BAND_V2, 14, "CRITICAL"),
    ],
)
def test_the_brackets_begin_where_carls_do(files: dict[str, str], left: int, bracket: str) -> None:
    assert block(plan_of(files), remaining=left).situation.bracket.name == bracket


def test_the_context_domain_can_be_switched_off() -> None:
    off = {**BAND, ".carl/manifest": "CONTEXT_STATE=inactive\nGLOBAL_STATE=active\n"}
    assert "CONTEXT" not in block(plan_of(off), remaining=10).text


def test_a_file_with_env_behind_its_name_serves_its_domain(plan: Plan) -> None:
    assert "  0. Load in by four" in section(block(plan, "on tour"), "[TOUR] RULES:")


def test_a_domain_without_a_state_that_waits_for_keywords_is_off(plan: Plan) -> None:
    assert "ATTIC" not in block(plan, "play the demo").text


def test_only_the_domains_own_keys_are_read(plan: Plan) -> None:
    assert "Not read here" not in block(plan, "mix it").text


def test_rules_have_no_budget() -> None:
    rules = "".join(f"GLOBAL_RULE_{n}={'very ' * 40}{n}\n" for n in range(100))
    found = block(plan_of({".carl/manifest": "GLOBAL_STATE=active\n", ".carl/global": rules}))
    assert not found.cut_entries
    assert "[GLOBAL] always_on (100 rules)" in found.text


def test_a_constitution_is_a_domain_like_any_other() -> None:
    files = {
        ".carl/manifest": "CONSTITUTION_STATE=inactive\nCONSTITUTION_ALWAYS_ON=true\n",
        ".carl/constitution": "CONSTITUTION_RULE_0=Be kind\n",
    }
    assert "Be kind" not in block(plan_of(files)).text


# Matching


@pytest.mark.parametrize(
    "prompt", ["the mixer", "REMIX", "at what LEVEL?", "sound  desk", "why?\n```\nmix(1)\n```\n"]
)
def test_keywords_match_inside_of_words_and_code(plan: Plan, prompt: str) -> None:
    assert "[MIX] matched: " in block(plan, prompt).text


def test_the_configuration_can_ask_for_whole_words() -> None:
    files = {**BAND, ".synapse/config.toml": 'matching = "word"\n'}
    assert "[MIX]" not in block(plan_of(files), "the mixer").text


def test_an_excluded_domain_is_told_with_the_word(plan: Plan) -> None:
    text = block(plan, "a mixtape for the tour").text
    assert "EXCLUDED DOMAINS:\n  [MIX] excluded by: mixtape" in text
    assert "[MIX] RULES" not in text


def test_a_word_excludes_nothing_that_no_keyword_brings_in() -> None:
    files = {
        ".carl/manifest": "A_STATE=active\nA_RECALL=x-ray\nA_EXCLUDE=quiet\n",
        ".carl/a": "A_RULE_0=Look\n",
    }
    assert "EXCLUDED" not in block(plan_of(files), "be quiet").text


def test_a_global_exclusion_stops_keywords_and_nothing_else(plan: Plan) -> None:
    text = block(plan, "*encore off the record: the mix").text
    assert "GLOBAL EXCLUSION ACTIVE: off the record\n  (All domain matching skipped)" in text
    assert "[MIX] RULES" not in text
    assert "Play one more" in text
    assert "[STAGE] RULES:" in text


@pytest.mark.parametrize("recall", ["", "x,", ","])
def test_an_empty_keyword_brings_nothing_in(recall: str) -> None:
    files = {".carl/manifest": f"A_STATE=active\nA_RECALL={recall}\n", ".carl/a": "A_RULE_0=b\n"}
    assert "[A] RULES" not in block(plan_of(files), "anything").text


def test_what_a_keyword_would_bring_in_is_told_with_its_file(plan: Plan) -> None:
    text = section(block(plan), "AVAILABLE")
    assert text.splitlines()[1:-1] == [
        "  MIX (mix, sound desk, level) · .carl/mix",
        "  TOUR (tour, venue) · .carl/tour.env",
    ]
    assert "drl_get_domain_rules" not in text


# Star-commands, debug mode, overrides


@pytest.mark.parametrize("prompt", ["*encore", "now *ENCORE, please", "(*encore)"])
def test_a_star_command_is_told_for_this_prompt(plan: Plan, prompt: str) -> None:
    assert (
        "  [*encore] COMMAND:\n    0. Play one more\n    1. Then stop" in block(plan, prompt).text
    )


def test_commands_is_a_command_that_its_rules_come_in_with() -> None:
    """``carl-hook.py`` gives the same lines for this file and prompt."""
    rules = "COMMANDS_RULE_0=*recap - Sum up\nCOMMANDS_RULE_1=*proposal - Write it\n"
    carl = plan_of({**BAND, ".carl/commands": rules})
    text = block(carl, "please *commands now").text
    assert "  [*commands] COMMAND:\n    0. *recap - Sum up\n    1. *proposal - Write it" in text
    assert "ACTIVE COMMANDS" not in block(carl, "please *recap now").text


@pytest.mark.parametrize(
    "prompt", ["**encore**", "3*encore", "`*encore`", "*encore.py", "*encores"]
)
def test_what_only_looks_like_a_command_is_none(plan: Plan, prompt: str) -> None:
    assert "ACTIVE COMMANDS" not in block(plan, prompt).text


def test_carls_help_mode_is_a_command_like_any_other(plan: Plan) -> None:
    assert "[*carl] COMMAND:\n    0. Explain how the rules work" in block(plan, "*carl").text


def test_commands_can_be_switched_off() -> None:
    off = {**BAND, ".carl/manifest": "COMMANDS_STATE=inactive\n"}
    assert "ACTIVE COMMANDS" not in block(plan_of(off), "*encore").text


def test_devmode_asks_for_an_account_in_every_response() -> None:
    text = block(plan_of({**BAND, ".carl/manifest": "DEVMODE=on\n"})).text
    assert "🔧 DEVMODE=true 🔧\nEnd every response with a fenced block titled" in text
    assert "DEVMODE=false" not in text


def test_a_session_overrides_states_and_devmode(plan: Plan) -> None:
    session = {"overrides": {"GLOBAL_STATE": False, "ATTIC_STATE": True, "DEVMODE": True}}
    text = block(plan, "the demo", session=session).text
    assert "⛔ GLOBAL RULES DISABLED ⛔" in text
    assert "[GLOBAL] RULES" not in text
    assert "[ATTIC] RULES:\n  0. Never released" in text
    assert "DEVMODE=true" in text


def test_the_word_inactive_switches_off_in_a_session_too(plan: Plan) -> None:
    session = {"overrides": {"STAGE_STATE": "inactive"}}
    assert "[STAGE]" not in block(plan, session=session).text


# CARL v2


def test_decisions_that_hold_are_told_with_their_domain() -> None:
    text = section(block(plan_of(BAND_V2), "the mix"), "[MIX] RULES:")
    assert "  DECIDED:\n    - Mono for the floor (one speaker)" in text
    assert "Stereo" not in text


def test_the_two_versions_say_the_same(plan: Plan) -> None:
    def rules(made: Assembly) -> list[str]:
        return [
            e.text for s in made.sent_sections for e in s.entries if e.file and e.key[:3] != "mix"
        ]

    second = plan_of(BAND_V2)
    for left in (90, 50, 30, 10):
        assert rules(block(plan, PROMPT, remaining=left)) == rules(
            block(second, PROMPT, remaining=left)
        )


# Two homes


def test_synapse_comes_before_carl() -> None:
    text = block(plan_of({**BAND, **TEAM})).text
    assert text.startswith("<synapse-rules>")
    assert "Count in" not in text


def test_a_synapse_folder_without_rules_leaves_carl_alone() -> None:
    files = {**BAND, ".synapse/config.toml": "devmode = true\n"}
    text = block(plan_of(files)).text
    assert text.startswith("<carl-rules>")
    assert "DEVMODE=true" in text


def test_the_configuration_has_the_last_word() -> None:
    files = {**BAND, **TEAM, ".synapse/config.toml": 'profile = "carl"\n'}
    assert block(plan_of(files)).text.startswith("<carl-rules>")


def test_a_profile_that_extends_carl_reads_carl() -> None:
    files = {
        **BAND,
        **TEAM,
        ".synapse/config.toml": """\
            profile = "tight"
            [profiles.tight]
            extends = "carl"
            [profiles.tight.brackets.FRESH]
            budget = 60
            """,
    }
    made = block(plan_of(files), remaining=90)
    assert made.budget == 60
    assert made.text.startswith("<carl-rules>")
    assert made.cut_entries


# What holds whatever the tree and the prompt say

WORDS = st.text(min_size=1, max_size=40)
PROMPTS = st.text(max_size=60) | st.sampled_from([PROMPT, "off the record", "mixtape", "*carl"])


def _told(text: str) -> str:
    """A text as it may stand behind the ``=`` of a line."""
    return " ".join(text.split()).lstrip("=").strip() or "x"


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    """Trees of CARL with arbitrary rules."""
    files = {".carl/manifest": "GLOBAL_STATE=active\n"}
    for name in ("GLOBAL", "STAGE", "MIX"):
        texts = draw(st.lists(WORDS, max_size=8))
        files[f".carl/{name.lower()}"] = "".join(
            f"{name}_RULE_{i}={_told(text)}\n" for i, text in enumerate(texts)
        )
    recall = ",".join(_told(w) for w in draw(st.lists(WORDS, max_size=3)))
    files[".carl/manifest"] += f"STAGE_ALWAYS_ON=true\nMIX_STATE=active\nMIX_RECALL=mix,{recall}\n"
    depleted = draw(WORDS)
    files[".carl/context"] = f"FRESH_RULE_0=a\nDEPLETED_RULE_0={_told(depleted)}\n"
    return files


def _made(plan: Plan, prompt: str, left: float, budget: int | None = None) -> Assembly:
    situation = resolve_situation(plan, Request(prompt), measure_usage(reported=left))
    if budget is not None:
        situation.bracket.budget = budget
    return assemble_block(plan, situation)


@settings(max_examples=examples(60), deadline=None)
@given(trees(), PROMPTS, st.floats(0, 100), st.integers(20, 400))
def test_the_invariants_of_every_profile(
    files: dict[str, str], prompt: str, left: float, budget: int
) -> None:
    plan = plan_of(files)
    made = _made(plan, prompt, left, budget)
    # The cost is that of the text, and within the budget or reported.
    assert made.tokens == tokens_of_length(len(made.text))
    assert made.tokens <= budget or made.is_over_budget
    # Same inputs, same bytes.
    assert _made(plan_of(files), prompt, left, budget).text == made.text
    # Sections are in the order of the profile, and what is protected is complete.
    order = [plan.profile.order[s.id] for s in made.sent_sections]
    assert order == sorted(order)
    protected = set(plan.profile.protected)
    wanted = {id(e) for s in made.wanted_sections for e in s.entries if e.rank in protected}
    assert wanted <= {id(e) for s in made.sent_sections for e in s.entries}
    # A smaller budget keeps a subset.
    smaller = _made(plan, prompt, left, budget // 2)
    assert _kept(smaller) <= _kept(made)
    # What is wanted is there or reported.
    # What describes the block itself is no loss.
    entries = {id(e) for s in made.wanted_sections for e in s.entries if e.rank != "SUMMARY"}
    sent = {id(e) for s in made.sent_sections for e in s.entries if e.rank != "SUMMARY"}
    assert entries == sent | {id(e) for e in made.cut_entries}
    # Nothing that a rule says can close the block, or stand where a heading does.
    assert made.text.count("<carl-rules>") == made.text.count("</carl-rules>") == 1
    assert made.text.endswith("</carl-rules>")
    for line in made.text.splitlines():
        assert not any(line == e.text for s in made.sent_sections for e in s.entries if e.file)
    # Every rule is accounted for.
    assert all(rule.reason for domain in account_for_domains(plan, made) for rule in domain.rules)


def _kept(made: Assembly) -> set[tuple[str, int, str]]:
    return {(e.file, e.line, e.key) for s in made.sent_sections for e in s.entries if e.file}


@given(st.floats(0, 100), st.floats(0, 100))
@pytest.mark.parametrize("name", ["carl", "carl-v2"])
def test_a_bracket_never_gets_fresher_with_less_left(name: str, one: float, other: float) -> None:
    table = profiles.load_profile_table(name)
    assert table is not None
    profile = Profile(table)
    less, more = sorted((one, other))
    assert profile.bracket_at(less).floor <= profile.bracket_at(more).floor


def test_a_tree_without_carl_has_no_rules_for_its_profile() -> None:
    assert "RULES:" not in block(plan_of({".synapse/config.toml": 'profile = "carl"\n'})).text
    assert tree_of(TEAM).folder == ".synapse"


@pytest.mark.parametrize("bracket", LEFT)
def test_the_template_of_carl_is_told_whole(bracket: str) -> None:
    root = str(corpus() / "carl")
    tree = Tree(load_tree(root, LoadScope.PROMPT).index.snapshot())
    made = block(
        compile_plan(tree, root), "*brief and *plan the latest change", remaining=LEFT[bracket]
    )
    rules = {
        s.heading: len(s.entries) for s in made.sent_sections if any(e.file for e in s.entries)
    }
    depleted = 6 if bracket in ("DEPLETED", "CRITICAL") else 5
    assert list(rules.values()) == [depleted, 4 + 5, 9]
    assert next(iter(rules)) == f"[{bracket}] CONTEXT RULES:"
    assert not made.cut_entries
    assert "AVAILABLE" not in made.text


SAID = ["hello", "mix it", "on tour at the venue", "*encore", "off the record", "a mixtape", "demo"]
STEPS = st.lists(
    st.tuples(
        st.sampled_from(SAID),
        st.sampled_from([90, 65, 50, 30, 10]),
        st.sampled_from(["v1", "v1", "v2", "synapse"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)
PLANS = {"v1": plan_of(BAND), "v2": plan_of(BAND_V2), "synapse": plan_of({**BAND, **TEAM})}


@settings(max_examples=examples(80), deadline=None)
@given(STEPS)
def test_over_any_prompts_every_wanted_entry_stands_and_nothing_stale_is_believed(
    steps: list[tuple[str, int, str, bool]],
) -> None:
    agent = Agent()
    for prompt, left, which, compacts in steps:
        if compacts:
            agent.compact()
        made = agent.prompt(PLANS[which], prompt, remaining=left)
        assert agent.missing(made) == set()
        assert agent.misleading(PLANS[which], made) == set()


def test_loaded_domains_count_the_rules_that_are_injected() -> None:
    long = "".join(f"SAFETY_RULE_{n}=Rule {n} is {'very ' * 40}long\n" for n in range(13))
    files = {
        ".carl/manifest": "GLOBAL_STATE=active\nSAFETY_ALWAYS_ON=true\nAPI_STATE=active\n"
        "API_RECALL=endpoint\n",
        ".carl/global": "GLOBAL_RULE_0=Be kind\n",
        ".carl/safety": f"{long}SAFETY_RULE_13=Be kind\n",
        ".carl/api": "API_RULE_0=Be kind\n",
    }
    loaded = section(block(plan_of(files), "the endpoint"), "LOADED").splitlines()[1:]
    assert loaded == ["  [GLOBAL] always_on (1 rule)", "  [SAFETY] always_on (13 rules)"]
    made = block(plan_of(files), limit=2_000)
    kept = sum(f"Rule {n} is" in made.text for n in range(13))
    assert 0 < kept < 13 and len(made.text) <= 2_000
    assert f"  [SAFETY] always_on ({kept} rules)\n" in made.text
