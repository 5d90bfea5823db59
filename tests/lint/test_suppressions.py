"""Comments silence what they name where they say so; one that silences nothing is reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from synapse_ls.lint import rule_selection
from synapse_ls.lint.incremental_findings import IncrementalFindings
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.suppressions import suppression_edit
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import apply_edits
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.lint.clean import EVERY_RULE, findings, place
from tests.lint.mutants.mutant import Mutant
from tests.lint.test_fixes import blocks, fixed
from tests.lint.test_mutants import MUTANTS
from tests.support import corpus
from tests.trees import tree_of

RULES = {".synapse/x": "X_RULE_0=a\n", ".synapse/y": "Y_RULE_0=b\n"}
AWAKE = "X_ALWAYS_ON=true\nY_ALWAYS_ON=true\n"


def manifest(text: str, config: str = "") -> list[str]:
    """The codes and the places of what is found by default in a tree with this manifest."""
    tree = tree_of({**RULES, ".synapse/manifest": text + AWAKE, ".synapse/config.toml": config})
    return [f"{d.code} {place(tree, d)}" for d in lint_tree(tree)]


@pytest.mark.parametrize(
    "comment",
    [
        "ignore",
        "ignore[SYN105]",
        "ignore[bad-state]",
        "ignore[SYN1]",
        "ignore[ALL]",
        "ignore[SYN801, SYN105] why not",
        "ignore-file[SYN105]",
    ],
)
def test_a_comment_silences_what_it_names_on_its_line(comment: str) -> None:
    text = f"X_STATE=activ # synapse: {comment}\nY_STATE=active\n"
    assert [code for code in manifest(text) if not code.startswith("SYN127")] == []


def test_other_rules_and_other_lines_are_not_silenced() -> None:
    text = "X_STATE=activ # synapse: ignore[SYN104]\nY_STATE=activ\n"
    assert manifest(text) == ["SYN105 activ", "SYN127 # synapse: ignore[SYN104]", "SYN105 activ"]


def test_comments_for_the_next_line_may_stand_above_each_other() -> None:
    text = "# synapse: ignore-next-line[SYN105]\n# synapse: ignore-next-line[SYN110]\nX_STATE=activ # x\nY_STATE=active\n"
    assert manifest(text) == []


def test_a_comment_for_the_file_may_stand_anywhere() -> None:
    text = "X_STATE=activ\nY_STATE=activ\n# synapse: ignore-file[SYN105]\n"
    assert manifest(text) == []


def test_a_finding_about_a_whole_file_is_on_its_first_line() -> None:
    text = "# synapse: ignore-next-line[SYN202]\nZ_RULE_0=a\n"
    assert findings({".synapse/manifest": "", ".synapse/z": text}, select=()) == []


def test_a_finding_of_several_lines_is_silenced_at_either_end() -> None:
    for text in (
        "a # synapse: ignore[SYN112]\nb\nX_RULE_0=c\n",
        "a\nb # synapse: ignore\nX_RULE_0=c\n",
    ):
        files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": text}
        assert findings(files, select=()) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".synapse/config.toml", "profile = 'synapse-life' # synapse: ignore[unknown-profile]\n"),
        ("squads/s/squad.yaml", "name: s\nversion: 1.0.0\nversion: 1.0.1 # synapse: ignore\n"),
        (
            "squads/s/workflows/w.yaml",
            "workflow:\n  id: w\n  name: W\n  # synapse: ignore-next-line[SYN118]\n  id: w\n  sequence: []\n",
        ),
        (
            ".claude/agents/a.md",
            "---\nname: a\n# synapse: ignore-next-line\nname: b\n---\nText.\n",
        ),
    ],
)
def test_every_format_has_its_comments(path: str, text: str) -> None:
    assert findings({path: text}, select=("SYN1",)) == []
    before = text.replace("synapse:", "Synapse:")
    assert len(findings({path: before}, select=("SYN1",))) == 1


def test_an_example_in_a_story_is_no_comment_of_the_story() -> None:
    text = "# Story 1.1\n\n```ini\nX_STATE=a # synapse: ignore[SYN105]\n```\n\n**Status:** Draft\n"
    assert findings({"docs/stories/1.1.story.md": text}, select=("SYN127",)) == []


@pytest.mark.parametrize(
    ("comment", "marked"),
    [
        ("ignore[SYN105]", "# synapse: ignore[SYN105]"),
        ("ignore", "# synapse: ignore"),
        ("ignore[SYN105, SYN106]", "# synapse: ignore[SYN105, SYN106]"),
        ("ignore[]", "# synapse: ignore[]"),
        ("ignore-file[SYN8] x", "# synapse: ignore-file[SYN8] x"),
        ("ignore-lines[SYN105]", "ignore-lines"),
    ],
)
def test_a_comment_that_silences_nothing_is_reported(comment: str, marked: str) -> None:
    text = f"X_STATE=active # synapse: {comment}\nY_STATE=active\n"
    assert manifest(text) == [f"SYN127 {marked}"]


def test_of_several_rules_in_a_comment_only_the_idle_ones_are_reported() -> None:
    text = "X_STATE=activ # synapse: ignore[SYN104, SYN105, SYN106]\nY_STATE=active\n" + AWAKE
    (found,) = lint_tree(tree_of({**RULES, ".synapse/manifest": text}))
    assert found.message.endswith("by `SYN104` and `SYN106`, which the comment suppresses.")
    assert found.fix
    after = fixed({".synapse/manifest": text}, found.fix)
    assert after[".synapse/manifest"].startswith("X_STATE=activ # synapse: ignore[SYN105]\n")


def test_a_rule_that_does_not_exist_is_reported_as_such() -> None:
    text = "X_STATE=active # synapse: ignore[SYN999]\nY_STATE=active\n"
    assert manifest(text) == ["SYN123 SYN999"]


@pytest.mark.parametrize(
    ("config", "comment"),
    [
        ("[lint]\nignore = ['SYN105']", "ignore[SYN105]"),
        ("[lint]\nselect = ['SYN127']", "ignore[SYN105]"),
        ("[lint.severity]\nSYN105 = 'off'", "ignore[SYN105]"),
        ("[lint.per_path]\n'.synapse/*' = ['SYN105']", "ignore[SYN105]"),
        ("", "ignore[SYN120]"),
        ("", "ignore[SYN127]"),
        ("", "ignore[SYN105, unused-suppression]"),
    ],
)
def test_a_comment_is_not_blamed_for_a_rule_that_did_not_run(config: str, comment: str) -> None:
    text = f"X_STATE=active # synapse: {comment}\nY_STATE=active\n"
    assert manifest(text, config) == []


@pytest.mark.parametrize("comment", ["ignore", "ignore[SYN1]", "ignore[SYN105, SYN106]"])
def test_a_narrower_call_blames_no_comment_for_what_it_left_out(comment: str) -> None:
    text = f"X_STATE=activ # synapse: {comment}\nY_STATE=active\n"
    files = {**RULES, ".synapse/manifest": text}
    narrow = findings(files, select=("SYN104", "SYN127"))
    assert narrow == []


def test_every_idle_comment_is_seen_by_a_call_for_all_rules() -> None:
    text = "X_STATE=active # synapse: ignore\nY_STATE=active\n" + AWAKE
    assert "SYN127 # synapse: ignore" in findings({**RULES, ".synapse/manifest": text})


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (".synapse/manifest", "X_ALWAYS_ON=true  # synapse: ignore\n", "X_ALWAYS_ON=true\n"),
        (".synapse/manifest", "# synapse: ignore\r\nX_ALWAYS_ON=true\r\n", "X_ALWAYS_ON=true\r\n"),
        (".synapse/x", "a\n# synapse: ignore[SYN1]\nb\n", "a\n\nb\n"),
        (".synapse/x", "a\n\n# synapse: ignore[SYN1]\nb\n", "a\n\nb\n"),
        (".synapse/x", "X_RULE_0=a\n# synapse: ignore\nX_RULE_1=b\n", "X_RULE_0=a\nX_RULE_1=b\n"),
        (".synapse/x", "a <!-- synapse: ignore -->", "a"),
        (
            ".synapse/manifest",
            "# synapse: ignore[SYN105]\nX_STATE=activ\n",
            "# synapse: ignore-next-line[SYN105]\nX_STATE=activ\n",
        ),
        (
            ".synapse/manifest",
            "# synapse: ignore-nextline[SYN105]\nX_STATE=activ\n",
            "# synapse: ignore-next-line[SYN105]\nX_STATE=activ\n",
        ),
    ],
)
def test_a_comment_is_mended_or_deleted(path: str, before: str, after: str) -> None:
    files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": "X_RULE_0=a\n", path: before}
    (found,) = [d for d in lint_tree(tree_of(files)) if d.code == "SYN127"]
    assert found.fix
    assert found.fix.safe
    assert fixed(files, found.fix) == {**files, path: after}
    assert blocks(fixed(files, found.fix)) == blocks(files)


def silenced(files: Mapping[str, str], found: Iterable[Finding]) -> dict[str, str]:
    """The files with a comment for each of the findings, one after the other."""
    files = dict(files)
    for diagnostic in found:
        facts = tree_of(files).snapshot.facts(diagnostic.path)
        assert facts
        edit = suppression_edit(facts, diagnostic.span, [diagnostic.code])
        assert edit
        files[diagnostic.path] = apply_edits(facts.text, [edit])
    return files


COMMENTS = ("SYN127", "SYN131", "SYN010", "SYN211", "SYN030")
"""Rules that no comment is written for: about the comments themselves, about JSON, which has none, and about
a text that a program writes, where a comment would be one more difference."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_the_comment_for_a_finding_silences_it_and_changes_nothing(mutant: Mutant) -> None:
    files = mutant.tree_files
    every = lint_tree(tree_of(files), select=EVERY_RULE)
    findings = [finding for finding in every if finding.code not in COMMENTS]
    quiet = silenced(files, findings)
    if findings:
        assert lint_tree(tree_of(quiet), select=EVERY_RULE) == ()
    if quiet != files:
        assert blocks(quiet) == blocks(files)


def edited(path: str, text: str, marked: str, *codes: str) -> str | None:
    """A file after the comment for a finding at the first place of ``marked``."""
    facts = tree_of({path: text}).snapshot.facts(path)
    assert facts
    start = facts.text.index(marked)
    edit = suppression_edit(facts, Span(start, start + len(marked)), codes or ["SYN105"])
    return None if edit is None else apply_edits(facts.text, [edit])


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            ".synapse/manifest",
            "A_STATE=a\r\n  X_STATE=b\r\n",
            "A_STATE=a\r\n  # synapse: ignore-next-line[SYN105]\r\n  X_STATE=b\r\n",
        ),
        (
            ".synapse/manifest",
            "X_STATE=b # synapse: ignore[SYN104] why",
            "X_STATE=b # synapse: ignore[SYN104, SYN105] why",
        ),
        (
            ".synapse/manifest",
            "# synapse: ignore-next-line[]\nX_STATE=b",
            "# synapse: ignore-next-line[SYN105]\nX_STATE=b",
        ),
        (".synapse/manifest", "X_STATE=b # synapse: ignore", None),
        (".synapse/manifest", "X_STATE=b # synapse: ignore[SYN105]", None),
        (
            ".synapse/x",
            "Do a.\nDo b.  \nDo c.",
            "Do a.\nDo b. <!-- synapse: ignore[SYN105] -->  \nDo c.",
        ),
        (
            "docs/stories/1.story.md",
            "---\nstatus: b\n---\n# S\n",
            "---\n# synapse: ignore-next-line[SYN105]\nstatus: b\n---\n# S\n",
        ),
        (
            "squads/s/squad.yaml",
            "name: s\ndescription: |\n  a\n  b\n",
            "# synapse: ignore-file[SYN105]\nname: s\ndescription: |\n  a\n  b\n",
        ),
        (
            "chati.dev/domains/agents/dev.yaml",
            "rules:\n  - id: a\n    text: |\n      a\n      b\n",
            "# synapse: ignore-file[SYN105]\nrules:\n  - id: a\n    text: |\n      a\n      b\n",
        ),
        (
            "docs/stories/1.story.md",
            "# S\n\n```py\na = b\n```\n",
            "<!-- synapse: ignore-file[SYN105] -->\n# S\n\n```py\na = b\n```\n",
        ),
        (".synapse/sessions/b.json", "b", None),
    ],
)
def test_a_comment_is_written_where_it_changes_nothing(
    path: str, before: str, after: str | None
) -> None:
    assert edited(path, before, "b") == after


def test_a_comment_for_the_first_line_of_front_matter_is_inside_it() -> None:
    before = "---\nname: a\n---\nText.\n"
    after = "---\n# synapse: ignore-file[SYN709]\nname: a\n---\nText.\n"
    assert edited(".claude/agents/a.md", before, "---", "SYN709") == after


def test_a_comment_names_several_rules_once() -> None:
    assert edited(".synapse/manifest", "X_STATE=b", "b", "SYN1", "SYN2", "SYN1") == (
        "# synapse: ignore-next-line[SYN1, SYN2]\nX_STATE=b"
    )


def test_an_edit_of_a_comment_is_followed() -> None:
    text = "X_STATE=activ # synapse: ignore[SYN105]\nY_STATE=active\n" + AWAKE
    tree = tree_of({**RULES, ".synapse/manifest": text})
    results = IncrementalFindings(tree)
    assert results.by_path == {}
    snapshot = tree.snapshot.with_text(".synapse/manifest", text.replace("SYN105", "SYN104"))
    facts = snapshot.facts(".synapse/manifest")
    assert facts
    after, changed = tree.snapshot.replace_file(facts.path, facts)
    results.update(Tree(after, tree), changed)
    assert sorted(d.code for d in results.by_path[".synapse/manifest"]) == ["SYN105", "SYN127"]


@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_every_finding_in_a_real_tree_can_be_silenced(name: str, tmp_path: Path) -> None:
    loaded = load_tree(str(corpus() / name), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    for _ in range(3):
        found = lint_tree(tree, select=EVERY_RULE)
        snapshot = tree.snapshot
        for path in {d.path for d in found}:
            for diagnostic in (d for d in reversed(found) if d.path == path):
                facts = snapshot.facts(path)
                assert facts
                edit = suppression_edit(facts, diagnostic.span, [diagnostic.code])
                if edit is not None:
                    snapshot = snapshot.with_text(path, apply_edits(facts.text, [edit]))
        tree = Tree(snapshot)
    assert lint_tree(tree, select=EVERY_RULE) == ()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("X_STATE=enabled # synapse: ignore\n", 1),
        ("# synapse: ignore-next-line because\nX_STATE=enabled\n", 1),
        ("# synapse: ignore-file\nX_STATE=enabled\n", 1),
        ("X_STATE=enabled # synapse: ignore[SYN105]\n", 0),
        ("# synapse: ignore-file[SYN131]\nX_STATE=enabled # synapse: ignore\n", 0),
    ],
)
def test_a_comment_without_names_does_not_silence_its_own_rule(text: str, count: int) -> None:
    tree = tree_of({".synapse/manifest": text})
    found = lint_tree(tree, select=["ALL", "SYN131"])
    assert [d.code for d in found].count("SYN131") == count
    assert not [d for d in lint_tree(tree) if d.code == "SYN131"]


def test_many_comments_that_say_the_same_are_decided_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    specificity = rule_selection.selector_specificity

    def counted(selectors: Iterable[str], rule: rule_selection.CodedAndNamed) -> int:
        asked.append(rule)
        return specificity(selectors, rule)

    monkeypatch.setattr(rule_selection, "selector_specificity", counted)

    def work(comments: int) -> int:
        asked.clear()
        found = manifest("# synapse: ignore[SYN105]\n" * comments)
        assert sum(code.startswith("SYN127") for code in found) == comments
        return len(asked)

    few, many = work(10), work(100)
    assert many < 2 * few
