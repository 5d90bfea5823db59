"""Where a client runs in these tests: a project with rules, an empty home, and a `synapse` that
writes down what the client gives it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tests.clients.model import Model
from tests.forked_programs import forked_line
from tests.trees import TEAM, Files, write_tree

LEAST_PATIENCE = 2.0  # seconds that every client leaves a hook, without its start
MOST_TURNS = 10  # that are taken where hooks are late, on a machine that is busy
DEADLINE = 240  # seconds for one run of a client or of `synapse`, on a machine that is busy

# Keeps what a hook was called with and what it answered; the program itself is the real one.
RECORDER = """\
record=$(mktemp -d {records}/XXXXXXXX)
cat >"$record/input"
env >"$record/environment"
printf '%s\\n' "$@" >"$record/arguments"
{program} "$@" <"$record/input" >"$record/output"
status=$?
: >"$record/ended"
cat "$record/output"
exit $status
"""
DIES, HANGS = "the server dies of it", "the server hangs on it"
"""In an event of the hook server."""
PATIENT = f"""\
import os, signal, sys, time
from synapse_ls.__main__ import CONVERSATION
from synapse_ls.hooks import hook_command, hook_server
hook_server.ANSWER_SECONDS = {DEADLINE}
answer_payload = hook_command.answer_payload
def answer_or_fail(payload, *rest):
    if {DIES!r} in repr(payload):
        os.kill(os.getpid(), signal.SIGKILL)
    if {HANGS!r} in repr(payload):
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        time.sleep({DEADLINE})
    answer_payload(payload, *rest)
hook_command.answer_payload = answer_or_fail
hook_server.main(sys.argv[2:], CONVERSATION)
"""
SHIM = f'#!/bin/sh\n[ "$1" = hook ] || exec {{program}} "$@"\n{RECORDER}'


class Hooked(NamedTuple):
    """One call of the hook by a client; begun, ended: when its event and its reply were there, in
    nanoseconds.
    """

    arguments: tuple[str, ...]
    environment: dict[str, str]
    event: dict[str, Any]
    reply: dict[str, Any]
    ended: int = 0
    begun: int = 0

    @property
    def name(self) -> str:
        """The event, as the registration or the client calls it."""
        if "--event" in self.arguments:
            return self.arguments[self.arguments.index("--event") + 1]
        return str(self.event.get("hook_event_name", ""))

    @property
    def session(self) -> str:
        return str(self.event.get("session_id") or self.event.get("sessionId") or "")

    @property
    def told(self) -> str:
        """The text for the model in the reply, or ""."""
        nested = self.reply.get("hookSpecificOutput", {})
        for holder in (nested, self.reply):
            for field in ("additionalContext", "additional_context"):
                if text := holder.get(field):
                    return bracketed(str(text))
        return ""


_MARKS = re.compile(r"^\[(END OF )?(SYNAPSE-RULES)\]$", re.MULTILINE)


def bracketed(text: str) -> str:
    """A block with the marks that it has everywhere but in clients that escape angle brackets."""
    return _MARKS.sub(lambda mark: f"<{'/' if mark[1] else ''}{mark[2].lower()}>", text)


class Place:
    """``folder`` has to be empty. files: the project's. installed: where `synapse` is found, in
    the place of the one that these tests run with; then no records are made.
    """

    def __init__(
        self, folder: Path, model: Model, files: Files = TEAM, installed: Path | None = None
    ) -> None:
        self.model = model
        self.home = folder / "home"
        self.project = folder / "project"
        self._programs = installed or folder / "bin"
        self._records = folder / "records"
        for path in (self.home, self.project, self._records):
            path.mkdir(parents=True)
        write_tree(self.project, files)
        if files:
            self._with_sessions()
        if not installed:
            self._programs.mkdir()
            # Forks, which spare its start; the newcomer's (`test_first_block.py`) is the real one.
            line = shlex.join(forked_line([sys.executable, "-m", "synapse_ls"]))
            synapse = self._write_program("synapse", SHIM, line)
            (self._programs / "synapse-ls").symlink_to(synapse)

    def provide(self, name: str, program: Path) -> None:
        """Has a program be on the search path."""
        (self._programs / name).symlink_to(program)

    def remove_program(self) -> None:
        """Has `synapse` be on the search path no more."""
        for name in ("synapse", "synapse-ls"):
            (self._programs / name).unlink()

    def have_patience(self) -> None:
        """Has the hook server, and the clients that call it, wait however busy the machine is."""
        script = self._programs / "synapse"
        line = f'[ "$1" = hook-server ] && exec {sys.executable} -c {shlex.quote(PATIENT)} "$@"'
        script.write_text(script.read_text().replace("\n", f"\n{line}\n", 1))
        for name in (".claude/settings.json", ".codex/hooks.json"):
            settings = self.project / name
            if settings.exists():
                text = settings.read_text()
                settings.write_text(re.sub(r'"timeout": \d+', f'"timeout": {DEADLINE}', text))

    def recording_interpreter(self) -> Path:
        """An interpreter that writes down what it is given, as this `synapse` does: for the lines of
        a user's own settings, which name the interpreter."""
        return self._write_program("python", f"#!/bin/sh\n{RECORDER}", shlex.quote(sys.executable))

    def _write_program(self, name: str, script: str, program: str) -> Path:
        file = self._programs / name
        records = shlex.quote(str(self._records))
        file.write_text(script.format(program=program, records=records))
        file.chmod(0o755)
        return file

    def _with_sessions(self) -> None:
        """As after an earlier session: the first one changes the folder of the tree, so that it is
        read again, which may take a busy machine longer than a prompt waits."""
        ignored = self.project / ".synapse" / ".gitignore"
        ignored.write_text("sessions/\n", encoding="utf-8")
        (ignored.parent / "sessions").mkdir()

    @property
    def environment(self) -> dict[str, str]:
        """All that a client knows of the machine: no credentials, no settings of a person."""
        return {
            "HOME": str(self.home),
            "PATH": os.pathsep.join((str(self._programs), "/usr/local/bin", "/usr/bin", "/bin")),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SYNAPSE_LS_CACHE": str(self.home / "synapse-cache"),
            "SYNAPSE_LS_CONFIG": str(self.home / "synapse-config"),
        }

    @property
    def hooked(self) -> tuple[Hooked, ...]:
        """The calls of the hook so far, in their order; a client may leave before the last has ended."""
        ended = (path for path in self._records.iterdir() if (path / "ended").exists())
        records = sorted(ended, key=_begun)
        return tuple(_read(record) for record in records)

    @property
    def complaints(self) -> str:
        """What the hook has written into its log, which is where it fails silently to."""
        log = Path(self.environment["SYNAPSE_LS_CACHE"]) / "hook.log"
        return log.read_text(encoding="utf-8") if log.exists() else ""

    @property
    def was_late(self) -> bool:
        """Whether a call of the hook took longer than Cline waits, or goes on."""
        return not all(map(_was_in_time, self._records.iterdir()))

    def run(self, *line: str, **environment: str) -> str:
        """What a program says on standard output, run in the project with the deadline."""
        try:
            done = subprocess.run(
                line,
                cwd=self.project,
                env={**self.environment, **environment},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=DEADLINE,
            )
        except subprocess.TimeoutExpired as error:
            said = (error.stdout or b"").decode() + (error.stderr or b"").decode()
            raise AssertionError(f"{line[0]} has not ended after {DEADLINE} s: {said}") from None
        assert done.returncode == 0, f"{line} left with {done.returncode}: {done.stderr}"
        return done.stdout

    def start(self, *line: str, **environment: str) -> subprocess.Popen[str]:
        """A program in the project, which is spoken to."""
        return subprocess.Popen(
            line,
            cwd=self.project,
            env={**self.environment, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def find_processes(self, argument: bytes) -> list[int]:
        """The ids of the processes with this argument that were started here, by whomever."""
        home = f"HOME={self.home}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if argument in (entry / "cmdline").read_bytes().split(b"\0") and home in (
                    entry / "environ"
                ).read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except (OSError, ValueError):
                continue
        return found

    def synapse(self, *arguments: str) -> str:
        return self.run(str(self._programs / "synapse"), *arguments)

    def doctor(self, client: str) -> Any:
        """What `synapse doctor` says of a client, as JSON, whatever it finds."""
        done = subprocess.run(
            [
                self._programs / "synapse",
                "doctor",
                "--client",
                client,
                "--runs",
                "0",
                "--format",
                "json",
            ],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=DEADLINE,
        )
        return json.loads(done.stdout)

    def json(self, *arguments: str) -> Any:
        """What `synapse` says as JSON."""
        return json.loads(self.synapse(*arguments, "--format", "json"))


def _begun(record: Path) -> int:
    """When the event was written down, in nanoseconds."""
    return (record / "input").stat().st_mtime_ns


def _was_in_time(record: Path) -> bool:
    ended = record / "ended"
    return ended.exists() and ended.stat().st_mtime_ns - _begun(record) < 1e9 * LEAST_PATIENCE


@cache
def _read(record: Path) -> Hooked:
    environment = (record / "environment").read_text(encoding="utf-8")
    return Hooked(
        tuple((record / "arguments").read_text(encoding="utf-8").splitlines()),
        dict(line.split("=", 1) for line in environment.splitlines() if "=" in line),
        json.loads((record / "input").read_text(encoding="utf-8")),
        json.loads((record / "output").read_text(encoding="utf-8") or "{}"),
        (record / "ended").stat().st_mtime_ns,
        _begun(record),
    )
