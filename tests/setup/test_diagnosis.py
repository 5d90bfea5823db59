"""The diagnosis: verdicts only where something proves them, and a remedy for every gap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.doctor import render_markdown
from synapse_ls.integrations.client_settings import LOCAL, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.context_question import Question
from synapse_ls.setup import diagnosis as rooms
from synapse_ls.setup.diagnosis import SECTIONS, Check, Diagnosis, Section, run_diagnosis
from synapse_ls.setup.install.hook_installation import apply_changes, plan_installation
from synapse_ls.text.user_error import UserError
from tests.trees import write_tree

TREE = {
    ".synapse/manifest": """\
CONSTITUTION_STATE=active
GLOBAL_STATE=active
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
TESTING_STATE=active
TESTING_RECALL=unit test
""",
    ".synapse/constitution": """\
CONSTITUTION_RULE_ART1_0=Stories first (MUST)
CONSTITUTION_RULE_ART1_1=MUST: No code without a story.
""",
    ".synapse/global": "GLOBAL_RULE_0=Answer in English.\n",
    ".synapse/agent-dev": """\
AGENT_DEV_AUTH_0=NEVER execute `git push`
AGENT_DEV_AUTH_1=NEVER decide on the architecture
AGENT_DEV_RULE_0=Keep commits small.
""",
    ".synapse/testing": "TESTING_RULE_0=One behaviour per test.\n",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of which no client knows, in a home where no client is set up."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "tree").mkdir()
    write_tree(tmp_path / "tree", TREE)
    return tmp_path / "tree"


def looked_at(root: Path, **said: Any) -> Diagnosis:
    return run_diagnosis(Question(str(root), **said), runs=0)


def section(found: Diagnosis, name: str) -> Section:
    return next(section for section in found.sections if section.name == name)


def said(found: Diagnosis, name: str) -> list[tuple[str, str]]:
    return [(check.status, check.sentence) for check in section(found, name).checks]


def test_every_section_is_there_and_has_something_to_say(root: Path) -> None:
    found = looked_at(root)
    assert [s.name for s in found.sections] == [name for name, _, _ in SECTIONS]
    assert all(section.checks for section in found.sections)


def test_every_gap_has_a_remedy(root: Path) -> None:
    write_tree(root, {".synapse/manifest": TREE[".synapse/manifest"] + "LOST_STATE=active\n"})
    gaps = looked_at(root, agent="dev").gaps
    assert gaps
    assert [check.sentence for _, check in gaps if not check.remedy] == []


def test_no_client_that_calls_the_hook_is_an_error(root: Path) -> None:
    assert ("error", "no client calls the hook") in said(looked_at(root), "hooks")


def test_a_figure_that_nobody_has_measured_is_no_verdict(root: Path) -> None:
    found = looked_at(root)
    statuses = {check.status for check in section(found, "timing").checks}
    assert statuses == {"unknown", "info"}
    assert section(found, "quality").status == "unknown"


def test_a_layer_that_sleeps_is_only_a_gap_where_something_would_come_in(root: Path) -> None:
    write_tree(root, {".synapse/config.toml": 'profile = "synapse"\n'})
    quiet = said(looked_at(root), "layers")
    assert not any(status == "warning" for status, _ in quiet)
    loud = said(looked_at(root, prompt="write a unit test"), "layers")
    [gap] = [text for status, text in loud if status == "warning"]
    assert gap.startswith("L6 keyword is inactive in FRESH")
    assert gap.endswith("although TESTING would come in")


def test_an_article_is_told_and_a_boundary_is_guarded_or_only_told(root: Path) -> None:
    found = said(looked_at(root), "authority")
    assert ("ok", "Art. I Stories first (MUST): injected in every block") in found
    [boundaries] = [text for _, text in found if text.startswith("@dev")]
    assert boundaries.startswith("@dev: 1 boundary for the guard, 1 only injected")
    assert "AGENT_DEV_AUTH_1" in boundaries


def test_a_constitution_without_articles_is_told_by_its_lines(tmp_path: Path) -> None:
    summary = "summary: |\n  Stories first.\n  Tests always.\nrules:\n  - id: a\n    text: x\n"
    files = {"chati.dev/domains/constitution.yaml": summary, "chati.dev/config.yaml": "a: 1\n"}
    root = write_tree(tmp_path / "chati", files)
    assert ("ok", "the constitution is injected in every block, in 2 lines") in said(
        looked_at(root), "authority"
    )


@pytest.mark.parametrize(
    ("path", "missing"),
    [
        (".synapse/global", "the tree has no articles (`synapse constitution build` makes them)"),
        (".carl/global", "the tree has no constitution"),
    ],
)
def test_a_tree_without_a_constitution_is_told_what_its_kind_can_have(
    tmp_path: Path, path: str, missing: str
) -> None:
    manifest = f"{path.partition('/')[0]}/manifest"
    tree = {manifest: "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\n", path: "GLOBAL_RULE_0=Hi.\n"}
    assert ("info", missing) in said(looked_at(write_tree(tmp_path / "bare", tree)), "authority")


def test_a_guard_whose_client_has_hooks_switched_off_is_asked_by_nobody(root: Path) -> None:
    around = Surroundings(root, root.parent / "home")
    apply_changes(plan_installation(around, [CLIENTS["claude"].with_guard(True)], LOCAL))
    asked = "the guard is asked before tools by Claude Code (mode warn)"
    assert ("ok", asked) in said(looked_at(root), "authority")
    file = root / ".claude/settings.local.json"
    file.write_text(file.read_text().replace("{", '{"disableAllHooks": true,', 1))
    nobody = "the guard (mode warn) is asked by no client, so boundaries are only injected"
    assert ("warning", nobody) in said(looked_at(root), "authority")


def test_a_guard_that_is_off_is_a_gap(root: Path) -> None:
    write_tree(root, {".synapse/config.toml": '[guard]\nmode = "off"\n'})
    assert ("warning", "the guard is off") in said(looked_at(root), "authority")


def test_findings_of_the_linter_have_their_place(root: Path) -> None:
    write_tree(root, {".synapse/manifest": TREE[".synapse/manifest"] + "LOST_STATE=active\n"})
    found = section(looked_at(root), "tree")
    [gap] = [check for check in found.checks if check.status in ("warning", "error")]
    assert (gap.sentence.split()[0], gap.place) == ("SYN201", ".synapse/manifest:7")
    assert found.data["codes"]["SYN201"] == 1


def test_what_a_task_waits_for(root: Path) -> None:
    write_tree(
        root,
        {
            ".aiox-core/development/tasks/build.md": (
                "```yaml\ntask: build()\n```\n\n## Pre-Conditions\n\n"
                "- [x] Story is ready\n- [ ] Branch exists\n"
            )
        },
    )
    found = said(looked_at(root, task="build"), "conditions")
    assert ("warning", "pre-condition not met: Branch exists") in found


def test_a_session_that_does_not_exist_is_an_error_of_the_whole(root: Path) -> None:
    with pytest.raises(UserError, match="no session"):
        looked_at(root, session="nobody")


def test_a_section_that_breaks_leaves_the_others(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Section:
        raise RuntimeError("no such thing")

    rows = [(n, t, broken if n == "memory" else look) for n, t, look in SECTIONS]
    monkeypatch.setattr(rooms, "SECTIONS", rows)
    found = looked_at(root)
    assert said(found, "memory") == [
        ("unknown", "this could not be examined (RuntimeError: no such thing)")
    ]
    assert section(found, "tree").status == "ok"


def test_what_is_neither_well_nor_ill_has_no_mark_in_markdown() -> None:
    checks = (Check("info", "nobody is here"), Check("ok", "all is well"))
    text = render_markdown(Diagnosis("/r", (Section("a", "A", checks, {}),)))
    assert text.endswith("- nobody is here\n- ✅ all is well\n")


def test_markdown_cannot_be_forged() -> None:
    check = Check("error", "<script> [x](y)", "Do <b>.")
    text = render_markdown(Diagnosis("/r", (Section("a", "A", (check,), {}),)))
    assert "<script>" not in text
    assert "[x]" not in text.replace("\\[x\\]", "")


def test_nothing_is_written_into_the_tree(root: Path) -> None:
    before = sorted(root.rglob("*"))
    looked_at(root)
    assert sorted(root.rglob("*")) == before


def test_no_words_of_a_repository_begin_a_line_of_the_page() -> None:
    words = "a\n\n# zq ![i](https://x)\n::error::x\x1b[31m\u202e"
    check = Check("error", words, words, f"x`\n{words}")
    text = render_markdown(Diagnosis("/r", (Section("a", "A", (check,), {}),)))
    assert not any(line.startswith(("# zq", "::error")) for line in text.splitlines())
    assert "\x1b" not in text and "\u202e" not in text
