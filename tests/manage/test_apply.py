from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.manage import apply as room
from synapse_ls.manage.apply import apply, diff
from synapse_ls.manage.plan import FileEdit, ManageError, Plan, create, edit, rename
from synapse_ls.sessions.files import SessionError, atomic_write
from synapse_ls.text.decode import decode
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span


def put(at: int, text: str) -> TextEdit:
    return TextEdit(Span(at, at), text)


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def test_creates_files_with_their_folders(tmp_path: Path) -> None:
    plan = Plan((create("a/b/one", "1\n"), create("two", "2\n")))
    assert apply(tmp_path, plan) == ("a/b/one", "two")
    assert contents(tmp_path) == {"a/b/one": b"1\n", "two": b"2\n"}


def test_edits_keep_byte_order_mark_line_breaks_and_mode(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb")
    file.chmod(0o640)
    assert apply(tmp_path, Plan((edit("f", "a\r\nb", [put(3, "x")]),))) == ("f",)
    assert file.read_bytes() == b"\xef\xbb\xbfa\r\nxb"
    assert file.stat().st_mode & 0o777 == 0o640


def test_renames_and_edits_in_one_step(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"a\n")
    assert apply(tmp_path, Plan((rename("old", "new", "a\n", [put(0, "b")]),))) == ("new",)
    assert contents(tmp_path) == {"new": b"ba\n"}


def test_a_file_that_has_changed_meanwhile_stops_everything(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"changed\n")
    plan = Plan((create("new", "x"), edit("f", "planned\n", [put(0, "x")])))
    with pytest.raises(ManageError, match="has changed"):
        apply(tmp_path, plan)
    assert contents(tmp_path) == {"f": b"changed\n"}


def test_a_file_that_is_gone_meanwhile_stops_everything(tmp_path: Path) -> None:
    with pytest.raises(ManageError, match="Cannot read f"):
        apply(tmp_path, Plan((create("new", "x"), edit("f", "", [put(0, "x")]))))
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("plan", [create("there", "x"), rename("f", "there", "f")])
def test_nothing_is_written_over(tmp_path: Path, plan: FileEdit) -> None:
    (tmp_path / "f").write_bytes(b"f")
    (tmp_path / "there").write_bytes(b"mine")
    with pytest.raises(ManageError, match="there already exists"):
        apply(tmp_path, Plan((plan,)))
    assert contents(tmp_path) == {"f": b"f", "there": b"mine"}


def test_a_dangling_link_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(ManageError, match="link already exists"):
        apply(tmp_path, Plan((create("link", "x"),)))
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("data", [b"a\xffb", "a".encode("utf-16")])
def test_a_file_that_is_not_utf8_is_not_touched(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ManageError, match="not UTF-8"):
        apply(tmp_path, Plan((edit("f", decode(data).text, [put(0, "x")]),)))
    assert (tmp_path / "f").read_bytes() == data


def test_a_failure_puts_back_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbff\n")
    (tmp_path / "old").write_bytes(b"o\n")
    before = contents(tmp_path)

    def full(path: str, data: bytes, *, durable: bool = False) -> None:
        if path.endswith("last"):
            raise SessionError("Cannot write last: the disk is full.", "Free some space.")
        atomic_write(path, data, durable=durable)

    monkeypatch.setattr(room, "atomic_write", full)
    plan = Plan(
        (
            create("deep/er/new", "n"),
            edit("f", "f\n", [put(0, "x")]),
            rename("old", "moved", "o\n", [put(0, "x")]),
            create("last", "l"),
        )
    )
    with pytest.raises(ManageError) as caught:
        apply(tmp_path, plan)
    assert caught.value.remedy == "Free some space."
    assert contents(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "old"]


def test_an_interruption_puts_back_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def stopped(path: str, data: bytes, *, durable: bool = False) -> None:
        if path.endswith("second"):
            raise KeyboardInterrupt
        atomic_write(path, data, durable=durable)

    monkeypatch.setattr(room, "atomic_write", stopped)
    with pytest.raises(KeyboardInterrupt):
        apply(tmp_path, Plan((create("first", "1"), create("second", "2"))))
    assert contents(tmp_path) == {}


def test_what_cannot_be_put_back_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def broken(path: str, data: bytes, *, durable: bool = False) -> None:
        if path.endswith("second"):
            (tmp_path / "first").unlink()
            raise SessionError("Cannot write second: the disk is full.", "Free some space.")
        atomic_write(path, data, durable=durable)

    monkeypatch.setattr(room, "atomic_write", broken)
    with pytest.raises(ManageError, match=r"could not be taken back in first"):
        apply(tmp_path, Plan((create("first", "1"), create("second", "2"))))


def test_the_diff_of_an_edit_is_unified() -> None:
    assert diff(Plan((edit("f", "a\nb\n", [put(2, "x\n")]),))) == (
        "--- a/f\n+++ b/f\n@@ -1,2 +1,3 @@\n a\n+x\n b\n"
    )


def test_the_diff_of_a_new_file_begins_at_nothing() -> None:
    assert diff(Plan((create("f", "a\n"),))) == "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n"


def test_the_diff_of_a_rename_says_both_names() -> None:
    assert diff(Plan((rename("old", "new", "a\n"),))) == "rename from old\nrename to new\n"


def test_the_diff_marks_a_missing_final_line_break() -> None:
    assert diff(Plan((edit("f", "a\n", [put(2, "b")]),))).endswith(
        "+b\n\\ No newline at end of file\n"
    )


def test_the_diff_breaks_lines_at_line_feeds_only() -> None:
    plan = Plan((edit("f", "a\u2028b\r\n", [put(0, "x")]),))
    assert diff(plan).splitlines(keepends=False)[0] == "--- a/f"
    assert "-a\u2028b\r\n" in diff(plan)


def test_an_empty_plan_has_no_diff_and_writes_nothing(tmp_path: Path) -> None:
    assert diff(Plan()) == ""
    assert apply(tmp_path, Plan()) == ()
