"""What is not read, and that it is said: links, special files, sizes, bytes."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.activation.loader_runner import UnavailableError
from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.integrations.codex.settings import find_skipped_hooks
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import read_settings
from synapse_ls.setup.init.rule_sources import survey_names
from synapse_ls.setup.migrate.carl_installation import read_text
from synapse_ls.setup.migrate.migration_plan import removal_changes
from synapse_ls.setup.sync_plan import read_document
from synapse_ls.storage.task_reader import read_task
from synapse_ls.storage.trusted_trees import trust_tree
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import file_reader, outside_links, regular_files
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.instruction_readers import ProjectReaders
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, refresh_tree
from tests.workspace.trees import first_changed_path, write


@pytest.fixture(autouse=True)
def _configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {".synapse/manifest": "DEV_STATE=active\n"})


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the root."""
    return write(
        tmp_path / "outside",
        {
            "secret": "SECRET_RULE_0=x\n",
            "secret.md": "# secret\n",
            "squad/squad.yaml": "name: etl\n",
            "squad/.synapse/manifest": "LOAD_STATE=active\n",
            "squad/.synapse/load": "- load\n",
            "squad/agents/a.md": "# A\n",
        },
    )


def loaded_from(root: Path) -> LoadedTree:
    return load_tree(str(root), LoadScope.ALL)


def notes(loaded: LoadedTree) -> list[tuple[str, str]]:
    return [(note.path, note.kind) for note in loaded.notes]


def link(path: Path, target: Path | str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def test_a_rule_file_may_be_a_link_within_the_root(root: Path) -> None:
    write(root, {"shared/rules": "- a\n"})
    link(root / ".synapse/dev", "../shared/rules")
    loaded = loaded_from(root)
    assert notes(loaded) == []
    assert Tree(loaded.index.snapshot()).domains[0].file == ".synapse/dev"


def test_a_rule_file_that_leads_out_of_the_root_is_only_reported(root: Path, outside: Path) -> None:
    link(root / ".synapse/dev", outside / "secret")
    loaded = loaded_from(root)
    assert notes(loaded) == [(".synapse/dev", "outside")]
    assert loaded.notes[0].message == "It is not read: it is a link that leads out of the project."
    assert loaded.index.snapshot().facts(".synapse/dev") is None


def test_a_neighbour_whose_name_begins_like_the_root_is_outside(root: Path) -> None:
    write(root.with_name("root-other"), {"dev": "- a\n"})
    link(root / ".synapse/dev", root.with_name("root-other") / "dev")
    assert notes(loaded_from(root)) == [(".synapse/dev", "outside")]


def test_a_tree_folder_that_leads_out_of_the_root_is_only_reported(
    tmp_path: Path, outside: Path
) -> None:
    (tmp_path / "bare").mkdir()
    link(tmp_path / "bare/.synapse", outside / "squad/.synapse")
    loaded = loaded_from(tmp_path / "bare")
    assert notes(loaded) == [(".synapse", "outside-folder")]
    assert loaded.index.snapshot().paths() == ()


def test_a_squads_folder_that_leads_out_of_the_root_is_only_reported(
    root: Path, outside: Path
) -> None:
    link(root / "squads/etl", outside / "squad")
    loaded = loaded_from(root)
    assert notes(loaded) == [("squads/etl", "outside-folder")]
    assert f"synapse trust {outside / 'squad'}" in loaded.notes[0].remedy
    assert Tree(loaded.index.snapshot()).squads == ()


def test_a_squads_folder_may_be_a_link_within_the_root(root: Path, outside: Path) -> None:
    (outside / "squad").rename(root / "shared")
    link(root / "squads/etl", "../shared")
    assert notes(loaded_from(root)) == []
    assert [squad.path for squad in Tree(loaded_from(root).index.snapshot()).squads] == [
        "squads/etl"
    ]


def test_a_tree_folder_may_be_a_link_to_a_place_that_the_user_trusts(
    tmp_path: Path, outside: Path
) -> None:
    (tmp_path / "bare").mkdir()
    link(tmp_path / "bare/.synapse", outside / "squad/.synapse")
    before = loaded_from(tmp_path / "bare")
    trust_tree(str(outside / "squad"))
    assert first_changed_path(str(tmp_path / "bare"), before.stamps)
    loaded = loaded_from(tmp_path / "bare")
    assert notes(loaded) == []
    assert [one.label for one in Tree(loaded.index.snapshot()).domains] == ["LOAD"]


def test_a_squads_folder_may_be_a_link_to_a_place_that_the_user_trusts(
    root: Path, outside: Path
) -> None:
    link(root / "squads/etl", outside / "squad")
    trust_tree(str(outside / "squad"))
    loaded = loaded_from(root)
    assert notes(loaded) == []
    tree = Tree(loaded.index.snapshot())
    assert [(squad.path, squad.agents) for squad in tree.squads] == [("squads/etl", ("a",))]
    assert tree.domains_by_label["ETL_LOAD"].file == "squads/etl/.synapse/load"


@pytest.mark.parametrize("place", ["lib", "squads/lib"])
@pytest.mark.parametrize("mark", [".git/HEAD", "readme"])
@pytest.mark.parametrize("target", ["", "/.synapse", "/docs"])
def test_a_trusted_project_opens_no_file_but_its_rules_in_the_place_of_others(
    root: Path, tmp_path: Path, place: str, target: str, mark: str
) -> None:
    other = {f"{folder}notes.md": "- secret\n" for folder in ("", ".synapse/", "docs/")}
    write(tmp_path / "other", {mark: "x\n", ".synapse/manifest": "A_STATE=active\n", **other})
    trust_tree(str(tmp_path / "other"))
    link(root / place, f"{tmp_path}/other{target}")
    write(root, {".synapse/config.toml": f'[[adopted]]\npath = "{place}/notes.md"\n'})
    loaded = loaded_from(root)
    assert loaded.index.snapshot().facts(f"{place}/notes.md") is None
    assert [kind for _, kind in notes(loaded)] == ["outside-folder"]


@pytest.mark.parametrize("mark", ["squads/etl/.synapse/manifest", "HEAD"])
def test_what_is_a_tree_by_its_squads_or_gits_own_folder_opens_no_file(
    root: Path, tmp_path: Path, mark: str
) -> None:
    write(tmp_path / "other", {mark: "x\n", "notes.md": "- secret\n"})
    trust_tree(str(tmp_path / "other"))
    link(root / "lib", tmp_path / "other")
    write(root, {".synapse/config.toml": '[[adopted]]\npath = "lib/notes.md"\n'})
    assert loaded_from(root).index.snapshot().facts("lib/notes.md") is None


def test_what_git_keeps_of_a_trusted_squad_is_not_read(root: Path, outside: Path) -> None:
    write(outside / "squad", {".git/config": "- secret\n"})
    trust_tree(str(outside / "squad"))
    link(root / "squads/etl", outside / "squad")
    path = "squads/etl/.git/config"
    write(root, {".synapse/config.toml": f'[[adopted]]\npath = "{path}"\n'})
    assert loaded_from(root).index.snapshot().facts(path) is None


def test_the_folder_of_all_squads_may_not_lead_out(root: Path, outside: Path) -> None:
    link(root / "squads", outside)
    assert notes(loaded_from(root)) == [("squads", "outside-folder")]


def test_a_file_that_leads_out_of_a_linked_squad_is_only_reported(
    root: Path, outside: Path
) -> None:
    trust_tree(str(outside / "squad"))
    link(root / "squads/etl", outside / "squad")
    (outside / "squad/.synapse/load").unlink()
    link(outside / "squad/.synapse/load", outside / "secret")
    loaded = loaded_from(root)
    assert notes(loaded) == [("squads/etl/.synapse/load", "outside")]
    assert "squad's folder squads/etl" in loaded.notes[0].message


def test_a_file_of_a_squad_may_not_lead_to_the_rest_of_the_root(root: Path) -> None:
    write(root, {"squads/etl/.synapse/manifest": "LOAD_STATE=active\n", "notes": "- a\n"})
    link(root / "squads/etl/.synapse/load", root / "notes")
    assert notes(loaded_from(root)) == [("squads/etl/.synapse/load", "outside")]


def test_a_squads_tree_that_leads_out_is_only_reported(root: Path, outside: Path) -> None:
    write(root, {"squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n"})
    link(root / "squads/etl/.synapse", outside / "squad/.synapse")
    assert notes(loaded_from(root)) == [("squads/etl/.synapse", "outside")]


@pytest.mark.parametrize(
    "path",
    [
        ".aiox-core/development/tasks/build.md",
        "docs/stories/epic/s.md",
        ".aiox-core/constitution.md",
        "squads/etl/agents/b.md",
    ],
)
def test_tasks_stories_and_components_may_not_lead_out(
    root: Path, outside: Path, path: str
) -> None:
    write(root, {"squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n"})
    link(root / path, outside / "secret.md")
    assert notes(loaded_from(root)) == [(path, "outside")]


def test_a_folder_of_stories_may_not_lead_out(root: Path, outside: Path) -> None:
    link(root / "docs/stories/epic", outside)
    assert notes(loaded_from(root)) == [("docs/stories/epic", "outside-folder")]


def test_a_folder_of_stories_may_be_linked_from_elsewhere_in_the_root(root: Path) -> None:
    write(root, {"epics/one/s.md": "# S\n", "docs/stories/t.md": "# T\n"})
    link(root / "docs/stories/one", root / "epics/one")
    loaded = loaded_from(root)
    assert (notes(loaded), Tree(loaded.index.snapshot()).stories) == (
        [],
        ("docs/stories/one/s.md", "docs/stories/t.md"),
    )


def test_a_folder_that_is_linked_into_itself_is_walked_once(root: Path) -> None:
    write(root, {"docs/stories/epic/s.md": "# S\n"})
    link(root / "docs/stories/epic/again", root / "docs/stories")
    loaded = loaded_from(root)
    assert notes(loaded) == [("docs/stories/epic/again", "link-loop")]
    assert Tree(loaded.index.snapshot()).stories == ("docs/stories/epic/s.md",)


def test_a_file_as_deep_as_anybody_has_it_is_read(root: Path) -> None:
    path = "docs/stories/" + "a/" * 30 + "s.md"
    assert Tree(loaded_from(write(root, {path: "# S\n"})).index.snapshot()).stories == (path,)


def test_a_folder_that_lies_too_deep_is_reported_and_not_read(root: Path) -> None:
    folder = "docs/stories/" + "/".join("a" * 31)
    write(root, {f"{folder}/b/s.md": "# S\n"})
    loaded = loaded_from(root)
    assert notes(loaded) == [(folder, "too-deep")]
    write(root, {f"{folder}/b/s.md": "# T\n"})
    refresh_tree(loaded, [f"{folder}/b/s.md"])
    assert Tree(loaded.index.snapshot()).stories == ()


def test_a_link_to_itself_is_reported(root: Path) -> None:
    link(root / ".synapse/dev", "dev")
    assert notes(loaded_from(root)) == [(".synapse/dev", "link-loop")]


def test_a_folder_that_is_a_link_to_itself_is_reported(root: Path) -> None:
    link(root / "docs/stories/epic", "epic")
    link(root / "squads/etl", "etl")
    assert notes(loaded_from(root)) == [
        ("squads/etl", "link-loop"),
        ("docs/stories/epic", "link-loop"),
    ]


def test_a_link_to_nothing_is_reported(root: Path) -> None:
    for path in (".synapse/dev", "squads/etl", "docs/stories/epic"):
        link(root / path, "gone")
    assert notes(loaded_from(root)) == [
        (".synapse/dev", "broken-link"),
        ("squads/etl", "broken-link"),
        ("docs/stories/epic", "broken-link"),
    ]


def test_a_link_that_comes_to_lead_somewhere_makes_the_load_stale(root: Path) -> None:
    link(root / ".synapse/dev", "../shared")
    loaded = loaded_from(root)
    assert first_changed_path(str(root), loaded.stamps) is None
    write(root, {"shared": "- a\n"})
    assert first_changed_path(str(root), loaded.stamps) == ".synapse/dev"


def test_a_link_that_is_none_of_ours_is_nobodys_concern(root: Path) -> None:
    link(root / ".synapse/notes.txt", "gone")
    link(root / "docs/stories/picture.png", "/etc/passwd")
    link(root / "squads/_template", "gone")
    (root / "squads/file").write_text("no squad")
    assert notes(loaded_from(root)) == []


def test_templates_are_skipped(root: Path) -> None:
    write(
        root,
        {
            "squads/_example/.synapse/manifest": "A_STATE=active\n",
            ".aiox-core/development/agents/_template.md": "# T\n",
            "docs/stories/_archive/old.md": "# Old\n",
        },
    )
    assert loaded_from(root).index.snapshot().paths() == (".synapse/manifest",)


@pytest.mark.parametrize("name", ["manifest", "global", "config.toml", "dev"])
def test_a_folder_in_a_files_place_is_reported(tmp_path: Path, name: str) -> None:
    if name != "manifest":
        write(tmp_path, {".synapse/manifest": "DEV_STATE=active\n"})
    (tmp_path / ".synapse" / name).mkdir(parents=True)
    loaded = loaded_from(tmp_path)
    assert notes(loaded) == [(f".synapse/{name}", "not-a-file")]
    assert loaded.notes[0].message == "Nothing is read, because this is a folder and not a file."


def test_other_folders_in_a_tree_are_nobodys_concern(root: Path) -> None:
    write(root, {".synapse/memory/a.md": "x", ".synapse/cache/b.json": "{}"})
    assert notes(loaded_from(root)) == []


def test_a_domains_folder_is_no_concern_while_it_has_a_file(root: Path) -> None:
    write(root, {".synapse/dev.md": "- a\n", ".synapse/dev/a.md": "x"})
    assert notes(loaded_from(root)) == []


def test_a_named_pipe_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / ".synapse/dev")
    loaded = loaded_from(root)
    assert notes(loaded) == [(".synapse/dev", "not-a-file")]
    assert "a named pipe" in loaded.notes[0].message


def test_a_socket_is_not_read(root: Path) -> None:
    with socket.socket(socket.AF_UNIX) as end:
        here = Path.cwd()
        os.chdir(root / ".synapse")  # the path of a socket must be short
        try:
            end.bind("dev")
        finally:
            os.chdir(here)
        assert notes(loaded_from(root)) == [(".synapse/dev", "not-a-file")]


def test_a_link_to_a_device_is_not_read(root: Path) -> None:
    link(root / ".synapse/dev", "/dev/zero")
    assert notes(loaded_from(root)) == [(".synapse/dev", "outside")]


def test_a_file_of_more_than_two_megabytes_is_not_read(root: Path) -> None:
    write(root, {".synapse/dev": "x" * 2_000_001, ".synapse/full": "x" * 2_000_000})
    loaded = loaded_from(root)
    assert notes(loaded) == [(".synapse/dev", "too-large")]
    facts = loaded.index.snapshot().facts(".synapse/dev")
    assert facts is not None
    assert (facts.is_read, facts.document) == (False, None)


@pytest.mark.parametrize(
    "content",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01", "text without a mark".encode("utf-16-le")],
)
def test_a_binary_file_is_not_read(root: Path, content: bytes) -> None:
    write(root, {".synapse/dev": content})
    assert notes(loaded_from(root)) == [(".synapse/dev", "binary")]


def test_a_stray_nul_does_not_cost_a_file_its_rules(root: Path) -> None:
    write(root, {".synapse/dev": b"DEV_RULE_0=a long enough rule\nDEV_RULE_1=b\0c\n"})
    loaded = loaded_from(root)
    facts = loaded.index.snapshot().facts(".synapse/dev")
    assert notes(loaded) == []
    assert facts is not None
    assert "nul-character" in {problem.kind for problem in facts.problems}


def test_the_problems_of_the_bytes_are_problems_of_the_file(root: Path) -> None:
    write(root, {".synapse/dev": b"DEV_RULE_0=caf\xe9\n"})
    facts = loaded_from(root).index.snapshot().facts(".synapse/dev")
    assert facts is not None
    assert (facts.text, [problem.kind for problem in facts.problems]) == (
        "DEV_RULE_0=caf\ufffd\n",
        ["invalid-utf8"],
    )


def is_rule_file(path: str, flags: int) -> bool:
    """Whether that is opened, and not a folder above it."""
    return Path(path).name == "dev" and not flags & getattr(os, "O_DIRECTORY", 0)


def test_a_file_that_may_not_be_read_is_reported(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {".synapse/dev": "- a\n"})
    real = os.open

    def refuse(path: str, flags: int, **options: int) -> int:
        if is_rule_file(path, flags):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, **options)

    monkeypatch.setattr(os, "open", refuse)
    loaded = loaded_from(root)
    assert notes(loaded) == [(".synapse/dev", "unreadable")]
    assert loaded.notes[0].message == "It cannot be read: permission denied."


def test_a_folder_that_may_not_be_listed_is_reported(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("/.synapse"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert notes(loaded_from(root)) == [(".synapse", "unreadable")]


def test_a_squad_that_may_not_be_looked_into_is_reported(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "squads/etl").mkdir(parents=True)
    real = os.lstat

    def refuse(path: str, **options: int) -> os.stat_result:
        if "/squads/etl/" in os.fspath(path):
            raise PermissionError(13, "Permission denied")
        return real(path, **options)

    monkeypatch.setattr(os, "lstat", refuse)
    assert ("squads/etl/squad.yaml", "unreadable") in notes(loaded_from(root))


def test_a_file_that_vanishes_while_it_is_read_is_just_not_there(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {".synapse/dev": "- a\n"})
    real = os.open

    def vanish(path: str, flags: int, **options: int) -> int:
        if is_rule_file(path, flags):
            raise FileNotFoundError(2, "No such file")
        return real(path, flags, **options)

    monkeypatch.setattr(os, "open", vanish)
    loaded = loaded_from(root)
    assert (notes(loaded), loaded.index.snapshot().facts(".synapse/dev")) == ([], None)


def test_a_pipe_that_takes_a_files_place_after_the_first_look_is_not_waited_for(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {".synapse/dev": "- a\n"})
    real = os.open

    def swap(path: str, flags: int, **options: int) -> int:
        if is_rule_file(path, flags):
            (root / ".synapse/dev").unlink()
            os.mkfifo(root / ".synapse/dev")
        return real(path, flags, **options)

    monkeypatch.setattr(os, "open", swap)
    assert notes(loaded_from(root)) == [(".synapse/dev", "not-a-file")]


@pytest.mark.parametrize("name", [b"caf\xe9", b"caf\n", b"caf\x1b", "caf\u202e".encode()])
def test_a_name_that_is_no_text_or_not_seen_is_reported(root: Path, name: bytes) -> None:
    (root / ".synapse" / os.fsdecode(name)).write_text("- a\n")
    assert notes(loaded_from(root)) == [(".synapse/caf?", "bad-name")]


def test_links_are_checked_again_when_a_file_changes(root: Path, outside: Path) -> None:
    write(root, {".synapse/dev": "- a\n"})
    loaded = loaded_from(root)
    (root / ".synapse/dev").unlink()
    link(root / ".synapse/dev", outside / "secret")
    refresh_tree(loaded, [".synapse/dev"])
    assert notes(loaded) == [(".synapse/dev", "outside")]
    assert loaded.index.snapshot().facts(".synapse/dev") is None


def _replace_file(file: Path, outside: Path) -> None:
    file.unlink()
    link(file, outside / "secret")


def _replace_folder(file: Path, outside: Path) -> None:
    write(outside, {f"rules/{file.name}": "SECRET_RULE_0=x\n"})
    file.parent.rename(file.parent.with_name("former"))
    link(file.parent, outside / "rules")


def _read_rules(root: Path) -> str:
    facts = loaded_from(root).index.snapshot().facts(".synapse/dev")
    return facts.text if facts else ""


def _read_inside(root: Path) -> str:
    content = file_reader.read_inside(str(root), ".synapse/dev")
    return content.decoded.text if content else ""


def _read_codex_settings(root: Path) -> object:
    trust = f'projects."{os.path.realpath(root)}".trust_level = "trusted"\n'
    home = write(root.parent / "home", {".codex/config.toml": trust})
    return list(find_skipped_hooks(CLIENTS["codex"], Surroundings(root, home)))


READERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "rules": (".synapse/dev", _read_rules),
    "one file": (".synapse/dev", _read_inside),
    "activation": (
        ".synapse/dev",
        lambda root: TreeFiles(str(root), {}, {}).read_text(".synapse/dev"),
    ),
    "task": (".synapse/dev", lambda root: read_task(str(root), "", "", ".synapse/dev", "", {})),
    "settings": (
        ".claude/settings.json",
        lambda root: read_settings(root / ".claude/settings.json", ".claude/settings.json"),
    ),
    "settings of Codex": (".codex/config.toml", _read_codex_settings),
    "readers of instructions": (
        ".gemini/settings.json",
        lambda root: ProjectReaders(str(root)).readers("GUIDE.md"),
    ),
    "CARL": (".carl/dev", lambda root: read_text(root, ".carl/dev")),
    "what goes with CARL": (".carl/dev", removal_changes),
    "sync": ("docs/AGENTS.md", lambda root: read_document(root, "docs/AGENTS.md")),
    "adoption": ("docs/a.md", lambda root: survey_names(root, ["docs/a.md"])),
}


@pytest.mark.parametrize("reader", list(READERS))
@pytest.mark.parametrize("replace", [_replace_file, _replace_folder])
@pytest.mark.parametrize("was_link", [False, True])
@pytest.mark.parametrize("has_handles", [False, True])
def test_what_leads_out_only_after_it_was_asked_about_is_not_read(
    root: Path,
    outside: Path,
    monkeypatch: pytest.MonkeyPatch,
    reader: str,
    replace: Callable[[Path, Path], None],
    was_link: bool,
    has_handles: bool,
) -> None:
    path, read = READERS[reader]
    if was_link:
        write(root, {"shared": "- a\n"})
        link(root / path, "../shared")
    else:
        write(root, {path: "- a\n"})
    monkeypatch.setattr(regular_files, "HAS_HANDLES", has_handles)
    real, asked = regular_files.open_descriptor, list[str]()
    opened = set[int]()

    def open_late(path_asked: str | Path, **options: str) -> int:
        if not asked and str(path_asked) in (f"{root}/{path}", f"{root}/shared"):
            asked.append(str(path_asked))
            replace(root / path, outside)
        descriptor = real(path_asked, **options)
        opened.add(os.fstat(descriptor).st_ino)
        return descriptor

    monkeypatch.setattr(regular_files, "open_descriptor", open_late)
    with suppress(UserError, UnavailableError, OSError):
        assert "SECRET" not in repr(read(root))
    assert opened.isdisjoint(file.stat().st_ino for file in outside.rglob("*"))
    assert asked or (was_link and read is removal_changes)  # which leaves links alone


def test_what_leads_out_when_it_is_resolved_is_judged_by_that(
    root: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link(root / ".synapse/dev", outside / "secret")
    real = outside_links.lies_in

    def put_back(path: str, base: str) -> bool:
        if path.endswith("/secret") and (root / ".synapse/dev").is_symlink():
            (root / ".synapse/dev").unlink()
            write(root, {".synapse/dev": "- a\n"})
        return real(path, base)

    monkeypatch.setattr(outside_links, "lies_in", put_back)
    assert "SECRET" not in _read_rules(root)
    assert not (root / ".synapse/dev").is_symlink()


def test_a_changed_file_in_a_confined_folder_that_leads_out_is_not_read(
    root: Path, outside: Path
) -> None:
    write(root, {"system/core_identity.md": "# I\n"})
    link(root / "memory/long_term", outside)
    loaded = load_tree(str(root), LoadScope.ALL)
    refresh_tree(loaded, ["memory/long_term/secret.md"])
    assert loaded.index.snapshot().facts("memory/long_term/secret.md") is None


def test_a_lost_link_that_is_called_as_a_file_of_nobody_is_not_said(root: Path) -> None:
    link(root / ".aiox/skills/README.md", "../../gone/README.md")
    link(root / ".aiox/lost", "../gone")
    assert [path for path, _ in notes(loaded_from(root))] == [".aiox/lost"]
