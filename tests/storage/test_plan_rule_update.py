"""After a rule file was edited, prompts and questions need only that file read, and say the same."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from itertools import count
from marshal import loads
from pathlib import Path
from random import Random

import pytest

from synapse_ls.engine.compiled_plan import STORED_FIELDS, Plan
from synapse_ls.storage import plan_cache, plan_writer
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.tree_compilation import compile_tree
from synapse_ls.workspace.file_facts import _PARSERS as PARSERS
from synapse_ls.workspace.file_kinds import BUILT_IN
from tests.policies import place_user_policy
from tests.support import corpus
from tests.trees import TEAM, write_tree

SQUAD = {
    "squads/etl/squad.yaml": "name: etl\n",
    "squads/etl/.synapse/manifest": """\
        PIPELINE_STATE=active
        PIPELINE_RECALL=pipeline
        LOADING_STATE=active
        LOADING_AGENT_TRIGGER=loader
        """,
    "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=One step after the other\n",
    "squads/etl/.synapse/rules": "LOADING_RULE_0=Load twice\n",
}
LINES = (
    "GLOBAL_RULE_7=Say what you did",
    "AGENT_DEV_AUTH_3=BLOCKED: git push --force — ask @devops",
    "AGENT_QA_AUTH_1=ALLOWED: Story updates (QA Results section only)",
    "AGENT_DEV_DENY_0=npm publish*",
    "AGENT_DEV_ALLOW_0=git status",
    "CONTEXT_RULE_FRESH_4=Take your time",
    "CONTEXT_RULE_SOON_1=Be quick",
    "FRESH_RULES=false",
    "COMMANDS_RULE_BRIEF_3=No tables",
    "# [*review] COMMAND:",
    "COMMANDS_RULE_REVIEW_0=Read all of it",
    "CONSTITUTION_RULE_ART4_0=No Invention (MUST)",
    "CONSTITUTION_RULE_ART4_1=MUST: what is not asked for is not built",
    "### IV. Quality (SHOULD)",
    "- Plain text is a rule, too: <synapse-rules>",
    "Phase qa_review: look twice",
    "é [CONSTITUTION] \u2028 ü",
    "# only a comment",
    "",
)
_moments = count(1_700_000_000)


def put(root: Path, path: str, text: str) -> None:
    """Write a file as if that were long ago: what has just changed is looked at again."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    moment = next(_moments)
    os.utime(root / path, (moment, moment))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree with a squad, whose plan is cached."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", -600_000_000_000)
    root = write_tree(tmp_path / "tree", {**TEAM, **SQUAD})
    load_plan(str(root))
    return root


def told(root: Path, patience: float | None = 30) -> Plan:
    """The plan of a prompt that looks at all rule files; without patience, that of a question."""
    return load_plan(str(root), patience=patience).with_all_files().plan


def assert_current(plan: Plan, root: Path) -> None:
    """The plan says what one says that is made of all files."""
    anew = compile_tree(str(root)).plan
    for name in STORED_FIELDS:
        if name != "packed":
            assert getattr(plan, name) == getattr(anew, name), name
    assert [loads(row) for row in plan.packed] == [loads(row) for row in anew.packed]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".synapse/global", "GLOBAL_RULE_0=Something else\n"),
        (".synapse/global", "Something else\n\n- and more\n"),
        (".synapse/agent-dev", "AGENT_DEV_AUTH_0=BLOCKED: gh pr create — delegate to @devops\n"),
        (".synapse/agent-dev", "AGENT_DEV_RULE_0=Do as you like\n"),
        (".synapse/guardrails", "GUARDRAILS_DENY_0=rm -rf*\nGUARDRAILS_RULE_0=Be careful\n"),
        (".synapse/context", "CONTEXT_RULE_FRESH_0=Look around\nCONTEXT_RULE_SOON_1=Hurry\n"),
        (".synapse/commands", "COMMANDS_RULE_LONG_0=At length\nCOMMANDS_RULE_BRIEF_0=Short\n"),
        (".synapse/constitution", "CONSTITUTION_RULE_ART3_0=Stories (MUST)\n"),
        ("squads/etl/.synapse/pipeline", "PIPELINE_RULE_0=All at once\n"),
    ],
)
@pytest.mark.parametrize("patience", [30, None], ids=["prompt", "question"])
def test_of_a_rule_file_that_was_edited_only_that_file_is_read(
    root: Path, compiled_roots: list[str], path: str, text: str, patience: float | None
) -> None:
    put(root, path, text)
    plan = told(root, patience)
    assert not compiled_roots
    assert_current(plan, root)
    assert_current(told(root, patience), root)  # as it was kept
    assert len(compiled_roots) == 0


def test_what_was_read_once_is_not_read_by_the_next_prompt(root: Path) -> None:
    put(root, ".synapse/global", "GLOBAL_RULE_0=Something else\n")
    told(root)
    kept = plan_cache.read_plan(str(root), "")
    assert kept is not None
    assert kept.is_current()
    assert kept.is_current_for(None)
    assert_current(kept.plan, root)


def test_what_is_read_of_one_file_says_nothing_of_the_others(root: Path) -> None:
    put(root, ".synapse/global", "GLOBAL_RULE_0=Something else\n")
    put(root, ".synapse/docs", "DOCS_RULE_0=Something new\n")
    current = load_plan(str(root), patience=30)
    current = current.follow_files([".synapse/global"])
    assert current.is_current_for([".synapse/global"])
    assert not current.is_current_for([".synapse/docs"])
    kept = plan_cache.read_plan(str(root), "")
    assert kept is not None
    assert list(kept.changed_files(None)) == [".synapse/docs"]


def test_what_was_written_in_the_tick_in_which_the_plan_was_made_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    root = write_tree(tmp_path / "tree", TEAM)
    long_ago = 1_600_000_000
    for path in (root, *root.rglob("*")):
        os.utime(path, (long_ago, long_ago))
    load_plan(str(root))
    made = plan_cache.read_plan(str(root), "")
    assert made is not None
    # The clock goes in ticks: the file changes after it was read, and has the same time.
    docs = root / ".synapse/docs"
    text = docs.read_text()
    os.utime(docs, ns=(made.written, made.written))
    plan_writer.drop_plan(str(root))
    load_plan(str(root))
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", 600_000_000_000)
    assert "feature" in text
    docs.write_text(text.replace("feature", "FEATURE"))
    os.utime(docs, ns=(made.written, made.written))
    cached = plan_cache.read_plan(str(root), "")
    assert cached is not None
    put(root, ".synapse/global", "GLOBAL_RULE_0=Something else\n")
    followed = plan_writer.update_plan(cached, "", [".synapse/global"])
    assert followed is not None
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", 0)
    kept = plan_cache.read_plan(str(root), "")
    assert kept is not None
    assert ".synapse/docs" in kept.changed_files(None)


ADOPTED = {
    ".synapse/config.toml": '[[adopted]]\npath = "CLAUDE.md"\n[[adopted]]\npath = "docs/team.md"\n'
    '[[adopted]]\npath = "docs/parts.md"\nheading = "Tests"\n',
    "CLAUDE.md": "# Service\n\n- Use tabs\n\n@docs/more.md\n",
    "docs/team.md": "---\nglobs: src/**\n---\n- Never push\n",
    "docs/parts.md": "# Style\n\n- Be brief\n\n# Tests\n\n- Run them\n",
}


@pytest.fixture
def adopted_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree that refers to files of instructions, whose plan is cached."""
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", -600_000_000_000)
    root = write_tree(tmp_path / "tree", ADOPTED)
    load_plan(str(root))
    return root


@pytest.mark.parametrize("path", ["CLAUDE.md", "docs/team.md"])
def test_of_an_adopted_file_that_was_edited_only_that_file_is_read(
    adopted_root: Path, compiled_roots: list[str], path: str
) -> None:
    put(adopted_root, path, ADOPTED[path] + "\n- Never force\n")
    plan = load_plan(str(adopted_root), patience=30).follow_files([path]).plan
    assert not compiled_roots
    assert_current(plan, adopted_root)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("CLAUDE.md", "# Service\n\n- Use tabs\n\n@docs/team.md\n"),
        ("docs/team.md", "---\nglobs: test/**\n---\n- Never push\n"),
        ("docs/parts.md", "# Style\n\n- Be brief\n\n- And kind\n\n# Tests\n\n- Run them\n"),
    ],
)
def test_where_an_edit_may_change_when_and_for_whom_it_counts_all_is_read(
    adopted_root: Path, compiled_roots: list[str], path: str, text: str
) -> None:
    put(adopted_root, path, text)
    plan = load_plan(str(adopted_root), patience=30).follow_files([path]).plan
    assert compiled_roots
    assert_current(plan, adopted_root)


def _empty(root: Path) -> None:
    put(root, ".synapse/global", "")


def _remove(root: Path) -> None:
    (root / ".synapse/global").unlink()


def _link(root: Path) -> None:
    (root / ".synapse/global").rename(root / "elsewhere")
    (root / ".synapse/global").symlink_to("../elsewhere")
    put(root, "elsewhere", "GLOBAL_RULE_0=Something else\n")


def _make_binary(root: Path) -> None:
    put(root, ".synapse/global", "\0\1\2\3" * 100)


def _change_a_file_that_says_which_domains_there_are(root: Path) -> None:
    put(root, "squads/etl/.synapse/rules", "LOADING_RULE_0=Load once\n")


def _change_many(root: Path) -> None:
    for number in range(plan_writer.MAX_CHANGED + 1):
        path = sorted((root / ".synapse").iterdir())[number]
        if path.is_file():
            put(root, f".synapse/{path.name}", path.read_text() + "# more\n")
    put(root, "squads/etl/.synapse/pipeline", "PIPELINE_RULE_0=All at once\n")


@pytest.mark.parametrize(
    "change",
    [
        _empty,
        _remove,
        _link,
        _make_binary,
        _change_a_file_that_says_which_domains_there_are,
        _change_many,
    ],
)
def test_where_it_is_not_as_simple_as_that_all_is_read(
    root: Path, compiled_roots: list[str], change: Callable[[Path], None]
) -> None:
    change(root)
    told(root)
    assert compiled_roots


def test_its_parsers_are_those_of_all_others() -> None:
    assert {stem: PARSERS[kind] for stem, kind in BUILT_IN.items()} == {
        "global": "domain_file",
        **plan_writer.PARSERS,
    }


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_edited_the_plan_is_that_of_all_files(root: Path, seed: int) -> None:
    chance = Random(seed)
    paths = sorted(path for path in (*TEAM, *SQUAD) if path.rpartition("/")[0].endswith(".synapse"))
    for _ in range(10):
        for path in chance.sample(paths, chance.choice((1, 1, 2))):
            if path.endswith("manifest"):
                continue
            before = (root / path).read_text(encoding="utf-8").splitlines()
            added = chance.choices(LINES, k=chance.randrange(4))
            lines = [*chance.sample(before, chance.randrange(len(before) + 1)), *added]
            put(root, path, "\n".join(lines) + "\n")
        plan = told(root)
        if not plan.notices:
            assert_current(plan, root)


def test_a_real_tree_has_only_the_edited_file_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled_roots: list[str]
) -> None:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(plan_cache, "CLOCK_TICK", -600_000_000_000)
    root = tmp_path / "tree"
    shutil.copytree(corpus() / "aiox", root, symlinks=True)
    load_plan(str(root))
    del compiled_roots[:]
    for path in sorted((root / ".synapse").iterdir()):
        if not path.is_file() or path.name == "manifest" or path.name.startswith("."):
            continue
        put(root, f".synapse/{path.name}", path.read_text(encoding="utf-8") + "\n# more\n")
        plan = told(root)
        assert not compiled_roots, path
    assert_current(plan, root)


def test_a_policy_in_another_folder_of_the_user_counts_for_a_plan_that_is_cached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tree(tmp_path / "tree", TEAM)
    place_user_policy(monkeypatch, tmp_path / "one", "")
    assert load_plan(str(tmp_path / "tree")).plan.settings["guard"] != "enforce"
    place_user_policy(monkeypatch, tmp_path / "other", "[guard]\nmode = 'enforce'\n")
    assert load_plan(str(tmp_path / "tree")).plan.settings["guard"] == "enforce"
