"""``synapse constitution build|check``."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.conftest import Synapse
from tests.setup.migrate.trees import write

SOURCE = """\
# Constitution

### I. Tests First (NON-NEGOTIABLE)

- MUST: Run `make test` for
  - every feature
  - every bug
- MUST NOT: Skip a test

| Who | What |
|---|---|
| @qa | verdicts |

**Gate:** `pre-push.md` - BLOCK if a test fails

### II. Small Steps (SHOULD)

- SHOULD: Commit often

### III. Without a severity
"""
BUILT = """\
# SYNAPSE Constitution (L0), built from .aiox-core/constitution.md
# Change the source, then run `synapse constitution build`.

# Article I: Tests First (NON-NEGOTIABLE) [built 933857da889d]
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Run `make test` for every feature; every bug
CONSTITUTION_RULE_ART1_2=MUST NOT: Skip a test
CONSTITUTION_RULE_ART1_3=Who — What: @qa — verdicts
CONSTITUTION_RULE_ART1_4=GATE: `pre-push.md` - BLOCK if a test fails

# Article II: Small Steps (SHOULD) [built 572a09e86bb0]
CONSTITUTION_RULE_ART2_0=Small Steps (SHOULD)
CONSTITUTION_RULE_ART2_1=SHOULD: Commit often
"""
PATH = ".synapse/constitution"


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "team"
    write(root, ".aiox-core/constitution.md", SOURCE.encode())
    write(root, ".synapse/manifest", b"GLOBAL_STATE=active\n")
    monkeypatch.chdir(root)
    return root


def said(root: Path) -> str:
    return (root / PATH).read_text()


def change(root: Path, old: str, new: str, path: str = PATH) -> None:
    file = root / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_nothing_that_an_article_says_is_lost(team: Path, synapse: Synapse) -> None:
    done = synapse("constitution", "build")
    assert done.code == 0
    assert said(team) == BUILT
    assert '.aiox-core/constitution.md:20 "III. Without a severity" has no severity' in done.err


def test_building_again_changes_nothing(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    assert synapse("constitution", "build").out == "Nothing to change.\n"
    assert synapse("constitution", "check").code == 0


def test_a_dry_run_shows_the_file(team: Path, synapse: Synapse) -> None:
    done = synapse("constitution", "build", "--dry-run")
    assert "+CONSTITUTION_RULE_ART2_1=SHOULD: Commit often\n" in done.out
    assert not (team / PATH).exists()


def test_check_names_the_line_that_the_source_has_changed(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    change(
        team, "Commit often", "Commit daily\n- SHOULD: Push weekly", ".aiox-core/constitution.md"
    )
    done = synapse("constitution", "check")
    assert done.code == 1
    assert done.out == dedent(
        """\
        .synapse/constitution:13 CONSTITUTION_RULE_ART2_1 says something else in .aiox-core/constitution.md
          - SHOULD: Commit often
          + SHOULD: Commit daily
        .synapse/constitution CONSTITUTION_RULE_ART2_2 is missing, though .aiox-core/constitution.md has it
          + SHOULD: Push weekly
        """
    )
    assert synapse("constitution", "build").code == 0
    assert synapse("constitution", "check").code == 0


def test_an_edit_is_never_overwritten_without_a_word(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    change(team, "Commit often", "Commit when you like")
    now = said(team)
    refused = synapse("constitution", "build")
    assert refused.code == 2
    assert ".synapse/constitution:13 was edited by hand" in refused.err
    assert said(team) == now
    assert "was edited here" in synapse("constitution", "check").out
    forced = synapse("constitution", "build", "--force")
    assert forced.code == 0
    assert said(team) == BUILT
    (copy,) = team.glob(".synapse/constitution.*.old")
    assert copy.read_text() == now


def test_an_edit_and_a_change_of_other_articles_are_told_apart(
    team: Path, synapse: Synapse
) -> None:
    synapse("constitution", "build")
    change(team, "Skip a test", "Skip one")
    change(team, "Commit often", "Commit daily", ".aiox-core/constitution.md")
    lines = synapse("constitution", "check", "--format", "json").json["lines"]
    assert [(line["what"], line["key"]) for line in lines] == [
        ("edited", "CONSTITUTION_RULE_ART1_2"),
        ("changed", "CONSTITUTION_RULE_ART2_1"),
    ]


def test_articles_and_notes_of_ones_own_stay(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    own = "CONSTITUTION_RULE_ART9_0=Kindness (SHOULD)\n"
    with (team / PATH).open("a") as file:
        file.write(f"\n# ours\n{own}")
    change(team, "CONSTITUTION_RULE_ART2_1", "# why\nCONSTITUTION_RULE_ART2_1")
    change(team, "Commit often", "Commit daily", ".aiox-core/constitution.md")
    done = synapse("constitution", "build")
    assert done.code == 0
    assert said(team).endswith(
        f"# why\nCONSTITUTION_RULE_ART2_1=SHOULD: Commit daily\n\n# ours\n{own}"
    )
    assert synapse("constitution", "check").code == 0


def test_an_article_that_the_source_has_lost_goes(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    text = SOURCE.replace("### II. Small Steps (SHOULD)\n\n- SHOULD: Commit often\n", "")
    (team / ".aiox-core/constitution.md").write_text(text)
    assert "is not in .aiox-core/constitution.md any more" in synapse("constitution", "check").out
    assert synapse("constitution", "build").code == 0
    assert "ART2" not in said(team)


def test_what_the_reference_has_generated_is_taken_over(team: Path, synapse: Synapse) -> None:
    generated = """\
        # SYNAPSE Constitution Domain (L0)
        # Auto-generated from .aiox-core/constitution.md

        # Article I: Tests First (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_1=MUST: Run make test for
        CONSTITUTION_RULE_ART1_2=MUST NOT: Skip a test

        # Article II: Small Steps (SHOULD)
        CONSTITUTION_RULE_ART2_0=Small Steps (SHOULD)
        CONSTITUTION_RULE_ART2_1=SHOULD: Commit often
        """
    write(team, PATH, dedent(generated).encode())
    assert synapse("constitution", "check").code == 1
    assert synapse("constitution", "build").code == 0
    assert said(team) == BUILT


def test_plain_text_is_not_replaced_unasked(team: Path, synapse: Synapse) -> None:
    write(team, PATH, b"Art. I: Be kind.\n")
    done = synapse("constitution", "build")
    assert done.code == 2
    assert "is plain text" in done.err
    assert said(team) == "Art. I: Be kind.\n"


def test_line_breaks_stay_as_they_are(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    (team / PATH).write_bytes(BUILT.replace("\n", "\r\n").encode())
    assert synapse("constitution", "check").code == 0
    change_source = SOURCE.replace("Commit often", "Commit daily").encode()
    write(team, ".aiox-core/constitution.md", change_source)
    synapse("constitution", "build")
    data = (team / PATH).read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == 13


def test_the_linter_knows_what_was_built(team: Path, synapse: Synapse) -> None:
    synapse("constitution", "build")
    assert "SYN203" not in synapse("check").out
    change(team, "Commit often", "Commit daily", ".aiox-core/constitution.md")
    assert "Article II is not as .aiox-core/constitution.md has it now" in synapse("check").out
    assert synapse("check", "--fix", "--unsafe-fixes", "--select", "SYN203").code == 0
    assert synapse("constitution", "check").code == 0
    change(team, "Skip a test", "Skip one")
    assert "Article I was edited here since it was built" in synapse("check").out


def test_another_source_can_be_named(team: Path, synapse: Synapse) -> None:
    write(team, "docs/law.md", b"### IV. Kindness (MUST)\n\n- MUST: Be kind\n")
    assert synapse("constitution", "build", "--source", "docs/law.md").code == 0
    assert "CONSTITUTION_RULE_ART4_1=MUST: Be kind\n" in said(team)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (None, "There is no .aiox-core/constitution.md or .aios-core/constitution.md"),
        ("# Nothing\n", "has no articles"),
        ("### I. Title\n\n- MUST: x\n", ".aiox-core/constitution.md:1 has none."),
    ],
)
def test_what_cannot_be_built_is_said(
    team: Path, synapse: Synapse, source: str | None, message: str
) -> None:
    file = team / ".aiox-core/constitution.md"
    file.unlink() if source is None else file.write_text(source)
    done = synapse("constitution", "build")
    assert done.code == 2
    assert message in done.err


def test_bytes_that_are_not_utf8_are_refused_with_their_place(team: Path, synapse: Synapse) -> None:
    write(team, ".aiox-core/constitution.md", b"### I. T (MUST)\n- MUST: caf\xe9\n")
    done = synapse("constitution", "build")
    assert done.code == 2
    assert ".aiox-core/constitution.md:2:12 is not UTF-8" in done.err


def test_a_sentence_that_an_earlier_build_has_dropped_is_out_of_date(
    team: Path, synapse: Synapse
) -> None:
    source = team / ".aiox-core/constitution.md"
    text = source.read_text()
    synapse("constitution", "build")
    first = text.index("\n- ")
    source.write_text(f"{text[:first]}\nOnly @devops may push.\n{text[first:]}")
    done = synapse("constitution", "build", "--check")
    assert done.code == 1
    assert "Only @devops may push." in done.out
    assert "stale-constitution" in synapse("check").out
    assert "Only @devops may push." not in said(team)
    synapse("constitution", "build")
    assert "=Only @devops may push." in said(team)
    assert synapse("constitution", "check").code == 0
