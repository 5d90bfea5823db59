"""Loading a root: what is read, what is only listed, in what time, and what is read again."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from synapse_ls.workspace.fact_extraction import content_key
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree, read_listed_files
from tests.support import corpus
from tests.workspace.trees import CORE, first_changed_path, get, state, workflow, write


def test_everything_is_read_but_sessions_templates_and_what_is_no_squad(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.ALL)
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
    assert all(each is not None and each.is_read and each.mtime_ns for each in facts)


def test_a_prompt_reads_rules_squads_and_states_and_lists_the_rest(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.PROMPT)
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
    assert loaded.index.snapshot().paths(FileKind.CONSTITUTION_SOURCE) == ()


def test_a_prompt_reads_the_definition_of_an_active_workflow_by_its_stem(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.PROMPT)
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml")
    assert get(loaded, f"{CORE}/workflows/other.yaml", is_read=False) == ""


def test_a_prompt_finds_the_definition_of_an_active_workflow_by_its_id(root: Path) -> None:
    write(root, {f"{CORE}/workflows/zz.yaml": workflow("qa-loop")})
    (root / CORE / "workflows/qa-loop.yaml").unlink()
    loaded = load_tree(str(root), LoadScope.PROMPT)
    assert Tree(loaded.index.snapshot()).workflows["qa_loop"] == f"{CORE}/workflows/zz.yaml"


def test_a_prompt_reads_no_definition_for_a_workflow_that_rests(root: Path) -> None:
    write(root, {".aiox/deep/a-state.yaml": state("qa-loop", status="paused")})
    loaded = load_tree(str(root), LoadScope.PROMPT)
    assert get(loaded, f"{CORE}/workflows/qa-loop.yaml", is_read=False) == ""


def test_a_listed_file_can_be_read_later(root: Path) -> None:
    loaded = load_tree(str(root), LoadScope.PROMPT)
    path = f"{CORE}/tasks/build.md"
    assert content_key(path) in read_listed_files(loaded, [path, "unknown"])
    assert get(loaded, path) == "# Build\n"


def test_an_empty_folder_is_an_empty_tree(tmp_path: Path) -> None:
    loaded = load_tree(str(tmp_path), LoadScope.ALL)
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
    tree = Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot())
    assert (list(tree.agents), [squad.path for squad in tree.squads]) == (["lead"], ["crews/x"])


def test_loading_leaves_the_garbage_collector_as_it_was(root: Path) -> None:
    assert gc.isenabled()
    load_tree(str(root), LoadScope.ALL)
    assert gc.isenabled()
    gc.disable()
    try:
        load_tree(str(root), LoadScope.ALL)
        assert not gc.isenabled()
    finally:
        gc.enable()


class Clock:
    """Time that passes only by being asked for: a second each time."""

    def __init__(self) -> None:
        self.ticks: Iterator[int] = count()

    def __call__(self) -> float:
        return float(next(self.ticks))


def late(root: Path, deadline: float, *, ordinary_files: int = 0) -> LoadedTree:
    return load_tree(
        str(root),
        LoadScope.PROMPT,
        deadline=deadline,
        clock=Clock(),
        ordinary_files=ordinary_files,
    )


def load_later_and_later(root: Path) -> Iterator[tuple[int, LoadedTree]]:
    """Loads with one tick more each time, and at last one that has the time for everything."""
    for deadline in count():
        loaded = late(root, deadline)
        yield deadline, loaded
        if not loaded.notes:
            return


def test_without_time_everything_is_said_to_be_late(root: Path) -> None:
    loaded = late(root, 0)
    assert {note.kind for note in loaded.notes} == {"late"}
    noted = {note.path for note in loaded.notes}
    assert {"squads", "docs/stories", ".aiox", f"{CORE}/agents"} <= noted


def test_what_stands_in_every_prompt_is_read_even_without_time(root: Path) -> None:
    loaded = late(root, 0)
    assert get(loaded, ".synapse/manifest")
    assert get(loaded, ".synapse/dev")


def test_what_is_read_first_is_what_every_prompt_needs(root: Path) -> None:
    loaded = late(root, 5)
    assert get(loaded, ".synapse/dev")
    assert {note.kind for note in loaded.notes} == {"late"}


def test_a_late_file_is_known_by_name_and_noted(root: Path) -> None:
    (root / ".synapse" / "manifest").write_text("SLOW_RECALL=slow\n")
    (root / ".synapse" / "slow").write_text("SLOW_RULE_0=x\n")
    loaded = late(root, 0)
    assert get(loaded, ".synapse/slow", is_read=False) == ""
    assert (".synapse/slow", "late") in {(note.path, note.kind) for note in loaded.notes}


def test_a_tree_of_ordinary_size_is_read_on_a_busy_machine(root: Path) -> None:
    *_, (spent, _) = load_later_and_later(root)  # in the clock of these tests
    busy = spent / 4
    assert late(root, busy).notes
    assert not late(root, busy, ordinary_files=100).notes
    assert late(root, busy, ordinary_files=3).notes


def test_more_squads_than_an_ordinary_tree_has_files_are_not_waited_for(root: Path) -> None:
    spent = next(n for n in range(200) if not late(root, n).notes)
    for number in range(60):
        write(root, {f"squads/s{number}/.synapse/manifest": "A_STATE=active\n"})

    def late_squads(ordinary_files: int) -> int:
        notes = late(root, spent / 2, ordinary_files=ordinary_files).notes
        return sum(
            int(dict(note.data)["sources"])
            for note in notes
            if "squads were not read" in note.message
        )

    assert late_squads(60) > 60
    assert late_squads(65) < 60


def test_every_deadline_accounts_for_every_file(root: Path) -> None:
    complete = load_tree(str(root), LoadScope.PROMPT).index.snapshot()
    for deadline, loaded in load_later_and_later(root):
        noted = [note.path for note in loaded.notes if note.kind == "late"]
        for path in complete.paths():
            whole, part = complete.facts(path), loaded.index.snapshot().facts(path)
            assert whole is not None
            missing = part is None or part.is_read is not whole.is_read
            assert not missing or any(
                path == note or path.startswith(f"{note}/") or note.startswith("squads")
                for note in noted
            ), (deadline, path)


def test_squads_that_are_late_are_one_note(root: Path) -> None:
    for number in range(8):
        write(root, {f"squads/s{number}/.synapse/manifest": "A_STATE=active\n"})
    notes = [
        note
        for _, loaded in load_later_and_later(root)
        for note in loaded.notes
        if "squads were not read" in note.message
    ]
    messages = [note.message for note in notes]
    assert all(note.message.startswith(f"{dict(note.data)['sources']} of ") for note in notes)
    # As long as there is no time to look into them, a folder passes for a squad.
    assert any(message.startswith("10 of 10 folders of squads were not") for message in messages)
    assert (
        "6 of 9 folders of squads were not read, because the time was over: squads/s2, squads/s3, squads/s4, "
        "squads/s5, squads/s6, …."
    ) in messages


def test_what_was_loaded_late_never_counts_as_up_to_date(root: Path) -> None:
    for deadline, loaded in load_later_and_later(root):
        stale = first_changed_path(str(root), loaded.stamps)
        assert (stale is not None) == bool(loaded.notes), deadline


def test_stamps_hold_while_nothing_changes(root: Path) -> None:
    for scope in LoadScope:
        loaded = load_tree(str(root), scope)
        assert first_changed_path(str(root), loaded.stamps) is None
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
    loaded = load_tree(str(root), LoadScope.PROMPT)
    write(root, {path: "changed and longer than before\n" * 9})
    assert first_changed_path(str(root), loaded.stamps) is not None


def test_a_stamp_tells_of_a_file_that_is_replaced_by_one_of_the_same_size_and_time(
    root: Path,
) -> None:
    loaded = load_tree(str(root), LoadScope.PROMPT)
    path = root / ".synapse/dev"
    before, folder = path.stat(), path.parent.stat()
    write(root, {".synapse/dev.tmp": "DEV_RULE_0=z\n"})
    os.utime(root / ".synapse/dev.tmp", ns=(before.st_atime_ns, before.st_mtime_ns))
    (root / ".synapse/dev.tmp").rename(path)
    os.utime(path.parent, ns=(folder.st_atime_ns, folder.st_mtime_ns))
    assert first_changed_path(str(root), loaded.stamps) == ".synapse/dev"


def test_the_published_tree_has_a_file_for_each_of_its_domains() -> None:
    loaded = load_tree(str(corpus() / "aiox"), LoadScope.PROMPT)
    assert loaded.notes == []
    tree = Tree(loaded.index.snapshot())
    found = {domain.name: domain.file for domain in tree.domains}
    assert (len(found), all(found.values()), tree.orphan_files) == (19, True, ())
    assert found["AGENT_AIOX_MASTER"] == ".synapse/agent-aiox-master"


def test_a_published_tree_loads_whole_and_without_notes() -> None:
    for name in ("aiox", "many-domains"):
        loaded = load_tree(str(corpus() / name), LoadScope.ALL)
        assert loaded.notes == []


def test_the_tree_with_many_domains_lacks_a_file_for_most_of_them() -> None:
    root = corpus() / "many-domains"
    loaded = load_tree(str(root), LoadScope.PROMPT)
    assert loaded.notes == []
    tree = Tree(loaded.index.snapshot())
    without = [domain.name for domain in tree.domains if domain.file is None]
    assert (len(tree.domains), len(without)) == (74, 54)
    assert "EXTERNAL_REPO_ADOPTION" in without
    assert tree.orphan_files == (".synapse/external-repo-adoption-checklist",)
