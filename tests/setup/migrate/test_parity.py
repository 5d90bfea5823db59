"""What an agent is told differently after a migration."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.setup.migrate import migration_run
from synapse_ls.setup.migrate.migration_plan import plan_migration
from synapse_ls.setup.migrate.parity_report import FORM_DIFFERENCES, Parity, ParityDifference
from synapse_ls.text.user_error import UserError
from tests.setup.migrate.trees import ODD, PLAIN, project, write
from tests.support import corpus

NOW = 1_795_000_000.0


def parity(root: Path, files: dict[str, str], *, words: bool = False) -> Parity:
    return plan_migration(project(root, files), words=words).parity


def told(one: ParityDifference) -> tuple[str, str, str]:
    return one.question.about, one.question.subject, one.question.way


def test_a_tree_without_oddities_is_told_the_same(tmp_path: Path) -> None:
    found = parity(tmp_path / "shop", PLAIN)
    assert found.differences == ()
    assert found.question_count > 60


def test_whole_words_are_a_difference_for_each_keyword(tmp_path: Path) -> None:
    found = parity(tmp_path / "shop", PLAIN, words=True)
    assert {told(one)[:2] for one in found.differences} == {
        ("keyword", "endpoint"),
        ("keyword", "rest api"),
        ("keyword", "test"),
    }
    assert {one.question.way for one in found.differences} == {"inside a word", "in code"}
    assert found.unexplained == ()


def test_an_empty_keyword_is_explained(tmp_path: Path) -> None:
    files = {
        **PLAIN,
        ".carl/manifest": "LOUD_STATE=active\nLOUD_RECALL=\n",
        ".carl/loud": "LOUD_RULE_0=Hey\n",
    }
    (one,) = parity(tmp_path / "shop", files).differences
    assert (one.code, one.synapse, len(one.brackets)) == ("added", ("Hey",), 4)
    assert one.why == "CARL finds the empty keyword in every prompt, so LOUD is always on."


def test_an_empty_keyword_beside_others_is_told_too(tmp_path: Path) -> None:
    files = {
        **PLAIN,
        ".carl/manifest": PLAIN[".carl/manifest"].replace("=endpoint,", "=endpoint,,"),
    }
    (one,) = parity(tmp_path / "shop", files).differences
    assert (one.code, one.carl) == ("missing", ("Version every route", "Errors are problem+json"))
    assert "now the other keywords of API count" in one.why


def test_the_first_block_has_room_for_every_rule(tmp_path: Path) -> None:
    many = "".join(f"GLOBAL_RULE_{n}=Rule {n} that is {'very ' * 20}long\n" for n in range(40))
    found = parity(tmp_path / "shop", {**PLAIN, ".carl/global": many})
    assert found.differences == ()


def test_no_rule_of_an_odd_tree_is_lost(tmp_path: Path) -> None:
    files = {path: text for path, text in ODD.items() if not path.endswith("readme")}
    found = parity(tmp_path / "shop", files)
    assert found.unexplained == ()
    # One waits for its keywords now, since one of them was empty.
    (one,) = (one for one in found.differences if one.code in ("missing", "order"))
    assert "now the other keywords of API count" in one.why


def test_a_difference_without_a_reason_is_told_as_such(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    migration_run.migrate_tree(root, NOW)
    write(root, ".synapse/global", b"GLOBAL_RULE_0=Something else\n")
    found = migration_run.parity_now(root)
    assert found is not None
    assert {(one.code, one.carl, one.synapse) for one in found.unexplained} == {
        ("missing", ("Read before you write", "Ask before you delete"), ()),
        ("added", (), ("Something else",)),
    }


def test_a_configuration_that_is_there_stays_and_what_it_changes_is_explained(
    tmp_path: Path,
) -> None:
    write(
        tmp_path / "shop", ".synapse/config.toml", b'profile = "synapse"\nmatching = "substring"\n'
    )
    found = parity(tmp_path / "shop", PLAIN)
    assert found.unexplained == ()
    assert any(
        "Keywords are inactive in FRESH under the profile synapse" in d.why
        for d in found.differences
    )
    assert {d.brackets for d in found.differences if "inactive" in d.why} == {("FRESH",)}


def test_the_order_of_rules_counts(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    migration_run.migrate_tree(root, NOW)
    write(
        root,
        ".synapse/global",
        b"GLOBAL_RULE_1=Read before you write\nGLOBAL_RULE_0=Ask before you delete\n",
    )
    found = migration_run.parity_now(root)
    assert found is not None
    assert [one.code for one in found.differences] == ["order"]


def test_what_is_different_in_every_block_is_said_once() -> None:
    assert len({name for name, _ in FORM_DIFFERENCES}) == len(FORM_DIFFERENCES) >= 8


def test_a_tree_of_its_own_is_not_migrated_over(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    write(root, ".synapse/global", b"GLOBAL_RULE_0=Mine\n")
    with pytest.raises(UserError, match=r"There is \.synapse/global already"):
        plan_migration(root)


def test_the_tree_that_carl_ships_is_told_the_same(tmp_path: Path) -> None:
    source = corpus() / "carl"
    files = {
        path.relative_to(source).as_posix(): path.read_text("utf-8")
        for path in (source / ".carl").iterdir()
        if path.is_file()
    }
    assert parity(tmp_path / "shop", files).differences == ()


def test_a_rule_that_was_added_since_is_told_once_for_each_domain_and_is_no_matter_of_words(
    tmp_path: Path,
) -> None:
    root = project(tmp_path / "shop")
    migration_run.migrate_tree(root, NOW)
    with (root / ".synapse/api").open("a", encoding="utf-8") as file:
        file.write("API_RULE_9=Log every call\n")
    found = migration_run.parity_now(root)
    assert found is not None
    (one,) = found.differences
    assert (one.code, one.synapse, one.why) == ("added", ("Log every call",), "")
    assert told(one) == ("keyword", "endpoint", "")
