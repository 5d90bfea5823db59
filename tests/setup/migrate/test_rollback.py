"""The way back: to the byte where nothing changed since, and without a loss where something did."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.migrate import migration_journal, migration_run
from synapse_ls.setup.migrate.migration_rollback import roll_back_migration
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.trusted_trees import trust_tree
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import regular_files
from tests.setup.migrate.trees import ODD, PLAIN, everything, project, write
from tests.support import corpus, examples

NOW = 1_795_000_000.0

_WORDS = st.sampled_from(["API", "api", "Web_Ui", "GLOBAL", "CONTEXT", "COMMANDS", "X_RULE", "É"])
_VALUES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
_LINES = st.one_of(
    st.tuples(_WORDS, st.sampled_from(["STATE", "ALWAYS_ON", "RECALL", "EXCLUDE", "RULE_0", "RULE_x",
                                       "RULES", "ENABLED"]), _VALUES).map(lambda p: f"{p[0]}_{p[1]}={p[2]}"),
    _VALUES,
    _VALUES.map("# {}".format),
)  # fmt: skip
_TEXTS = st.tuples(st.lists(_LINES, max_size=8), st.sampled_from(["\n", "\r\n"])).map(
    lambda pair: pair[1].join(pair[0])
)
_NAMES = st.sampled_from(
    ["global", "api", "api.env", "web_ui", "context", "commands", "notes.txt", "deep/er/file", "é"]
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path / "shop")


@settings(
    deadline=None,
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    manifest=_TEXTS,
    files=st.dictionaries(_NAMES, _TEXTS, max_size=5),
    bom=st.booleans(),
    guide=st.sampled_from(["", "# Only text, *carl\n", "a\r\n<!-- CARL-MANAGED: x -->\r\n<!-- END CARL-MANAGED -->"]),
    sessions=st.dictionaries(
        st.sampled_from(["a.json", "B.json", "c d.json"]),
        st.one_of(_VALUES, st.fixed_dictionaries({"uuid": _VALUES, "overrides": st.just({})})),
        max_size=2,
    ),
)  # fmt: skip
def test_any_tree_is_as_it_was_after_a_migration_to_its_end_and_back(
    manifest: str, files: dict[str, str], bom: bool, guide: str, sessions: dict[str, object]
) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder, "shop")
        write(root, ".carl/manifest", b"\xef\xbb\xbf" * bom + manifest.encode())
        for name, text in files.items():
            write(root, f".carl/{name}", text.encode())
        project(root, {}, guide=guide, sessions=sessions)
        before = everything(root)
        migration_run.migrate_tree(root, NOW)
        migration_run.reword_texts(root, NOW)
        migration_run.finish_migration(root, NOW)
        assert not (root / ".carl").exists()
        roll_back_migration(root)
        assert everything(root) == before


def test_what_is_odd_about_carl_comes_back_too(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", ODD)
    (root / ".carl/linked").symlink_to("global")
    (root / ".carl/dangling").symlink_to("nowhere")
    (root / ".carl/empty").mkdir()
    write(root, ".carl/_v1-archive/blob.bin", bytes(range(256)))
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    roll_back_migration(root)
    assert everything(root) == before


def test_a_folder_of_carl_behind_a_link_keeps_what_it_leads_to(root: Path) -> None:
    shutil.move(root / ".carl", root.parent / "shared")
    (root / ".carl").symlink_to(root.parent / "shared")
    trust_tree(str(root.parent / "shared"))
    before = everything(root.parent / "shared")
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    assert not os.path.lexists(root / ".carl")
    assert everything(root.parent / "shared") == before
    roll_back_migration(root)
    assert (root / ".carl").readlink() == root.parent / "shared"


def test_a_session_that_went_on_is_kept_beside_the_project(root: Path) -> None:
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    write(root, ".synapse/sessions/3f1c.json", b'{"uuid": "3f1c", "prompt_count": 8}')
    write(root, ".synapse/sessions/new.json", b"{}")
    write(root, ".synapse/sessions/new.json.lock", b"")
    roll_back_migration(root)
    kept = {path: data for path, data in everything(root).items() if path not in before}
    assert kept == {
        ".synapse-kept": "",
        ".synapse-kept/sessions": "",
        ".synapse-kept/sessions/3f1c.json": b'{"uuid": "3f1c", "prompt_count": 8}',
        ".synapse-kept/sessions/new.json": b"{}",
    }
    assert {path: data for path, data in everything(root).items() if path in before} == before


def test_a_tree_folder_that_was_there_before_stays(root: Path) -> None:
    write(root, ".synapse/sessions/old.json", b"{}")
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    write(root, ".synapse/global", b"GLOBAL_RULE_0=Edited since\n")
    roll_back_migration(root)
    assert (root / ".synapse-kept/.synapse/global").read_bytes() == b"GLOBAL_RULE_0=Edited since\n"
    shutil.rmtree(root / ".synapse-kept")
    assert everything(root) == before


def test_what_was_added_elsewhere_in_a_file_stays(root: Path) -> None:
    before = (root / "CLAUDE.md").read_text()
    migration_run.migrate_tree(root, NOW)
    file = root / "CLAUDE.md"
    file.write_text(file.read_text().replace("# The shop\n", "# The shop\n\nA new line.\n"))
    done = roll_back_migration(root)
    assert file.read_text() == before.replace("# The shop\n", "# The shop\n\nA new line.\n")
    assert ("merged", "CLAUDE.md") in {(step.action, step.path) for step in done}


def test_changes_that_collide_are_refused_before_anything_is_touched(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    file = root / "CLAUDE.md"
    file.write_text(file.read_text().replace("<!-- synapse:begin", "<!-- mine"))
    now = everything(root)
    with pytest.raises(UserError, match=r"CLAUDE\.md changed since, in lines that the migration"):
        roll_back_migration(root)
    assert everything(root) == now
    roll_back_migration(root, force=True)
    assert file.read_text() == now["CLAUDE.md"].decode()  # type: ignore[union-attr]
    assert not (root / ".synapse").exists()


def test_another_tree_of_carl_in_the_place_is_not_overwritten(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    write(root, ".carl/manifest", b"OTHER_STATE=active\n")
    with pytest.raises(UserError, match=r"there is another \.carl now"):
        roll_back_migration(root)
    assert (root / ".carl/manifest").read_bytes() == b"OTHER_STATE=active\n"


def test_a_damaged_backup_is_refused(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    (chapter,) = migration_journal.read_chapters(root)
    number = next(n for n, entry in enumerate(chapter.entries) if entry.path == "CLAUDE.md")
    (chapter.folder / "before" / str(number)).write_bytes(b"damaged")
    now = everything(root)
    with pytest.raises(UserError, match=r"The copy of CLAUDE\.md in .* is missing or damaged"):
        roll_back_migration(root)
    assert everything(root) == now


def test_a_dry_run_says_what_would_be_done_and_does_nothing(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    now = everything(root)
    steps = roll_back_migration(root, dry_run=True)
    assert everything(root) == now
    assert [(s.action, s.path) for s in steps if "synapse" not in s.path] == [
        ("restored", ".claude/settings.json"),
        ("restored", "CLAUDE.md"),
    ]


def test_a_project_that_goes_by_two_names_is_one(tmp_path: Path) -> None:
    rule = "GLOBAL_RULE_0=Not *carl\n"
    real = project(tmp_path / "real", {**PLAIN, ".carl/global": rule})
    before = everything(real)
    link = tmp_path / "link"
    link.symlink_to(real)
    migration_run.migrate_tree(link, NOW)
    migration_run.reword_texts(link, NOW)
    assert (real / ".synapse/global").read_text() == "GLOBAL_RULE_0=Not *synapse\n"
    migration_run.finish_migration(link, NOW)
    roll_back_migration(real)
    assert everything(real) == before


def test_a_folder_that_is_gone_comes_back_with_its_file(root: Path) -> None:
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    shutil.rmtree(root / ".claude")
    roll_back_migration(root)
    restored = (root / ".claude/settings.json").read_bytes()
    assert restored == before[".claude/settings.json"]


def test_one_process_at_a_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migration_journal, "_LOCK_PATIENCE", 0.01)
    with migration_journal.lock_chapters(root):
        with pytest.raises(StorageError, match="Another process has held"):
            migration_run.perform_migration(root, migration_run.MigrationRequest(), NOW)
        with pytest.raises(StorageError, match="Another process has held"):
            roll_back_migration(root)
    assert not migration_journal.chapters_folder(root).parent.exists(), "nothing is left of it"
    migration_run.perform_migration(root, migration_run.MigrationRequest(), NOW)


def test_without_a_migration_there_is_nothing_to_take_back(root: Path) -> None:
    with pytest.raises(UserError, match="There is no migration"):
        roll_back_migration(root)
    migration_run.migrate_tree(root, NOW)
    roll_back_migration(root)
    with pytest.raises(UserError, match="There is no migration"):
        roll_back_migration(root)


def test_a_second_migration_after_a_rollback_is_like_the_first(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    first = everything(root)
    roll_back_migration(root)
    migration_run.migrate_tree(root, NOW)
    assert everything(root) == first
    assert len(migration_journal.read_chapters(root)) == 1


def test_the_settings_are_forgotten_with_the_migration(root: Path) -> None:
    file = root / ".claude/settings.json"
    migration_run.migrate_tree(root, NOW)
    known = settings_backup.load_record(file)
    assert known is not None
    assert "carl" not in json.dumps(json.loads(known.before or b"{}"))
    roll_back_migration(root)
    assert settings_backup.load_record(file) is None


def test_other_rights_than_those_of_the_backup_do_not_matter(root: Path) -> None:
    before = everything(root)
    (root / ".carl").chmod(0o555)
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    roll_back_migration(root)
    assert everything(root) == before
    (root / ".carl").chmod(0o755)


def test_the_tree_that_carl_ships_comes_back(tmp_path: Path) -> None:
    root = tmp_path / "carl"
    shutil.copytree(corpus() / "carl", root)
    for path in (root, *root.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    before = everything(root)
    migration_run.migrate_tree(root, NOW)
    migration_run.reword_texts(root, NOW)
    migration_run.finish_migration(root, NOW)
    roll_back_migration(root)
    assert everything(root) == before


def test_folders_of_a_person_beside_what_is_migrated_stay(root: Path) -> None:
    names = (".carl.going", ".carl.partial", ".synapse.going", ".synapse.partial")
    for name in names:
        write(root, f"{name}/mine.txt", b"mine")
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    roll_back_migration(root)
    assert [(root / name / "mine.txt").read_bytes() for name in names] == [b"mine"] * 4


@pytest.mark.parametrize("is_fresh", [True, False])
def test_a_link_that_took_the_place_of_the_tree_is_not_followed(
    tmp_path: Path, is_fresh: bool
) -> None:
    root = project(tmp_path / "shop", sessions={})
    if not is_fresh:
        (root / ".synapse/sessions").mkdir(parents=True)
    migration_run.migrate_tree(root, NOW)
    shutil.move(root / ".synapse", root / "away")
    for name in ("yarn.lock", "manifest"):
        write(root, f"away/{name}", b"")
    (root / "away/empty").mkdir()
    (root / ".synapse").symlink_to("away")
    before = everything(root)
    with pytest.raises(UserError, match=r"a link leads to \.synapse/"):
        roll_back_migration(root)
    assert everything(root) == before
    assert (root / "away/empty").exists()


def link_commands(root: Path) -> Path:
    """Put a link to a person's folder into the place of one of CARL's; return that folder."""
    (root / ".claude").mkdir(exist_ok=True)
    (root / "docs").mkdir()
    (root / ".claude/commands").symlink_to("../docs")
    return root / "docs"


def test_what_is_behind_a_link_is_not_removed_with_carl(root: Path) -> None:
    linked = link_commands(root)
    write(linked, "carl/notes.md", b"mine")
    migration_run.migrate_tree(root, NOW)
    assert ".carl" in migration_run.finish_migration(root, NOW)
    assert (linked / "carl/notes.md").read_bytes() == b"mine"
    roll_back_migration(root)
    assert (root / ".carl").exists()


def test_what_was_removed_does_not_come_back_through_a_link(root: Path) -> None:
    write(root, ".claude/commands/carl/help.md", b"CARL's")
    migration_run.migrate_tree(root, NOW)
    migration_run.finish_migration(root, NOW)
    linked = link_commands(root)
    with pytest.raises(UserError, match=r"a link leads to \.claude/commands/carl"):
        roll_back_migration(root)
    assert not list(linked.iterdir())


def test_settings_do_not_come_back_through_a_link(root: Path) -> None:
    migration_run.migrate_tree(root, NOW)
    shutil.move(root / ".claude", root / "away")
    (root / "src").mkdir()
    (root / ".claude").symlink_to("src")
    with pytest.raises(UserError, match=r"a link leads to \.claude/settings\.json"):
        roll_back_migration(root)
    assert not list((root / "src").iterdir())


@pytest.mark.skipif(not regular_files.HAS_HANDLES, reason="there are no handles of folders")
@pytest.mark.parametrize("opens", range(1, 5))
def test_a_copy_follows_no_link_that_takes_the_place_of_a_folder_meanwhile(
    root: Path, tmp_path: Path, opens: int
) -> None:
    source, place, outside = (tmp_path / name for name in ("source", "place", "outside"))
    copied = migration_journal.partial_path(place, root) / "sub"
    for folder, text in ((source / "sub", b"theirs"), (outside, b"mine")):
        for name in ("a", "b"):
            write(folder, name, text)
    count = 0

    def swap(event: str, _: object) -> None:
        nonlocal count
        if event == "open" and count < opens and copied.is_dir():
            count += 1
            if count == opens:
                copied.rename(tmp_path / "aside")
                copied.symlink_to(outside)

    sys.addaudithook(swap)
    with suppress(StorageError):
        migration_journal.copy_path(source, place, root)
    count = opens
    assert everything(outside) == {"a": b"mine", "b": b"mine"}
