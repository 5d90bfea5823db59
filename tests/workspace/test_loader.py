"""Loading a root: what is read, what is only listed, in what time, and what is read again."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from synapse_ls.workspace.facts import content_key, key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.loader import Loaded, Scope, load, read, refresh
from synapse_ls.workspace.stamps import first_change
from synapse_ls.workspace.tree import Tree
from tests.support import corpus
from tests.workspace.trees import state, workflow, write

CORE = ".aiox-core/development"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a bit of everything."""
    return write(
        tmp_path,
        {
            ".synapse/manifest": "GLOBAL_STATE=active\nDEV_AGENT_TRIGGER=dev\n",
            ".synapse/global": "GLOBAL_RULE_0=a\n",
            ".synapse/dev": "DEV_RULE_0=b\n",
            ".synapse/README.md": "about",
            ".synapse/sessions/s1.json": "{}",
            "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n",
            "squads/etl/.synapse/manifest": "LOAD_RECALL=load\n",
            "squads/etl/.synapse/load": "LOAD_RULE_0=c\n",
            "squads/etl/agents/loader.md": "# Loader\n",
            "squads/_template/.synapse/manifest": "T_STATE=active\n",
            "squads/plain/agents/x.md": "no squad",
            f"{CORE}/agents/dev.md": "```yaml\nagent:\n  id: dev\n```\n",
            f"{CORE}/tasks/build.md": "# Build\n",
            f"{CORE}/workflows/qa-loop.yaml": workflow("qa-loop"),
            f"{CORE}/workflows/other.yaml": workflow("other"),
            ".aiox/deep/a-state.yaml": state("qa_loop"),
            ".aiox-core/data/workflow-patterns.yaml": "workflows:\n  x:\n    description: x\n",
            ".aiox-core/constitution.md": "# Constitution\n",
            "docs/stories/epic/s1.md": "# Story\n",
        },
    )


def get(loaded: Loaded, path: str, *, is_read: bool = True) -> str:
    """The text of a loaded file."""
    facts = loaded.index.snapshot().facts(path)
    assert facts is not None, path
    assert facts.read is is_read, path
    return facts.text


def test_everything_is_read_but_sessions_templates_and_what_is_no_squad(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    assert loaded.notes == []
    snapshot = loaded.index.snapshot()
    assert snapshot.paths() == tuple(
        sorted(
            path
            for path in (file.relative_to(root).as_posix() for file in root.rglob("*"))
            if (root / path).is_file()
            and not path.endswith("README.md")
            and "/sessions/" not in path
            and "_template" not in path
            and "plain" not in path
        )
    )
    facts = [snapshot.facts(path) for path in snapshot.paths()]
    assert all(each is not None and each.read and each.mtime_ns for each in facts)


def test_a_prompt_reads_rules_squads_and_states_and_lists_the_rest(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    assert loaded.notes == []
    assert get(loaded, ".synapse/dev") == "DEV_RULE_0=b\n"
    assert get(loaded, "squads/etl/.synapse/load") == "LOAD_RULE_0=c\n"
    assert get(loaded, ".aiox/deep/a-state.yaml")
    for path in (
        f"{CORE}/agents/dev.md",
        f"{CORE}/tasks/build.md",
        "docs/stories/epic/s1.md",
        "squads/etl/agents/loader.md",
    ):
        assert get(loaded, path, is_read=False) == ""
    assert loaded.index.snapshot().paths(FileKind.OTHER) == ()


def test_a_prompt_reads_the_definition_of_an_active_workflow_by_its_stem(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml")
    assert get(loaded, f"{CORE}/workflows/other.yaml", is_read=False) == ""


def test_a_prompt_finds_the_definition_of_an_active_workflow_by_its_id(root: Path) -> None:
    write(root, {f"{CORE}/workflows/zz.yaml": workflow("qa-loop")})
    (root / CORE / "workflows/qa-loop.yaml").unlink()
    loaded = load(str(root), Scope.PROMPT)
    assert Tree(loaded.index.snapshot()).workflows["qa_loop"] == f"{CORE}/workflows/zz.yaml"


def test_a_prompt_reads_no_definition_for_a_workflow_that_rests(root: Path) -> None:
    write(root, {".aiox/deep/a-state.yaml": state("qa-loop", status="paused")})
    loaded = load(str(root), Scope.PROMPT)
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml", is_read=False) == ""


def test_a_listed_file_can_be_read_later(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    assert content_key(path) in read(loaded, [path, "unknown"])
    assert get(loaded, path) == "# Build\n"


def test_an_empty_folder_is_an_empty_tree(tmp_path: Path) -> None:
    loaded = load(str(tmp_path), Scope.ALL)
    assert (loaded.index.snapshot().paths(), loaded.notes) == ((), [])


def test_the_configuration_says_where_things_are(root: Path) -> None:
    write(
        root,
        {
            ".synapse/config.toml": '[paths]\nagents = ["team"]\nsquads = ["crews"]\n',
            "team/lead.md": "# Lead\n",
            "crews/x/.synapse/manifest": "A_STATE=active\n",
        },
    )
    tree = Tree(load(str(root), Scope.PROMPT).index.snapshot())
    assert (list(tree.agents), [squad.path for squad in tree.squads]) == (["lead"], ["crews/x"])


def test_loading_leaves_the_garbage_collector_as_it_was(root: Path) -> None:
    assert gc.isenabled()
    load(str(root), Scope.ALL)
    assert gc.isenabled()
    gc.disable()
    try:
        load(str(root), Scope.ALL)
        assert not gc.isenabled()
    finally:
        gc.enable()


class Clock:
    """Time that passes only by being asked for: a second each time."""

    def __init__(self) -> None:
        self.ticks: Iterator[int] = count()

    def __call__(self) -> float:
        return float(next(self.ticks))


def late(root: Path, deadline: float) -> Loaded:
    return load(str(root), Scope.PROMPT, deadline=deadline, clock=Clock())


def test_without_time_everything_is_said_to_be_late(root: Path) -> None:
    loaded = late(root, 0)
    assert loaded.index.snapshot().paths() == ()
    assert {note.kind for note in loaded.notes} == {"late"}
    noted = {note.path for note in loaded.notes}
    assert {".synapse", "squads", "docs/stories", ".aiox", f"{CORE}/agents"} <= noted


def test_what_is_read_first_is_what_every_prompt_needs(root: Path) -> None:
    loaded = late(root, 5)
    assert get(loaded, ".synapse/dev")
    assert {note.kind for note in loaded.notes} == {"late"}


def test_a_late_file_is_known_by_name_and_noted(root: Path) -> None:
    loaded = late(root, 3)
    assert get(loaded, ".synapse/dev")
    assert get(loaded, ".synapse/manifest", is_read=False) == ""
    assert (".synapse/manifest", "late") in {(note.path, note.kind) for note in loaded.notes}


def test_every_deadline_accounts_for_every_file(root: Path) -> None:
    complete = load(str(root), Scope.PROMPT).index.snapshot()
    for deadline in range(60):
        loaded = late(root, deadline)
        noted = [note.path for note in loaded.notes if note.kind == "late"]
        for path in complete.paths():
            whole, part = complete.facts(path), loaded.index.snapshot().facts(path)
            assert whole is not None
            missing = part is None or part.read is not whole.read
            assert not missing or any(
                path == note or path.startswith(f"{note}/") or note.startswith("squads")
                for note in noted
            ), (deadline, path)


def test_squads_that_are_late_are_one_note(root: Path) -> None:
    for number in range(8):
        write(root, {f"squads/s{number}/.synapse/manifest": "A_STATE=active\n"})
    messages = [
        note.message
        for deadline in range(200)
        for note in late(root, deadline).notes
        if "squads were not read" in note.message
    ]
    assert any(message.startswith("9 of 9 squads were not read") for message in messages)
    assert (
        "6 of 9 squads were not read, because the time was over: squads/s2, squads/s3, squads/s4, "
        "squads/s5, squads/s6, …."
    ) in messages


def test_what_was_loaded_late_never_counts_as_up_to_date(root: Path) -> None:
    for deadline in range(100):
        loaded = late(root, deadline)
        stale = first_change(str(root), loaded.stamps)
        assert (stale is not None) == bool(loaded.notes), deadline


def test_stamps_hold_while_nothing_changes(root: Path) -> None:
    for scope in Scope:
        loaded = load(str(root), scope)
        assert first_change(str(root), loaded.stamps) is None
        assert loaded.stamps[".aios"] is None


@pytest.mark.parametrize(
    "path",
    [
        ".synapse/dev",
        ".synapse/new",
        ".synapse/config.toml",
        "squads/etl/.synapse/load",
        "squads/etl/squad.yaml",
        "squads/etl/agents/new.md",
        "squads/plain/.synapse/manifest",
        "squads/new/squad.yaml",
        ".aiox/deep/b-state.yaml",
        ".aios/b-state.yaml",
        f"{CORE}/agents/new.md",
        "docs/stories/epic/s2.md",
    ],
)
def test_a_stamp_tells_of_every_file_that_changes_or_appears(root: Path, path: str) -> None:
    loaded = load(str(root), Scope.PROMPT)
    write(root, {path: "changed and longer than before\n" * 9})
    assert first_change(str(root), loaded.stamps) is not None


def test_a_stamp_tells_of_a_file_that_is_replaced_by_one_of_the_same_size_and_time(
    root: Path,
) -> None:
    loaded = load(str(root), Scope.PROMPT)
    path = root / ".synapse/dev"
    before, folder = path.stat(), path.parent.stat()
    write(root, {".synapse/dev.tmp": "DEV_RULE_0=z\n"})
    os.utime(root / ".synapse/dev.tmp", ns=(before.st_atime_ns, before.st_mtime_ns))
    (root / ".synapse/dev.tmp").rename(path)
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    assert first_change(str(root), loaded.stamps) == ".synapse/dev"


def same(loaded: Loaded, root: Path) -> None:
    """A refreshed index has what a new one has."""
    fresh = load(str(root), loaded.scope)
    now, then = loaded.index.snapshot(), fresh.index.snapshot()
    assert now.paths() == then.paths()
    for path in then.paths():
        a, b = now.facts(path), then.facts(path)
        assert a is not None
        assert b is not None
        assert (a.text, a.kind, a.read, a.references) == (b.text, b.kind, b.read, b.references)
    assert sorted(loaded.notes) == sorted(fresh.notes)


def test_a_changed_file_is_read_again(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {".synapse/manifest": "GLOBAL_STATE=active\nDEV_AGENT_TRIGGER=qa\n"})
    changed = refresh(loaded, [".synapse/manifest"])
    assert key("trigger", "agent:qa") in changed
    assert key("domain", "GLOBAL") not in changed
    same(loaded, root)


def test_a_new_file_is_read(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {".synapse/testing": "- test\n"})
    assert key("domain", "TESTING") in refresh(loaded, [".synapse/testing"])
    same(loaded, root)


def test_a_deleted_file_is_dropped(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    (root / ".synapse/dev").unlink()
    assert key("file", ".synapse/dev") in refresh(loaded, [".synapse/dev"])
    same(loaded, root)


def test_an_unchanged_file_changes_no_key(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    assert refresh(loaded, [".synapse/dev", "src/main.py", ".synapse", ""]) == frozenset()


def test_a_deleted_folder_takes_its_files_along(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    (root / "squads/etl").rename(root / "elsewhere")
    assert key("domain", "ETL_LOAD") in refresh(loaded, ["squads/etl"])
    same(loaded, root)


def test_a_new_folder_brings_its_files_along(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {"squads/new/.synapse/manifest": "A_STATE=active\n", "squads/new/agents/a.md": "#"})
    assert key("agent", "a") in refresh(loaded, ["squads/new/"])
    same(loaded, root)


def test_the_first_file_that_makes_a_squad_brings_the_others_along(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {"squads/plain/squad.yaml": "name: plain\nversion: 1.0.0\n"})
    assert key("agent", "x") in refresh(loaded, ["squads/plain/squad.yaml"])
    same(loaded, root)


def test_a_tree_that_comes_back_is_read_whole(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    (root / ".synapse").rename(root / "away")
    refresh(loaded, [".synapse"])
    assert loaded.index.snapshot().facts(".synapse/manifest") is None
    (root / "away").rename(root / ".synapse")
    refresh(loaded, [".synapse"])
    same(loaded, root)


def test_a_listed_file_stays_listed_when_it_changes(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    write(root, {path: "# Other\n"})
    assert refresh(loaded, [path]) == frozenset()
    assert get(loaded, path, is_read=False) == ""


def test_a_listed_file_that_was_read_is_read_again(root: Path) -> None:
    loaded = load(str(root), Scope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    read(loaded, [path])
    write(root, {path: "# Other\n"})
    refresh(loaded, [path])
    assert get(loaded, path) == "# Other\n"


def test_a_workflow_that_becomes_active_brings_its_definition_along(root: Path) -> None:
    path = ".aiox/deep/a-state.yaml"
    write(root, {path: state("qa-loop", status="paused")})
    loaded = load(str(root), Scope.PROMPT)
    write(root, {path: state("qa-loop")})
    refresh(loaded, [path])
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml")
    same(loaded, root)


def test_sessions_make_nothing_stale(root: Path) -> None:
    for scope in Scope:
        loaded = load(str(root), scope)
        refresh(loaded, [".synapse"])
        write(root, {f".synapse/sessions/{scope}.json": "{}"})
        assert refresh(loaded, [f".synapse/sessions/{scope}.json"]) == frozenset()
        assert first_change(str(root), loaded.stamps) is None


def test_a_configuration_that_moves_the_places_loads_them(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(
        root,
        {".synapse/config.toml": '[paths]\nagents = ["team"]\n', "team/lead.md": "# Lead\n"},
    )
    changed = refresh(loaded, [".synapse/config.toml"])
    assert {key("agent", "lead"), key("agent", "dev")} <= changed
    same(loaded, root)


def test_a_configuration_that_moves_nothing_reads_nothing_else(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    before = loaded.index.snapshot().facts(".synapse/dev")
    write(root, {".synapse/config.toml": 'profile = "synapse-live"\n'})
    assert key("setting", "config") in refresh(loaded, [".synapse/config.toml"])
    assert loaded.index.snapshot().facts(".synapse/dev") is before


def test_a_note_goes_with_its_cause(root: Path) -> None:
    loaded = load(str(root), Scope.ALL)
    write(root, {".synapse/dev": b"x" * 2_000_001})
    refresh(loaded, [".synapse/dev"])
    assert [note.kind for note in loaded.notes] == ["too-large"]
    write(root, {".synapse/dev": "- small\n"})
    refresh(loaded, [".synapse/dev"])
    assert loaded.notes == []


def domains(name: str) -> list[tuple[str, str | None]]:
    root = corpus() / name
    loaded = load(str(root), Scope.PROMPT)
    assert loaded.notes == []
    tree = Tree(loaded.index.snapshot())
    assert tree.orphans == ()
    return [(domain.name, domain.file) for domain in tree.domains]


def test_the_published_tree_has_a_file_for_each_of_its_domains() -> None:
    found = domains("aiox")
    assert len(found) == 19
    assert dict(found)["AGENT_AIOX_MASTER"] == ".synapse/agent-aiox-master"
    assert all(file for _, file in found)


def test_a_published_tree_loads_whole_and_without_notes() -> None:
    for name in ("aiox", "many-domains"):
        loaded = load(str(corpus() / name), Scope.ALL)
        assert loaded.notes == []


def test_the_tree_with_many_domains_lacks_a_file_for_most_of_them() -> None:
    root = corpus() / "many-domains"
    loaded = load(str(root), Scope.PROMPT)
    assert loaded.notes == []
    tree = Tree(loaded.index.snapshot())
    without = [domain.name for domain in tree.domains if domain.file is None]
    assert (len(tree.domains), len(without)) == (74, 54)
    assert "EXTERNAL_REPO_ADOPTION" in without
    assert tree.orphans == (".synapse/external-repo-adoption-checklist",)
