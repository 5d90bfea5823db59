"""What the doctor says of a malformed hook, for which a client can leave out a whole settings file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse
from tests.cli.doctor.asking import codes, doctor, settings

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="POSIX shells"),
    pytest.mark.usefixtures("answering"),
]

COMMAND = {"type": "command", "command": "echo"}


def add_hooks(team: Path, name: str, event: str, entries: object) -> None:
    file = team / name
    hooks = json.loads(file.read_text())["hooks"] if file.exists() else {}
    settings(team, name, {"hooks": {**hooks, event: entries}})


def broken_settings(synapse: Synapse) -> list[dict[str, Any]]:
    return [one for one in doctor(synapse)["troubles"] if one["code"] == "broken-settings"]


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("echo", "the value of `Stop` is no list"),
        (["echo"], "an entry of `Stop` is no object"),
        ([COMMAND], "an entry of `Stop` has no list `hooks`"),
        ([{"hooks": COMMAND}], "an entry of `Stop` has no list `hooks`"),
        ([{"matcher": {"type": "always"}, "hooks": [COMMAND]}], "a `matcher` of `Stop` is no text"),
        ([{"hooks": ["echo"]}], "a hook of `Stop` is no object"),
        ([{"hooks": [{"command": "echo"}]}], "a hook of `Stop` has no `type`"),
        ([{"hooks": [COMMAND, {"type": "command"}]}], "a hook of `Stop` has no `command`"),
        ([{"hooks": [{"type": "agent"}]}], "a hook of `Stop` has no `prompt`"),
    ],
)
def test_a_malformed_hook_beside_ours_is_an_error(
    synapse: Synapse, team: Path, entries: object, said: str
) -> None:
    synapse("install", "--client", "claude")
    add_hooks(team, ".claude/settings.json", "Stop", entries)
    (trouble,) = broken_settings(synapse)
    assert f": {said}, for which Claude Code can leave out the whole file" in trouble["sentence"]
    assert trouble["path"] == ".claude/settings.json"
    assert not doctor(synapse)["ok"]


def test_it_is_named_by_line_and_column(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    text = '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command"}]}\n    ]\n  }\n}\n'
    (team / ".claude/settings.json").write_text(text)
    (trouble,) = [one for one in doctor(synapse)["troubles"] if one["client"] == "claude"]
    assert trouble["sentence"].startswith(".claude/settings.json:4:18: ")
    assert trouble["line"] == 4


def test_in_another_file_than_ours_it_is_a_warning(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    add_hooks(team, ".claude/settings.json", "Stop", [{"hooks": [{"type": "command"}]}])
    report = doctor(synapse)
    (trouble,) = [one for one in report["troubles"] if one["client"] == "claude"]
    assert (trouble["severity"], report["ok"]) == ("warning", True)


@pytest.mark.parametrize(
    "hook",
    [
        COMMAND,
        {"type": "prompt", "prompt": "Is it done?"},
        {"type": "http", "url": "http://127.0.0.1:1/"},
        {"type": "of-tomorrow"},
    ],
)
def test_a_well_formed_hook_of_any_type_is_none(
    synapse: Synapse, team: Path, hook: dict[str, Any]
) -> None:
    synapse("install", "--client", "claude")
    add_hooks(team, ".claude/settings.json", "Notification", [{"matcher": "", "hooks": [hook]}])
    assert "broken-settings" not in codes(doctor(synapse), "claude")


def test_of_two_lists_for_one_event_the_last_counts_as_for_the_client(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "claude", "--scope", "local")
    text = '{"hooks": {"Stop": [{"hooks": [{"type": "command"}]}], "Stop": []}}'
    (team / ".claude/settings.json").write_text(text)
    assert "broken-settings" not in codes(doctor(synapse), "claude")


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ("echo", "the value of `stop` is no list"),
        (["echo"], "a hook of `stop` is no object"),
        ([{"command": ["echo"]}], "a hook of `stop` has no `command`"),
        ([{"type": "http", "url": "x"}], "the `type` of a hook of `stop` is neither `command` nor"),
        ([{"type": "prompt", "prompt": " "}], "a hook of `stop` has no `prompt`"),
        (
            [{"command": "echo", "matcher": ["Write"]}],
            "the `matcher` of a hook of `stop` is no text",
        ),
        (
            [{"command": "echo", "timeout": 0}],
            "the `timeout` of a hook of `stop` is no number above 0",
        ),
        (
            [{"command": "echo", "loop_limit": 1.5}],
            "the `loop_limit` of a hook of `stop` is no whole",
        ),
        ([{"command": "echo", "failClosed": 1}], "the `failClosed` of a hook of `stop` is neither"),
    ],
)
def test_a_hook_that_cursor_refuses_is_an_error(
    synapse: Synapse, team: Path, entries: object, said: str
) -> None:
    synapse("install", "--client", "cursor")
    add_hooks(team, ".cursor/hooks.json", "stop", entries)
    (trouble,) = broken_settings(synapse)
    assert f": {said}" in trouble["sentence"]
    assert trouble["sentence"].endswith(", for which Cursor can leave out the whole file")
    assert trouble["severity"] == "error"


@pytest.mark.parametrize("version", [None, "1", 0, 1.5, True])
def test_a_version_that_cursor_refuses_is_an_error(
    synapse: Synapse, team: Path, version: object
) -> None:
    synapse("install", "--client", "cursor")
    settings(team, ".cursor/hooks.json", {"version": version})
    (trouble,) = broken_settings(synapse)
    assert "`version` is no whole number from 1" in trouble["sentence"]


def test_hooks_without_a_version_are_an_error(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "cursor")
    file = team / ".cursor/hooks.json"
    file.write_text(json.dumps({"hooks": json.loads(file.read_text())["hooks"]}))
    (trouble,) = broken_settings(synapse)
    assert trouble["sentence"].startswith(
        ".cursor/hooks.json:1:1: there is no `version`, for which"
    )
    assert trouble["remedy"] == 'Write `"version": 1` into the outermost braces.'


def test_an_event_that_cursor_is_not_known_to_have_is_a_warning(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "cursor")
    add_hooks(team, ".cursor/hooks.json", "afterFileEdits", [{"command": "echo"}])
    (trouble,) = broken_settings(synapse)
    assert "`afterFileEdits` is no event that Cursor is known to have" in trouble["sentence"]
    assert trouble["severity"] == "warning"


def test_what_cursor_takes_is_no_mistake(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "cursor", "--guard")
    hook = {"command": "echo", "matcher": "Write", "loop_limit": None, "failClosed": True}
    prompt = {"type": "prompt", "prompt": "Is it done?", "timeout": 1.5}
    add_hooks(team, ".cursor/hooks.json", "subagentStop", [hook, prompt])
    assert broken_settings(synapse) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"hooks": {"stop": [\n  {"command": "curl http://127.0.0.1/"}]}, "version": 1}', "2:26"),
        ('{"version": 1, /* see http://127.0.0.1/ */\n"hooks": {}}', "1:28"),
        ('{"version": 1, "a": "src/*.py", "hooks": {}, "b": "/**/"}', "1:25"),
    ],
)
def test_what_only_cursor_takes_for_a_comment_is_an_error(
    synapse: Synapse, team: Path, text: str, place: str
) -> None:
    synapse("install", "--client", "cursor", "--scope", "user")
    settings(team, ".cursor/hooks.json", {})
    (team / ".cursor/hooks.json").write_text(text)
    (trouble,) = broken_settings(synapse)
    assert trouble["sentence"].startswith(
        f".cursor/hooks.json:{place} is no JSON that Cursor reads"
    )


def test_slashes_with_a_backslash_are_no_comment_to_cursor(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "cursor")
    add_hooks(team, ".cursor/hooks.json", "stop", [{"command": "curl http://127.0.0.1/"}])
    file = team / ".cursor/hooks.json"
    file.write_text(file.read_text().replace("//", r"\/\/"))
    assert broken_settings(synapse) == []


CODEX_HOOK = {"type": "mcp_tool", "server": "a", "tool": "b"}


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({}, "the `Stop` of `hooks` is no list"),
        (["echo"], "an entry of `Stop` is no object"),
        ([{"hooks": None}], "the `hooks` of an entry of `Stop` is no list"),
        ([{"matcher": {}}], "the `matcher` of an entry of `Stop` is no text"),
        ([{"hooks": ["echo"]}], "a hook of `Stop` is no object"),
        ([{"hooks": [{"command": "echo"}]}], "a hook of `Stop` has no `type`"),
        ([{"hooks": [{"type": "command"}]}], "a hook of `Stop` has no `command`"),
        ([{"hooks": [{"type": "mcp_tool", "server": "a"}]}], "a hook of `Stop` has no `tool`"),
        (
            [{"hooks": [{**CODEX_HOOK, "input": "x"}]}],
            "the `input` of a hook of `Stop` is no object",
        ),
        (
            [{"hooks": [{**COMMAND, "timeout": 1.5}]}],
            "the `timeout` of a hook of `Stop` is no whole",
        ),
        ([{"hooks": [{**COMMAND, "async": 1}]}], "the `async` of a hook of `Stop` is neither true"),
        (
            [{"hooks": [{**COMMAND, "commandWindows": 1}]}],
            "the `commandWindows` of a hook of `Stop`",
        ),
    ],
)
def test_a_hook_that_codex_refuses_is_an_error(
    synapse: Synapse, team: Path, entries: object, said: str
) -> None:
    synapse("install", "--client", "codex")
    add_hooks(team, ".codex/hooks.json", "Stop", entries)
    (trouble,) = broken_settings(synapse)
    assert f": {said}" in trouble["sentence"]
    assert trouble["sentence"].endswith(", for which Codex can leave out the whole file")
    assert trouble["severity"] == "error"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("version", 1, "`version` is no key that Codex is known to take beside `hooks`"),
        (
            "hooks",
            {"Stop": [{"hooks": [{"type": "http", "url": "x"}]}]},
            "a hook of `Stop` has the `type` http, which Codex is not known to have",
        ),
    ],
)
def test_what_a_later_codex_may_take_is_a_warning(
    synapse: Synapse, team: Path, key: str, value: object, said: str
) -> None:
    synapse("install", "--client", "codex", "--scope", "user")
    synapse("install", "--client", "codex")
    settings(team, ".codex/hooks.json", {key: value})
    (trouble,) = broken_settings(synapse)
    assert f": {said}, for which Codex can leave out the whole file" in trouble["sentence"]
    assert trouble["severity"] == "warning"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"hooks": {"Stop": [], "Stop": []}}', ":1:24: `Stop` of `hooks` is there twice"),
        ('{"hooks": {}, "hooks": {}}', ":1:15: `hooks` of the file is there twice"),
    ],
)
def test_a_text_that_codex_refuses_is_an_error(
    synapse: Synapse, team: Path, text: str, said: str
) -> None:
    synapse("install", "--client", "codex", "--scope", "user")
    settings(team, ".codex/hooks.json", {})
    (team / ".codex/hooks.json").write_text(text)
    (trouble,) = broken_settings(synapse)
    assert trouble["sentence"].startswith(f".codex/hooks.json{said}")


@pytest.mark.parametrize(
    ("client", "title", "name"),
    [("codex", "Codex", ".codex/hooks.json"), ("gemini", "Gemini CLI", ".gemini/settings.json")],
)
def test_a_byte_order_mark_is_an_error_where_the_client_reads_none(
    synapse: Synapse, team: Path, client: str, title: str, name: str
) -> None:
    synapse("install", "--client", client)
    file = team / name
    file.write_text("\ufeff" + file.read_text())
    (trouble,) = broken_settings(synapse)
    told = f"{name} begins with a byte order mark, and {title} reads no such file"
    assert (trouble["sentence"], trouble["severity"]) == (told, "error")


@pytest.mark.parametrize(
    "change",
    [
        {"description": None},
        {"hooks": {"Notification": "of another client"}},
        {"hooks": {"Stop": [{"unknown": 1, "matcher": None, "hooks": [{**COMMAND, "more": 1}]}]}},
        {"hooks": {"Stop": [{"hooks": [{"type": "prompt"}, {"type": "agent"}, CODEX_HOOK]}]}},
        {"hooks": {"Stop": [{"hooks": [{**COMMAND, "timeout": None, "async": False}]}]}},
    ],
)
def test_what_codex_takes_or_skips_alone_is_no_mistake(
    synapse: Synapse, team: Path, change: dict[str, Any]
) -> None:
    synapse("install", "--client", "codex", "--scope", "user")
    settings(team, ".codex/hooks.json", change)
    assert broken_settings(synapse) == []


def repeat_event(file: Path, event: str, entry: object) -> None:
    """Writes an event a second time, behind all others, as a merge of two branches leaves it."""
    head, tail = file.read_text().rsplit("]", 1)
    file.write_text(f'{head}], "{event}": {json.dumps([entry])}{tail}')


REPEATED = [
    ("claude", ".claude/settings.json", "UserPromptSubmit", {"hooks": [COMMAND]}),
    ("cursor", ".cursor/hooks.json", "beforeSubmitPrompt", {"command": "echo"}),
]


@pytest.mark.parametrize(("client", "name", "event", "entry"), REPEATED)
def test_a_list_that_stands_there_again_takes_the_place_of_ours(
    synapse: Synapse, team: Path, client: str, name: str, event: str, entry: object
) -> None:
    synapse("install", "--client", client)
    repeat_event(team / name, event, entry)
    told = [one["sentence"] for one in doctor(synapse, "--client", client)["troubles"]]
    assert f"the registration in {name} lacks {event}" in told


@pytest.mark.parametrize(("client", "name", "event", "entry"), REPEATED)
def test_the_next_install_puts_ours_into_the_list_that_counts(
    synapse: Synapse, team: Path, client: str, name: str, event: str, entry: object
) -> None:
    synapse("install", "--client", client)
    repeat_event(team / name, event, entry)
    synapse("install", "--client", client)
    assert "outdated-registration" not in codes(doctor(synapse), client)
    assert json.loads((team / name).read_text())["hooks"][event][0] == entry


@pytest.mark.parametrize(("client", "name", "event", "entry"), REPEATED)
def test_uninstall_takes_ours_out_of_a_list_that_does_not_count(
    synapse: Synapse, team: Path, client: str, name: str, event: str, entry: object
) -> None:
    synapse("install", "--client", client)
    repeat_event(team / name, event, entry)
    assert synapse("uninstall", "--client", client).code == 0
    text = (team / name).read_text()
    assert "synapse" not in text
    assert json.loads(text)["hooks"] == {event: [entry]}


def test_install_says_what_the_client_leaves_the_file_out_for(synapse: Synapse, team: Path) -> None:
    settings(team, ".codex/hooks.json", {"version": 1})
    done = synapse("install", "--client", "codex")
    told = "note: .codex/hooks.json:1:2: `version` is no key that Codex is known to take"
    assert (done.code, told in done.err) == (0, True)


def test_status_says_what_the_client_leaves_the_file_out_for(synapse: Synapse, team: Path) -> None:
    synapse("install", "--client", "gemini")
    file = team / ".gemini/settings.json"
    file.write_text("\ufeff" + file.read_text())
    assert "note: .gemini/settings.json begins with a byte order mark" in synapse("status").err


def test_a_plugin_of_somebody_else_is_called_that(synapse: Synapse, team: Path) -> None:
    file = team / ".opencode/plugin/synapse.js"
    file.parent.mkdir(parents=True)
    file.write_text("export const X = async () => ({})\n")
    (trouble,) = broken_settings(synapse)
    assert trouble["sentence"] == ".opencode/plugin/synapse.js is a plugin of somebody else's"
    assert trouble["remedy"] == "Give that file another name."


def test_a_set_of_antigravity_that_is_switched_off_is_an_error(
    synapse: Synapse, team: Path
) -> None:
    synapse("install", "--client", "antigravity")
    file = team / ".agents/hooks.json"
    file.write_text(file.read_text().replace('"enabled": true', '"enabled": false'))
    assert "hooks-off" in codes(doctor(synapse), "antigravity")


def test_one_of_three_registrations_is_kept_by_what_is_advised(
    synapse: Synapse, team: Path
) -> None:
    for scope in ("project", "local", "user"):
        synapse("install", "--client", "claude", "--scope", scope)
    (trouble,) = [t for t in doctor(synapse)["troubles"] if t["code"] == "double-registration"]
    advised = "`synapse uninstall --client claude --scope"
    assert trouble["remedy"] == f"Keep one: {advised} local` and {advised} user`."


@pytest.mark.parametrize(
    ("table", "place", "said", "severity"),
    [
        ('command = "x"', "2:3", "a hook has no `event`", "error"),
        ('event = "Stop"', "2:3", "a hook has no `command`", "error"),
        ('event = "Stop"\ncommand = ""', "4:1", "a hook has no `command`", "error"),
        ('event = "Stop"\ncommand = "x"\nmatcher = 1', "5:1", "the `matcher` of a hook", "error"),
        ('event = "Stop"\ncommand = "x"\ntimeout = 601', "5:1", "the `timeout` of a", "error"),
        ('event = "Nope"\ncommand = "x"', "3:1", "`Nope` is no event that Kimi Code", "warning"),
        ('event = "Stop"\ncommand = "x"\nmatchre = "y"', "5:1", "`matchre` is no key", "warning"),
    ],
)
def test_a_hook_for_which_kimi_ignores_all_is_told(
    synapse: Synapse, team: Path, table: str, place: str, said: str, severity: str
) -> None:
    file = Path(os.environ["HOME"], ".kimi-code/config.toml")
    file.parent.mkdir()
    file.write_text(f"\n[[hooks]]\n{table}\n")
    synapse("install", "--client", "kimi", "--scope", "user", "--trust")
    (trouble,) = broken_settings(synapse)
    assert trouble["sentence"].startswith(f"~/.kimi-code/config.toml:{place}: {said}")
    assert trouble["sentence"].endswith(", for which Kimi Code can leave out all hooks")
    assert trouble["severity"] == severity


def test_hooks_that_kimi_takes_are_no_mistake(synapse: Synapse, team: Path) -> None:
    file = Path(os.environ["HOME"], ".kimi-code/config.toml")
    file.parent.mkdir()
    file.write_text(
        '[[hooks]]\nevent = "TurnStarted"\ncommand = "x"\nmatcher = ""\ntimeout = 5.0\n'
    )
    synapse("install", "--client", "kimi", "--scope", "user", "--trust")
    assert broken_settings(synapse) == []
