"""A memory that the program wrote and that says something else now: pointed out, once and calmly."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.queries.memory_report import file_notes
from tests.hooks.hook_clients import Claude
from tests.hooks.test_damaged_memories import PATIENT
from tests.storage.test_damaged_plan import damage
from tests.trees import TEAM, write_tree

TEXT = "Refunds wait for QA.\n\nOne above 500 goes to @qa before it is settled."


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Claude:
    monkeypatch.setenv("SYNAPSE_LS_CACHE", str(tmp_path / "cache"))
    return Claude(write_tree(tmp_path / "team", {**TEAM, ".synapse/config.toml": PATIENT}))


def add(client: Claude, text: str = TEXT) -> Path:
    record = MemoryStore(str(client.root)).remember(text, now=time.time(), explicit=True)
    return client.root / record.path


def sentence(client: Claude, file: Path) -> str:
    path = file.relative_to(client.root).as_posix()
    return f"{path} is not as Synapse LS wrote it: edited by hand, or damaged"


def change(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"500", b"900"))


def notes(client: Claude) -> str:
    return "\n".join(file_notes(str(client.root)))


def test_it_is_said_once_whichever_session_is_next(client: Claude) -> None:
    file = add(client)
    assert "Refunds wait" in client.prompt("when do refunds wait for QA?")
    change(file)
    others = (client, Claude(client.root, "session-2"), Claude(client.root, "session-3"))
    replies = [one.prompt(f"refunds and QA, {n}") for n in range(3) for one in others]
    assert "".join(replies).count(sentence(client, file)) == 1


def test_another_change_is_said_again(client: Claude) -> None:
    file = add(client)
    client.prompt("when do refunds wait for QA?")
    change(file)
    first = client.prompt("refunds and QA") + client.prompt("go on")
    file.write_bytes(file.read_bytes().replace(b"900", b"700"))
    other = Claude(client.root, "session-2")
    second = other.prompt("refunds once more") + other.prompt("go on with it")
    assert sentence(client, file) in first
    assert sentence(client, file) in second


def test_the_list_says_it_until_the_memory_is_confirmed(client: Claude) -> None:
    file = add(client)
    change(file)
    remedy = f"`synapse memory confirm {file.stem}` takes it as it is, and so does a commit."
    assert f"{sentence(client, file)}. {remedy}" in notes(client)
    assert sentence(client, file) in notes(client)
    MemoryStore(str(client.root)).confirm(file.stem, now=time.time())
    assert b"900" in file.read_bytes()
    assert notes(client) == ""


def test_several_are_one_sentence(client: Claude) -> None:
    files = [add(client, f"Refund {n} waits for 500.") for n in range(5)]
    for file in files:
        change(file)
    assert "and 2 more are not as Synapse LS wrote them" in notes(client)
    assert notes(client).count("\n") == 0


def test_what_a_person_wrote_is_no_ones_business(client: Claude) -> None:
    path = ".synapse/memory/shared/durable/mem-2026-01-02-001.md"
    write_tree(client.root, {path: "# Refunds wait for 500\n"})
    assert notes(client) == ""
    change(client.root / path)
    assert notes(client) == ""


def test_other_line_breaks_are_no_change(client: Claude) -> None:
    file = add(client)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert notes(client) == ""


def test_a_memory_may_be_put_away_and_brought_back(client: Claude) -> None:
    file = add(client)
    store = MemoryStore(str(client.root))
    store.forget(file.stem)
    store.restore(file.stem)
    assert notes(client) == ""


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("inner", ["", "packages/app"])
def test_what_git_has_in_the_same_words_is_an_edit(
    client: Claude, tmp_path: Path, inner: str
) -> None:
    root = tmp_path / "repository" / inner
    root.parent.mkdir(parents=True, exist_ok=True)
    client.root.rename(root)
    client.root = root
    file = add(client)
    change(file)
    top = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(top)], check=True)
    assert sentence(client, file) in notes(client)
    subprocess.run(["git", "-C", str(top), "add", "--force", str(file)], check=True)
    assert notes(client) == ""
    file.write_bytes(file.read_bytes().replace(b"900", b"700"))
    assert sentence(client, file) in notes(client)


def test_an_edit_by_a_command_is_none_by_hand(client: Claude) -> None:
    from synapse_ls.cli.main import main

    store = MemoryStore(str(client.root))
    record = store.remember("Refunds wait.", now=time.time(), agent="dev", scope="private")
    assert main(["rename", "agent", "dev", "coder", "--root", str(client.root)]) == 0
    assert not (client.root / record.path).exists()
    assert "agent: coder" in next(client.root.glob(".synapse/memory/agents/coder/*/*")).read_text()
    assert notes(client) == ""


def test_notes_that_are_damaged_say_nothing(client: Claude) -> None:
    file = add(client)
    change(file)
    (client.root / ".synapse/metrics/memory-digests.json").write_bytes(b'{"mem')
    assert notes(client) == ""


def test_the_notes_are_private(client: Claude) -> None:
    add(client)
    file = client.root / ".synapse/metrics/memory-digests.json"
    assert file.stat().st_mode & 0o077 == 0
    assert (file.parent / ".gitignore").read_text().splitlines()[-1] == "*"
    assert "Refunds" not in file.read_text()


@pytest.mark.slow
def test_no_damage_is_taken_for_an_edit(client: Claude) -> None:
    file, dice = add(client), random.Random(17)
    whole = file.read_bytes()
    for number in range(200):
        file.write_bytes(damage(whole, dice))
        assert notes(client), f"damage {number} is not said: {file.read_bytes()!r}"
