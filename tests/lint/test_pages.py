"""A rule's docstring is its page, and what the page shows is true."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.generated.rule_documentation import documentation_pages, find_faults
from synapse_ls.lint import rule_pages, rule_registry
from synapse_ls.lint.lint_rule import LintRule
from synapse_ls.lint.rule_pages import Example
from synapse_ls.text.finding import Finding
from tests.lint.clean import BY_DESIGN, check_disk, write

DOCS = Path(__file__).parent.parent.parent / "docs" / "rules"


def write_example(root: Path, example: Example) -> Path:
    files = {path: example.content(path) for path in example.files}
    write(root, files, example.links)
    for path, mode in example.modes.items():
        (root / path).chmod(mode)
    return root


@pytest.fixture(scope="module", params=rule_registry.all_rules(), ids=lambda rule: rule.code)
def rule(request: pytest.FixtureRequest) -> LintRule:
    found = request.param
    assert isinstance(found, LintRule)
    return found


@pytest.fixture(scope="module")
def bad_findings(rule: LintRule, tmp_path_factory: pytest.TempPathFactory) -> tuple[Finding, ...]:
    """What is found in the bad example of the rule's page."""
    root = tmp_path_factory.mktemp(rule.code)
    return check_disk(write_example(root, rule_pages.rule_page(rule).bad))


def test_the_bad_example_is_found_by_this_rule_alone(
    rule: LintRule, bad_findings: tuple[Finding, ...]
) -> None:
    codes = {diagnostic.code for diagnostic in bad_findings}
    assert rule.code in codes, f"{rule.code} does not find the bad example of its page"
    others = codes - BY_DESIGN - {rule.code}
    assert not others, f"{sorted(others)} find the bad example of {rule.code}, too"


def test_the_good_example_is_clean(rule: LintRule, tmp_path: Path) -> None:
    found = check_disk(write_example(tmp_path, rule_pages.rule_page(rule).good))
    assert {diagnostic.code for diagnostic in found} <= BY_DESIGN - {"SYN120", rule.code}


def test_a_page_promises_a_fix_where_its_example_gets_one_and_what_is_said_ends_in_a_full_stop(
    rule: LintRule, bad_findings: tuple[Finding, ...]
) -> None:
    fixed = any(finding.fix for finding in bad_findings if finding.code == rule.code)
    promised = "Fix" in rule_pages.rule_page(rule).sections
    assert promised or not fixed, f"{rule.name} has a fix, and its page no section ## Fix"
    assert fixed or not promised, f"the bad example of {rule.name} gets no fix, against ## Fix"
    own = [finding for finding in bad_findings if finding.code == rule.code]
    texts = [text for finding in own for text in (finding.message, finding.remedy)]
    bare = [text for text in texts if not text.endswith(".")]
    assert not bare, f"a message and its remedy end in a full stop: {bare}"


def test_a_page_says_once_whether_its_rule_has_to_be_selected() -> None:
    """It is written from ``default``, and so the docstring does not say it."""
    for rule in rule_registry.all_rules():
        count = rule_pages.page_markdown(rule).count("unless selected")
        assert count == (not rule.default), rule.name


def test_a_summary_is_one_sentence() -> None:
    for rule in rule_registry.all_rules():
        summary = rule_pages.rule_page(rule).summary
        assert "\n" not in summary, f"the summary of {rule.name} has two lines"
        assert summary.endswith("."), f"the summary of {rule.name} has no full stop: {summary!r}"


def test_every_module_is_registered_with_a_code_and_the_name_of_its_own() -> None:
    folder = Path(rule_registry.__file__).parent / "rules"
    faults = find_faults(
        path.relative_to(folder).as_posix() for path in folder.glob("*/*.[pm][yd]")
    )
    assert not faults, "\n".join(faults)


def test_the_pages_in_the_documentation_are_those_of_the_rules() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in DOCS.glob("*.md")}
    made = documentation_pages()
    stale = sorted(
        name for name in written.keys() | made.keys() if written.get(name) != made.get(name)
    )
    assert not stale, f"run ./scripts/gen-docs: {', '.join(stale)}"


PAGE = """Sum.

## What it does

Looks.

## Why it matters

It does.

## Example

```bad
-- a/b --
x\\xff
-- c -> d --
```

```good
-- a --
```

## Evidence

The index.
"""


def test_an_example_is_a_tree_of_files_and_links() -> None:
    bad = rule_pages.parse_page(PAGE).bad
    assert bad.content("a/b") == b"x\xff\n"
    assert bad.links == {"c": "d"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("## Evidence\n\nThe index.\n", "", "'Sum.' says nothing under ## Evidence"),
        ("The index.\n", "", "'Sum.' says nothing under ## Evidence"),
        ("## Why it matters", "## Why", "says nothing under ## Why it matters"),
        ("## Evidence", "## Note\n\nx\n\n## Evidence", "## Note, ## Evidence, where a page has"),
        ("## Evidence", "## Fix\n\nx\n\n## Evidence", "## Evidence, ## Fix"),
    ],
)
def test_a_page_without_its_sections_in_their_order_is_refused(
    old: str, new: str, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        rule_pages.parse_page(PAGE.replace(old, new))


def test_a_refusal_names_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = next(rule for rule in rule_registry.all_rules() if rule.name == "long-rule")
    module = rule_registry.rule_module(rule)
    monkeypatch.setattr(module, "__doc__", str(module.__doc__).partition("## Evidence")[0])
    with pytest.raises(
        ValueError, match=rf"The page of {rule.name}: .* nothing under ## Evidence\."
    ):
        documentation_pages()


def test_a_page_without_examples_is_refused() -> None:
    with pytest.raises(ValueError, match="one bad and one good example"):
        rule_pages.parse_page("Sum.\n## Example\n```bad\n-- a --\n```\n")


def test_an_example_must_begin_with_a_path() -> None:
    with pytest.raises(ValueError, match="must begin with a path"):
        rule_pages.parse_page("Sum.\n```bad\nx\n```\n```good\n-- a --\n```\n")
