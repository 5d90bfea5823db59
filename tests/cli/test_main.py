from __future__ import annotations

import sys
from pathlib import Path

import pytest

from synapse_ls.cli.command_table import FAMILIES, ROWS
from tests.cli.conftest import Synapse


def test_no_command_shows_the_overview_as_an_error(synapse: Synapse) -> None:
    done = synapse()
    assert (done.code, done.out) == (2, "")
    assert "Begin with:\n  init" in done.err


def test_help_lists_every_command(synapse: Synapse) -> None:
    done = synapse("--help")
    assert (done.code, done.err) == (0, "")
    for name in ROWS:
        assert f"\n  {name.partition(' ')[0]} " in done.out


@pytest.mark.parametrize("name", [*ROWS, *FAMILIES])
def test_the_help_of_every_command_has_an_example_and_is_no_wider_than_can_be_read(
    synapse: Synapse, name: str
) -> None:
    done = synapse(*name.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert f"\nUsage:\n  synapse {name} " in done.out
    prose, _, example = done.out.partition("\nExamples:\n")
    assert "  $ " in example and f"synapse {name} " in f"{example} "
    assert max(map(len, prose.splitlines())) <= 100


def test_help_has_a_short_name(synapse: Synapse) -> None:
    assert synapse("why", "-h") == synapse("why", "--help")


def test_help_fits_a_narrow_terminal(synapse: Synapse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    options = synapse("context", "--help").out.partition("\nOutput:\n")[2].partition("\nExamples:")
    assert max(map(len, options[0].splitlines())) <= 60


def test_help_can_be_asked_for_in_words(synapse: Synapse) -> None:
    assert synapse("help", "why").out == synapse("why", "--help").out
    assert synapse("help").out == synapse("--help").out


def test_help_for_no_command_is_an_error(synapse: Synapse) -> None:
    done = synapse("contxt", "--help")
    assert (done.code, done.out) == (2, "")


def test_version_is_one_line(synapse: Synapse) -> None:
    done = synapse("--version")
    assert done.code == 0
    assert done.out.startswith("synapse ") and done.out.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence", "remedy"),
    [
        (["contxt"], "`synapse` has no command contxt.", "Did you mean `synapse context`?"),
        (["lint"], "has no command lint.", "Did you mean `synapse check`?"),
        (["domain", "create"], "has no command create.", "Did you mean `synapse domain new`?"),
        (["frobnicate"], "has no command frobnicate.", "`synapse --help` lists the commands."),
        (
            ["domain", "tggle"],
            "`synapse domain` has no command tggle.",
            "Did you mean `synapse domain toggle`?",
        ),
        (["context", "--agnet", "dev"], "has no option --agnet.", "Did you mean --agent?"),
        (["context", "--task"], "--task needs a value.", "Write --task ID."),
        (["--root", "", "status"], "--root is empty.", ""),
        (["session", "clean", "--hours", "x"], '--hours takes a number, not "x".', ""),
        (["explain", "--in", "--out"], "--out and --in exclude each other.", "Leave one"),
        (["check", "--fix=3"], "--fix takes no value.", "Write --fix alone."),
        (["--colr", "never", "status"], "`synapse` has no option --colr.", "Did you mean --color?"),
        (
            ["status", "--format", "jsn"],
            '--format takes text or json, not "jsn" (did you mean "json"?).',
            "`synapse status --help`",
        ),
        *(
            (["status", f"--remaining={odd}"], f'--remaining takes 0 to 100, not "{odd}".', "")
            for odd in ("half", "400", "-1", "100.5", "nan", "inf", "")
        ),
        (["why"], "`synapse why` needs RULE.", "`synapse why --help`"),
        (["context", "fix", "it"], 'does not know what to do with "it".', "in quotes."),
    ],
)
def test_a_wrong_command_line_is_one_sentence_and_a_remedy(
    synapse: Synapse, arguments: list[str], sentence: str, remedy: str
) -> None:
    done = synapse(*arguments)
    assert (done.code, done.out) == (2, "")
    first, second = done.err.splitlines()
    assert first.startswith("error: ") and sentence in first
    assert second.startswith("  remedy: ") and remedy in second


def test_a_family_without_a_command_lists_its_commands(synapse: Synapse) -> None:
    done = synapse("domain", "rule")
    assert (done.code, done.out) == (2, "")
    assert "  domain rule add " in done.err


def test_options_may_stand_before_the_command(synapse: Synapse, team: Path) -> None:
    done = synapse("--root", str(team), "-q", "domains", "--format", "json")
    assert done.code == 0
    assert done.json[0]["label"] == "CONSTITUTION"


def test_a_prompt_may_stand_behind_options(synapse: Synapse, team: Path) -> None:
    done = synapse("why", "TESTING_RULE_0", "--remaining", "50", "more coverage")
    assert "is in" in done.out


def test_a_folder_without_a_tree_is_an_error(synapse: Synapse, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    done = synapse("status", "--root", str(bare))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: No rule tree such as .synapse/")
    assert "  remedy: Run `synapse init` to create a tree.\n" in done.err


def test_a_root_that_does_not_exist_is_not_searched_from(synapse: Synapse, team: Path) -> None:
    done = synapse("status", "--root", str(team / "nowhere"))
    assert done.code == 2
    assert done.err.startswith("error: There is no folder ")


def test_the_tree_is_found_from_a_folder_below(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (team / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(team / "src" / "deep")
    assert synapse("status", "--format", "json").json["root"] == str(team)


@pytest.mark.skipif(sys.platform == "win32", reason="a folder in use cannot be removed")
@pytest.mark.parametrize(
    "command", ["status", "check", "doctor", "install", "init", "fmt", "trust"]
)
def test_a_working_directory_that_is_gone_is_an_error(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = synapse(command)
    monkeypatch.chdir(tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: The working directory does not exist any more.")


def fail() -> None:
    raise KeyError("a defect\nof two lines")


def test_a_defect_is_one_sentence(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synapse_ls.cli.status.query_answer", lambda *_, **__: fail())
    done = synapse("status")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: Synapse LS failed where it should not: KeyError: ")
    assert "Traceback" not in done.err and len(done.err.splitlines()) == 2


def test_the_traceback_of_a_defect_is_for_who_asks(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("synapse_ls.cli.status.query_answer", lambda *_, **__: fail())
    monkeypatch.setenv("SYNAPSE_DEBUG", "1")
    assert "Traceback (most recent call last)" in synapse("status").err


def test_an_interruption_is_quiet(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("synapse_ls.cli.status.query_answer", interrupt)
    done = synapse("status")
    assert (done.code, done.out, done.err) == (130, "", "")


def test_the_home_folder_can_be_written_with_a_tilde(
    synapse: Synapse, team: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(team.parent))
    done = synapse("status", f"--root=~/{team.name}", "--format", "json")
    assert done.json["root"] == str(team)


def test_the_help_says_when_the_exit_code_is_one(team: Path, synapse: Synapse) -> None:
    codes = synapse("--help").out.partition("\nExit codes:")[2]
    one = " ".join(codes.split()).partition("The answer is no where")[2]
    (team / ".synapse/global").write_text("GLOBAL_RULE_0=Be brief.\nGLOBAL_DENY_0=read .env\n")
    synapse("sync", "agents")
    file = team / "AGENTS.md"
    file.write_text(file.read_text("utf-8").replace("brief", "long"), "utf-8")
    asked = {
        "check": ("check",),
        "doctor": ("doctor", "--runs", "0"),
        "guard": ("guard", "cat .env"),
        "sync": ("sync",),
    }
    (team / ".synapse/manifest").write_text("GLOBAL_STATE=active\nNONE_STATE=active\n")
    for name, words in asked.items():
        assert synapse(*words).code == 1 and f"`{name}`" in one, name
