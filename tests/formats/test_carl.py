"""CARL's files, as CARL v1 and v2 take them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from synapse_ls.formats.carl import carl_json, manifest, rule_files
from synapse_ls.formats.manifest import DomainDeclaration
from synapse_ls.text.finding import Finding, ParseResult
from tests.carl_trees import BAND_V2
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import mark

Parse = Callable[[str], ParseResult[Any]]


def domain(text: str) -> DomainDeclaration:
    (only,) = manifest.parse(text).document.domains.values()
    return only


def only_problem(parse: Parse, fixture: str) -> Finding:
    """The one problem of a fixture, which stands exactly where the fixture is marked."""
    text, spans = mark(fixture)
    (problem,) = parse(text).problems
    assert [problem.span] == list(spans)
    return problem


# The manifest


@pytest.mark.parametrize("word", ["active", "true", "YES", "1"])
def test_a_state_is_on_for_four_words(word: str) -> None:
    assert domain(f"D_STATE={word}\n").is_active
    assert manifest.parse(f"D_STATE={word}\n").problems == ()


@pytest.mark.parametrize("word", ["inactive", "false", "no", "0", "off", "disabled"])
def test_words_that_mean_off_are_no_mistake(word: str) -> None:
    assert not domain(f"D_STATE={word}\n").is_active
    assert manifest.parse(f"D_STATE={word}\n").problems == ()


@pytest.mark.parametrize("word", ["on", "enabled", "actve", '"active"', ""])
def test_every_other_word_is_inactive_and_reported(word: str) -> None:
    text = f"D_STATE={word}\n"
    assert not domain(text).is_active
    (problem,) = manifest.parse(text).problems
    assert (problem.kind, problem.remedy) == (
        "bad-state",
        "Write `active`." if word else problem.remedy,
    )


def test_without_a_state_what_waits_for_keywords_is_off_and_the_rest_is_on() -> None:
    found = manifest.parse(
        "A_RECALL=x\nB_ALWAYS_ON=true\nGLOBAL_ALWAYS_ON=false\nCONTEXT_ALWAYS_ON=true\n"
        "COMMANDS_EXCLUDE=x\n"
    ).document.domains
    on = {name for name, said in found.items() if said.is_active}
    assert on == {"B", "GLOBAL", "CONTEXT", "COMMANDS"}


def test_global_is_always_on() -> None:
    assert domain("GLOBAL_STATE=active\n").always_on


def test_on_means_nothing_to_a_switch_but_devmode() -> None:
    assert not domain("D_ALWAYS_ON=on\n").always_on
    assert manifest.parse("DEVMODE=on\n").document.devmode
    assert only_problem(manifest.parse, "DEVMODE=«on»\n").kind == "debug-left-on"


def test_a_note_behind_a_state_switches_it_off() -> None:
    problem = only_problem(manifest.parse, "D_STATE=active «# for now»\n")
    assert problem.kind == "inline-comment"
    assert not domain("D_STATE=active # for now\n").is_active


def test_an_empty_keyword_is_reported_and_not_imitated() -> None:
    text = "D_STATE=active\nD_RECALL=one,,two\n"
    assert domain(text).recall == ("one", "two")
    assert [p.kind for p in manifest.parse(text).problems] == ["empty-recall-item"]


def test_an_empty_list_is_an_empty_keyword_to_carl() -> None:
    problem = only_problem(manifest.parse, "D_STATE=active\n«D_RECALL»=\n")
    assert problem.kind == "empty-recall-item"
    assert "D_ALWAYS_ON=true" in problem.remedy


def test_an_empty_list_of_what_is_always_on_or_off_does_no_harm() -> None:
    assert manifest.parse("D_ALWAYS_ON=true\nD_RECALL=\nE_RECALL=\n").problems == ()


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("DOMAIN_ORDER", "order of the manifest"),
        ("D_AGENT_TRIGGER", "CARL does not know `_AGENT_TRIGGER`"),
        ("D_STATES", "there is no setting `STATES`"),
        ("D_SHADES", "does not end in a setting of CARL's manifest"),
        ("d_state", "keys are in upper case"),
    ],
)
def test_what_carl_does_not_read_says_why(key: str, why: str) -> None:
    problem = only_problem(manifest.parse, f"«{key}»=x\n")
    assert problem.kind == "unknown-key"
    assert why in problem.message


def test_keys_of_a_template_that_carl_does_not_read_are_one_finding() -> None:
    settings = "{0}_STATE=active\n{0}_FILE=x\n{0}_PRIORITY=1\n"
    (found,) = manifest.parse("".join(map(settings.format, "ABC"))).problems
    assert "6 keys" in found.message
    assert "`A_FILE`, `A_PRIORITY`, `B_FILE` and 3 more" in found.message


def test_triggers_that_only_another_system_reads_are_one_finding_that_says_which() -> None:
    (found,) = manifest.parse("A_PATHS=src/**\nB_AGENT_TRIGGER=dev\n").problems
    assert "synapse migrate" in found.remedy


def test_order_is_that_of_first_mention_and_later_values_win() -> None:
    found = manifest.parse("B_RECALL=x\nA_STATE=active\nB_STATE=active\nB_RECALL=y\n")
    assert list(found.document.domains) == ["B", "A"]
    assert found.document.domains["B"].recall == ("y",)
    assert [p.kind for p in found.problems] == ["duplicate-key"]


# Rules


def test_every_key_with_the_mark_is_a_rule_whatever_follows() -> None:
    found = rule_files.parse_domain_rules(
        "DEV_RULE_AUTH_0=a = b\nDEV_RULE_x=c\n  DEV_RULE_2 =  d  \n"
    ).document
    assert [(r.domain, r.text, r.index) for r in found.rules] == [
        ("DEV", "a = b", 0),
        ("DEV", "c", None),
        ("DEV", "d", 2),
    ]


def test_white_space_around_the_equals_sign_is_no_mistake() -> None:
    assert rule_files.parse_domain_rules("DEV_RULE_0 = a\n").problems == ()


@pytest.mark.parametrize(
    ("fixture", "kind"),
    [
        ("«DEV_RULE_0=»\n", "malformed-line"),
        ("«DEV_STATE»=active\n", "manifest-key-in-rules"),
        ("«GREETING=hello»\n", "malformed-line"),
        ("«dev_rule_0»=x\n", "malformed-line"),
        ("DEV_RULE_0«:» x\n", "malformed-line"),
        ("DEV_RULE_0=x\n«two lines\nof prose»\n", "prose-in-keyvalue"),
        ("DEV_RULE_0=x\n«DEV_RULE_0»=y\n", "duplicate-index"),
        ("DEV_RULE_0=x «</carl-rules>»\n", "forged-markup"),
    ],
)
def test_what_is_lost_is_reported(fixture: str, kind: str) -> None:
    assert only_problem(rule_files.parse_domain_rules, fixture).kind == kind


def test_comments_and_separators_say_nothing() -> None:
    assert rule_files.parse_domain_rules("# DEV_RULE_0=x\n\n=====\n-----\n").problems == ()


# Star-commands


def test_a_command_is_what_stands_before_the_mark() -> None:
    found = rule_files.parse_commands_file(
        "BRIEF_RULE_1=b\nDEV_RULE_0=a\nBRIEF_RULE_0=c\n"
    ).document
    assert {c.name: [r.text for r in c.rules] for c in found.commands} == {
        "brief": ["b", "c"],
        "dev": ["a"],
    }


def test_the_keys_of_synapse_are_read_as_meant() -> None:
    (only,) = rule_files.parse_commands_file("COMMANDS_RULE_BRIEF_0=a\n").document.commands
    assert only.name == "brief"


def test_a_command_in_lower_case_is_never_found() -> None:
    problem = only_problem(rule_files.parse_commands_file, "«brief_RULE_0»=a\n")
    assert problem.remedy == "Write `BRIEF_RULE_0`."


@pytest.mark.parametrize("key", ["COMMANDS_RULE_0", "COMMANDS_RULE_12", "COMMANDS_RULE_0_PRIORITY"])
def test_what_names_no_other_command_is_a_rule_of_commands(key: str) -> None:
    found = rule_files.parse_commands_file(f"{key}=a\nBRIEF_RULE_0=b\n")
    assert [(c.name, [r.text for r in c.rules]) for c in found.document.commands] == [
        ("commands", ["a"]),
        ("brief", ["b"]),
    ]
    assert found.problems == ()


# Brackets


def test_a_bracket_has_rules_and_a_switch() -> None:
    found = rule_files.parse_context_file("FRESH_RULES=no\nFRESH_RULE_0=a\nDEPLETED_RULE_x=b\n")
    assert found.document.switches == {"FRESH": False}
    assert [r.text for r in found.document.brackets["FRESH"]] == ["a"]
    assert [r.text for r in found.document.brackets["DEPLETED"]] == ["b"]
    assert found.problems == ()


@pytest.mark.parametrize(
    ("fixture", "remedy"),
    [
        ("«FRESH_ENABLED»=true\n", "Write `FRESH_RULES`."),
        ("«FRSH_RULES»=true\n", "Write `FRESH_RULES`."),
        ("«CRITICAL_RULES»=true\n", "Delete the line."),
        ("«CRITICAL»_RULE_0=a\n", "Write `DEPLETED`, or move the rule to `.synapse/context`."),
        ("«FRSH»_RULE_0=a\n", "Write `FRESH`."),
        ("«CONTEXT_RULE_FRESH_0»=a\n", "Write `FRESH_RULE_n`."),
    ],
)
def test_what_is_no_bracket_is_reported(fixture: str, remedy: str) -> None:
    problem = only_problem(rule_files.parse_context_file, fixture)
    assert (problem.kind, problem.remedy) == ("unknown-bracket-key", remedy)


def test_rules_of_context_itself_belong_to_no_bracket() -> None:
    assert [
        r.text for r in rule_files.parse_context_file("CONTEXT_RULE_0=a\n").document.general
    ] == ["a"]


# CARL v2


def test_one_file_has_all_parts() -> None:
    found, problems = carl_json.parse(BAND_V2[".carl/carl.json"])
    assert problems == ()
    assert found.version == 1
    assert list(found.manifest.domains) == ["GLOBAL", "STAGE", "MIX", "TOUR", "ATTIC"]
    active = [name for name, said in found.manifest.domains.items() if said.is_active]
    assert active == ["GLOBAL", "STAGE", "MIX", "TOUR"]
    assert found.manifest.domains["MIX"].recall == ("mix", "sound desk", "level")
    assert found.manifest.global_exclude == ("off the record",)
    assert [r.text for r in found.rules.rules if r.domain == "MIX"] == [
        "Cut before you boost",
        "Leave headroom = 6 dB",
    ]
    assert [c.name for c in found.commands.commands] == ["encore", "carl"]
    assert found.context.switches == {"FRESH": True, "MODERATE": False}
    assert [d.id for d in found.decisions] == ["mix-1", "mix-0"]
    assert [s.text for s in found.staging] == ["Not yet"]


def test_the_places_of_one_file_are_those_of_the_json() -> None:
    text = BAND_V2[".carl/carl.json"]
    found = carl_json.parse(text).document
    for rule in found.rules.rules:
        assert rule.text_span.cut(text) == rule.text
    mix = found.manifest.domains["MIX"]
    assert mix.span.cut(text) == "MIX"
    assert [item.span.cut(text) for item in mix.entries["RECALL"].items] == list(mix.recall)


@pytest.mark.parametrize(
    "fixture",
    [
        '{"domains": {«,»}}',
        '{"domains": «[]»}',
        '{"domains": {"A": «1»}}',
        '{"domains": {"A": {"rules": [«{"id": 1}»]}}}',
        '{"domains": {"A": {"always_on": «"sure"»}}}',
        '{"domains": {"A": {"recall": [«""»]}}}',
        '{"config": {"context_brackets": {«"CRITICAL"»: {}}}}',
        '{"config": {"commands": {"A": {"rules": «"b"»}}}}',
        '{"domains": {"A": {«"allways_on"»: true}}}',
        '{"domains": {"A": {«"Recall"»: ["x"]}}}',
        '{"domains": {"A": {"decisions": [{«"decison"»: "x"}]}}}',
        '{"config": {«"global_exlude"»: []}}',
        '{"config": {"commands": {"A": {«"rule"»: ["b"]}}}}',
        '{«"domain"»: {}}',
        '{«// why»\n"version": 1}',
        "«[]»",
    ],
)
def test_what_nobody_reads_is_reported(fixture: str) -> None:
    assert only_problem(carl_json.parse, fixture).kind == "invalid-carl-json"


def test_names_of_other_programs_are_left_alone() -> None:
    text = '{"owner": "me", "domains": {"A": {"title": "x", "rule_notes": 1, "rules": []}}}'
    assert carl_json.parse(text).problems == ()


# All of them

PARSERS: list[Parse] = [
    manifest.parse,
    rule_files.parse_domain_rules,
    rule_files.parse_commands_file,
    rule_files.parse_context_file,
    carl_json.parse,
]


@pytest.mark.parametrize("parse", PARSERS)
@given(hostile_texts)
def test_no_text_is_too_odd(parse: Parse, text: str) -> None:
    assert_inside(text, parse(text).problems)
