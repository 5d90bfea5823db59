from __future__ import annotations

import pytest
from hypothesis import given

from synapse_ls.formats import domain_file
from synapse_ls.formats.domain_file import RulesDocument, rule_prefixes
from synapse_ls.formats.rule import Rule
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.text_edit import TextEdit, apply_edits
from tests.formats.texts import assert_inside, hostile_texts
from tests.support import corpus, mark


def read(fixture: str) -> RulesDocument:
    return domain_file.parse(mark(fixture).text).document


def texts(fixture: str) -> list[str]:
    return [rule.text for rule in read(fixture).rules]


def only_rule(text: str) -> Rule:
    (rule,) = domain_file.parse(text).document.rules
    return rule


def kinds(fixture: str) -> list[str]:
    return [problem.kind for problem in domain_file.parse(mark(fixture).text).problems]


def only_problem(fixture: str) -> Finding:
    """The one problem of a fixture; it stands exactly where the fixture is marked."""
    text, spans = mark(fixture)
    (problem,) = domain_file.parse(text).problems
    assert [problem.span] == list(spans)
    return problem


def suggestion(problem: Finding) -> str | None:
    return dict(problem.data).get("suggestion")


# Keys


@pytest.mark.parametrize(
    ("key", "kind", "domain", "qualifier", "index"),
    [
        ("GLOBAL_RULE_3", "rule", "GLOBAL", "", 3),
        ("AGENT_DEV_RULE_0", "rule", "AGENT_DEV", "", 0),
        ("AGENT_DEV_AUTH_1", "auth", "AGENT_DEV", "", 1),
        ("DEV_RULE_AUTH_1", "auth", "DEV", "", 1),
        ("DEV_DENY_0", "deny", "DEV", "", 0),
        ("DEV_ALLOW_12", "allow", "DEV", "", 12),
        ("CONSTITUTION_RULE_ART4_2", "article", "CONSTITUTION", "4", 2),
        ("CONTEXT_RULE_FRESH_0", "bracket", "CONTEXT", "FRESH", 0),
        ("CRITICAL_RULE_1", "bracket", "CRITICAL", "CRITICAL", 1),
        ("COMMANDS_RULE_BRIEF_0", "command", "COMMANDS", "BRIEF", 0),
        ("COMMANDS_RULE_SYNAPSE_STATUS_0", "command", "COMMANDS", "SYNAPSE_STATUS", 0),
        ("COMMANDS_CMD_BRIEF_1", "command", "COMMANDS", "BRIEF", 1),
        ("COMMANDS_RULE_AUTH_0", "command", "COMMANDS", "AUTH", 0),
        ("COMMANDS_RULE_FRESH_0", "command", "COMMANDS", "FRESH", 0),
        ("BRIEF_RULE_0", "rule", "BRIEF", "", 0),
        ("MY_RULE_BOOK_RULE_7", "rule", "MY_RULE_BOOK", "", 7),
        ("RULE_2", "rule", "", "", 2),
        ("GLOBAL_RULE_007", "rule", "GLOBAL", "", 7),
    ],
)
def test_a_key_says_what_its_rule_is(
    key: str, kind: str, domain: str, qualifier: str, index: int
) -> None:
    rule = only_rule(f"{key}=Be kind")
    assert (rule.key, rule.kind, rule.domain) == (key, kind, domain)
    assert (rule.qualifier, rule.index, rule.text) == (qualifier, index, "Be kind")


@pytest.mark.parametrize(
    "key",
    ["GLOBAL_RULE_NAMING", "GLOBAL_RULE_TYPES_2", "GLOBAL_RULE", f"G_RULE_{'9' * 5000}"[:150]],
)
def test_a_rule_key_without_number_of_its_own_is_read_and_reported(key: str) -> None:
    problem = only_problem(f"«{key}»=Be kind")
    rule = only_rule(f"{key}=Be kind")
    assert problem.kind == "odd-index"
    assert (rule.kind, rule.domain, rule.index) == ("rule", key[: key.index("_")], None)


def test_a_note_on_a_rule_is_no_rule() -> None:
    fixture = """
        GLOBAL_RULE_0=Never log a token
        «GLOBAL_RULE_0_PRIORITY»=CRITICAL
    """
    assert only_problem(fixture).kind == "rule-attribute"
    assert [rule.text for rule in read(fixture).rules] == ["Never log a token"]


def test_a_numbered_list_without_rule_in_its_keys_is_read_and_reported_once() -> None:
    fixture = """
        # A check list
        «CHECK_001»=Look left
        CHECK_002=Look right
    """
    problem = only_problem(fixture)
    assert problem.kind == "odd-key"
    assert dict(problem.data) == {"prefix": "CHECK", "meant": "CHECK_RULE"}
    assert [(r.kind, r.domain, r.index) for r in read(fixture).rules] == [
        ("rule", "CHECK", 1),
        ("rule", "CHECK", 2),
    ]


def test_a_domains_rules_may_be_named_after_it_in_three_ways() -> None:
    assert rule_prefixes("AGENT_UX", "ux-design-expert") == {"AGENT_UX", "UX", "UX_DESIGN_EXPERT"}
    assert rule_prefixes("WORKFLOW_STORY", "") == {"WORKFLOW_STORY", "STORY"}
    assert rule_prefixes("GLOBAL", "") == {"GLOBAL"}


# KEY=VALUE files


def test_a_rule_knows_its_places() -> None:
    text, spans = mark("""
        # head

        «  «GLOBAL_RULE_1»= «Use x=1» »
    """)
    rule = only_rule(text)
    assert (rule.span, rule.key_span, rule.text_span) == spans
    assert rule.line == 2


def test_rules_come_in_the_order_of_the_file() -> None:
    fixture = "A_RULE_2=c\nA_RULE_0=a\nA_AUTH_0=x\n"
    assert [rule.key for rule in read(fixture).rules] == ["A_RULE_2", "A_RULE_0", "A_AUTH_0"]
    assert kinds(fixture) == []


def test_comments_separators_and_blank_lines_say_nothing() -> None:
    fixture = """
        # ==========
        #GLOBAL_RULE_9=off
        ==========
        ----------

        GLOBAL_RULE_0=on
    """
    assert texts(fixture) == ["on"]
    assert kinds(fixture) == []


def test_a_rule_text_keeps_number_signs() -> None:
    assert only_rule("A_RULE_0=Write # TODO, never #1").text == "Write # TODO, never #1"
    assert kinds("A_RULE_0=Write # TODO, never #1") == []


def test_a_rule_for_one_phase_names_it() -> None:
    assert only_rule("W_RULE_0=Phase qa_review: Run 7 checks").phase == "qa_review"
    assert only_rule("W_RULE_0=Phases differ: a").phase == ""


def test_carl_switches_are_read() -> None:
    fixture = "FRESH_RULES=true\nMODERATE_RULES=FALSE\nFRESH_RULE_0=x\n"
    assert dict(read(fixture).switches) == {"FRESH": True, "MODERATE": False}
    assert kinds(fixture) == []


def test_a_switch_that_is_no_boolean_is_read_as_carl_reads_it() -> None:
    problem = only_problem("FRESH_RULES=«on»")
    assert (problem.kind, suggestion(problem)) == ("bad-boolean", "true")
    assert dict(read("FRESH_RULES=on").switches) == {"FRESH": False}


def test_prose_in_a_key_value_file_is_reported_and_not_injected() -> None:
    fixture = """
        GLOBAL_RULE_0=One
        «Never do this.
        Nor that = ever.»

        # note
        GLOBAL_RULE_1=Two
    """
    assert only_problem(fixture).kind == "prose-in-keyvalue"
    assert texts(fixture) == ["One", "Two"]


def test_prose_in_two_places_is_two_problems() -> None:
    assert kinds("A_RULE_0=x\none\n\ntwo") == ["prose-in-keyvalue"] * 2


@pytest.mark.parametrize("key", ["CONTEXT_FRAMEWORK", "PATH", "FRESH", "X_RULES"])
def test_a_line_with_another_key_is_a_rule_as_it_stands(key: str) -> None:
    fixture = f"A_RULE_0=x\n«{key}»=React"
    assert only_problem(fixture).kind == "odd-key"
    assert texts(fixture) == ["x", f"{key}=React"]


def test_lines_with_other_keys_are_one_problem() -> None:
    assert "2 lines like it" in only_problem("«FRAMEWORK»=React\nDB=Postgres\nOS=Linux").message


def test_a_key_in_lower_case_is_reported_and_not_injected() -> None:
    fixture = "A_RULE_0=x\n«lower=React»"
    assert only_problem(fixture).kind == "malformed-line"
    assert texts(fixture) == ["x"]


@pytest.mark.parametrize("key", ["global_rule_0", "Global_RULE_0", "GLOBAL-RULE-0"])
def test_a_rule_key_in_the_wrong_case_is_not_injected_and_has_a_fix(key: str) -> None:
    problem = only_problem(f"«{key}»=x")
    assert (problem.kind, suggestion(problem)) == ("malformed-line", "GLOBAL_RULE_0")
    assert texts(f"{key}=x") == []


def test_a_key_without_text_is_reported() -> None:
    assert only_problem("A_RULE_0=x\n  «A_RULE_1=»  \n").kind == "malformed-line"


def test_a_colon_in_place_of_equals_has_a_fix() -> None:
    problem = only_problem("A_RULE_0=x\nA_RULE_1«:» y")
    assert (problem.kind, suggestion(problem)) == ("malformed-line", "=")


def test_white_space_before_equals_is_read_and_reported() -> None:
    text, _ = mark("A_RULE_0« »= x")
    problem = only_problem("A_RULE_0« »= x")
    assert problem.kind == "spaces-around-equals"
    assert only_rule(text).text == "x"
    assert apply_edits(text, [TextEdit(problem.span, "")]) == "A_RULE_0= x"


def test_white_space_after_equals_is_fine() -> None:
    assert kinds("A_RULE_0= x") == []


@pytest.mark.parametrize("key", ["DEV_STATE", "DEV_RECALL", "DEVMODE", "GLOBAL_EXCLUDE"])
def test_a_manifest_key_among_rules_is_reported_and_not_injected(key: str) -> None:
    fixture = f"DEV_RULE_0=x\n«{key}»=active"
    assert only_problem(fixture).kind == "manifest-key-in-rules"
    assert texts(fixture) == ["x"]


def test_a_number_that_is_used_twice_is_reported() -> None:
    problem = only_problem("A_RULE_0=x\nA_AUTH_0=y\n«A_RULE_0»=z")
    assert problem.kind == "duplicate-index"
    assert dict(problem.data) == {"first_start": "0", "first_end": "10"}
    assert texts("A_RULE_0=x\nA_RULE_0=z") == ["x", "z"]


def test_the_same_number_in_two_articles_is_no_duplicate() -> None:
    assert kinds("C_RULE_ART1_0=x\nC_RULE_ART2_0=y") == []


def test_two_spellings_of_one_authority_key_are_duplicates() -> None:
    assert kinds("DEV_AUTH_0=x\nDEV_RULE_AUTH_0=y") == ["duplicate-index"]


# Which mode


@pytest.mark.parametrize("text", ["", "\n \n", "# only\n# comments\n", "## Title\n", "---\n\ufeff"])
def test_a_file_that_says_nothing_is_empty(text: str) -> None:
    document, found = domain_file.parse(text)
    assert (document.mode, document.rules, found) == ("empty", (), ())


def test_a_stray_assignment_in_prose_does_not_make_the_file_key_value() -> None:
    fixture = """
        Set the search path first:
        PATH=/usr/bin
    """
    assert read(fixture).mode == "plain"
    assert texts(fixture) == ["Set the search path first:", "PATH=/usr/bin"]


def test_a_file_of_nothing_but_assignments_is_key_value() -> None:
    assert read("# head\nFRAMEWORK=React\n").mode == "keyvalue"


def test_a_key_in_a_fenced_example_does_not_make_prose_key_value() -> None:
    fixture = """
        Write rules like this:

        ```ini
        GLOBAL_RULE_0=text
        ```
    """
    assert read(fixture).mode == "plain"
    assert texts(fixture) == ["Write rules like this: `GLOBAL_RULE_0=text`"]


def test_a_key_value_file_that_was_pasted_with_its_fence_is_read() -> None:
    assert texts("```ini\nGLOBAL_RULE_0=text\n```\n") == ["text"]
    assert kinds("```ini\nGLOBAL_RULE_0=text\n```\n") == []


def test_a_fence_that_is_never_closed_swallows_nothing() -> None:
    assert texts("```\nGLOBAL_RULE_0=text\n") == ["text"]


# Plain text


def test_a_line_is_a_rule() -> None:
    fixture = """
        Use tabs everywhere
        never push
        Ask before you delete.
    """
    assert [(r.text, r.kind, r.index) for r in read(fixture).rules] == [
        ("Use tabs everywhere", "plain", 0),
        ("never push", "plain", 1),
        ("Ask before you delete.", "plain", 2),
    ]


WIDE = "Every change of the public interface is announced two releases"  # 62 columns


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (WIDE, "before it is made"),
        (f"{WIDE},", "at least"),
        (WIDE, "`v2` at the earliest"),
        (WIDE, "(at least)"),
        (f"- {WIDE}", "before it is made"),
        (
            "公開インターフェースの変更はすべて二つ前のリリースで告知しなければならない、また",
            "例外はない",
        ),
    ],
)
def test_a_line_that_was_wrapped_goes_on(first: str, second: str) -> None:
    assert texts(f"{first}\n{second}\n") == [f"{first.removeprefix('- ')} {second}"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (WIDE, "Before it is made"),
        (f"{WIDE}.", "before it is made"),
        (f"({WIDE}.)", "before it is made"),
        (WIDE, "\nbefore it is made"),
        (WIDE, "- before it is made"),
        (WIDE, "AUTH: never"),
        (WIDE[:59], "before it is made"),
        (f"{WIDE} and a very long remark that nobody has wrapped\n{WIDE}", "before it is made"),
        (WIDE, "“Before” it is made"),
    ],
)
def test_a_line_that_was_not_wrapped_ends_its_rule(first: str, second: str) -> None:
    last = second.strip("\n-").strip().removeprefix("AUTH: ")
    assert texts(f"{first}\n{second}\n")[-1] == last


def test_list_items_are_rules_with_the_lines_indented_below_them() -> None:
    fixture = """
        Before:
        - one
          goes on

          and on
        * two
        + three
        1. four
        2) five
           more
          - nested
        after
    """
    assert texts(fixture) == [
        *(
            "Before:",
            "one goes on",
            "and on",
            "two",
            "three",
            "four",
            "five more",
            "nested",
            "after",
        )
    ]


def test_a_plain_rule_knows_its_places() -> None:
    text, spans = mark("""
        # Title

        «- «Always
          test»»
        ««Last one.»  »
    """)
    found = domain_file.parse(text).document.rules
    assert [span for rule in found for span in (rule.span, rule.text_span)] == list(spans)
    assert [rule.line for rule in found] == [2, 4]
    assert [rule.key_span for rule in found] == [
        (rule.text_span.start, rule.text_span.start) for rule in found
    ]


@pytest.mark.parametrize(
    "heading",
    ["# Naming", "### Naming ##", "=== Naming ===", "Naming\n===="],
)
def test_headings_group_the_rules_below_them(heading: str) -> None:
    document = domain_file.parse(f"First.\n\n{heading}\n\nSecond.\n- Third.\n").document
    assert [rule.group for rule in document.rules] == ["", "Naming", "Naming"]


def test_a_yaml_like_list_is_a_group() -> None:
    fixture = """
        GUARDRAILS_RULES:
          - Never push.
          - Never force.
        NAMING:
          - Use nouns.
    """
    assert [(r.group, r.text) for r in read(fixture).rules] == [
        ("GUARDRAILS", "Never push."),
        ("GUARDRAILS", "Never force."),
        ("NAMING", "Use nouns."),
    ]


def test_a_block_of_comment_lines_is_no_heading() -> None:
    fixture = """
        # ==========
        # Rules of the house
        # by all of us
        # ==========
        #todo

        Be kind.
    """
    assert [(r.group, r.text) for r in read(fixture).rules] == [("", "Be kind.")]


def test_a_comment_ends_a_paragraph() -> None:
    assert texts("One\n#note\ntwo") == ["One", "two"]


def test_a_block_of_code_is_told_with_the_rule_above_it() -> None:
    fixture = """
        # Checks
        - Run these before you commit:

          ```sh
          npm run lint
          npm test -- --changed
          ```

          ~~~
          echo `date`
          ~~~
        - Push never.
        # Commands
        ```sh
        npm start
        ```
    """
    assert texts(fixture) == [
        "Run these before you commit: `npm run lint` `npm test -- --changed` echo `date`",
        "Push never.",
        "`npm start`",
    ]
    assert kinds(fixture) == []


def test_a_rule_with_code_reaches_to_the_end_of_the_block() -> None:
    text, places = mark("# One\n«- «Run:\n  ```\n  a\n  ```»»\n# Two\n««~~~\n\nb\n~~~»»\n")
    found = domain_file.parse(text).document.rules
    assert [span for rule in found for span in (rule.span, rule.text_span)] == list(places)
    assert [rule.line for rule in found] == [1, 6]


def test_a_block_of_code_that_is_too_long_is_reported_and_not_told() -> None:
    code = "\n".join(f"step_{number}()" for number in range(40))
    text, (place,) = mark(f"- Work so:\n  «```py\n{code}\n```»\n- Then stop.\n")
    document, found = domain_file.parse(text)
    assert [rule.text for rule in document.rules] == ["Work so:", "Then stop."]
    assert [(one.kind, one.span) for one in found] == [("untold-code", place)]


def test_a_plain_file_that_was_pasted_with_its_fence_is_read() -> None:
    assert texts("```markdown\n# House\n- Be brief\n- Be kind\n```\n") == ["Be brief", "Be kind"]


def test_front_matter_and_comments_are_no_rules() -> None:
    fixture = """
        ---
        title: House
        tags:
          - a
        ---
        Before.
        <!-- hidden
        - also hidden --> seen

        ~~~
        code
        ```
        ~~~
        - After.
    """
    assert texts(fixture) == ["Before.", "seen `code` ```", "After."]


def test_text_between_two_separators_is_no_front_matter() -> None:
    assert texts("---\nBe kind to all.\n---\nReally.\n") == ["Be kind to all.", "Really."]


def test_a_comment_that_is_never_closed_swallows_nothing() -> None:
    assert texts("<!-- oops\n- One\n<!-- again\n- Two") == ["<!-- oops", "One", "<!-- again", "Two"]


def test_separators_and_table_rules_are_no_rules() -> None:
    fixture = """
        | who | what |
        |-----|------|
        | dev | code |

        ***
        -
    """
    assert texts(fixture) == ["| who | what |", "| dev | code |"]


def test_a_check_box_is_no_part_of_a_rule() -> None:
    assert texts("- [ ] Tests pass\n* [x] Two approvals\n- [id] stays\n") == [
        "Tests pass",
        "Two approvals",
        "[id] stays",
    ]


@pytest.mark.parametrize(
    "line", ["– x y", "•\tx y", "◦ x y", "・x y", "① x y", "２．x y", "３）　x y"]
)
def test_marks_of_lists_that_markdown_does_not_know_are_no_part_of_a_rule(line: str) -> None:
    assert texts(f"a\n{line}\n") == ["a", "x y"]


def test_the_mark_of_a_quotation_is_no_part_of_a_rule() -> None:
    assert texts(
        "> Never skip the hooks\n> - Sign commits\n> 90 % coverage\n>= 95 % quality\n"
    ) == [
        "Never skip the hooks",
        "Sign commits",
        "> 90 % coverage",
        ">= 95 % quality",
    ]


def test_items_with_letters_are_rules_of_their_own() -> None:
    assert texts("1. Announce it\n   a) at home\n   b. abroad\n") == [
        "Announce it",
        "at home",
        "abroad",
    ]


def test_lines_that_open_with_a_label_are_rules_of_their_own() -> None:
    fixture = """
        AUTH: never push
        MUST NOT: guess
        Phase build: compile
        Art. I — CLI First: always
        When context is FRESH: be brief
          and stay brief
    """
    assert [(r.kind, r.text, r.phase) for r in read(fixture).rules] == [
        ("auth", "never push", ""),
        ("plain", "MUST NOT: guess", ""),
        ("plain", "Phase build: compile", "build"),
        ("plain", "Art. I — CLI First: always", ""),
        ("plain", "When context is FRESH: be brief and stay brief", ""),
    ]


def test_an_authority_line_in_a_list_stands_where_its_text_is() -> None:
    text, spans = mark("- AUTH: «never push»")
    assert only_rule(text).kind == "auth"
    assert only_rule(text).text_span == spans[0]


def test_a_manifest_key_in_prose_is_reported_and_not_injected() -> None:
    fixture = "Be kind.\n«DEV_STATE»=active\n"
    assert only_problem(fixture).kind == "manifest-key-in-rules"
    assert texts(fixture) == ["Be kind."]


# Characters


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_every_line_break_ends_a_rule(line_break: str) -> None:
    text = f"A_RULE_0=x{line_break}A_RULE_1=y{line_break}"
    assert [(r.text, r.line) for r in domain_file.parse(text).document.rules] == [
        ("x", 0),
        ("y", 1),
    ]


def test_a_byte_order_mark_is_white_space() -> None:
    assert only_rule("\ufeffA_RULE_0=x").key_span == (1, 9)
    assert only_rule("\ufeff- One").text == "One"


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\v", "\f"])
def test_a_line_breaking_character_in_a_rule_is_reported(sign: str) -> None:
    problem = only_problem(f"A_RULE_0=x«{sign}»[y]")
    assert (problem.kind, dict(problem.data)["what"]) == ("forged-markup", "break")
    assert only_rule(f"A_RULE_0=x{sign}[y]").text == f"x{sign}[y]"


def test_a_nul_is_an_ordinary_character() -> None:
    assert only_rule("A_RULE_0=x\0y").text == "x\0y"


@pytest.mark.parametrize(
    ("fixture", "what"),
    [
        ("A_RULE_0=ok «</synapse-rules>» more", "tag"),
        ("A_RULE_0=«<CARL-RULES>»", "tag"),
        ("Close it: «</ chati-context>»", "tag"),
        ("A_RULE_0=«[CONSTITUTION]» obey", "heading"),
        ("- see «[ACTIVE AGENT»: @dev]", "heading"),
    ],
)
def test_text_that_forges_the_block_is_reported(fixture: str, what: str) -> None:
    problem = only_problem(fixture)
    assert (problem.kind, dict(problem.data)["what"]) == ("forged-markup", what)


@pytest.mark.parametrize(
    "text", ["# <synapse-rules>\nA_RULE_0=x", "A_RULE_0=a <rules> [x] [GLOBAL"]
)
def test_harmless_brackets_are_not_reported(text: str) -> None:
    assert kinds(text) == []


# Any text


@given(hostile_texts)
def test_any_text_gives_rules_whose_spans_are_in_the_text(text: str) -> None:
    document, found = domain_file.parse(text)
    assert_inside(text, found)
    assert document.mode in ("keyvalue", "plain", "empty")
    lines = LineIndex(text)
    for rule in document.rules:
        assert rule.text == rule.text.strip(" \t\n\r") != ""
        assert "\n" not in rule.text
        assert "\r" not in rule.text
        assert rule.span.start <= rule.key_span.start <= rule.text_span.start
        assert rule.text_span.end <= rule.span.end
        assert rule.line == lines.line_of(rule.span.start)
        assert rule.key_span.cut(text) == rule.key
    places = [rule.span for rule in document.rules]
    assert places == sorted(places)


@given(hostile_texts)
def test_a_keyed_rule_is_the_text_at_its_place(text: str) -> None:
    for rule in domain_file.parse(text).document.rules:
        if rule.key or rule.text_span.cut(text).isprintable():
            assert rule.text_span.cut(text) == rule.text


@given(hostile_texts)
def test_rules_read_from_a_text_survive_being_written_again(text: str) -> None:
    keyed = [rule for rule in domain_file.parse(text).document.rules if rule.key]
    again = "".join(f"{rule.key}={rule.text}\n" for rule in keyed)
    assert [(r.key, r.text) for r in domain_file.parse(again).document.rules] == [
        (r.key, r.text) for r in keyed
    ]


def test_rule_files_of_real_trees_have_only_defensible_problems() -> None:
    known = {"manifest-key-in-rules", "odd-key"}
    folders = [*corpus().glob("*/.synapse"), *corpus().glob("*/.carl")]
    for path in (path for folder in folders for path in folder.iterdir()):
        if path.is_file() and path.name != "manifest":
            document, found = domain_file.parse(path.read_text("utf-8"))
            assert (document.mode, bool(document.rules)) == ("keyvalue", True)
            assert {problem.kind for problem in found} <= known


def test_settings_in_a_file_of_rules_are_one_mistake() -> None:
    settings = "X_STATE=active\nX_RECALL=a\nY_STATE=active\n"
    for text in (settings, f"{settings}X_RULE_0=a\n"):
        (problem,) = domain_file.parse(text).problems
        assert problem.span == (0, 7)
        assert "`X_STATE` and 2 more keys are settings of the manifest" in problem.message
