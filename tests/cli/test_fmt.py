"""``synapse fmt``."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Synapse

UNTIDY = "  GLOBAL_STATE = active  \n\n\n\nGLOBAL_RECALL=a, b"
TIDY = "GLOBAL_STATE=active\n\nGLOBAL_RECALL=a,b\n"


def manifest(team: Path, text: str = UNTIDY) -> Path:
    path = team / ".synapse" / "manifest"
    path.write_text(text, encoding="utf-8")
    return path


def test_files_are_laid_out_and_named(team: Path, synapse: Synapse) -> None:
    path = manifest(team)
    done = synapse("fmt")
    assert (done.code, path.read_text(encoding="utf-8")) == (0, TIDY)
    assert "changed  .synapse/manifest" in done.out
    again = synapse("fmt")
    assert (again.code, again.out) == (0, "")
    assert "Everything is laid out" in again.err


def test_a_check_writes_nothing_and_tells_by_its_exit_code(team: Path, synapse: Synapse) -> None:
    path = manifest(team)
    done = synapse("fmt", "--check")
    assert (done.code, path.read_text(encoding="utf-8")) == (1, UNTIDY)
    assert "would change  .synapse/manifest" in done.out
    manifest(team, TIDY)
    assert synapse("fmt", "--check").code == 0


def test_a_diff_writes_nothing_either(team: Path, synapse: Synapse) -> None:
    path = manifest(team)
    done = synapse("fmt", "--diff")
    assert (done.code, path.read_text(encoding="utf-8")) == (1, UNTIDY)
    assert "+GLOBAL_STATE=active\n" in done.out


def test_only_what_is_named_is_laid_out(team: Path, synapse: Synapse) -> None:
    path = manifest(team)
    (team / ".synapse" / "docs").write_text("DOCS_RULE_0 = x\n", encoding="utf-8")
    assert synapse("fmt", ".synapse/docs").code == 0
    assert path.read_text(encoding="utf-8") == UNTIDY
    assert (team / ".synapse" / "docs").read_text(encoding="utf-8") == "DOCS_RULE_0=x\n"


def test_a_text_on_standard_input(team: Path, synapse: Synapse) -> None:
    name = ("-", "--stdin-filename", ".synapse/manifest")
    done = synapse("fmt", *name, stdin=UNTIDY)
    assert (done.code, done.out) == (0, TIDY)
    assert synapse("fmt", "--check", *name, stdin=UNTIDY).code == 1
    assert synapse("fmt", "--check", *name, stdin=TIDY).code == 0
    assert "+GLOBAL_RECALL=a,b" in synapse("fmt", "--diff", *name, stdin=UNTIDY).out
    assert (team / ".synapse" / "manifest").read_text(encoding="utf-8") != TIDY


def test_standard_input_needs_the_name_of_a_file_with_a_format(
    team: Path, synapse: Synapse
) -> None:
    done = synapse("fmt", "-", "--stdin-filename", "docs/stories/a.md", stdin="x")
    assert done.code == 2
    assert "has no format of ours" in done.err
    assert synapse("fmt", "-", stdin="x").code == 2


def test_byte_order_mark_and_line_breaks_stay(team: Path, synapse: Synapse) -> None:
    path = team / ".synapse" / "manifest"
    path.write_bytes(b"\xef\xbb\xbfGLOBAL_STATE = active\r\n")
    assert synapse("fmt").code == 0
    assert path.read_bytes() == b"\xef\xbb\xbfGLOBAL_STATE=active\r\n"


def test_what_is_not_utf8_is_left_as_it_is(team: Path, synapse: Synapse) -> None:
    path = team / ".synapse" / "docs"
    path.write_bytes(b"DOCS_RULE_0 = caf\xe9\n")
    done = synapse("fmt")
    assert path.read_bytes() == b"DOCS_RULE_0 = caf\xe9\n"
    assert "not UTF-8" in done.err
