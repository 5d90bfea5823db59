"""A tree that an editor lives with: buffers, files that change, the current session."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.formats import session_file as schema
from synapse_ls.ide.hover import hover
from synapse_ls.live import live_tree
from synapse_ls.live.disk_queries import (
    query_context,
    query_domains,
    query_explanation,
    query_sessions,
    query_status,
)
from synapse_ls.live.live_tree import LiveTree, TreeChanges
from synapse_ls.storage.trusted_trees import trust_tree
from synapse_ls.text.user_error import UserError
from tests.ide.views import SQUAD, STATE
from tests.trees import TEAM, write_tree

MANIFEST = ".synapse/manifest"
QUIET = {".synapse/config.toml": "[lint]\nignore = ['SYN404']\n"}  # it is true of the whole tree
NOW = 1_800_000_000.0


class Editor:
    """A tree on disk, and an editor that has loaded it; its clock stands until it is moved."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.now = NOW
        self.tree = LiveTree(str(root), clock=lambda: self.now)
        self.tree.load()

    def write(self, path: str, text: str) -> TreeChanges:
        """Change a file on disk, and tell the tree."""
        write_tree(self.root, {path: text})
        return self.tree.update_from_disk([path])

    def codes(self, path: str) -> list[str]:
        """The codes of a file's diagnostics."""
        return [diagnostic.code for diagnostic in self.tree.diagnostics(path)]

    def session(self, id: str, *, at: float = NOW, used: int = 0, **fields: Any) -> TreeChanges:
        """Write a session that was active ``at`` and has used so many of 200,000 tokens."""
        stamp = datetime.fromtimestamp(at, UTC).isoformat()
        document = {**schema.new_session(id, str(self.root), stamp).to_document(), **fields}
        if used:
            document["context"]["usage"] = {"used": used, "window": 200_000}
        path = f".synapse/sessions/{id}.json"
        write_tree(self.root, {path: json.dumps(document)})
        os.utime(self.root / path, (at, at))
        return self.tree.update_from_disk([path])


@contextmanager
def counted_calls() -> Iterator[Callable[[], int]]:
    """Counts the calls of Python's and C's functions meanwhile."""
    counts = Counter[str]()
    before = sys.getprofile()
    sys.setprofile(lambda _, event, __: counts.update((event,)))
    try:
        yield lambda: counts["call"] + counts["c_call"]
    finally:
        sys.setprofile(before)


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return Editor(write_tree(tmp_path / "tree", {**TEAM, **SQUAD, **QUIET}))


def test_the_first_load_finds_what_is_wrong(tmp_path: Path) -> None:
    tree = LiveTree(str(write_tree(tmp_path, {MANIFEST: "nonsense\n"})))
    assert tree.load() == TreeChanges(frozenset({MANIFEST}), context=True, status=True)
    assert tree.paths_with_diagnostics() == (MANIFEST,)


def test_progress_counts_the_squads_that_are_read_and_then_the_files_that_are_checked(
    tmp_path: Path,
) -> None:
    told: list[tuple[str, int, int]] = []
    tree = LiveTree(str(write_tree(tmp_path, SQUAD)))
    tree.load(lambda *made: told.append(made))
    files = len(tree.view().tree.snapshot.paths())
    checked = [("files checked:", done, files) for done in range(files)]
    assert told == [("squads read:", 0, 1), *checked]


def test_breaking_a_line_in_a_buffer_is_reported_and_mending_it_too(editor: Editor) -> None:
    text = editor.tree.text(MANIFEST) or ""
    assert editor.tree.open(MANIFEST, text) == TreeChanges()
    broken = editor.tree.edit(MANIFEST, f"{text}nonsense\n")
    assert broken == TreeChanges(frozenset({MANIFEST}))
    assert editor.codes(MANIFEST) == ["SYN103"]
    assert editor.tree.edit(MANIFEST, text).diagnostics == {MANIFEST}
    assert editor.codes(MANIFEST) == []


def test_a_buffer_is_reported_in_the_files_that_depend_on_it(editor: Editor) -> None:
    text = (editor.tree.text(MANIFEST) or "").replace("TESTING", "ELSEWHERE")
    changes = editor.tree.open(MANIFEST, text)
    assert changes.diagnostics >= {MANIFEST, ".synapse/testing"}


def test_closing_a_buffer_brings_the_file_back(editor: Editor) -> None:
    editor.tree.open(MANIFEST, "nonsense\n")
    assert MANIFEST in editor.tree.close(MANIFEST).diagnostics
    assert editor.codes(MANIFEST) == []
    assert (editor.tree.text(MANIFEST) or "").startswith("CONSTITUTION_STATE")


def test_a_buffer_wins_over_the_file(editor: Editor) -> None:
    editor.tree.open(".synapse/global", "GLOBAL_RULE_0=in the buffer\n")
    editor.write(".synapse/global", "GLOBAL_RULE_0=on disk\n")
    assert editor.tree.text(".synapse/global") == "GLOBAL_RULE_0=in the buffer\n"
    assert "in the buffer" in editor.tree.view().assembly.text


@pytest.mark.parametrize("text", ["x" * 8_000_000, "é" * 1_100_000], ids=["characters", "bytes"])
def test_a_buffer_that_is_larger_than_any_file_that_is_read_is_not_read(
    editor: Editor, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(live_tree, "analyze_file", pytest.fail)
        editor.tree.edit(".synapse/docs", f"DOCS_RULE_0={text}\n")
    (found,) = editor.tree.diagnostics(".synapse/docs")
    assert (found.code, "more than 2 MB" in found.message) == ("SYN101", True)
    editor.tree.edit(".synapse/docs", "DOCS_RULE_0=short\n")
    assert "SYN101" not in editor.codes(".synapse/docs")


@pytest.mark.slow
def test_the_work_for_a_manifest_grows_with_its_domains_and_no_faster(editor: Editor) -> None:
    def calls(domains: int) -> int:
        lines = [f"D{n}_STATE=active\nD{n}_RECALL=w{n}, word{n}\n" for n in range(domains)]
        with counted_calls() as count:
            editor.tree.edit(".synapse/manifest", "".join(lines))
        return count()

    few, many = calls(400), calls(1_600)
    assert many < 5 * few


@pytest.mark.parametrize("path", ["squads/a1/.synapse/manifest", "squads/a1/.synapse/x"])
def test_an_edit_in_a_squad_costs_no_more_beside_many_squads(path: str, tmp_path: Path) -> None:
    calls = {}
    for squads in (4, 204):
        files = dict(TEAM)
        for number in range(squads):
            files[f"squads/a{number}/.synapse/manifest"] = f"X_STATE=active\nX_RECALL=w{number}\n"
            files[f"squads/a{number}/.synapse/x"] = "A rule.\n"
        tree = LiveTree(str(write_tree(tmp_path / str(squads), files)))
        tree.load()
        text = tree.text(path) or ""
        tree.open(path, text)
        tree.edit(path, f"{text}# a\n")
        with counted_calls() as count:
            tree.edit(path, f"{text}# b\n")
            calls[squads] = count()
    assert calls[204] - calls[4] < 50  # the maps of the index are deeper


def test_agents_are_served_from_disk(editor: Editor) -> None:
    changes = editor.tree.open(".synapse/global", "GLOBAL_RULE_0=in the buffer\n")
    assert not changes.context
    assert "in the buffer" not in query_context(editor.tree, {}).block


def test_a_file_that_is_only_in_a_buffer_takes_part(editor: Editor) -> None:
    editor.tree.open(".synapse/new", "")
    editor.tree.edit(".synapse/new", "NEW_RULE_0=a\n")
    assert editor.codes(".synapse/new") == ["SYN202"]
    editor.tree.close(".synapse/new")
    assert editor.codes(".synapse/new") == []
    assert editor.tree.text(".synapse/new") is None


def test_a_file_that_is_not_ours_is_only_kept(editor: Editor) -> None:
    assert editor.tree.open("src/main.py", "x = 1\n") == TreeChanges()
    assert editor.tree.text("src/main.py") == "x = 1\n"
    assert editor.tree.diagnostics("src/main.py") == ()


def test_a_rule_that_changes_on_disk_changes_the_block(editor: Editor) -> None:
    changes = editor.write(".synapse/global", "GLOBAL_RULE_0=other\n")
    assert changes.context
    assert "other" in query_context(editor.tree, {}).block


def test_a_rule_that_nobody_is_told_changes_no_block(editor: Editor) -> None:
    assert not editor.write(".synapse/agent-dev", "AGENT_DEV_RULE_0=other\n").context


def test_a_file_that_did_not_change_changes_nothing(editor: Editor) -> None:
    assert editor.tree.update_from_disk([MANIFEST, ".synapse/global"]) == TreeChanges()


def test_the_workflow_state_changes_the_block_where_its_layer_is_awake(editor: Editor) -> None:
    editor.session("s", used=100_000)
    assert editor.write(".aiox/a-state.yaml", STATE).context
    assert "PHASE: in_development" in query_context(editor.tree, {}).block
    changes = editor.write(
        ".aiox/a-state.yaml",
        STATE.replace("step_index: 0\nsteps", "step_index: 1\nsteps").replace(
            "dev: in_development", "qa: qa_review"
        ),
    )
    assert changes.context
    assert "PHASE: qa_review" in query_context(editor.tree, {}).block


def test_in_fresh_the_workflow_state_changes_the_status_only(editor: Editor) -> None:
    changes = editor.write(".aiox/a-state.yaml", STATE)
    assert (changes.context, changes.status) == (False, True)
    workflow = query_status(editor.tree).situation.workflow
    assert workflow and workflow.id == "story-development-cycle"


def test_the_newest_active_session_is_followed(editor: Editor) -> None:
    assert query_sessions(editor.tree).current is None
    changes = editor.session("old", at=NOW - 600, used=100_000)
    assert changes == TreeChanges(context=True, status=True)
    editor.session("new", at=NOW - 60, used=190_000)
    assert query_sessions(editor.tree).current == "new"
    assert query_context(editor.tree, {}).bracket == "CRITICAL"
    assert editor.tree.view().assembly.situation.bracket.name == "CRITICAL"


def test_a_session_that_was_idle_for_an_hour_is_not_followed_any_more(editor: Editor) -> None:
    editor.session("s", at=NOW - 3000, used=190_000)
    editor.now += 1200
    assert editor.tree.view().assembly.situation.bracket.name == "FRESH"
    assert editor.tree.update_from_disk([]) == TreeChanges(context=True, status=True)
    assert query_sessions(editor.tree).current is None


def test_a_pinned_session_is_followed_whatever_its_age(editor: Editor) -> None:
    editor.session("old", at=NOW - 90_000, used=190_000)
    editor.session("new")
    assert editor.tree.pin("old") == TreeChanges(context=True, status=True)
    assert query_sessions(editor.tree).pinned == "old"
    assert query_context(editor.tree, {}).bracket == "CRITICAL"
    assert editor.tree.pin(None).context
    assert query_sessions(editor.tree).current == "new"


def test_a_pinned_session_that_goes_is_a_new_one(editor: Editor) -> None:
    editor.session("s", used=190_000)
    editor.tree.pin("s")
    (editor.root / ".synapse/sessions/s.json").unlink()
    assert editor.tree.update_from_disk([".synapse/sessions"]).status
    assert query_context(editor.tree, {}).bracket == "FRESH"


def test_a_prompt_in_the_session_changes_the_status_and_never_diagnostics(editor: Editor) -> None:
    editor.session("s", used=1000)
    changes = editor.session("s", used=3000, prompt_count=1)
    assert changes == TreeChanges(status=True)


def test_the_agent_of_the_session_is_in_the_block(editor: Editor) -> None:
    editor.session("s", active_agent={"id": "dev", "activated_at": None})
    assert "[ACTIVE AGENT: @dev]" in query_context(editor.tree, {}).block
    assert "[ACTIVE AGENT: @dev]" in editor.tree.view().assembly.text


def test_an_agent_goes_by_the_name_of_its_file_as_in_a_prompt(editor: Editor) -> None:
    write_tree(editor.root, {"squads/etl-squad/agents/loader.md": "---\nname: other\n---\n"})
    editor.tree.update_from_disk(["squads/etl-squad/agents/loader.md"])
    editor.session("s", used=100_000, active_agent={"id": "loader", "activated_at": None})
    block = query_context(editor.tree, {}).block
    assert "[SQUAD: etl-squad]" in block
    assert editor.tree.view().assembly.text == block


def test_a_question_about_a_new_session_ignores_the_current_one(editor: Editor) -> None:
    editor.session("s", used=190_000)
    assert query_context(editor.tree, {"session": ""}).bracket == "FRESH"


def test_a_question_in_an_unknown_bracket_is_refused(editor: Editor) -> None:
    with pytest.raises(UserError, match='no bracket "MELLOW"'):
        query_context(editor.tree, {"bracket": "MELLOW"})


def test_explain_accounts_for_every_rule(editor: Editor) -> None:
    told = query_explanation(editor.tree, {"prompt": "unit test", "remaining": 50})
    rules = [rule for domain in told.domains for rule in domain.rules]
    assert {rule.key for rule in rules} >= {"TESTING_RULE_0", "PIPELINE_RULE_0"}


def test_domains_are_those_of_root_and_squads(editor: Editor) -> None:
    labels = [domain.label for domain in query_domains(editor.tree).domains]
    assert labels[0] == "CONSTITUTION"
    assert labels[-1] == "ETL_PIPELINE"


def test_a_tree_that_goes_and_comes_back_is_as_before(editor: Editor) -> None:
    before = query_context(editor.tree, {}).block
    shutil.move(editor.root, editor.root.with_name("away"))
    gone = editor.tree.update_from_disk([""])
    assert gone.context
    assert editor.tree.view().tree.snapshot.paths() == ()
    shutil.move(editor.root.with_name("away"), editor.root)
    assert editor.tree.update_from_disk([""]).context
    assert query_context(editor.tree, {}).block == before
    assert editor.tree.view().assembly.text == before


def test_the_folder_of_the_tree_may_go_and_come_back(editor: Editor) -> None:
    before = editor.tree.view().assembly.text
    shutil.rmtree(editor.root / ".synapse")
    assert editor.tree.update_from_disk([".synapse"]).context
    write_tree(editor.root, TEAM)
    assert editor.tree.update_from_disk([".synapse"]).context
    assert editor.tree.view().assembly.text == before


def test_a_linked_squad_is_followed_by_its_path_in_the_tree(editor: Editor, tmp_path: Path) -> None:
    real = tmp_path / "elsewhere"
    shutil.move(editor.root / "squads/etl-squad", real)
    trust_tree(str(real))
    (editor.root / "squads/etl-squad").symlink_to(real)
    editor.tree.update_from_disk(["squads"])
    path = "squads/etl-squad/.synapse/manifest"
    (real / ".synapse/manifest").write_text("nonsense\n")
    assert editor.tree.update_from_disk([path]).diagnostics >= {path}
    assert "SYN103" in editor.codes(path)


def test_a_buffer_of_what_lies_behind_a_link_out_of_the_project_is_no_rule(
    editor: Editor, tmp_path: Path
) -> None:
    path, text = ".synapse/context", "CONTEXT_RULE_0=Secret\n"
    file = editor.root / path
    file.unlink()
    (tmp_path / "elsewhere").write_text(text)
    file.symlink_to(tmp_path / "elsewhere")
    editor.tree.update_from_disk([path])
    editor.tree.open(path, text)
    assert "Secret" not in editor.tree.view().assembly.text
    assert editor.tree.text(path) == text  # to its editor
    assert hover(editor.tree.view(), path, 3) is None
    file.unlink()
    file.write_text(text)
    editor.tree.update_from_disk([path])
    assert "Secret" in editor.tree.view().assembly.text


def test_many_files_at_once_are_one_look_at_everything(editor: Editor) -> None:
    files = {f".synapse/rules-{n}": f"RULES_{n}_RULE_0=a\n" for n in range(300)}
    write_tree(editor.root, files)
    assert editor.tree.update_from_disk(files).diagnostics >= set(files)
    for path in files:
        (editor.root / path).unlink()
    assert editor.tree.update_from_disk(files).diagnostics >= set(files)
    assert editor.tree.paths_with_diagnostics() == ()


def test_a_configuration_that_moves_a_folder_moves_what_is_looked_at(editor: Editor) -> None:
    write_tree(editor.root, {"teams/x/.synapse/manifest": "nonsense\n"})
    changes = editor.write(".synapse/config.toml", '[paths]\nsquads = ["teams"]\n')
    assert "teams/x/.synapse/manifest" in changes.diagnostics
    labels = [domain.label for domain in editor.tree.view().tree.domains]
    assert "ETL_PIPELINE" not in labels


def test_a_configuration_in_a_buffer_is_in_force_for_diagnostics(editor: Editor) -> None:
    editor.tree.open(MANIFEST, "nonsense\n")
    editor.tree.open(".synapse/config.toml", '[lint]\nignore = ["SYN1"]\n')
    assert "SYN103" not in editor.codes(MANIFEST)
    editor.tree.close(".synapse/config.toml")
    assert "SYN103" in editor.codes(MANIFEST)


def test_a_view_stays_as_it_is(editor: Editor) -> None:
    view = editor.tree.view()
    before = view.assembly.text
    editor.tree.open(".synapse/global", "GLOBAL_RULE_0=other\n")
    editor.write(MANIFEST, "GLOBAL_STATE=inactive\n")
    assert view.assembly.text == before
    assert hover(view, MANIFEST, 0) is not None


def test_nothing_is_written_into_the_tree(editor: Editor) -> None:
    before = sorted(path for path in editor.root.rglob("*"))
    query_context(editor.tree, {"prompt": "*brief"})
    query_status(editor.tree)
    query_sessions(editor.tree)
    assert sorted(path for path in editor.root.rglob("*")) == before


def test_what_an_editor_shows_of_a_deleted_file_is_no_part_of_the_tree(editor: Editor) -> None:
    """A file that was renamed in the editor and put back by git: the tab with the new name stays."""
    path, text = ".synapse/stray", "STRAY_RULE_0=x\n"
    editor.write(path, text)
    editor.tree.open(path, text)
    assert editor.codes(path) == ["SYN202"]
    (editor.root / path).unlink()
    assert path in editor.tree.update_from_disk([path]).diagnostics
    assert editor.codes(path) == []


def test_a_file_that_is_gone_when_it_is_opened_is_no_part_of_the_tree(editor: Editor) -> None:
    path, text = ".synapse/stray", "STRAY_RULE_0=x\n"
    editor.tree.open(path, text)
    assert editor.codes(path) == []


def test_an_edit_makes_a_draft_of_what_is_left_of_a_deleted_file(editor: Editor) -> None:
    path, text = ".synapse/stray", "STRAY_RULE_0=x\n"
    editor.tree.open(path, text)
    editor.tree.edit(path, f"{text}STRAY_RULE_1=y\n")
    assert editor.codes(path) == ["SYN202"]


def test_a_draft_stays_whatever_else_changes_on_disk(editor: Editor) -> None:
    path, text = ".synapse/stray", "STRAY_RULE_0=x\n"
    editor.tree.open(path, "")
    editor.tree.edit(path, text)
    editor.write(".synapse/global", "GLOBAL_RULE_0=a\n")
    assert editor.codes(path) == ["SYN202"]


def test_a_file_that_comes_back_counts_again(editor: Editor) -> None:
    path, text = ".synapse/stray", "STRAY_RULE_0=x\n"
    editor.tree.open(path, text)
    editor.write(path, text)
    assert editor.codes(path) == ["SYN202"]
