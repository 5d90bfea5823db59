"""Brainiac's short-term memory, changed by programs and people at once."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from synapse_ls.formats.brainiac.short_term_edits import EMPTY_MEMORY
from synapse_ls.memory import brainiac_short_term
from synapse_ls.memory.brainiac_short_term import (
    ShortTermChange,
    change_short_term,
    read_short_term,
    short_term_report,
)
from synapse_ls.text.user_error import UserError
from tests.trees import write_tree

TREES = Path(__file__).parent.parent / "workspaces"
NOW = 1_773_400_000.0  # 2026-03-13T11:06:40Z


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return shutil.copytree(TREES / "brainiac", tmp_path / "mira")


def file(root: Path) -> Path:
    return root / "memory/short_term.md"


def changed(root: Path, **wanted: object) -> str:
    """The new text."""
    change_short_term(str(root), ShortTermChange(**wanted), now=NOW)  # type: ignore[arg-type]
    return file(root).read_text(encoding="utf-8")


def without(text: str, *lines: str) -> str:
    for line in lines:
        assert line in text
        text = text.replace(line, "", 1)
    return text


def test_an_event_goes_on_top_and_every_other_byte_stays(root: Path) -> None:
    before = file(root).read_text(encoding="utf-8")
    after = changed(root, user="Did it work?", ai="Yes.", thoughts="Tell the team.")
    event = (
        '### 2026-03-13T11:06:40Z\n**User:** "Did it work?"\n**AI:** "Yes."\n'
        "**Thoughts:** Tell the team.\n\n"
    )
    assert without(after, event) == before


def test_what_has_another_name_stays_byte_for_byte(root: Path) -> None:
    file(root).write_bytes(
        b"\xef\xbb\xbf# STM\r\n\r\n## Ideas\r\n\tx  \r\n\r\n## Tasks\r\n- [ ] a\r\n"
    )
    change_short_term(str(root), ShortTermChange(tasks=("b",)), now=NOW)
    assert file(root).read_bytes() == (
        b"\xef\xbb\xbf# STM\r\n\r\n## Ideas\r\n\tx  \r\n\r\n## Tasks\r\n- [ ] a\r\n- [ ] b\r\n"
    )


def test_items_go_to_the_end_of_their_lists(root: Path) -> None:
    after = changed(root, goals=("Leave MySQL",), facts=("The flag is on",), tasks=("Tell Ana",))
    memory = read_short_term(str(root))
    ends = [memory.items_of(name)[-1].text for name in ("goals", "facts", "tasks")]
    assert ends == ["Leave MySQL", "The flag is on", "Tell Ana"]
    assert "- [ ] Leave MySQL\n" in after
    assert "- The flag is on\n" in after


def test_an_item_that_is_there_is_not_added_again(root: Path) -> None:
    before = file(root).read_bytes()
    done = change_short_term(
        str(root), ShortTermChange(goals=("run dual writes for a week  without differences",)), NOW
    )
    assert file(root).read_bytes() == before
    assert done.notes == (
        '"run dual writes for a week without differences" is among the goals already',
    )


@pytest.mark.parametrize("name", ["1", "Switch reads", "summer timetable"])
def test_a_goal_is_ticked_by_its_number_or_by_its_words(root: Path, name: str) -> None:
    before = file(root).read_text(encoding="utf-8")
    assert changed(root, done=(name,)) == before.replace("- [ ] Switch", "- [x] Switch")


def test_it_can_be_opened_again(root: Path) -> None:
    before = file(root).read_text(encoding="utf-8")
    assert changed(root, reopened=("2",)) == before.replace("- [x] Run", "- [ ] Run")


def test_an_item_is_dropped_with_all_its_lines(root: Path) -> None:
    task = "- [ ] Write the read switch behind the flag `reservations_read_pg`\n  and roll it out by ferry line\n"
    before = file(root).read_text(encoding="utf-8")
    assert changed(root, dropped=("read switch",)) == before.replace(task, "")


def test_several_changes_speak_of_the_items_as_they_were(root: Path) -> None:
    changed(root, dropped=("1",), reopened=("2",), goals=("New",))
    assert [(i.text, i.checked) for i in read_short_term(str(root)).items_of("goals")] == [
        ("Run dual writes for a week without differences", False),
        ("New", False),
    ]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("9", "There is no item 9."),
        ("the", 'Several items have "the" in them.'),
        ("zebra", 'No item has "zebra" in it.'),
        ("UUIDs", "has no box to be ticked."),
    ],
)
def test_a_name_that_does_not_mean_one_item_is_refused(
    root: Path, name: str, sentence: str
) -> None:
    before = file(root).read_bytes()
    with pytest.raises(UserError) as raised:
        change_short_term(str(root), ShortTermChange(done=(name,), user="x"), now=NOW)
    assert sentence in raised.value.sentence
    assert file(root).read_bytes() == before


def test_the_summary_is_another_one(root: Path) -> None:
    after = changed(root, summary="Reads come from PostgreSQL.")
    assert "## Summary\n\nReads come from PostgreSQL.\n\n---\n" in after
    assert "dual-write phase" not in after


def test_a_promotion_leaves_what_is_open(root: Path) -> None:
    changed(root, summary="All is well.", promoted=True)
    memory = read_short_term(str(root))
    assert memory.summary is not None
    assert memory.summary.value == "All is well."
    assert not memory.events
    assert not memory.items_of("facts")
    assert all(not item.checked for item in memory.items if item.part in ("goals", "tasks"))
    assert "### Risks\nTicket machines" in memory.text


def test_a_memory_that_is_not_there_yet_is_begun(root: Path) -> None:
    file(root).unlink()
    assert without(changed(root, tasks=("Begin",)), "- [ ] Begin\n") == EMPTY_MEMORY


def test_a_tree_of_something_else_has_none(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {".synapse/manifest": "GLOBAL_STATE=active\n"})
    with pytest.raises(UserError) as raised:
        change_short_term(str(root), ShortTermChange(user="x"), now=NOW)
    assert "no tree of Brainiac" in raised.value.sentence
    with pytest.raises(UserError):
        read_short_term(str(root))


def test_nothing_is_written_through_a_link_that_leads_out(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("# Somebody else's\n")
    file(root).unlink()
    file(root).symlink_to(outside)
    with pytest.raises(UserError) as raised:
        change_short_term(str(root), ShortTermChange(user="x"), now=NOW)
    assert "it is a link that leads out of the project" in raised.value.sentence
    assert outside.read_text() == "# Somebody else's\n"


def test_what_is_no_utf8_is_left_alone(root: Path) -> None:
    file(root).write_bytes(b"# STM\n\xff\n")
    with pytest.raises(UserError):
        change_short_term(str(root), ShortTermChange(user="x"), now=NOW)
    assert file(root).read_bytes() == b"# STM\n\xff\n"


def test_many_writers_lose_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brainiac_short_term, "LOCK_SECONDS", 120.0)  # however busy the machine is
    before = len(read_short_term(str(root)).events)
    threads = [
        threading.Thread(
            target=change_short_term, args=(str(root), ShortTermChange(user=f"event {n}"), NOW + n)
        )
        for n in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_short_term(str(root)).events) == before + 16
    assert not list(file(root).parent.glob("*.lock"))


def test_an_edit_by_hand_in_the_meantime_is_kept(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited = brainiac_short_term.apply_change
    hands = iter(("By hand", ""))

    def slowly(*given: object) -> object:
        if hand := next(hands, ""):
            file(root).write_text(file(root).read_text() + f"\n## Notes\n{hand}\n")
        return edited(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(brainiac_short_term, "apply_change", slowly)
    after = changed(root, tasks=("By a program",))
    assert "By hand" in after
    assert "- [ ] By a program" in after


def test_a_change_that_changes_nothing_is_refused(root: Path) -> None:
    with pytest.raises(UserError):
        change_short_term(str(root), ShortTermChange(), now=NOW)


def test_a_report_has_plain_values(root: Path) -> None:
    found = short_term_report(read_short_term(str(root)))
    assert found["goals"][0] == {
        "number": 1,
        "text": "Switch reads of reservations to PostgreSQL before the summer timetable",
        "done": False,
        "line": 13,
    }
    assert found["events"][1]["user"] == "Can we name the flag after the team?"
    assert found["file"] == "memory/short_term.md"
