from __future__ import annotations

import pytest

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.edits.repeated_rules import imports_of, told_texts, without_rules
from synapse_ls.setup.init.rule_adoption import plan_adoption
from tests.support import corpus
from tests.trees import tree_of

CLAUDE = """\
# CLAUDE.md

This file provides guidance to Claude Code when working with code in this repository.

## Commands

```sh
npm test
```

- Run the tests before you commit

## Style

- Tabs
- Small functions:
  - at most twenty lines
- No dead code

## Architecture

```text
api -> src/api
```

Never import from the database layer.

---

## Last

- Be brief
"""
LEFT = """\
# CLAUDE.md

This file provides guidance to Claude Code when working with code in this repository.

## Commands

```sh
npm test
```

## Architecture

```text
api -> src/api
```

---
"""


def left_of(text: str, path: str = "CLAUDE.md") -> str:
    """What is left of a file whose rules were all adopted."""
    tree = tree_after(tree_of({}), plan_adoption({path: text}, tree_of({})).plan)
    return without_rules(path, text, told_texts(tree))[0]


def test_what_became_rules_goes_and_all_else_stays() -> None:
    assert left_of(CLAUDE) == LEFT


def test_a_table_whose_rows_are_rules_goes_with_its_headings() -> None:
    text = "# Names\n\n| kind | case |\n|---|---|\n| files | kebab |\n| types | pascal |\n\n```\nx\n```\n"
    assert left_of(text) == "# Names\n\n```\nx\n```\n"


def test_a_table_with_a_row_that_is_no_rule_keeps_its_headings() -> None:
    long = "word " * 100
    text = f"| kind | case |\n|---|---|\n| files | kebab |\n| types | {long}|\n"
    assert left_of(text) == f"| kind | case |\n|---|---|\n| types | {long}|\n"


def test_a_sentence_stays_above_the_code_that_is_nested_in_it() -> None:
    text = "1. Run the checks.\n   ```\n   make\n   ```\n2. Tag last\n"
    assert left_of(text) == "1. Run the checks.\n   ```\n   make\n   ```\n"


def test_line_breaks_stay_as_they_are() -> None:
    assert left_of(CLAUDE.replace("\n", "\r\n")) == LEFT.replace("\n", "\r\n")


def test_a_file_of_nothing_but_rules_is_empty_then() -> None:
    assert left_of("# Rules\n\n- Tabs\n- Small functions\n") == ""


def test_front_matter_stays() -> None:
    text = "---\nglobs: src/**\n---\n\n# Api\n\n- Tabs\n"
    assert left_of(text, ".cursor/rules/api.mdc") == "---\nglobs: src/**\n---\n"


def test_a_rule_that_the_tree_has_not_stays_with_what_introduces_it() -> None:
    text = "Always:\n\n- Tabs\n- Small functions\n"
    tree = tree_of(
        {
            ".synapse/manifest": "GLOBAL_STATE=active\n",
            ".synapse/global": "GLOBAL_RULE_0=Always: Tabs\n",
        }
    )
    assert without_rules("CLAUDE.md", text, told_texts(tree)) == (
        "Always:\n\n- Small functions\n",
        9,
    )


def test_rules_of_a_domain_that_is_switched_off_stay() -> None:
    tree = tree_of(
        {
            ".synapse/manifest": "TABS_STATE=inactive\nTABS_ALWAYS_ON=true\n",
            ".synapse/tabs": "TABS_RULE_0=Use tabs\n",
        }
    )
    assert without_rules("CLAUDE.md", "- Use tabs\n", told_texts(tree)) == ("- Use tabs\n", -1)


def test_an_item_that_goes_on_in_code_stays_with_it() -> None:
    text = "1. Install what it needs\n\n   ```sh\n   npm ci\n   ```\n2. Name things well\n"
    assert left_of(text) == text.removesuffix("2. Name things well\n")


def test_a_line_that_only_imports_what_was_adopted_goes() -> None:
    text = "# Rules\n\n@docs/style.md\n\nSee @docs/style.md for more.\n"
    found = imports_of("CLAUDE.md", text, {"docs/style.md"})
    assert without_rules("CLAUDE.md", text, (), dropped_imports=found)[0] == (
        "# Rules\n\nSee @docs/style.md for more.\n"
    )


@pytest.mark.parametrize("broken", ["\r\n", "\n"])
def test_nothing_of_real_documents_is_told_twice_or_lost(broken: str) -> None:
    for path in sorted(corpus().rglob("*.md"))[:60]:
        text = path.read_text(encoding="utf-8").replace("\n", broken)
        tree = tree_after(tree_of({}), plan_adoption({"CLAUDE.md": text}, tree_of({})).plan)
        told = told_texts(tree)
        left = without_rules("CLAUDE.md", text, told)[0]
        assert without_rules("CLAUDE.md", left, told)[1] == -1, path.name
        assert set(left.splitlines()) <= set(text.splitlines())


def test_a_comment_above_the_next_heading_stays_without_the_empty_one() -> None:
    text = "# A\n\nText: a b\n```\nx\n```\n\n## Rules\n\n- Tabs\n\n---\n\n<!-- mine -->\n## B\n\n```\ny\n```\n"
    assert "## Rules" not in left_of(text)
    assert "<!-- mine -->\n## B" in left_of(text)
