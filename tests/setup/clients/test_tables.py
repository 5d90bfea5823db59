"""A client whose settings are TOML: our hooks are tables behind everything that somebody wrote."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.integrations.client_settings import SCOPES, USER, Surroundings
from synapse_ls.integrations.hook_registrations import find_registrations
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.install import settings_merge
from synapse_ls.setup.install.hook_installation import (
    apply_changes,
    plan_installation,
    plan_uninstallation,
)
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import user_folders
from tests.support import examples

KIMI = CLIENTS["kimi"]
MINE = """\
# my models
default_model = "k2"   # the good one

[[hooks]]
event = "Stop"
command = 'say "done"'

[models.k2]
max_context_size = nan
"""
LINES = st.sampled_from(
    [
        "",
        "# a comment",
        '[[hooks]]\nevent = \'Stop\'\ncommand = """\n[[hooks]]\nsay""" # mine\n',
        "[[hooks]]\nevent = 'UserPromptSubmit'\nmatcher = ''\ncommand = 'echo'",
        "[[other]]\nlist = [\n  1, # one\n]",
        "   ",
    ]
)
TEXTS = st.builds(
    lambda lines, end, newline: ("\n".join(lines) + end).replace("\n", newline),
    st.lists(LINES, max_size=6),
    st.sampled_from(["", "\n", "\n\n"]),
    st.sampled_from(["\n", "\r\n"]),
)


@pytest.fixture
def around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    """A project, and a home in which Kimi Code was started."""
    monkeypatch.delenv("KIMI_CODE_HOME", raising=False)
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    (tmp_path / "root").mkdir()
    (tmp_path / "home/.kimi-code").mkdir(parents=True)
    return Surroundings(tmp_path / "root", tmp_path / "home")


@pytest.fixture
def config(around: Surroundings) -> Path:
    """Its settings, with a hook of the user's own."""
    file = around.home / ".kimi-code/config.toml"
    file.write_text(MINE)
    return file


def install(around: Surroundings) -> list[str]:
    changes = plan_installation(around, [KIMI], USER)
    apply_changes(changes)
    return [change.action for change in changes]


def uninstall(around: Surroundings) -> None:
    apply_changes(plan_uninstallation(around, [KIMI], SCOPES))


def put_in(text: str) -> str:
    return settings_merge.add_hooks(KIMI, KIMI.places[0], text, "f")


def take_out(text: str) -> str:
    return settings_merge.remove_entries(KIMI, KIMI.places[0], text, "f")


def test_each_event_gets_a_table_behind_what_is_there(around: Surroundings, config: Path) -> None:
    assert install(around) == ["change"]
    text = config.read_text()
    assert text.startswith(f"{MINE}\n[[hooks]]\n")
    first, *ours = tomllib.loads(text)["hooks"]
    assert first == {"event": "Stop", "command": 'say "done"'}
    assert ours == [KIMI.hook_entry(event, USER) for event in KIMI.events]


def test_a_second_installation_changes_nothing(around: Surroundings, config: Path) -> None:
    install(around)
    assert install(around) == ["none"]


def test_each_table_is_found_at_the_line_of_its_command(around: Surroundings, config: Path) -> None:
    install(around)
    lines = config.read_text().splitlines()
    found = list(find_registrations(around, KIMI))
    in_order = sorted(found, key=lambda one: one.line)
    assert [one.event for one in in_order] == list(KIMI.events)
    assert all(f"--event {one.event} " in lines[one.line - 1] for one in found)
    assert {(one.state, one.timeout, one.name) for one in found} == {
        ("current", 10, "~/.kimi-code/config.toml")
    }


def test_the_file_comes_back_to_the_byte(around: Surroundings, config: Path) -> None:
    install(around)
    uninstall(around)
    assert config.read_text() == MINE
    assert not Path(user_folders.config_folder()).exists()


def test_a_file_that_was_not_there_goes(around: Surroundings) -> None:
    assert install(around) == ["create"]
    uninstall(around)
    assert not (around.home / ".kimi-code/config.toml").exists()


def test_an_edit_in_between_stays_and_only_our_tables_go(
    around: Surroundings, config: Path
) -> None:
    install(around)
    config.write_text(f"theme = 'dark'\n{config.read_text()}\n[models.k3]\n# new\n")
    uninstall(around)
    assert config.read_text() == f"theme = 'dark'\n{MINE}\n[models.k3]\n# new\n"


def test_an_edit_between_plan_and_write_is_no_loss(around: Surroundings, config: Path) -> None:
    changes = plan_installation(around, [KIMI], USER)
    config.write_text(f"{MINE}theme = 'dark'\n")
    with pytest.raises(UserError, match=r"config\.toml"):
        apply_changes(changes)
    assert config.read_text() == f"{MINE}theme = 'dark'\n"


def test_a_byte_order_mark_and_other_line_breaks_stay(around: Surroundings, config: Path) -> None:
    before = b"\xef\xbb\xbf" + MINE.replace("\n", "\r\n").encode()
    config.write_bytes(before)
    install(around)
    assert config.read_bytes().startswith(before)
    assert b"\n" not in config.read_bytes().replace(b"\r\n", b"")
    uninstall(around)
    assert config.read_bytes() == before


def test_tables_that_somebody_wrote_by_hand_are_replaced(
    around: Surroundings, config: Path
) -> None:
    line = "synapse-ls hook --event UserPromptSubmit --client kimi --scope user"
    config.write_text(f'{MINE}\n[[hooks]]\nevent = "UserPromptSubmit"\ncommand = "{line}"\n')
    install(around)
    assert line not in config.read_text()
    assert len(list(find_registrations(around, KIMI))) == len(KIMI.events)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\nb = \n", r"^~/.kimi-code/config.toml:2:4 cannot be read as TOML: "),
        ("hooks = []\n", r"^~/.kimi-code/config.toml:1:1: the hooks are not written as \[\[hooks"),
        ("a = 1\n[hooks]\nStop = 1\n", r"config.toml:2:2: the hooks are not written as \[\[hooks"),
    ],
)
def test_a_file_that_takes_no_table_is_refused_with_the_place(
    around: Surroundings, config: Path, text: str, said: str
) -> None:
    config.write_text(text)
    with pytest.raises(UserError, match=said) as caught:
        plan_installation(around, [KIMI], USER)
    assert caught.value.remedy.endswith("nothing was written.")


def test_a_hook_of_ours_that_shares_its_line_is_refused(around: Surroundings, config: Path) -> None:
    config.write_text('hooks = [{event = "Stop", command = "synapse-ls hook --event Stop"}]\n')
    with pytest.raises(
        UserError, match=r"config.toml:1:10: this hook is not a \[\[hooks\]\] table"
    ):
        plan_uninstallation(around, [KIMI], SCOPES)


def test_the_hook_of_another_engine_comes_back_as_it_was_written(
    around: Surroundings, config: Path
) -> None:
    engine = "[[hooks]]\nevent = 'UserPromptSubmit'\ncommand = 'node synapse-engine.js' # old\n"
    config.write_text(f"{MINE}\n{engine}")
    apply_changes(plan_installation(around, [KIMI], USER, replace_engines=True))
    assert "synapse-engine" not in config.read_text()
    config.write_text(f"# edited\n{config.read_text()}")
    uninstall(around)
    assert config.read_text() == f"# edited\n{MINE}\n{engine}".replace(" # old", "")


@given(TEXTS)
@settings(max_examples=examples(100), deadline=None)
def test_taking_out_leaves_every_line(text: str) -> None:
    after = put_in(text)
    assert put_in(after) == after
    assert take_out(after).rstrip() == text.rstrip()


@given(TEXTS)
@settings(max_examples=examples(50), deadline=None)
def test_a_line_that_is_put_first_stays(text: str) -> None:
    rest = take_out(f"first = 1\n{put_in(text)}")
    assert rest.rstrip() == f"first = 1\n{text}".rstrip()
