"""The linter's findings in the cache: given back while nothing changed, and never after."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from synapse_ls.cli.main import main
from synapse_ls.formats.session_file import new_session
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.queries import findings_cache
from synapse_ls.queries.findings_cache import FindingsCache
from synapse_ls.storage.plan_cache import cache_folder
from synapse_ls.text.fast_json import dumps
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.trees import TEAM, write_tree

LONG_AGO = 1_700_000_000
QUESTION = "everything"
FILES = 3


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with findings that nobody has touched for long."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    # The time of the last status change cannot be set, so all of this process counts as long ago.
    monkeypatch.setattr(findings_cache, "CLOCK_TICK", -60_000_000_000)
    tree = write_tree(
        tmp_path / "root",
        {
            **TEAM,
            ".synapse/docs": "DOCS_RULE_0=x\ndocs_rule_1=y\n",
            "squads/etl/squad.yaml": "a: 1\n",
        },
    )
    (tree / ".synapse/linked").symlink_to("docs")
    settle(tree)
    return tree


def settle(tree: Path) -> None:
    for path in sorted(tree.rglob("*")):
        os.utime(path, (LONG_AGO, LONG_AGO), follow_symlinks=False)


def keep(root: Path, question: str = QUESTION) -> None:
    kept = FindingsCache(str(root))
    loaded = load_tree(str(root), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    kept.store(question, loaded, lint_tree(tree, notes=loaded.notes), FILES)


def known(root: Path, question: str = QUESTION) -> bool:
    return FindingsCache(str(root)).findings(question) is not None


def test_findings_come_back_as_they_were(root: Path) -> None:
    keep(root)
    loaded = load_tree(str(root), LoadScope.ALL)
    found = lint_tree(Tree(loaded.index.snapshot()), notes=loaded.notes)
    assert any(diagnostic.fix and diagnostic.related for diagnostic in found) or found
    assert FindingsCache(str(root)).findings(QUESTION) == (found, FILES)


def test_another_question_is_not_answered(root: Path) -> None:
    keep(root)
    assert not known(root, "something else")


def test_several_questions_are_kept_side_by_side(root: Path) -> None:
    keep(root, "one")
    keep(root, "two")
    assert known(root, "one") and known(root, "two")


def rewrite(root: Path) -> None:
    (root / ".synapse/docs").write_text("DOCS_RULE_0=x\nDOCS_RECAL=z\n")


def rewrite_with_old_time(root: Path) -> None:
    rewrite(root)
    settle(root)


def touch_config(root: Path) -> None:
    (root / ".synapse/config.toml").write_text('profile = "synapse-live"\n')


def add_file(root: Path) -> None:
    (root / ".synapse/extra").write_text("EXTRA_RULE_0=x\n")
    settle(root)


def add_squad(root: Path) -> None:
    write_tree(root, {"squads/new/.synapse/manifest": "A_STATE=active\n"})
    settle(root)


def rename(root: Path) -> None:
    (root / ".synapse/docs").rename(root / ".synapse/doc")
    settle(root)


def delete(root: Path) -> None:
    (root / ".synapse/global").unlink()
    settle(root)


def relink(root: Path) -> None:
    (root / ".synapse/linked").unlink()
    (root / ".synapse/linked").symlink_to("global")


def become_a_folder(root: Path) -> None:
    (root / ".synapse/docs").unlink()
    (root / ".synapse/docs").mkdir()


def become_writable(root: Path) -> None:
    (root / ".synapse/docs").chmod(0o666)


def begin_workflows(root: Path) -> None:
    write_tree(root, {".aiox/a-state.yaml": "status: active\n"})
    settle(root)


@pytest.mark.parametrize(
    "change",
    [
        rewrite,
        rewrite_with_old_time,
        touch_config,
        add_file,
        add_squad,
        rename,
        delete,
        relink,
        become_a_folder,
        become_writable,
        begin_workflows,
    ],
    ids=lambda change: change.__name__,
)
def test_any_change_of_any_input_ends_it(root: Path, change: Callable[[Path], None]) -> None:
    keep(root)
    assert known(root)
    change(root)
    assert not known(root)


def session(root: Path, text: str) -> Path:
    path = root / ".synapse/sessions/a.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_session_that_goes_on_does_not_matter(root: Path) -> None:
    session(root, dumps(new_session("a", "/", "2100-01-01T00:00:00Z").to_document()))
    keep(root)
    session(root, dumps(new_session("a", "/", "2100-01-02T00:00:00Z").to_document()))
    assert known(root)


def test_a_session_that_breaks_ends_it(root: Path) -> None:
    path = session(root, dumps(new_session("a", "/", "2100-01-01T00:00:00Z").to_document()))
    keep(root)
    path.write_text("{")
    assert not known(root)


def test_a_session_that_nobody_uses_any_more_ends_it(root: Path) -> None:
    path = session(root, dumps(new_session("a", "/", "2100-01-01T00:00:00Z").to_document()))
    keep(root)
    os.utime(path, (LONG_AGO, LONG_AGO))
    assert not known(root)


def test_what_was_just_written_is_not_trusted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings_cache, "CLOCK_TICK", 60_000_000_000)
    keep(root)
    assert not known(root)


def test_another_state_of_the_program_knows_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(root)
    monkeypatch.setattr(findings_cache, "_program_digest", lambda: "another")
    assert not known(root)


def test_what_is_kept_is_for_the_user_alone(root: Path) -> None:
    keep(root)
    [kept] = Path(cache_folder()).glob("*.check")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("data", [b"", b"nonsense", b"\xe9\x00\x00\x00\x00"])
def test_a_damaged_cache_is_no_cache(root: Path, data: bytes) -> None:
    keep(root)
    [kept] = Path(cache_folder()).glob("*.check")
    kept.write_bytes(data)
    assert not known(root)


def test_a_call_uses_what_is_kept_and_shows_the_same(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*options: str) -> tuple[int, str]:
        code = main(["check", "--root", str(root), *options])
        return code, capsys.readouterr().out

    first = told()
    assert told("--no-cache") == first
    for path in (
        "synapse_ls.workspace.tree_loader.load_tree",
        "synapse_ls.lint.lint_runner.lint_tree",
    ):
        monkeypatch.setattr(path, None)
    assert told() == first
    assert "error SYN103" in told("--format", "concise", "--severity", "error")[1]
