"""A migration that is interrupted anywhere can be finished, and can be taken back."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from synapse_ls.setup.migrate import migration_journal, migration_rollback, migration_run
from synapse_ls.setup.migrate.migration_journal import MIGRATE, prepare_chapter
from synapse_ls.setup.migrate.migration_plan import plan_migration, source_files
from synapse_ls.setup.migrate.migration_rollback import complete_chapter, roll_back_migration
from synapse_ls.storage import trusted_trees
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.user_error import UserError
from tests.setup.migrate.trees import everything, project, write

NOW = 1_795_000_000.0
TOUCHES = (
    "write_file", "make_folder", "remove_file", "remove_empty_folder", "rename_path", "copy_path",
    "remove_path",
)  # fmt: skip


class Crash(BaseException):
    """The process is gone: nothing in it can react any more."""


class FullError(StorageError):
    """The disk does not allow it."""

    def __init__(self) -> None:
        super().__init__("Cannot write: the disk is full.", "Free some space.")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "shop")


def at_each_touch(
    root: Path,
    work: Callable[[], object],
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
) -> Iterator[int]:
    """``work`` again and again from the same start, each time with ``error`` in the place of the next
    touch of the disk; ends when the work was done without one."""
    shelf = migration_journal.chapters_folder(root).parent
    start = (root, root.with_name("start")), (shelf, shelf.with_name("start"))
    for here, kept in start:
        if here.exists():
            shutil.copytree(here, kept, symlinks=True)
    for number in count():
        for here, kept in start:
            shutil.rmtree(here, ignore_errors=True)
            if kept.exists():
                shutil.copytree(kept, here, symlinks=True)
        with monkeypatch.context() as patch:
            touched = _fail_at(patch, number, error)
            with suppress(Crash, UserError, StorageError):
                work()
            if touched() <= number:
                return
        yield number


def _fail_at(
    patch: pytest.MonkeyPatch, number: int, error: type[BaseException]
) -> Callable[[], int]:
    made = 0

    def wrapped(real: Callable[..., object]) -> Callable[..., object]:
        def touch(*arguments: object, **options: object) -> object:
            nonlocal made
            made += 1
            if made == number + 1:
                raise error
            return real(*arguments, **options)

        return touch

    for name in TOUCHES:
        patch.setattr(migration_journal, name, wrapped(getattr(migration_journal, name)))
    return lambda: made


@pytest.fixture
def migration(root: Path) -> Callable[[], object]:
    """A migration that was planned already."""
    planned = plan_migration(root)
    return lambda: complete_chapter(
        prepare_chapter(root, MIGRATE, planned.changes, NOW, sources=source_files(root))
    )


def migrated(root: Path, migration: Callable[[], object]) -> dict[str, bytes | str]:
    """What the project looks like when nothing goes wrong."""
    migration()
    found = everything(root)
    roll_back_migration(root)
    shutil.rmtree(migration_journal.chapters_folder(root).parent)
    return found


def test_what_a_crash_left_is_finished_by_the_next_run(
    root: Path, migration: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = migrated(root, migration)
    touches = 0
    for touches in at_each_touch(root, migration, monkeypatch, Crash):
        if (
            migration_run.resume_migration(root) is None
            and not migration_run.read_state(root).is_migrated
        ):
            migration()
        assert everything(root) == whole, f"after a crash at touch {touches}"
    assert touches > 30


def test_what_a_crash_left_can_be_taken_back(
    root: Path, migration: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(root)
    for touches in at_each_touch(root, migration, monkeypatch, Crash):
        if migration_journal.read_chapters(root):
            roll_back_migration(root)
        assert everything(root) == before, f"after a crash at touch {touches}"


def test_where_the_disk_refuses_nothing_has_changed(
    root: Path, migration: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(root)
    for touches in at_each_touch(root, migration, monkeypatch, FullError):
        if (
            migration_run.read_state(root).is_migrated
            and not migration_run.read_state(root).pending
        ):
            continue  # it failed when all was done
        if migration_rollback.interrupted_chapter(root):
            roll_back_migration(root)  # the way back failed too, as the message said
        assert everything(root) == before, f"after a failure at touch {touches}"


def test_a_rollback_that_a_crash_interrupts_is_finished_by_the_next_one(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    for touches in at_each_touch(root, lambda: roll_back_migration(root), monkeypatch, Crash):
        if migration_journal.read_chapters(root):
            roll_back_migration(root)
        assert everything(root) == before, f"after a crash at touch {touches}"


def test_the_end_is_finished_or_taken_back_as_well(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    for touches in at_each_touch(
        root, lambda: migration_run.finish_migration(root, NOW), monkeypatch, Crash
    ):
        if touches % 2:
            migration_run.resume_migration(root)
            migration_run.finish_migration(root, NOW)
            assert not (root / ".carl").exists()
        roll_back_migration(root)
        assert everything(root) == before, f"after a crash at touch {touches}"


def test_after_an_interrupted_rollback_nothing_else_is_done(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migration_run.migrate_tree(root, NOW)
    with monkeypatch.context() as patch:

        def crash(*_: Path) -> None:
            raise Crash

        patch.setattr(migration_journal, "remove_file", crash)
        with pytest.raises(Crash):
            roll_back_migration(root)
    with pytest.raises(UserError, match="A rollback was interrupted"):
        migration_run.resume_migration(root)


def test_a_file_that_changed_before_the_next_run_is_not_overwritten(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        real = migration_journal.rename_path

        def crash(path: Path, target: Path, project: Path) -> None:
            real(path, target, project)
            if target.name == ".synapse":
                raise Crash

        patch.setattr(migration_journal, "rename_path", crash)
        with pytest.raises(Crash):
            migration_run.migrate_tree(root, NOW)
    write(root, "CLAUDE.md", b"Something else\n")
    with pytest.raises(UserError, match=r"CLAUDE\.md has changed since the migration was planned"):
        migration_run.resume_migration(root)
    assert (root / "CLAUDE.md").read_bytes() == b"Something else\n"


def test_in_a_folder_with_sessions_a_crash_can_be_finished_and_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "shop", sessions={})
    write(root, ".synapse/sessions/x.json", b"{}")
    before = everything(root)
    planned = plan_migration(root)

    def work() -> None:
        complete_chapter(prepare_chapter(root, MIGRATE, planned.changes, NOW))

    for touches in at_each_touch(root, work, monkeypatch, Crash):
        if touches % 2 and migration_journal.read_chapters(root):
            migration_run.resume_migration(root)
            assert migration_run.read_state(root).is_migrated
        if migration_journal.read_chapters(root):
            roll_back_migration(root)
        assert everything(root) == before, f"after a crash at touch {touches}"


def test_what_a_link_brings_in_from_outside_is_not_taken_over(root: Path) -> None:
    secret = root.with_name("secret")
    secret.write_text("LEAK_RULE_0=The key is 1234\nprose 1234\n")
    write(root, ".carl/manifest", b"GLOBAL_STATE=active\nLEAK_STATE=active\nLEAK_ALWAYS_ON=true\n")
    for name in ("leak", "nobodys", "commands"):
        (root / ".carl" / name).unlink(missing_ok=True)
        (root / ".carl" / name).symlink_to(secret)
    plan = plan_migration(root)
    assert not any(b"1234" in (change.after or b"") for change in plan.changes)
    left = dict(plan.left)
    for name in ("leak", "nobodys", "commands"):
        assert left[f".carl/{name}"] == "it is a link that leads out of the project"
    assert plan.parity.unexplained == ()


@pytest.mark.parametrize("target", [".env", ".git/config"])
def test_what_a_link_brings_in_of_secrets_is_not_taken_over(root: Path, target: str) -> None:
    write(root, target, b"LEAK_RULE_0=The key is 1234\nprose 1234\n")
    write(root, ".carl/manifest", b"GLOBAL_STATE=active\nLEAK_STATE=active\nLEAK_ALWAYS_ON=true\n")
    for name in ("leak", "nobodys"):
        (root / ".carl" / name).unlink(missing_ok=True)
        (root / ".carl" / name).symlink_to(f"../{target}")
    plan = plan_migration(root)
    assert not any(b"1234" in (change.after or b"") for change in plan.changes)


def test_a_folder_of_carl_that_leads_out_is_taken_over_only_once_it_is_trusted(root: Path) -> None:
    shutil.move(root / ".carl", root.with_name("shared"))
    (root / ".carl").symlink_to(root.with_name("shared"))
    with pytest.raises(UserError, match="it is a link that leads out of the project"):
        plan_migration(root)


@pytest.mark.parametrize("name", ["manifest", "carl.json"])
def test_a_manifest_that_lies_outside_is_not_migrated(root: Path, name: str) -> None:
    place = root / ".carl" / name
    away = root.with_name("away")
    if name == "carl.json":
        place.write_text('{"domains": {}}')
    place.rename(away)
    place.symlink_to(away)
    with pytest.raises(UserError, match=rf"\.carl/{name} is not read: it is a link that leads out"):
        plan_migration(root)


def test_a_folder_that_is_shared_by_a_link_is_taken_over_and_compared(root: Path) -> None:
    plain = plan_migration(root)
    shutil.move(root / ".carl", root.with_name("shared"))
    (root / ".carl").symlink_to(root.with_name("shared"))
    trusted_trees.trust_tree(str(root.with_name("shared")))
    linked = plan_migration(root)
    assert [c.path for c in linked.changes] == [c.path for c in plain.changes]
    assert linked.parity == plain.parity
