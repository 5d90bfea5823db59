"""Hooks, CLAUDE.md, sessions, mentions in texts, and the merging of changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.integrations.hook_commands import is_carl_command, is_hook_command
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.doctor.registration_checks import find_rivals, rival_troubles
from synapse_ls.setup.migrate.carl_installation import guide_changes, hook_changes, text_changes
from synapse_ls.setup.migrate.migration_journal import MigrationChange
from synapse_ls.setup.migrate.migration_plan import session_changes
from synapse_ls.setup.migrate.migration_rollback import merge_changes
from synapse_ls.text.user_error import UserError
from tests.setup.migrate.trees import GUIDE, HOOK, SESSION, SETTINGS, project, write

NOW = 1_795_000_000.0


def commands(data: bytes | None) -> list[str]:
    hooks = json.loads(data or b"{}")["hooks"].values()
    return [hook["command"] for groups in hooks for group in groups for hook in group["hooks"]]


def guides(
    root: Path, *, user: bool = False
) -> tuple[list[MigrationChange], list[tuple[str, str]]]:
    return guide_changes(Surroundings(root, root.parent / "home"), user=user)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python3 ~/.claude/hooks/carl-hook.py", True),
        ('py -3 "C:\\Users\\x y\\.claude\\hooks\\carl-hook.py"', True),
        ("python3 my-carl-hook.py", False),
        ("python3 carl-hook.pyc", False),
        ("echo carl", False),
    ],
)
def test_carls_hook_is_known_by_its_file(command: str, expected: bool) -> None:
    assert is_carl_command(command) is expected


def test_our_hook_takes_the_place_of_carls_and_others_stay(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    (change,), (found,) = hook_changes(Surroundings(root, tmp_path / "home"), user=False)
    told = commands(change.after)
    assert not any(map(is_carl_command, told))
    assert "say done" in told
    assert any(is_hook_command(command) and "UserPromptSubmit" in command for command in told)
    assert json.loads(change.after or b"")["permissions"] == SETTINGS["permissions"]
    assert (found.path, found.line, found.scope) == (".claude/settings.json", 13, "project")


def test_settings_of_the_user_are_left_alone_unless_asked_for(tmp_path: Path) -> None:
    root, home = project(tmp_path / "shop", settings=None), tmp_path / "home"
    write(home, ".claude/settings.json", json.dumps(SETTINGS).encode())
    around = Surroundings(root, home)
    changes, (found,) = hook_changes(around, user=False)
    assert (changes, found.scope, found.replaced) == ([], "user", False)
    (change,), _ = hook_changes(around, user=True)
    assert change.path == "~/.claude/settings.json"
    assert not any(map(is_carl_command, commands(change.after)))


def test_a_hook_that_shares_its_group_leaves_the_others_in_it(tmp_path: Path) -> None:
    other = {"type": "command", "command": "say hello"}
    settings = {"hooks": {"UserPromptSubmit": [{"hooks": [HOOK, other]}]}}
    root = project(tmp_path / "shop", settings=settings)
    (change,), _ = hook_changes(Surroundings(root, tmp_path / "home"), user=False)
    assert other in json.loads(change.after or b"")["hooks"]["UserPromptSubmit"][0]["hooks"]


def test_settings_that_nobody_can_read_are_an_error_with_the_place(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", settings=None)
    around = Surroundings(root, tmp_path / "home")
    write(root, ".claude/settings.json", b'{"hooks": {,}}')
    assert hook_changes(around, user=False) == ([], []), "CARL is not in it"
    write(root, ".claude/settings.json", b'{"hooks": {,}, "x": "carl-hook.py"}')
    with pytest.raises(UserError, match=r"\.claude/settings\.json:1:12 is no JSON"):
        hook_changes(around, user=False)


def test_a_hook_of_carl_beside_ours_is_a_rival(tmp_path: Path) -> None:
    around = Surroundings(project(tmp_path / "shop"), tmp_path / "home")
    client = CLIENTS["claude"]
    (found,) = rival_troubles(client, list(find_rivals(client, around)))
    assert (found.code, found.path, found.line) == ("rival-engine", ".claude/settings.json", 13)


def test_our_block_takes_the_place_of_carls(tmp_path: Path) -> None:
    (change,), left = guides(project(tmp_path / "shop"))
    text = (change.after or b"").decode()
    assert "CARL-MANAGED" not in text
    assert text.startswith("# The shop\n")
    assert text.endswith("\n\n<!-- synapse:end -->\n\nKeep it small.\n")
    assert "<!-- synapse:begin hook" in text
    assert left == []


def test_line_breaks_and_a_byte_order_mark_stay(tmp_path: Path) -> None:
    block = "a\r\n<!-- CARL-MANAGED: x -->\r\nb\r\n<!-- END CARL-MANAGED -->\r\nc\r\n"
    write(tmp_path, "CLAUDE.md", b"\xef\xbb\xbf" + block.encode())
    (change,), _ = guides(tmp_path)
    assert (change.after or b"").startswith(b"\xef\xbb\xbfa\r\n<!-- synapse:begin")
    assert (change.after or b"").count(b"\n") == (change.after or b"").count(b"\r\n")


def test_a_block_without_an_end_is_left_alone_and_said_so(tmp_path: Path) -> None:
    write(tmp_path, "CLAUDE.md", b"a\n<!-- CARL-MANAGED: x -->\nb\n")
    changes, left = guides(tmp_path)
    assert (changes, left[0][0]) == ([], "CLAUDE.md:2")


def test_a_guide_that_leads_out_of_the_project_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, "out.md", b"<!-- CARL-MANAGED: x --><!-- END CARL-MANAGED -->")
    root = project(tmp_path / "shop", guide="")
    (root / "CLAUDE.md").symlink_to(tmp_path / "out.md")
    assert guides(root) == (
        [],
        [("CLAUDE.md", "it is a link that leads out of the project")],
    )


def test_the_guide_of_the_user_is_left_alone_unless_asked_for(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", guide="")
    write(tmp_path / "home", ".claude/CLAUDE.md", GUIDE.encode())
    changes, ((path, why),) = guides(root)
    assert (changes, path) == ([], "~/.claude/CLAUDE.md")
    assert "--user" in why
    (change,), _ = guides(root, user=True)
    assert b"CARL-MANAGED" not in (change.after or b"")


def test_a_session_with_its_switches_under_the_new_names(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    (change,), left, (remark,) = session_changes(root, {"web_ui": "WEB_UI", "API": "API"})
    session = json.loads(change.after or b"")
    assert change.path == ".synapse/sessions/3f1c.json"
    assert {k: session[k] for k in ("uuid", "cwd", "label", "title", "prompt_count")} == {
        k: SESSION[k] for k in ("uuid", "cwd", "label", "title", "prompt_count")
    }
    assert session["overrides"] == {
        "DEVMODE": None,
        "GLOBAL_STATE": None,
        "API_STATE": False,
        "WEB_UI_STATE": True,
    }
    assert session["history"]["domains_loaded_last"] == ["GLOBAL", "API", "WEB_UI"]
    assert session["started"].endswith("Z")
    assert left == []
    assert remark.sentence == 'API_STATE is off now: CARL takes every word for on, "inactive" too.'


def test_an_id_that_leads_elsewhere_stays_in_the_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "shop", sessions={"x.json": {**SESSION, "uuid": "../../evil"}})
    (change,), _, _ = session_changes(root, {})
    assert change.path == ".synapse/sessions/%2e.%2f..%2fevil.json"


def test_sessions_that_cannot_be_read_stay_behind_with_the_reason(tmp_path: Path) -> None:
    sessions = {"list.json": [1], "broken.json": "{", "empty.json": "", "good.json": SESSION}
    changes, left, _ = session_changes(project(tmp_path / "shop", sessions=sessions), {})
    assert [change.path for change in changes] == [".synapse/sessions/3f1c.json"]
    assert [path for path, _ in left] == [
        ".carl/sessions/broken.json",
        ".carl/sessions/empty.json",
        ".carl/sessions/list.json",
    ]


def test_a_session_that_went_on_here_is_not_overwritten(tmp_path: Path) -> None:
    root = project(tmp_path / "shop")
    write(root, ".synapse/sessions/3f1c.json", b'{"uuid": "3f1c", "schema_version": "2.0"}')
    changes, ((path, why),), _ = session_changes(root, {})
    assert changes == []
    assert (path, why) == (
        ".carl/sessions/3f1c.json",
        ".synapse/sessions/3f1c.json is there already",
    )


@pytest.mark.parametrize(
    ("text", "reworded"),
    [
        ("Follow <carl-rules>…</carl-rules>.", "Follow <synapse-rules>…</synapse-rules>."),
        ("Type *carl for help", "Type *synapse for help"),
        ("`*carl`", "`*synapse`"),
        ("**carl**, 2*carl, *carly, *carl-x", "**carl**, 2*carl, *carly, *carl-x"),
        ("drl_get_domain_rules(API)", "synapse domain show API"),
        ("drl_get_domain_rules", "synapse domain show"),
        ("in .carl/manifest", "in .synapse/manifest"),
        ("in ~/.carl/manifest", "in ~/.carl/manifest"),
        ("CARL is old", "CARL is old"),
    ],
)
def test_what_means_something_to_a_program_is_reworded(
    tmp_path: Path, text: str, reworded: str
) -> None:
    write(tmp_path, ".claude/skills/help/SKILL.md", text.encode())
    changes, _ = text_changes(tmp_path, {})
    assert [(c.after or b"").decode() for c in changes] == ([reworded] if text != reworded else [])


def test_comments_and_the_command_carl_of_a_tree_stay(tmp_path: Path) -> None:
    text = "# see .carl/x\nCOMMANDS_RULE_CARL_0=*carl helps\nCOMMANDS_RULE_DEV_0=Not *carl\n"
    changes, mentions = text_changes(tmp_path, {".synapse/commands": text.encode()})
    (change,) = changes
    assert (change.after or b"").decode() == text.replace("Not *carl", "Not *synapse")
    assert [(one.path, one.line) for one in mentions] == [(".synapse/commands", 2)]


def test_what_carl_brought_and_what_is_kept_is_not_reworded(tmp_path: Path) -> None:
    for path in (
        ".claude/skills/carl-help/SKILL.md",
        ".synapse/carl/x.md",
        ".carl/x.md",
        "README.md",
    ):
        write(tmp_path, path, b"*carl")
    assert text_changes(tmp_path, {}) == ([], [])


def test_one_file_under_two_names_is_one_change(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", b"*carl")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    changes, _ = text_changes(tmp_path, {})
    assert [change.path for change in changes] == ["AGENTS.md"]


def test_changes_of_different_lines_are_merged_and_others_collide() -> None:
    base = "a\nb\nc\nd\ne\n"
    assert merge_changes(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n") == "A\nb\nc\nd\nE\n"
    assert merge_changes(base, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n") is None
    assert merge_changes(base, "a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n") is None
    assert merge_changes(base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n") == "a\nX\nc\nd\ne\n"
    assert merge_changes(base, "b\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n") == "b\nc\nd\ne\nf\n"


@given(st.lists(st.sampled_from("abc"), max_size=8), st.lists(st.sampled_from("abc"), max_size=8))
def test_one_change_alone_is_the_result(old: list[str], new: list[str]) -> None:
    base, changed = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    assert merge_changes(base, changed, base) == changed
    assert merge_changes(base, base, changed) == changed
    assert merge_changes(base, changed, changed) == changed
