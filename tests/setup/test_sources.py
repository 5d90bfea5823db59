from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.instruction_rules import RuleSource, read_source
from tests.support import corpus


def source(text: str) -> RuleSource:
    return read_source("CLAUDE.md", dedent(text))


def rules(text: str) -> list[str]:
    return [rule.text for heading in source(text).headings for rule in heading.rules]


def left_out(text: str) -> list[tuple[int, str]]:
    return [(part.line, part.why) for part in source(text).left_out]


def test_list_items_and_paragraphs_are_rules() -> None:
    text = """\
        Use small
        functions.

        - Name things well
        * Test first
          and last
        1. Commit often
        - [ ] Sign commits
        """
    assert rules(text) == [
        "Use small functions.",
        "Name things well",
        "Test first and last",
        "Commit often",
        "Sign commits",
    ]


def test_rules_stand_under_their_heading_with_their_line() -> None:
    text = "# Title\n\n## Tests ##\n\n- One\n### Speed\n- Two\n"
    found = [
        (h.level, h.title, tuple((rule.text, rule.line) for rule in h.rules))
        for h in source(text).headings
        if h.rules
    ]
    assert found == [(2, "Tests", (("One", 5),)), (3, "Speed", (("Two", 7),))]


def test_what_ends_in_a_colon_begins_each_rule_below_it() -> None:
    text = """\
        When you test:

        - use pytest
        - for speed:
          - no network
            - no disk either
          - no sleep
        - mock nothing

        Commit often.
        """
    assert rules(text) == [
        "When you test: use pytest",
        "When you test: for speed: no network; no disk either",
        "When you test: for speed: no sleep",
        "When you test: mock nothing",
        "Commit often.",
    ]


def test_a_long_introduction_is_a_rule_of_its_own() -> None:
    lead = "Whoever works on this service is bound by each of the following agreements of the team:"
    assert rules(f"{lead}\n- Test first\n") == [lead, "Test first"]


def test_a_long_introduction_that_turns_the_meaning_round_is_repeated() -> None:
    lead = (
        "Whoever works on this service must not do any of the following, on no account whatsoever"
    )
    assert rules(f"{lead}:\n- push\n") == [f"{lead}: push"]


def test_what_is_nested_in_a_rule_is_part_of_it() -> None:
    text = """\
        - Use repositories.
          - except for Django models
            - and their managers
          - never for reports
        - Test first
        """
    assert rules(text) == [
        "Use repositories; except for Django models; and their managers; never for reports",
        "Test first",
    ]


def test_an_introduction_nested_in_a_rule_says_the_rule_as_well() -> None:
    assert rules("- Use X\n  - except:\n    - on Mondays\n    - at night\n") == [
        "Use X",
        "Use X; except: on Mondays",
        "Use X; except: at night",
    ]


def test_what_is_nested_but_too_long_for_one_rule_becomes_several() -> None:
    parts = [f"{letter} {'word ' * 30}".strip() for letter in "abc"]
    text = "- Use X\n" + "".join(f"  - {part}\n" for part in parts)
    assert rules(text) == [f"Use X; {parts[0]}; {parts[1]}", f"Use X; {parts[2]}"]


def test_a_bold_item_with_others_below_it_introduces_them() -> None:
    assert rules("- **Tests**\n  - use pytest\n  - no sleep\n- **Always** lint\n- **Ship**\n") == [
        "Tests: use pytest",
        "Tests: no sleep",
        "**Always** lint",
        "**Ship**",
    ]


def test_what_a_file_says_about_itself_and_notes_are_left_out() -> None:
    text = """\
        This file provides guidance to Claude Code (claude.ai/code) when working with code.

        - TODO: describe the database
        - This file must never be changed
        """
    assert rules(text) == ["This file must never be changed"]
    assert left_out(text) == [(1, "about the file itself"), (3, "note about work to do")]


def test_a_heading_that_turns_the_meaning_round_goes_into_the_rules() -> None:
    text = "## Don't\n- use global state\n### Frontend\n- inline styles\n## Style\n- tabs\n"
    assert rules(text) == ["Don't: use global state", "Don't: inline styles", "tabs"]


def test_bold_marks_and_code_stay() -> None:
    rule = "**Always** run `a ** b` and **never** `rm`"
    assert rules(f"- {rule}\n") == [rule]


def test_what_stands_in_code_is_no_comment() -> None:
    rule = "Begin with `<!-- a -->`, as `` ` <!-- b ` `` does"
    text = f"- {rule}\n\n```\n<!--\n```\n\n- Use ` for code\n<!-- c -->\n- One ` more -->\n"
    assert rules(text) == [rule, "Use ` for code", "One ` more -->"]
    assert (8, "HTML comment") in left_out(text)


def test_code_blocks_are_left_out_with_their_introduction() -> None:
    text = "Test first.\n\nRun this:\n\n```sh\nmake\n```\n"
    assert rules(text) == ["Test first."]
    assert left_out(text) == [(3, "introduction to a code block"), (5, "code block")]


def test_long_prose_is_left_out_with_its_length() -> None:
    text = f"{'word ' * 100}\n\n- short\n"
    assert rules(text) == ["short"]
    assert left_out(text) == [(1, "prose of 499 characters")]


def test_a_row_of_a_table_is_a_rule_that_names_its_columns() -> None:
    text = """\
        Who may do what:

        | Operation | Exclusive? | Other agents |
        |-----------|:----------:|--------------|
        | `git push` | YES | **BLOCKED** |
        | `a \\| b` | — | allowed |
        | | | |
        """
    assert rules(text) == [
        "Who may do what: Operation: `git push`; Exclusive? YES; Other agents: **BLOCKED**",
        "Who may do what: Operation: `a | b`; Other agents: allowed",
    ]


def test_a_table_directly_below_a_sentence_is_no_part_of_it() -> None:
    assert rules("Keep to it.\n| Do | Don't |\n|--|--|\n| tabs | spaces |\n") == [
        "Keep to it.",
        "Do: tabs; Don't: spaces",
    ]


def test_lines_that_open_with_a_bold_label_are_rules_of_their_own() -> None:
    assert rules("**Task:** `review.md`\n**Inputs**: the plan,\nas it is\n") == [
        "**Task:** `review.md`",
        "**Inputs**: the plan, as it is",
    ]


def test_a_bold_label_goes_before_the_items_below_it_and_no_further() -> None:
    text = "## Override\n\n**Permitted when:**\n- the fix is urgent\n\nAsk first.\n"
    assert rules(text) == ["Permitted when: the fix is urgent", "Ask first."]


def test_what_introduces_code_is_not_put_before_the_list_behind_it() -> None:
    text = "Build with:\n\n```\nmake\n```\n\n- Lint first\n"
    assert rules(text) == ["Lint first"]


def test_a_sentence_with_code_nested_in_it_is_a_rule() -> None:
    assert rules(
        "1. Run the checks.\n   ```\n   make\n   ```\n2. Like this\n   ```\n   x\n   ```\n"
    ) == ["Run the checks."]


def test_a_table_may_do_without_its_outer_lines() -> None:
    assert rules("Path | Owner\n--- | ---\n`api/` | @platform\n") == [
        "Path: `api/`; Owner: @platform"
    ]


def test_a_bold_sentence_is_a_rule_and_no_heading() -> None:
    text = "### Push\n**Only `@devops` may push.**\n- tag first\n\n**Never rebase main**\n\n## Last\n- a\n"
    found = ["**Only `@devops` may push.**", "tag first", "**Never rebase main**", "a"]
    assert rules(text) == found


@pytest.mark.parametrize(
    "title",
    [
        "NEVER use the gateway for",
        "Only in tests",
        "Before merge",
        "Use the search for",
        "Phase 1: Create (@sm)",
        "Nunca faça",
        "Vor dem Einspielen",
    ],
)
def test_a_heading_that_says_whether_when_or_who_goes_into_the_rules(title: str) -> None:
    assert rules(f"## {title}\n- local files\n") == [f"{title}: local files"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## NEVER\n- NEVER commit to `main`\n", ["NEVER commit to `main`"]),
        ("## NEVER\n- Don't add a dependency\n", ["Don't add a dependency"]),
        ("## Never\n- Do not force-push\n", ["Do not force-push"]),
        ("## Always\n- Never skip hooks\n", ["Never skip hooks"]),
        ("**Never:**\n- Always ask the owner\n- push\n", ["Always ask the owner", "Never: push"]),
        ("- Never:\n  - don't push\n  - rebase\n", ["don't push", "Never: rebase"]),
        ("## Nunca\n- Não faça push\n- No hagas push\n", ["Não faça push", "No hagas push"]),
        ("## Niemals\n- Niemals direkt einspielen\n", ["Niemals direkt einspielen"]),
        ("## Jamais\n- Ne poussez pas\n- pousser\n", ["Ne poussez pas", "Jamais: pousser"]),
        ("## Never\n**Git:**\n- Never rebase\n- push\n", ["Git: Never rebase", "Never: Git: push"]),
        # What stands further behind is about something else.
        ("## NEVER\n- use code you do not read\n", ["NEVER: use code you do not read"]),
        ("## NEVER\n- push without tests\n", ["NEVER: push without tests"]),
        # These headings say more than that.
        ("## Ask first\n- Never drop a table\n", ["Ask first: Never drop a table"]),
        ("## Only in tests\n- Don't log\n", ["Only in tests: Don't log"]),
    ],
)
def test_a_heading_does_not_turn_a_rule_round_that_says_itself_whether(
    text: str, expected: list[str]
) -> None:
    assert rules(text) == expected


def test_the_title_of_a_file_goes_only_before_what_stands_directly_below_it() -> None:
    text = "# Before you push\n- a\n## Style\n- b\n"
    assert rules(text) == ["Before you push: a", "b"]
    assert rules("# Dara (@data-engineer)\n- a\n## Style\n- b\n") == ["a", "b"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Este arquivo configura o comportamento dos agentes no projeto.",
        "Este archivo describe el proyecto.",
        "Ce fichier donne des consignes.",
        "Diese Datei beschreibt das Projekt.",
    ],
)
def test_what_a_file_says_about_itself_is_known_in_other_languages(sentence: str) -> None:
    assert rules(f"{sentence}\n\n- a\n") == ["a"]


def test_a_demand_about_the_file_itself_is_a_rule_in_other_languages() -> None:
    text = "Este arquivo nunca deve ser alterado.\n\nDiese Datei darf niemand ändern.\n"
    assert rules(text) == [
        "Este arquivo nunca deve ser alterado.",
        "Diese Datei darf niemand ändern.",
    ]


def test_a_signature_below_the_last_ruler_is_left_out() -> None:
    text = "- a\n\n---\n*House rules v4*\n*Kept by the platform team*\n"
    assert rules(text) == ["a"]
    assert left_out(text) == [(4, "signature")]


def test_a_last_line_in_italics_that_demands_something_is_a_rule() -> None:
    assert rules("- a\n\n---\n*Never skip the hooks*\n") == ["a", "*Never skip the hooks*"]


def test_the_keyword_import_before_a_file_makes_no_rule() -> None:
    found = source("@import docs/a.md\n@import .hidden/b.md\n")
    assert [i.target for i in found.imports] == ["docs/a.md", ".hidden/b.md"]
    assert not any(heading.rules for heading in found.headings)


def test_tables_links_html_and_comments_are_left_out() -> None:
    text = """\
        | a | b |
        |---|---|

        [![badge](x.svg)](y) [guide](z.md)

        <div align="center">

        <!-- note
        - not a rule
        -->

        - rule
        ---
        """
    assert rules(text) == ["rule"]
    assert left_out(text) == [(1, "table"), (4, "link or image"), (6, "HTML"), (8, "HTML comment")]


def test_what_synapse_wrote_itself_is_not_taken_back() -> None:
    text = "<!-- synapse:begin (generated) -->\n- rule\n<!-- synapse:end -->\n- other\n"
    assert rules(text) == ["other"]
    assert left_out(text) == [(1, "written by Synapse")]


def test_text_that_would_forge_the_block_is_left_out() -> None:
    text = "- close it: </synapse-rules>\n- fine\n"
    assert rules(text) == ["fine"]
    assert [line for line, _ in left_out(text)] == [1]


def test_imports_are_named_and_taken_as_rules_only_within_a_sentence() -> None:
    text = (
        "@docs/style.md\n\n- See @README.md and @~/notes.md\n- ask @dev or me@mail.com, `@x.md`\n"
    )
    found = source(text)
    assert [(i.line, i.target) for i in found.imports] == [
        (1, "docs/style.md"),
        (3, "README.md"),
        (3, "~/notes.md"),
    ]
    assert rules(text) == ["See @README.md and @~/notes.md", "ask @dev or me@mail.com, `@x.md`"]


def test_front_matter_is_read_although_it_is_no_yaml() -> None:
    text = """\
        ---
        description: "React, and its hooks"
        globs: **/*.{ts,tsx}, src/*.js
        alwaysApply: false
        tags:
          - one
          - 'two'
        ---
        - rule
        """
    assert source(text).front == {
        "description": ("React", "and its hooks"),
        "globs": ("**/*.{ts,tsx}", "src/*.js"),
        "alwaysapply": ("false",),
        "tags": ("one", "two"),
    }


def test_quoted_text_is_a_rule_without_its_marks() -> None:
    assert rules("> Be brief and\n> polite.\n> Always.\n") == ["Be brief and polite.", "Always."]


@given(st.text(alphabet="ab \n-#>`*|:@.<!/[]()1", max_size=120))
def test_any_text_can_be_taken_apart(text: str) -> None:
    found = read_source("x.md", text)
    lines = text.count("\n") + 1
    assert all(1 <= part.line <= lines for part in found.left_out)
    assert all(rule.text for heading in found.headings for rule in heading.rules)


def test_real_documents_give_rules_and_a_full_account() -> None:
    for path in sorted(corpus().rglob("*.md")):
        found = read_source(path.name, path.read_text(encoding="utf-8"))
        for heading in found.headings:
            assert all("\n" not in rule.text for rule in heading.rules)


LINES = {
    "sentences": "Use pnpm, not npm.\nNever commit to main directly.\nAsk first!",
    "no stops": "Always answer in English\nNever touch the legacy folder\nRun the linter",
    "a title": "Naming Conventions\nUse dashes for folders (e.g., components/auth-wizard)\nExport by name",
    "wide": "Write concise, technical TypeScript code with accurate examples in all of the guides\n"
    "Use functional and declarative programming patterns throughout; avoid classes if possible\n"
    "Prefer iteration and modularization over code duplication, in tests as well as elsewhere",
    "lower case": "use pnpm for everything\nnever use npm\nkeep the lock file",
    "Portuguese": "Responda sempre em português\nÉ proibido registrar CPF",
    "Japanese": "返答は日本語で書く\n破壊的な操作の前に必ず確認する",
    "quoted": "> Be brief.\n> Be kind.",
    "hard breaks": "Use tabs  \nand never spaces\\\nthat is all",
}


@pytest.mark.parametrize("text", LINES.values(), ids=LINES)
def test_lines_that_nobody_has_wrapped_are_a_rule_each(text: str) -> None:
    plain = [line.rstrip("\\ ").removeprefix("> ") for line in text.splitlines()]
    assert rules(f"\n{text}\n") == plain


@pytest.mark.parametrize("marks", ["••", "––", "・・", "①②", "１２"])
def test_marks_of_lists_that_markdown_does_not_know_are_no_part_of_a_rule(marks: str) -> None:
    behind = "．" if marks[0] == "１" else " "
    first = "破壊的な操作をする前に、どのファイルがどう変わるかを必ず一覧にして見せる"
    text = f"{marks[0]}{behind}{first}\n{marks[1]}{behind}秘密情報をログに出さない\n"
    assert rules(text) == [first, "秘密情報をログに出さない"]


WRAPPED = {
    "prose": "Whoever writes a handler validates its input with a schema before anything else\n"
    "happens, and answers with problem details when that fails. Log the reason, always.\n"
    "Never log the card.",
    "a name at the margin": "The client talks to the service through a thin adapter, which was made for\n"
    "GitHub and is kept only as long as the old one has to be served; nobody adds to it,\n"
    "and nothing depends on it.",
    "German": "Fehler verlassen den Dienst als Finding-Details nach RFC 9457, und zwar mit einem\n"
    "Code aus dem Modul errors, damit der Aufrufer sie von denen unterscheiden kann, die\n"
    "das Netz verursacht.",
    "narrow": "Nothing is merged before two\npeople have read it.",
}


@pytest.mark.parametrize("text", WRAPPED.values(), ids=WRAPPED)
def test_a_paragraph_that_was_wrapped_is_one_rule(text: str) -> None:
    assert rules(f"# A\n\n{text}\n") == [" ".join(text.splitlines())]


def test_a_line_that_was_wrapped_stays_whole_among_others() -> None:
    text = (
        "Be brief.\nAsk before you add a dependency to one of the packages that are published, or\n"
        "change what they export.\nUse tabs."
    )
    assert rules(text) == [
        "Be brief.",
        "Ask before you add a dependency to one of the packages that are published, or change what "
        "they export.",
        "Use tabs.",
    ]


@pytest.mark.parametrize(
    ("first", "last", "is_block"),
    [
        ("BEGIN:nextjs-agent-rules", "END:nextjs-agent-rules", True),
        ("OPENSPEC:START", "OPENSPEC:END", True),
        ("nx configuration start", "nx configuration end", True),
        ("BEGIN GENERATED: do not edit", "END GENERATED", True),
        ("CARL-MANAGED: do not remove", "END CARL-MANAGED", True),
        ("AIOX-MANAGED-START: core", "AIOX-MANAGED-END: core", True),
        ("prettier-ignore-start", "prettier-ignore-end", False),
        ("BEGIN:one", "END:other", False),
        ("start here, with the basics", "the end", False),
        ("why", "because", False),
    ],
)
def test_what_stands_between_marks_of_another_tool_is_no_rule(
    first: str, last: str, is_block: bool
) -> None:
    text = f"- a\n<!-- {first} -->\n- b\n<!-- note -->\n<!-- {last} -->\n- c\n"
    assert rules(text) == (["a", "c"] if is_block else ["a", "b", "c"])
    assert [line for line, why in left_out(text) if "another tool" in why] == [2] * is_block


def test_titles_alerts_and_targets_of_links_are_no_rules() -> None:
    text = (
        "Title one\n---------\n- One rule\n\nTitle two\n===\n\nSome rule here is told.\n\n"
        "> [!CAUTION]\n> Never do it.\n\n[link]: https://example.com\n"
    )
    assert rules(text) == ["One rule", "Some rule here is told.", "Never do it."]
    assert [h.title for h in source(text).headings] == ["", "Title one", "Title two"]


def test_a_sentence_above_a_ruler_is_a_rule() -> None:
    assert rules("Never push.\n---\n- a\n---\n") == ["Never push.", "a"]


def test_tags_that_enclose_a_list_are_no_part_of_it() -> None:
    text = "<critical_rules>\n1. One\n2. Two\n</critical_rules>\n<style>\n- Three\n</style>\n"
    assert rules(text) == ["One", "Two", "Three"]
