from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.edits.edit_targets import find_domain, tree_after
from synapse_ls.edits.rule_edits import add_rule, edit_rule, remove_rule
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.rule_tree import Tree
from tests.edits.support import MANIFEST, SMALL, added, refusal, result, text_of
from tests.trees import tree_of

TESTING = ".synapse/testing"

CONSTITUTION = {
    ".synapse/constitution": """\
        # Article I
        CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_1=MUST: works from the command line

        # Article II
        CONSTITUTION_RULE_ART2_0=Agent Authority (MUST)
        """
}
COMMANDS = {
    ".synapse/commands": """\
        # ====
        # [*brief] COMMAND:
        # ====
        COMMANDS_RULE_BRIEF_0=Use bullet points

        # [*quick-fix] COMMAND:
        COMMANDS_RULE_QUICK_FIX_0=Change one line
        """
}
PLAIN = {
    MANIFEST: "STYLE_STATE=active\nSTYLE_RECALL=style\n",
    ".synapse/style": "# Style\n\n* Short names\n* No abbreviations\n",
}


def plain(text: str) -> dict[str, str]:
    return {**PLAIN, ".synapse/style": text}


def test_a_rule_goes_behind_the_last_one_with_the_next_index() -> None:
    tree = result(SMALL, lambda t: add_rule(t, "testing", "Name tests after behaviour"))
    new = added(tree_of(SMALL), tree, TESTING)
    assert new == "TESTING_RULE_4=Name tests after behaviour\n"


def test_an_authority_rule_goes_behind_the_last_of_its_kind_in_the_files_own_spelling() -> None:
    files = {
        MANIFEST: "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
        ".synapse/agent-dev": "DEV_RULE_AUTH_0=NEVER push\n\nDEV_RULE_0=Test first\n",
    }
    tree = result(files, lambda t: add_rule(t, "agent-dev", "NEVER release", kind="auth"))
    assert text_of(tree, ".synapse/agent-dev") == (
        "DEV_RULE_AUTH_0=NEVER push\nDEV_RULE_AUTH_1=NEVER release\n\nDEV_RULE_0=Test first\n"
    )


def test_a_first_rule_of_its_kind_goes_to_the_end_under_the_files_own_prefix() -> None:
    files = {
        MANIFEST: "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
        ".synapse/agent-dev": "DEV_RULE_0=Test first\n",
    }
    tree = result(files, lambda t: add_rule(t, "agent-dev", "git push", kind="deny"))
    assert text_of(tree, ".synapse/agent-dev") == "DEV_RULE_0=Test first\nDEV_DENY_0=git push\n"


def test_a_rule_of_an_article_goes_into_that_article() -> None:
    tree = result(
        CONSTITUTION,
        lambda t: add_rule(t, "constitution", "MUST: has help", kind="article", qualifier=1),
    )
    new = added(tree_of(CONSTITUTION), tree, ".synapse/constitution")
    assert new == "CONSTITUTION_RULE_ART1_2=MUST: has help\n"


def test_a_new_article_begins_with_its_title() -> None:
    tree = result(
        CONSTITUTION,
        lambda t: add_rule(t, "constitution", "No Invention (MUST)", kind="article", qualifier=3),
    )
    new = added(tree_of(CONSTITUTION), tree, ".synapse/constitution")
    assert new == "\nCONSTITUTION_RULE_ART3_0=No Invention (MUST)\n"


def test_a_new_article_without_a_title_is_refused() -> None:
    refused = refusal(
        CONSTITUTION, lambda t: add_rule(t, "constitution", "x", kind="article", qualifier=3)
    )
    assert "title" in refused.sentence


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("CONTEXT_RULE_FRESH_0=a\n", "CONTEXT_RULE_CRITICAL_0"),
        ("FRESH_RULE_0=a\n", "CRITICAL_RULE_0"),
        ("# nothing yet\n", "CONTEXT_RULE_CRITICAL_0"),
    ],
)
def test_a_bracket_rule_is_spelled_like_those_of_other_brackets(text: str, key: str) -> None:
    files = {".synapse/context": text}
    tree = result(
        files, lambda t: add_rule(t, "context", "Stop", kind="bracket", qualifier="critical")
    )
    assert text_of(tree, ".synapse/context").endswith(f"{key}=Stop\n")


def test_a_rule_of_a_command_goes_into_that_command() -> None:
    tree = result(
        COMMANDS, lambda t: add_rule(t, "commands", "Five", kind="command", qualifier="brief")
    )
    new = added(tree_of(COMMANDS), tree, ".synapse/commands")
    assert new == "COMMANDS_RULE_BRIEF_1=Five\n"


def test_a_new_command_gets_its_header_with_the_spelling_people_type() -> None:
    tree = result(
        COMMANDS,
        lambda t: add_rule(t, "commands", "List abuses", kind="command", qualifier="threat-model"),
    )
    new = added(tree_of(COMMANDS), tree, ".synapse/commands")
    assert new == "\n# [*threat-model] COMMAND:\nCOMMANDS_RULE_THREAT_MODEL_0=List abuses\n"
    assert [command.name for command in tree.commands][-1] == "threat-model"


def test_commands_in_plain_text_get_plain_lines_and_a_plain_header() -> None:
    files = {".synapse/commands": "[*brief] COMMAND:\nUse bullets\n\n[*dev] COMMAND:\n- Code\n"}
    tree = tree_of(files)
    for name, text in (("brief", "Five items"), ("dev", "Tests"), ("plan", "Wait")):
        change = add_rule(tree, "commands", text, kind="command", qualifier=name)
        tree = tree_after(tree, change)
    assert text_of(tree, ".synapse/commands") == (
        "[*brief] COMMAND:\nUse bullets\nFive items\n\n[*dev] COMMAND:\n- Code\n- Tests\n\n"
        "[*plan] COMMAND:\nWait\n"
    )


def test_the_first_rule_of_an_empty_file_gets_index_0() -> None:
    files = {MANIFEST: "A_STATE=active\nA_RECALL=x\n", ".synapse/a": ""}
    tree = result(files, lambda t: add_rule(t, "a", "First"))
    assert text_of(tree, ".synapse/a") == "A_RULE_0=First\n"


def test_a_built_in_file_needs_no_manifest() -> None:
    tree = result({".synapse/global": "GLOBAL_RULE_0=a\n"}, lambda t: add_rule(t, "global", "b"))
    assert text_of(tree, ".synapse/global") == "GLOBAL_RULE_0=a\nGLOBAL_RULE_1=b\n"


def test_crlf_and_a_missing_final_line_break_stay() -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/a": "A_RULE_0=x\r\nA_RULE_1=y"}
    tree = result(files, lambda t: add_rule(t, "a", "z"))
    assert text_of(tree, ".synapse/a") == "A_RULE_0=x\r\nA_RULE_1=y\r\nA_RULE_2=z"


def test_a_plain_text_list_gets_another_item_with_its_own_bullet() -> None:
    tree = result(PLAIN, lambda t: add_rule(t, "style", "Sorted imports"))
    assert text_of(tree, ".synapse/style").endswith("* No abbreviations\n* Sorted imports\n")


def test_a_numbered_plain_text_list_counts_on() -> None:
    tree = result(plain("1. Short names\n2. No tabs\n"), lambda t: add_rule(t, "style", "No jokes"))
    assert text_of(tree, ".synapse/style") == "1. Short names\n2. No tabs\n3. No jokes\n"


def test_plain_text_paragraphs_get_another_paragraph() -> None:
    tree = result(plain("Names are short.\n"), lambda t: add_rule(t, "style", "No jokes."))
    assert text_of(tree, ".synapse/style") == "Names are short.\n\nNo jokes.\n"


def test_plain_text_has_no_place_for_an_authority_rule() -> None:
    refused = refusal(PLAIN, lambda t: add_rule(t, "style", "NEVER push", kind="auth"))
    assert "plain text" in refused.sentence


@pytest.mark.parametrize(
    "text", ["", "  ", "a\nb", "a\rb", "a\u2028b", "a\x0bb", "</synapse-rules>", "[GLOBAL]"]
)
def test_a_text_that_is_no_rule_is_refused(text: str) -> None:
    refusal(SMALL, lambda t: add_rule(t, "testing", text))


def test_a_text_that_would_turn_a_plain_file_over_is_refused() -> None:
    files = plain("Names are short.\n")
    refusal(files, lambda t: add_rule(t, "style", "STYLE_RULE_0=Short names"))


@pytest.mark.parametrize("text", ["# Heading", "```", "---"])
def test_a_text_that_plain_text_reads_as_something_else_is_refused(text: str) -> None:
    refusal(plain("Names are short.\n"), lambda t: add_rule(t, "style", text))


def test_a_rule_that_is_there_already_is_refused() -> None:
    refused = refusal(SMALL, lambda t: add_rule(t, "testing", " No inactive "))
    assert refused.sentence.startswith("TESTING_RULE_3")


@pytest.mark.parametrize(
    ("domain", "kind", "qualifier"),
    [
        ("testing", "nonsense", ""),
        ("testing", "article", "1"),
        ("testing", "rule", "FRESH"),
        ("constitution", "article", ""),
        ("constitution", "article", "one"),
        ("commands", "rule", ""),
    ],
)
def test_kind_qualifier_and_domain_have_to_agree(domain: str, kind: str, qualifier: str) -> None:
    files = {**SMALL, **CONSTITUTION, **COMMANDS}
    refusal(files, lambda t: add_rule(t, domain, "x", kind=kind, qualifier=qualifier))


def test_a_bracket_of_ones_own_gets_rules_and_is_suggested() -> None:
    config = 'profile = "own"\n[profiles.own]\nuse_brackets = ["PLENTY", "LAST"]\n'
    config += (
        "[profiles.own.brackets.PLENTY]\nfloor = 40\n[profiles.own.brackets.LAST]\nfloor = 0\n"
    )
    files = {
        MANIFEST: "CONTEXT_STATE=active\nCONTEXT_ALWAYS_ON=true\n",
        ".synapse/context": "CONTEXT_RULE_PLENTY_0=Read first\n",
        ".synapse/config.toml": config,
    }

    def add(bracket: str) -> Callable[[Tree], EditPlan]:
        return lambda t: add_rule(t, "context", "Be brief", kind="bracket", qualifier=bracket)

    assert "CONTEXT_RULE_LAST_0=Be brief\n" in text_of(
        result(files, add("last")), ".synapse/context"
    )
    with pytest.raises(UserError) as near:
        add("plnty")(tree_of(files))
    assert near.value.remedy == "Did you mean PLENTY?"
    with pytest.raises(UserError) as other:
        add("fresh")(tree_of(files))
    assert other.value.remedy == "Name PLENTY or LAST."


def test_a_bracket_that_does_not_exist_is_refused() -> None:
    files = {".synapse/context": "CONTEXT_RULE_FRESH_0=a\n"}
    refusal(files, lambda t: add_rule(t, "context", "x", kind="bracket", qualifier="stale"))


def test_a_missing_file_is_named() -> None:
    refused = refusal({MANIFEST: "A_STATE=active\n"}, lambda t: add_rule(t, "a", "x"))
    assert ".synapse/a does not exist" in refused.sentence


@pytest.mark.parametrize("which", [3, "3", "TESTING_RULE_3", "testing_rule_3"])
def test_a_rule_is_edited_by_index_or_key(which: str | int) -> None:
    tree = result(SMALL, lambda t: edit_rule(t, "testing", which, "Never sleep"))
    before = text_of(tree_of(SMALL), TESTING)
    assert text_of(tree, TESTING) == before.replace("No inactive", "Never sleep")


def test_an_edit_to_the_same_text_changes_nothing() -> None:
    assert not edit_rule(tree_of(SMALL), "testing", 3, "No inactive")


def test_authority_and_other_kinds_are_edited_by_key() -> None:
    tree = result(
        CONSTITUTION,
        lambda t: edit_rule(t, "constitution", "CONSTITUTION_RULE_ART1_1", "MUST: has a CLI"),
    )
    assert "ART1_1=MUST: has a CLI\n" in text_of(tree, ".synapse/constitution")


def test_a_plain_rule_that_goes_over_lines_becomes_one_line() -> None:
    files = plain("- Names are\n  short\n- No tabs\n")
    tree = result(files, lambda t: edit_rule(t, "style", 0, "Names are long"))
    assert text_of(tree, ".synapse/style") == "- Names are long\n- No tabs\n"


def test_a_removed_rule_leaves_a_gap() -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/a": "A_RULE_0=a\nA_RULE_1=b\nA_RULE_2=c\n"}
    tree = result(files, lambda t: remove_rule(t, "a", 1))
    assert text_of(tree, ".synapse/a") == "A_RULE_0=a\nA_RULE_2=c\n"


def test_a_gap_is_not_filled_again() -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/a": "A_RULE_0=a\nA_RULE_2=c\n"}
    tree = result(files, lambda t: add_rule(t, "a", "d"))
    assert text_of(tree, ".synapse/a") == "A_RULE_0=a\nA_RULE_2=c\nA_RULE_3=d\n"


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("# top\nA_RULE_0=a\n\nA_RULE_1=b\n", "# top\nA_RULE_0=a\n"),
        ("A_RULE_0=a\r\nA_RULE_1=b\r\n", "A_RULE_0=a\r\n"),
        ("A_RULE_0=a\nA_RULE_1=b", "A_RULE_0=a"),
        ("A_RULE_0=a\n\nA_RULE_1=b\n\nA_RULE_2=c\n", "A_RULE_0=a\n\nA_RULE_2=c\n"),
        ("A_RULE_1=b\n\nA_RULE_2=c\n", "A_RULE_2=c\n"),
    ],
)
def test_a_rule_goes_with_its_line_and_one_of_two_blank_lines(before: str, now: str) -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/a": before}
    tree = result(files, lambda t: remove_rule(t, "a", 1))
    assert text_of(tree, ".synapse/a").rstrip("\n") == now.rstrip("\n")


def test_an_index_that_is_not_there_names_those_that_are() -> None:
    refused = refusal(SMALL, lambda t: edit_rule(t, "testing", 1, "x"))
    assert refused.sentence == "TESTING has no rule 1."
    assert "TESTING_RULE_0, TESTING_RULE_3" in refused.remedy


def test_a_negative_index_is_refused() -> None:
    assert "-1" in refusal(SMALL, lambda t: remove_rule(t, "testing", -1)).sentence


def test_a_misspelt_key_gets_its_near_misses() -> None:
    refused = refusal(SMALL, lambda t: remove_rule(t, "testing", "TESTNG_RULE_3"))
    assert "Did you mean TESTING_RULE_3" in refused.remedy


def test_a_key_that_is_used_twice_is_not_guessed() -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/a": "A_RULE_0=a\nA_RULE_0=b\n"}
    assert "lines 1 and 2" in refusal(files, lambda t: remove_rule(t, "a", 0)).sentence


def test_a_file_without_rules_says_so() -> None:
    files = {MANIFEST: "A_STATE=active\n", ".synapse/a": "# nothing\n"}
    assert "has no rules" in refusal(files, lambda t: remove_rule(t, "a", 0)).sentence


@given(st.text(max_size=40), st.sampled_from(["testing", "style", "global"]))
def test_whatever_the_text_it_comes_through_as_one_rule_or_is_refused(text: str, name: str) -> None:
    tree = tree_of({**SMALL, **PLAIN, MANIFEST: "TESTING_STATE=active\nSTYLE_STATE=active\n"})
    try:
        now = tree_after(tree, add_rule(tree, name, text))
    except UserError:
        return
    assert sorted(texts(now, name)) == sorted([*texts(tree, name), text.strip()])


def texts(tree: Tree, name: str) -> list[str]:
    return [rule.text for rule in tree.rules_of(find_domain(tree, name))]
