from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.setup.planned_changes import FileChange, write_files
from synapse_ls.storage.atomic_files import StorageError, atomic_write
from synapse_ls.storage.edit_application import apply_plan, plan_diff
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, FileEdit, create_file, edit_file, rename_file


def put(at: int, text: str) -> TextEdit:
    return TextEdit(Span(at, at), text)


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_creates_files_with_their_folders(tmp_path: Path) -> None:
    plan = EditPlan((create_file("a/b/one", "1\n"), create_file("two", "2\n")))
    assert apply_plan(tmp_path, plan) == ("a/b/one", "two")
    assert contents(tmp_path) == {"a/b/one": b"1\n", "two": b"2\n"}


def test_edits_keep_byte_order_mark_line_breaks_and_mode(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb")
    file.chmod(0o640)
    assert apply_plan(tmp_path, EditPlan((edit_file("f", "a\r\nb", [put(3, "x")]),))) == ("f",)
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nxb"
    assert file.stat().st_mode & 0o777 == 0o640


def test_renames_and_edits_in_one_step(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"a\n")
    assert apply_plan(tmp_path, EditPlan((rename_file("old", "new", "a\n", [put(0, "b")]),))) == (
        "new",
    )
    assert contents(tmp_path) == {"new": b"ba\n"}


def test_a_file_that_has_changed_meanwhile_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"changed\n")
    plan = EditPlan((create_file("new", "x"), edit_file("f", "planned\n", [put(0, "x")])))
    with pytest.raises(UserError, match="has changed"):
        apply_plan(tmp_path, plan)
    assert contents(tmp_path) == {"f": b"changed\n"}


def test_a_file_that_is_gone_meanwhile_stops_everything(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Cannot read f"):
        apply_plan(tmp_path, EditPlan((create_file("new", "x"), edit_file("f", "", [put(0, "x")]))))
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("plan", [create_file("there", "x"), rename_file("f", "there", "f")])
def test_nothing_is_written_over(tmp_path: Path, plan: FileEdit) -> None:
    (tmp_path / "f").write_bytes(b"f")
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(UserError, match="there already exists"):
        apply_plan(tmp_path, EditPlan((plan,)))
    assert contents(tmp_path) == {"f": b"f", "there": b"mine"}


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UserError, match="link already exists"):
        apply_plan(tmp_path, EditPlan((create_file("link", "x"),)))
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("data", [b"a\xffb", "a".encode("utf-16")])
def test_a_file_that_is_not_utf8_is_not_touched(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(UserError, match="not UTF-8"):
        apply_plan(tmp_path, EditPlan((edit_file("f", decode_text(data).text, [put(0, "x")]),)))
    assert (tmp_path / "f").read_bytes() == data


def test_a_failure_puts_back_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbff\n")
    (tmp_path / "old").write_bytes(b"o\n")
    before = contents(tmp_path)

    def full(path: str, data: bytes, *, within: str, durable: bool = False) -> None:
        if path.endswith("last"):
            raise StorageError("Cannot write last: the disk is full.", "Free some space.")
        atomic_write(path, data, within=within, durable=durable)

    monkeypatch.setattr("synapse_ls.storage.atomic_files.atomic_write", full)
    plan = EditPlan(
        (
            create_file("deep/er/new", "n"),
            edit_file("f", "f\n", [put(0, "x")]),
            rename_file("old", "moved", "o\n", [put(0, "x")]),
            create_file("last", "l"),
        )
    )
    with pytest.raises(UserError) as caught:
        apply_plan(tmp_path, plan)
    assert caught.value.remedy == "Free some space."
    assert contents(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "old"]


def test_an_interruption_puts_back_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def stopped(path: str, data: bytes, *, within: str, durable: bool = False) -> None:
        if path.endswith("second"):
            raise KeyboardInterrupt
        atomic_write(path, data, within=within, durable=durable)

    monkeypatch.setattr("synapse_ls.storage.atomic_files.atomic_write", stopped)
    with pytest.raises(KeyboardInterrupt):
        apply_plan(tmp_path, EditPlan((create_file("first", "1"), create_file("second", "2"))))
    assert contents(tmp_path) == {}


def test_what_cannot_be_put_back_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def broken(path: str, data: bytes, *, within: str, durable: bool = False) -> None:
        if path.endswith("second"):
            (tmp_path / "first").unlink()
            raise StorageError("Cannot write second: the disk is full.", "Free some space.")
        atomic_write(path, data, within=within, durable=durable)

    monkeypatch.setattr("synapse_ls.storage.atomic_files.atomic_write", broken)
    with pytest.raises(UserError, match=r"could not be taken back in first"):
        apply_plan(tmp_path, EditPlan((create_file("first", "1"), create_file("second", "2"))))


def test_the_diff_of_an_edit_is_unified() -> None:
    assert plan_diff(EditPlan((edit_file("f", "a\nb\n", [put(2, "x\n")]),))) == (
        "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+x\n b\n"
    )


def test_the_diff_of_a_new_file_begins_at_nothing() -> None:
    assert (
        plan_diff(EditPlan((create_file("f", "a\n"),)))
        == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"
    )


def test_the_diff_of_a_rename_says_both_names() -> None:
    assert (
        plan_diff(EditPlan((rename_file("old", "new", "a\n"),)))
        == "rename from old\nrename to new\n"
    )


def test_the_diff_marks_a_missing_final_line_break() -> None:
    assert plan_diff(EditPlan((edit_file("f", "a\n", [put(2, "b")]),))).endswith(
        "+b\n\\ No newline at end of file\n"
    )


def test_the_diff_breaks_lines_at_line_feeds_only() -> None:
    plan = EditPlan((edit_file("f", "a\u2028b\r\n", [put(0, "x")]),))
    assert plan_diff(plan).splitlines(keepends=False)[0] == "--- a/f"
    assert "-a\u2028b\r\n" in plan_diff(plan)


def test_an_empty_plan_has_no_diff_and_writes_nothing(tmp_path: Path) -> None:
    assert plan_diff(EditPlan()) == ""
    assert apply_plan(tmp_path, EditPlan()) == ()


def test_of_a_link_that_is_removed_the_target_stays(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("mine")
    change = FileChange("link", tmp_path / "link", b"mine", None, within=str(tmp_path))
    write_files([change])
    assert contents(tmp_path) == {"mine": b"mine"}
    assert not (tmp_path / "link").is_symlink()
