"""A reader that goes away, or a full disk below the output, stops no work: what a command is to write, it writes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from synapse_ls.storage import session_changes
from synapse_ls.storage.session_store import SessionStore
from tests.forked_programs import forked_line
from tests.setup.migrate.trees import project as carl_project
from tests.trees import TEAM, write_tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX streams")

COMMAND = (sys.executable, "-m", "synapse_ls")
BOOKSHOP = Path(__file__).parents[1] / "workspaces/bookshop"
_VARIES = re.compile(rb"[0-9a-f]*\d[0-9a-f]*|\b[a-f]{8,}\b")


def bookshop(root: Path) -> None:
    shutil.copytree(BOOKSHOP, root)


def team(root: Path) -> None:
    """A tree with findings that can be fixed, a file for `sync`, and a session."""
    write_tree(root, TEAM)
    with (root / ".synapse/manifest").open("a") as manifest:
        manifest.write("DOCS_RECAL=x\nGLOBAL_STATE = active  \n\n\n")
    with (root / ".synapse/global").open("a") as rules:
        rules.write("GLOBAL_RULE_0=Write small functions\n")
    with SessionStore(str(root / ".synapse/sessions")).transaction(
        "4f1c-a", cwd=str(root), now=time.time()
    ) as transaction:
        session_changes.record_prompt(transaction.session, "Refund twice", time.time())
        transaction.commit()


def shop(root: Path) -> None:
    carl_project(root)


class Work(NamedTuple):
    """A command that changes something: what there is before it, and what was done to it."""

    start: Callable[[Path], None]
    command: str
    before: tuple[str, ...] = ()


INIT = "init --client claude"
WORK = (
    Work(bookshop, INIT),
    Work(bookshop, "init --beside --about shop --test make"),
    Work(bookshop, "uninstall", (INIT,)),
    Work(bookshop, "sync --remove", (INIT, "sync cursor agents")),
    Work(team, "init --template aiox --beside"),
    Work(team, "install --client claude,cursor,codex --guard --mcp"),
    Work(team, "sync agents cursor copilot"),
    Work(team, "trust"),
    Work(team, "check --fix --unsafe-fixes"),
    Work(team, "check --add-suppressions"),
    Work(team, "check --write-baseline known.json"),
    Work(team, "check --output-file report.txt"),
    Work(team, "fmt"),
    Work(team, "rename domain DOCS PAGES"),
    Work(team, "domain new BILLING --recall invoice"),
    Work(team, "domain toggle DOCS"),
    Work(team, "domain rule add GLOBAL Measure"),
    Work(team, "profile use carl"),
    Work(team, "memory add Refunds-are-manual"),
    Work(team, "memory gc"),
    Work(team, "session set 4f1c-a agent=dev"),
    Work(team, "session reset 4f1c-a"),
    Work(team, "handoff --session 4f1c-a"),
    Work(shop, "migrate"),
    Work(shop, "migrate --rollback", ("migrate",)),
    Work(shop, "migrate --finish", ("migrate",)),
    Work(shop, "session migrate"),
    Work(shop, "session migrate --rollback", ("session migrate",)),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the project of a command is to be; the user's own folders are the test's."""
    monkeypatch.setenv("SYNAPSE_LS_CONFIG", str(tmp_path / "config"))
    return tmp_path / "project"


def run(root: Path, words: str, **streams: int) -> int:
    """Runs a command; returns its exit code."""
    done = subprocess.run(
        forked_line([*COMMAND, *words.split()]),
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=streams.get("stdout", subprocess.DEVNULL),
        stderr=streams.get("stderr", subprocess.DEVNULL),
    )
    return done.returncode


def start(work: Work, root: Path) -> None:
    """Makes the project of ``work`` as it is before its command."""
    for folder in (root, Path(os.environ["SYNAPSE_LS_CONFIG"]), Path(os.environ["HOME"])):
        shutil.rmtree(folder, ignore_errors=True)
    Path(os.environ["HOME"]).mkdir()
    work.start(root)
    for words in work.before:
        assert run(root, words) == 0


def written_files(root: Path) -> dict[str, bytes]:
    """What stands in the project and in the user's folders, without what no two runs share."""
    folders = (root, Path(os.environ["SYNAPSE_LS_CONFIG"]), Path(os.environ["HOME"]))
    files = (file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file())
    return {
        _VARIES.sub(b"#", os.fsencode(file)).decode(): _VARIES.sub(b"#", file.read_bytes())
        for file in files
    }


@contextmanager
def nobody(*names: str) -> Iterator[dict[str, int]]:
    """Streams whose reader is gone."""
    read, write = os.pipe()
    os.close(read)
    try:
        yield dict.fromkeys(names, write)
    finally:
        os.close(write)


@pytest.fixture(params=WORK, ids=lambda work: work.command)
def work(request: pytest.FixtureRequest) -> Work:
    found: Work = request.param
    return found


def verify(work: Work, project: Path, code: int, files: dict[str, bytes], **streams: int) -> None:
    """Verifies that a command whose output goes there ends with a code and leaves these files."""
    start(work, project)
    assert run(project, work.command, **streams) == code
    assert written_files(project) == files


def test_work_is_done_whoever_reads_the_output(work: Work, project: Path) -> None:
    start(work, project)
    before = written_files(project)
    code = run(project, work.command)
    files = written_files(project)
    assert files != before or work.command == "memory gc"
    with nobody("stdout", "stderr") as streams:
        verify(work, project, code, files, **streams)
    if Path("/dev/full").exists():
        with Path("/dev/full").open("wb") as full:
            code = code if "--output-file" in work.command else 2  # it prints nothing
            verify(work, project, code, files, stdout=full.fileno(), stderr=full.fileno())


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_work_is_done_whoever_reads_one_of_two_streams(name: str, project: Path) -> None:
    work = WORK[0]
    start(work, project)
    code = run(project, work.command)
    files = written_files(project)
    with nobody(name) as streams:
        verify(work, project, code, files, **streams)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("row", [WORK[-1]], ids=lambda row: row.command)
def test_work_is_done_where_a_stream_is_closed_from_the_start(
    closed: str, row: Work, project: Path
) -> None:
    start(row, project)
    code = run(project, row.command)
    files = written_files(project)
    start(row, project)
    line = ["/bin/sh", "-c", f'"$@" {closed}', "sh", *COMMAND, *row.command.split()]
    done = subprocess.run(line, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert (done.returncode, written_files(project)) == (code, files)


def test_a_watch_ends_with_its_reader(project: Path) -> None:
    team(project)
    with nobody("stdout") as streams:
        for words in ("check --watch", "status --watch --format json"):
            assert run(project, words, **streams) == 0


def test_a_full_disk_below_the_output_says_that_all_else_is_done(project: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    bookshop(project)
    with full.open("wb") as out:
        done = subprocess.run(
            forked_line([*COMMAND, "init", "-q"]),
            cwd=project,
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "error: The output cannot be written: No space left on device.\n"
        "  remedy: Make room, or send it elsewhere; all else that the command does is done.\n",
    )
    assert (project / ".synapse/manifest").exists()
