"""What words mean, as colours show it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.ide.semantic_tokens import semantic_tokens, token_difference
from synapse_ls.lsp.feature_table import TOKEN_MODIFIERS, TOKEN_TYPES
from synapse_ls.text.span import Span
from tests.ide.views import SQUAD, STATE, view_of
from tests.trees import TEAM, Files


def painted(path: str, text: str, files: Files = TEAM) -> list[str]:
    """The tokens of a file: ``word:type`` and its modifiers."""
    view = view_of({**files, path: text})
    facts = view.tree.snapshot.facts(path)
    assert facts is not None
    found = semantic_tokens(view, path)
    assert {token.type for token in found} <= set(TOKEN_TYPES)
    assert all(token.modifiers <= set(TOKEN_MODIFIERS) for token in found)
    return [
        " ".join((f"{token.span.cut(facts.text)}:{token.type}", *sorted(token.modifiers)))
        for token in found
    ]


MANIFEST = ".synapse/manifest"


def test_a_manifest_tells_domains_settings_and_values_apart() -> None:
    assert painted(MANIFEST, "# a\nAGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n") == [
        "# a:comment",
        "AGENT_DEV:namespace declaration",
        "STATE:property",
        "active:enumMember",
        "AGENT_DEV:namespace",
        "AGENT_TRIGGER:property",
        "dev:class",
    ]


def test_each_item_of_a_list_is_a_token() -> None:
    found = painted(MANIFEST, "A_RECALL=unit test, b\nA_PATHS=src/**\nA_EVERY_N_TURNS=3\n")
    assert found[2:4] == ["unit test:string", "b:string"]
    assert "src/**:regexp" in found
    assert "3:number" in found


def test_what_is_built_in_and_what_is_protected_is_marked() -> None:
    assert painted(MANIFEST, "GLOBAL_NON_NEGOTIABLE=true\n")[0] == (
        "GLOBAL:namespace declaration defaultLibrary readonly"
    )


def test_an_inactive_domain_and_a_repeated_key_are_without_effect() -> None:
    found = painted(MANIFEST, "A_STATE=inactive\nB_RECALL=x\nB_RECALL=y\n")
    assert "inactive:enumMember deprecated" in found
    assert "x:string deprecated" in found
    assert "y:string" in found


def test_a_keyword_that_an_exclusion_shadows_is_without_effect() -> None:
    found = painted(MANIFEST, "A_RECALL=unit test, other\nA_EXCLUDE=test\n")
    assert "unit test:string deprecated" in found
    assert "other:string" in found


def test_an_unknown_key_is_without_effect() -> None:
    assert painted(MANIFEST, "A_STATUS=active\n") == ["A_STATUS:property deprecated"]


def test_the_key_of_a_rule_is_told_part_by_part() -> None:
    assert painted(".synapse/agent-dev", "AGENT_DEV_AUTH_2=Push to main\n") == [
        "AGENT_DEV:namespace",
        "AUTH:keyword",
        "2:number",
    ]


def test_an_article_its_severity_and_a_verb_of_authority() -> None:
    text = (
        "CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)\nCONSTITUTION_RULE_ART1_1=NEVER do\n"
    )
    found = painted(".synapse/constitution", text)
    assert found[:5] == [
        "CONSTITUTION:namespace defaultLibrary",
        "RULE:keyword",
        "ART1:enum",
        "0:number",
        "NON-NEGOTIABLE:macro",
    ]
    assert found[-1] == "NEVER:keyword"


def test_brackets_and_star_commands_in_keys() -> None:
    assert "FRESH:enumMember" in painted(".synapse/context", "CONTEXT_RULE_FRESH_0=a\n")
    assert "BRIEF:function" in painted(".synapse/commands", "COMMANDS_RULE_BRIEF_0=a\n")


def test_mentions_of_what_the_tree_knows() -> None:
    text = "GLOBAL_RULE_0=Ask @dev or say *brief, not @nobody or *nothing\n"
    agent = {".claude/agents/dev.md": "---\nname: dev\n---\n"}
    found = painted(".synapse/global", text, {**TEAM, **agent})
    assert found[3:] == ["@dev:class", "*brief:function"]


def test_a_phase_before_a_rule() -> None:
    found = painted(".synapse/workflow-story-dev", "X_RULE_0=Phase qa_review: look\n")
    assert "qa_review:event" in found


def test_rules_of_a_domain_that_is_off_are_without_effect() -> None:
    found = painted(".synapse/sleepy", "SLEEPY_RULE_0=a\n")
    assert found[0] == "SLEEPY:namespace deprecated"


def test_plain_text_has_headings() -> None:
    assert painted(".synapse/guardrails", "## Safety\n\n- NEVER do this\n") == [
        "Safety:struct",
        "NEVER:keyword",
    ]


def test_a_workflow_state_has_agents_phases_and_statuses() -> None:
    found = painted(".aiox/a-state.yaml", STATE)
    assert "story-development-cycle:interface" in found
    assert "dev:class" in found
    assert "in_development:event" in found
    assert "pending:enumMember" in found


def test_a_squad_has_its_mode_and_its_components() -> None:
    text = (
        "name: etl-squad\nversion: 1.0.0\nconfig:\n  extends: none\ncomponents:\n  tools: [a.js]\n"
    )
    found = painted("squads/etl-squad/squad.yaml", text, {**TEAM, **SQUAD})
    assert "etl-squad:namespace definition" in found
    assert "none:enumMember" in found
    assert "a.js:string" in found


def test_a_configuration_has_settings_and_choices() -> None:
    found = painted(".synapse/config.toml", 'injection = "always"\nunknown = 1\n')
    assert found == ["injection:property", "always:enumMember"]


def test_a_story_and_an_agent() -> None:
    assert "Draft:enumMember" in painted(
        "docs/stories/s.md", "# Story 1.1: A\n\n**Status:** Draft\n"
    )
    found = painted(".claude/agents/x.md", "---\nname: x\n---\n")
    assert "x:class definition" in found


def test_a_part_of_a_file_gives_its_tokens_only() -> None:
    text = "A_STATE=active\nB_STATE=active\n"
    view = view_of({**TEAM, MANIFEST: text})
    whole = semantic_tokens(view, MANIFEST)
    part = semantic_tokens(view, MANIFEST, Span(15, 29))
    assert part == tuple(token for token in whole if token.span.start >= 15)


def test_a_token_never_reaches_over_a_line() -> None:
    text = "<!-- a\nb -->\n- rule\n"
    assert painted(".synapse/style", text) == ["<!-- a:comment", "b -->:comment"]


NUMBERS = st.lists(st.integers(0, 3), max_size=30)


@given(NUMBERS, NUMBERS)
def test_a_difference_makes_the_one_of_the_other(before: list[int], now: list[int]) -> None:
    splice = token_difference(before, now)
    if splice is None:
        assert before == now
        return
    start, deleted, numbers = splice
    assert [*before[:start], *numbers, *before[start + deleted :]] == now
