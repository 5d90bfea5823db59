"""``synapse init``: the text of a rule is that of the file that it comes from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.setup.init.rule_adoption import plan_adoption
from tests.cli.conftest import Synapse
from tests.edits.support import MANIFEST
from tests.support import corpus, examples
from tests.trees import tree_of, write_tree

NAMES = ("CLAUDE.md", "AGENTS.md", ".cursor/rules/a.mdc")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "rule",
    [
        "Put `from __future__ import annotations` first",
        "Name a logger `f(__name__)`, and never __main__",
        "Match `src/a **b** c` and `x  y` as they stand",
        "Leave `__init__` empty",
        "Leave __init__ empty",
        "**Never** push to `main`",
        "Read [the guide](docs/guide.md) and <https://example.com/a_b>",
        "Write `&lt;` for <, and \\* for a star",
        "Begin a note with `<!-- note -->`, as all do",
        "Use ``a ` b`` and *this* _that_ ~~those~~",
        "Set `x: y` in <kbd>Ctrl</kbd>",
    ],
)
def test_a_rule_is_taken_over_as_it_is_written(
    synapse: Synapse, tmp_path: Path, name: str, rule: str
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    always = "---\nalwaysApply: true\n---\n" if name.endswith(".mdc") else ""
    file.write_text(f"{always}# Rules\n\n- {rule}\n- Answer in English\n")
    synapse("--root", str(tmp_path), "init", str(tmp_path))
    (label,) = ("A",) if always else ("GLOBAL",)
    assert f"{label}_RULE_0={rule}\n" in (tmp_path / f".synapse/{label.lower()}").read_text()


def test_the_heading_before_a_short_rule_keeps_its_code(synapse: Synapse, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("## The `__main__` guard\n\n- Keep short\n")
    synapse("--root", str(tmp_path), "init", str(tmp_path))
    assert "The `__main__` guard: Keep short" in (tmp_path / ".synapse/global").read_text()


def test_a_cell_of_a_table_keeps_its_code(synapse: Synapse, tmp_path: Path) -> None:
    table = "| **Do** | Don't |\n|--|--|\n| `f(__name__)` | **two  words** |\n"
    (tmp_path / "CLAUDE.md").write_text(table)
    synapse("--root", str(tmp_path), "init", str(tmp_path))
    said = "Do: `f(__name__)`; Don't: **two words**"
    assert said in (tmp_path / ".synapse/global").read_text()


@pytest.mark.parametrize("rule", ["**Never** git push", "**Never:** git push"])
def test_the_guard_reads_a_boundary_that_begins_in_bold_type(
    synapse: Synapse, tmp_path: Path, rule: str
) -> None:
    manifest = "DEV_STATE=active\nDEV_AGENT_TRIGGER=dev\n"
    root = write_tree(tmp_path, {MANIFEST: manifest, ".synapse/dev": f"DEV_AUTH_0={rule}\n"})
    done = synapse("--root", str(root), "guard", "git push", "--agent", "dev")
    assert "deny" in done.out and "DEV_AUTH_0" in done.out


def test_a_tree_with_a_rule_of_an_earlier_version_is_given_it_no_second_time(
    synapse: Synapse, tmp_path: Path
) -> None:
    rules = {MANIFEST: "GLOBAL_STATE=active\n", ".synapse/global": "GLOBAL_RULE_0=Never push\n"}
    root = write_tree(tmp_path, {**rules, "CLAUDE.md": "- **Never** push\n"})
    done = synapse("--root", str(root), "init", str(root), "--from")
    assert "Nothing to change." in done.out


BAR = "\\|"
"""How a table has a bar in one of its cells; the rule that a row becomes has the bar alone."""
MARKS = (
    "a b __init__ `__x__` ** __ * _ ` `` < > <!-- --> <b> | : . Never - 1. # ``` ~~~ [l](u) &amp; @a.md = === ---"
    " **bold** **Label:** é 日本 ; !"
)
PIECES = st.lists(
    st.sampled_from(
        [
            *MARKS.split(),
            *(BAR, "\\*", "", "\t", "\n", "\n\n", "\n- ", "\n  - ", "\n## ", "\n> "),
            "\n| a | b |\n|--|--|\n| c | d |\n",
        ]
    ),
    max_size=30,
)


def rule_words(sources: dict[str, str]) -> list[tuple[str, str]]:
    """The words of all rules that the tree has then, each with the rule."""
    tree = tree_of({})
    after = tree_after(tree, plan_adoption(sources, tree).plan)
    return [
        (word.strip(":;.,"), rule.text)
        for domain in after.domains
        for rule in after.rules_of(domain)
        for word in rule.text.split()
    ]


@given(PIECES)
@settings(max_examples=examples(2000))
def test_each_word_of_a_rule_stands_in_its_source(pieces: list[str]) -> None:
    text = " ".join(pieces)
    known = f"{text} {text.replace(BAR, '|')}"
    assert [rule for word, rule in rule_words({"CLAUDE.md": text}) if word not in known] == []


def test_each_word_of_rules_of_other_projects_stands_in_its_source() -> None:
    files = [p for p in corpus().rglob("*.md") if p.is_file() and ".synapse" not in p.parts]
    assert files
    for file in files:
        text = file.read_text(errors="replace")
        known = f"{text} {text.replace(BAR, '|')}"
        found = rule_words({"CLAUDE.md": text})
        assert [rule for word, rule in found if word not in known] == [], file
