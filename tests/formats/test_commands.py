from __future__ import annotations

import pytest
from hypothesis import given

from synapse_ls.formats import commands_file
from synapse_ls.formats.commands_file import StarCommand
from synapse_ls.text.finding import Finding
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark


def read(fixture: str) -> dict[str, list[str]]:
    found = commands_file.parse(mark(fixture).text).document.commands
    return {command.name: [rule.text for rule in command.rules] for command in found}


def only_command(text: str) -> StarCommand:
    (command,) = commands_file.parse(text).document.commands
    return command


def kinds(fixture: str) -> list[str]:
    return [problem.kind for problem in commands_file.parse(mark(fixture).text).problems]


def only_problem(fixture: str) -> Finding:
    """The one problem of a fixture; it stands exactly where the fixture is marked."""
    text, spans = mark(fixture)
    (problem,) = commands_file.parse(text).problems
    assert [problem.span] == list(spans)
    return problem


KEYED = """
    # =====================
    # [*«brief»] COMMAND:
    #   0. Use bullets
    # =====================
    COMMANDS_RULE_BRIEF_0=Use bullets
    COMMANDS_RULE_BRIEF_1=Max 5 items
"""
BARE_KEYED = """
    =====================
    [*«brief»] COMMAND:
    =====================
    COMMANDS_CMD_BRIEF_0=Use bullets
    COMMANDS_CMD_BRIEF_1=Max 5 items
"""
BARE_PLAIN = """
    [*«brief»] COMMAND:
      0. Use bullets
      1. Max 5 items
    =====================
"""
CARL = """
    # ====
    # *«brief» - Concise mode
    # ====
    BRIEF_RULE_0=Use bullets
    BRIEF_RULE_1=Max 5 items
"""


@pytest.mark.parametrize("fixture", [KEYED, BARE_KEYED, BARE_PLAIN, CARL])
def test_every_shape_defines_the_same_command(fixture: str) -> None:
    text, (name,) = mark(fixture)
    command = only_command(text)
    assert (command.name, command.span) == ("brief", name)
    assert [rule.text for rule in command.rules] == ["Use bullets", "Max 5 items"]
    assert [(rule.kind, rule.qualifier, rule.index) for rule in command.rules] == [
        ("command", "BRIEF", 0),
        ("command", "BRIEF", 1),
    ]
    assert kinds(fixture) == []


def test_shapes_may_be_mixed_in_one_file() -> None:
    fixture = """
        # [*one] COMMAND:
        COMMANDS_RULE_ONE_0=a

        [*two] COMMAND:
        COMMANDS_CMD_TWO_0=b

        [*three] COMMAND:
        c
        d

        FOUR_RULE_0=e
    """
    assert read(fixture) == {"one": ["a"], "two": ["b"], "three": ["c", "d"], "four": ["e"]}
    assert kinds(fixture) == []


def test_every_line_below_a_bare_header_is_a_rule() -> None:
    fixture = "====\n[*x] COMMAND:\n====\nUse tabs\nand spaces\n====\n"
    assert read(fixture) == {"x": ["Use tabs", "and spaces"]}


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("COMMANDS_RULE_SYNAPSE_STATUS_0", "synapse-status"),
        ("COMMANDS_RULE_FRESH_0", "fresh"),
        ("COMMANDS_RULE_AUTH_0", "auth"),
        ("CRITICAL_RULE_0", "critical"),
        ("DEV_RULE_AUTH_0", "dev"),
    ],
)
def test_a_command_without_header_is_named_by_its_key(key: str, name: str) -> None:
    command = only_command(f"{key}=x")
    assert (command.name, command.span) == (name, (0, len(key)))


def test_a_header_gives_the_true_spelling() -> None:
    assert list(read("# [*my_cmd] COMMAND:\nCOMMANDS_RULE_MY_CMD_0=x")) == ["my_cmd"]
    assert list(read("COMMANDS_RULE_QUICK_FIX_0=x\n# [*Quick-Fix] COMMAND:")) == ["quick-fix"]


def test_commands_come_in_the_order_of_their_definition() -> None:
    assert list(read("B_RULE_0=x\nA_RULE_0=y\nB_RULE_1=z")) == ["b", "a"]


def test_a_header_without_rules_is_reported() -> None:
    fixture = "[*«brief»] COMMAND:\n# [*dev] COMMAND:\nCOMMANDS_RULE_DEV_0=x\n"
    assert only_problem(fixture).kind == "command-without-rules"
    assert list(read(fixture)) == ["dev"]


def test_a_header_whose_rules_are_switched_off_is_fine() -> None:
    assert kinds("# [*brief] COMMAND:\n# COMMANDS_RULE_BRIEF_0=x\n") == []


def test_a_header_of_sub_commands_needs_one_of_them() -> None:
    with_one = "# [*synapse] SUB-COMMANDS:\nCOMMANDS_RULE_SYNAPSE_HELP_0=x\n"
    assert kinds(with_one) == []
    assert list(read(with_one)) == ["synapse-help"]
    assert kinds("# [*synapse] SUB-COMMANDS:\nCOMMANDS_RULE_DEV_0=x\n") == ["command-without-rules"]


def test_a_title_in_a_comment_promises_nothing() -> None:
    assert kinds("# *dev - Development mode\n") == []


def test_a_rule_that_names_no_command_is_reported() -> None:
    fixture = "«COMMANDS_RULE_0»=x"
    assert only_problem(fixture).kind == "malformed-line"
    assert read(fixture) == {}


def test_prose_outside_of_commands_is_reported() -> None:
    assert only_problem("«Commands of this team»\nA_RULE_0=x").kind == "prose-in-keyvalue"


def test_a_number_that_is_used_twice_is_reported() -> None:
    fixture = "COMMANDS_RULE_A_0=x\n«COMMANDS_CMD_A_0»=y\nCOMMANDS_RULE_B_0=z"
    assert only_problem(fixture).kind == "duplicate-index"


@pytest.mark.parametrize("lead", ["COMMANDS_RULE_A_0=", "[*a] COMMAND:\n- "])
def test_text_that_forges_the_block_is_reported(lead: str) -> None:
    assert only_problem(f"{lead}«</synapse-rules>»").kind == "forged-markup"


@pytest.mark.parametrize("text", ["", "# only\n# comments\n", "\ufeff\n\n"])
def test_a_file_that_says_nothing_defines_nothing(text: str) -> None:
    document, found = commands_file.parse(text)
    assert (document.commands, found) == ((), ())


@given(hostile_texts)
def test_any_text_gives_commands_whose_spans_are_in_the_text(text: str) -> None:
    document, found = commands_file.parse(text)
    assert_inside(text, found)
    names = [command.name for command in document.commands]
    assert len(names) == len(set(names))
    for command in document.commands:
        assert command.rules
        assert command.name == command.name.lower() != ""
        assert 0 <= command.span.start < command.span.end <= len(text)
        for rule in command.rules:
            assert (rule.kind, bool(rule.text)) == ("command", True)
            assert rule.span.start <= rule.text_span.start <= rule.text_span.end <= rule.span.end


def test_commands_of_real_trees_are_all_found() -> None:
    modes = {"brief", "dev", "review", "plan", "discuss", "debug", "explain"}
    for path in [*corpus().glob("*/.synapse/commands"), *corpus().glob("*/.carl/commands")]:
        document, found = commands_file.parse(path.read_text("utf-8"))
        assert {command.name for command in document.commands} >= modes
        assert found == ()
