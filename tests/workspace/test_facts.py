"""What one file defines and mentions."""

from __future__ import annotations

import pytest

from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import content_key, make_key
from synapse_ls.workspace.file_facts import FileFacts
from tests.support import mark
from tests.workspace.trees import facts_of, state, workflow


def places(facts: FileFacts, family: str, name: str) -> list[Span]:
    return [
        definition.span for definition in facts.definitions_by_key.get(make_key(family, name), ())
    ]


def mentions(facts: FileFacts, family: str, name: str) -> list[Span]:
    return [reference.span for reference in facts.references_by_key.get(make_key(family, name), ())]


def test_a_manifest_defines_its_domains_at_their_first_mention() -> None:
    text, (first, second) = mark("«DEV»_STATE=active\n«DEV»_RECALL=code\n")
    facts = facts_of(".synapse/manifest", text)
    assert places(facts, "domain", "DEV") == [first]
    assert mentions(facts, "domain", "DEV") == [second]


def test_the_value_of_a_domain_is_its_settings_and_which_lists_it_has() -> None:
    facts = facts_of(".synapse/manifest", "DEV_STATE=active\nDEV_RECALL=code, fix\n")
    (definition,) = facts.definitions_by_key[make_key("domain", "DEV")]
    assert definition.value == (("RECALL", True), ("STATE", "active"))


def test_a_trigger_mentions_its_agent_and_is_defined_itself() -> None:
    text, (trigger,) = mark("AGENT_UX_AGENT_TRIGGER=«ux-design-expert»\n")
    facts = facts_of(".synapse/manifest", text)
    assert mentions(facts, "agent", "UX_Design_Expert") == [trigger]
    assert places(facts, "trigger", "agent:ux-design-expert") == [trigger]


def test_a_keyword_is_defined_where_it_stands_in_the_recall() -> None:
    text, (second,) = mark("DEV_RECALL=code, «Unit  Test»\n")
    assert places(facts_of(".synapse/manifest", text), "keyword", "unit test") == [second]


def test_a_squads_domain_goes_by_its_label() -> None:
    text, (name,) = mark("«PIPELINE»_STATE=active\n")
    facts = facts_of("squads/etl-squad/.synapse/manifest", text)
    assert places(facts, "domain", "ETL_PIPELINE") == [name]


def test_extends_speaks_of_the_squad_and_of_no_domain() -> None:
    text, (name,) = mark("«ETL»_EXTENDS=override\n")
    facts = facts_of("squads/etl-squad/.synapse/manifest", text)
    assert name in places(facts, "squad", "etl-squad")
    assert not [found for found in facts.definitions_by_key if found[0] == "domain"]


def test_the_global_exclusion_is_a_setting_of_its_own() -> None:
    text, (name,) = mark("«GLOBAL_EXCLUDE»=draft\n")
    assert places(facts_of(".synapse/manifest", text), "setting", "GLOBAL_EXCLUDE") == [name]


def test_a_rule_file_mentions_the_domain_it_is_named_after() -> None:
    facts = facts_of(".synapse/agent-dev.md", "- be brief\n")
    assert mentions(facts, "domain", "AGENT_DEV") == [Span(0, 0)]


def test_rule_keys_mention_their_domain_also_in_its_short_form() -> None:
    text, spans = mark("«AGENT_DEV»_RULE_0=a\n«DEV»_AUTH_0=b\n")
    facts = facts_of(".synapse/agent-dev", text)
    assert mentions(facts, "domain", "AGENT_DEV")[1:] == list(spans)


def test_a_foreign_prefix_mentions_the_other_domain() -> None:
    text, (prefix,) = mark("«TESTING»_RULE_0=a\n")
    assert mentions(facts_of(".synapse/global", text), "domain", "TESTING") == [prefix]


def test_the_file_rules_of_a_squad_mentions_the_squad() -> None:
    facts = facts_of("squads/etl/.synapse/rules", "- load\n")
    assert mentions(facts, "squad", "etl") == [Span(0, 0)]


def test_commands_are_defined_by_their_name() -> None:
    text, (name,) = mark("# [*«brief»] COMMAND:\nCOMMANDS_RULE_BRIEF_0=Be brief.\n")
    facts = facts_of(".synapse/commands", text)
    assert places(facts, "command", "brief") == [name]
    assert facts.definitions_by_key[make_key("command", "brief")][0].value == ("Be brief.",)


def test_a_bracket_is_defined_by_its_rules() -> None:
    facts = facts_of(".synapse/context", "CONTEXT_RULE_FRESH_0=Load all.\nDEPLETED_RULE_0=Cut.\n")
    assert facts.definitions_by_key[make_key("bracket", "FRESH")][0].value == ("Load all.",)
    assert mentions(facts, "domain", "DEPLETED") == []


def test_an_article_is_its_title_and_its_severity() -> None:
    facts = facts_of(
        ".synapse/constitution", "CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)\n"
    )
    assert facts.definitions_by_key[make_key("article", "1")][0].value == (
        "CLI First",
        "NON-NEGOTIABLE",
    )


def test_a_squad_mentions_its_components_by_their_stems() -> None:
    text, (agent, task) = mark(
        """
        name: etl
        version: 1.0.0
        components:
          agents: [«loader.md»]
          tasks: [«load.md»]
        """
    )
    facts = facts_of("squads/etl/squad.yaml", text)
    assert mentions(facts, "agent", "loader") == [agent]
    assert mentions(facts, "task", "load") == [task]


def test_a_workflow_state_mentions_its_workflow_and_the_agents_of_its_steps() -> None:
    facts = facts_of(".aiox/a-state.yaml", state("qa-loop"))
    (place,) = mentions(facts, "workflow", "qa_loop")
    assert place.cut(facts.text) == "qa-loop"
    (place,) = mentions(facts, "agent", "dev")
    assert place.cut(facts.text) == "dev"
    (place,) = mentions(facts, "task", "build-it")
    assert place.cut(facts.text) == "build-it.md"


def test_a_workflow_is_defined_by_the_id_that_it_states() -> None:
    facts = facts_of(".aiox-core/development/workflows/story.yaml", workflow("story-development"))
    (place,) = places(facts, "workflow", "story_development")
    assert (facts.id, place.cut(facts.text)) == ("story-development", "story-development")


def test_a_pattern_is_a_workflow_too() -> None:
    facts = facts_of(
        ".aiox-core/data/workflow-patterns.yaml", "workflows:\n  qa_loop:\n    description: x\n"
    )
    (place,) = places(facts, "workflow", "qa-loop")
    assert place.cut(facts.text) == "qa_loop"


@pytest.mark.parametrize(
    ("path", "family", "name"),
    [
        (".aiox-core/development/agents/dev.md", "agent", "dev"),
        (".aiox-core/development/tasks/build-it.md", "task", "build-it"),
        (".aiox-core/development/workflows/qa-loop.yaml", "workflow", "qa-loop"),
        ("docs/stories/epic/STORY-1.md", "story", "story-1"),
    ],
)
def test_a_file_that_is_only_listed_is_known_by_its_stem(path: str, family: str, name: str) -> None:
    facts = facts_of(path, None)
    assert (facts.document, facts.is_read, facts.text) == (None, False, "")
    assert places(facts, family, name) == [Span(0, 0)]


def test_every_file_is_defined_by_its_path() -> None:
    assert places(facts_of(".synapse/global", "- a\n"), "file", ".synapse/global") == [Span(0, 0)]


def test_the_content_of_a_file_has_a_key_that_nothing_defines() -> None:
    facts = facts_of(".synapse/global", "- a\n")
    assert content_key(".synapse/global") not in facts.definitions_by_key
