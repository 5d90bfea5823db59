"""What an agent's window holds after any sequence of prompts."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.delivery_difference import standing_after
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.session_values import COMPACTION
from synapse_ls.storage import session_changes
from tests.engine.reader import Reader
from tests.support import examples
from tests.trees import TEAM, plan_of

PLANS = {
    "as it is": plan_of(TEAM),
    "live": plan_of(TEAM, "synapse-live"),
    "edited": plan_of({**TEAM, ".synapse/global": "GLOBAL_RULE_0=Write tiny functions\n"}),
    "large": plan_of(
        {
            **TEAM,
            ".synapse/global": "".join(f"GLOBAL_RULE_{i}=Rule {i} {'x' * 90}\n" for i in range(60)),
        }
    ),
    "without qa": plan_of({k: v for k, v in TEAM.items() if k != ".synapse/agent-qa"}),
}


class Agent(Reader):
    """An agent with the record that the engine keeps of it."""

    def __init__(self) -> None:
        super().__init__()
        self.session = SessionState()
        self.turn = 0

    def prompt(
        self,
        plan: Plan,
        text: str = "",
        *,
        remaining: float = 100,
        agent: str = "",
        is_partial: bool = False,
        **given: Any,
    ) -> Assembly:
        self.turn += 1
        window = self.session.open_window("client")
        request = Request(
            text,
            agent=agent,
            turn=self.turn,
            recalled=window.recalled_domains(self.turn, 5),
            **given,
        )
        situation = resolve_situation(plan, request, measure_usage(reported=remaining))
        held = session_changes.window_content(plan, situation, window)
        assembly = assemble_block(
            plan,
            situation,
            standing=held.stands,
            doubtful=held.uncertain,
            repeat=held.repeat,
            is_partial=is_partial,
        )
        self.read(assembly)
        session_changes.record_delivery(window, assembly, held)
        return assembly

    def compact(self) -> None:
        self.told.clear()
        self.session.forget_in_windows(COMPACTION)


AS_IS = PLANS["as it is"]


def sections(assembly: Assembly) -> list[str]:
    return [section.id for section in assembly.sent_sections]


def test_the_first_prompt_gets_the_full_block() -> None:
    told = sections(Agent().prompt(AS_IS, agent="dev"))
    assert told == ["CONSTITUTION", "GLOBAL", "AGENT", "BRACKET", "SUMMARY"]


def test_an_unchanged_prompt_gets_nothing() -> None:
    agent = Agent()
    agent.prompt(AS_IS)
    assert agent.prompt(AS_IS, "go on").text == ""


def test_a_keyword_adds_its_domain_only() -> None:
    agent = Agent()
    agent.prompt(AS_IS, remaining=50)
    assert sections(agent.prompt(AS_IS, "improve coverage", remaining=50)) == ["KEYWORD"]


def test_a_keyword_domain_that_was_not_asked_for_again_still_stands_and_is_not_mentioned() -> None:
    agent = Agent()
    agent.prompt(AS_IS, "coverage", remaining=50)
    for _ in range(9):
        assert agent.prompt(AS_IS, "go on", remaining=50).text == ""


def test_a_keyword_that_comes_again_after_long_brings_its_domain_again() -> None:
    agent = Agent()
    agent.prompt(AS_IS, "coverage", remaining=50)
    for _ in range(9):
        agent.prompt(AS_IS, "go on", remaining=50)
    assert "KEYWORD" not in sections(agent.prompt(AS_IS, "coverage", remaining=50))
    assert "KEYWORD" in sections(agent.prompt(AS_IS, "coverage", remaining=50))


def test_a_domain_that_was_not_asked_for_again_is_withdrawn_when_it_is_switched_off() -> None:
    agent = Agent()
    agent.prompt(AS_IS, "coverage", remaining=50)
    for _ in range(7):
        agent.prompt(AS_IS, "go on", remaining=50)
    files = {**TEAM, ".synapse/manifest": TEAM[".synapse/manifest"] + "TESTING_STATE=inactive\n"}
    assert "KEYWORD MATCHES: what was given" in agent.prompt(plan_of(files), remaining=50).text


def test_what_sleeps_in_a_bracket_is_not_taken_back() -> None:
    agent = Agent()
    agent.prompt(AS_IS, "coverage", remaining=50)
    reply = agent.prompt(AS_IS, "go on", remaining=80).text
    assert "KEYWORD" not in reply and "CONTEXT BRACKET" in reply


def test_late_sources_take_nothing_back() -> None:
    agent = Agent()
    agent.prompt(AS_IS, "coverage", remaining=50)
    files = {path: text for path, text in TEAM.items() if "testing" not in path}
    assert agent.prompt(plan_of(files), "go on", remaining=50, is_partial=True).text == ""


def test_another_agent_replaces_the_first() -> None:
    agent = Agent()
    agent.prompt(AS_IS, agent="dev")
    reply = agent.prompt(AS_IS, agent="qa").text
    assert "@dev's rules no longer apply" in reply
    assert "[ACTIVE AGENT: @qa]" in reply
    assert "CONSTITUTION" not in reply


def test_an_edited_rule_is_replaced_by_name() -> None:
    agent = Agent()
    agent.prompt(AS_IS)
    reply = agent.prompt(PLANS["edited"]).text
    assert "GLOBAL: no longer applies: 1. “Write small functions”" in reply
    assert "  1. Write tiny functions" in reply


def test_an_edited_rule_of_a_domain_under_another_heading_is_named_with_its_domain() -> None:
    always = {
        ".synapse/manifest": TEAM[".synapse/manifest"] + "GIT_STATE=active\nGIT_ALWAYS_ON=true\n",
        ".synapse/git": "GIT_RULE_0=Commit often\n",
    }
    agent = Agent()
    agent.prompt(plan_of({**TEAM, **always}))
    edited = {**TEAM, **always, ".synapse/git": "GIT_RULE_0=Commit once a day\n"}
    reply = agent.prompt(plan_of(edited)).text
    assert "GLOBAL: no longer applies: GIT 1. “Commit often”" in reply


def test_a_phase_that_moves_on_is_said_to_be_over() -> None:
    agent = Agent()
    agent.prompt(PLANS["live"], workflow="story-development-cycle", phase="in_development")
    reply = agent.prompt(PLANS["live"], workflow="story-development-cycle", phase="qa_review").text
    assert ": phase in_development is over" in reply
    assert "“PHASE" not in reply and "PHASE: qa_review" in reply


def test_a_star_command_is_for_its_prompt_only() -> None:
    agent = Agent()
    agent.prompt(AS_IS)
    assert sections(agent.prompt(AS_IS, "*brief")) == ["STAR"]
    assert agent.prompt(AS_IS, "go on").text == ""


def test_after_ten_prompts_the_essentials_come_again_with_the_next_reply() -> None:
    agent = Agent()
    agent.prompt(AS_IS, agent="dev")
    for _ in range(8):
        agent.prompt(AS_IS, "go on", agent="dev")
    assert sections(agent.prompt(AS_IS, "*brief", agent="dev")) == ["STAR"]
    assert agent.prompt(AS_IS, "go on", agent="dev").text == ""
    again = agent.prompt(AS_IS, "*brief", agent="dev").text
    assert "Art. I" in again and "AUTHORITY BOUNDARIES" in again and "COMMAND:" in again
    assert "[GLOBAL]" not in again and "everything works" not in again


def test_after_fifteen_prompts_the_essentials_come_again_alone() -> None:
    agent = Agent()
    agent.prompt(AS_IS, agent="dev")
    for _ in range(14):
        assert agent.prompt(AS_IS, "go on", agent="dev").text == ""
    again = agent.prompt(AS_IS, "go on", agent="dev").text
    assert "Art. I" in again and "AUTHORITY BOUNDARIES" in again and "[GLOBAL]" not in again


def test_the_full_block_comes_again_on_entering_depleted() -> None:
    agent = Agent()
    agent.prompt(AS_IS, remaining=45)
    assert "CONSTITUTION" in sections(agent.prompt(AS_IS, remaining=39))
    assert agent.prompt(AS_IS, remaining=39).text == ""


def test_what_the_budget_cut_arrives_with_the_next_prompts() -> None:
    agent = Agent()
    plan = PLANS["large"]
    first = agent.prompt(plan)
    assert first.cut_entries
    for _ in range(8):
        agent.prompt(plan, "go on")
    texts = {text for _, text in agent.told}
    assert sum(text.startswith("Rule ") for text in texts) == 60


prompts = st.fixed_dictionaries(
    {
        "plan": st.sampled_from(sorted(PLANS)),
        "text": st.sampled_from(
            ["", "go on", "coverage", "unit test", "the readme", "*brief", "manual coverage"]
        ),
        "remaining": st.sampled_from([100, 80, 61, 50, 41, 30, 20, 3]),
        "agent": st.sampled_from(["", "dev", "qa", "nobody"]),
        "workflow": st.sampled_from(["", "story-development-cycle"]),
        "phase": st.sampled_from(["", "qa_review", "in_development", "unheard_of"]),
        "compact": st.booleans() | st.just(False),
    }
)


@settings(max_examples=examples(120), deadline=None)
@given(st.lists(prompts, min_size=1, max_size=14))
def test_every_wanted_entry_stands_or_is_reported_and_nothing_withdrawn_is_believed(
    steps: list[dict[str, Any]],
) -> None:
    agent = Agent()
    for step in steps:
        if step.pop("compact"):
            agent.compact()
        plan = PLANS[step.pop("plan")]
        assembly = agent.prompt(plan, **step)
        assert not agent.misleading(plan, assembly)
        assert not agent.missing(assembly)


def test_what_could_not_be_taken_back_stands_on() -> None:
    agent = Agent()
    agent.prompt(AS_IS, agent="dev")
    situation = resolve_situation(AS_IS, Request(agent="qa", turn=2), measure_usage())
    before = agent.session.open_window("client").standing
    assembly = assemble_block(AS_IS, situation, standing=before)
    assert assembly.review is not None
    assert assembly.review.void
    assert standing_after(before, [], situation, assembly.review) == before
