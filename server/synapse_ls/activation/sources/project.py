"""The project as git sees it: branch, changes, recent commits (ADR-001 C4)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from synapse_ls.activation import git
from synapse_ls.activation.loaders import Slot, UnavailableError
from synapse_ls.activation.quoted import quoted
from synapse_ls.activation.repository import Head, find, head

COMMITS = 3
SHOWN = 5  # changed files that are named
_GRACE = 0.03  # seconds that git is stopped before the loader's time is over

_STATUS = (
    *("status", "--porcelain=v2", "--branch", "-z"),
    *("--untracked-files=normal", "--ignore-submodules=all", "--no-renames", "--no-ahead-behind"),
)
_LOG = (
    *("log", f"-{COMMITS}", "-z", "--no-show-signature", "--no-color", "--no-decorate"),
    *("--no-mailmap", "--format=%h%x1f%ct%x1f%s", "HEAD", "--"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: the beginning of its hash, when it was made (seconds since 1970), its first line."""

    hash: str
    at: int
    subject: str


@dataclass(frozen=True, slots=True)
class Changes:
    """How many files differ from the last commit, and some of them.

    ``at_least``: git had no time to name all of them.
    """

    staged: int = 0
    modified: int = 0
    untracked: int = 0
    conflicted: int = 0
    total: int = 0
    files: tuple[str, ...] = ()
    at_least: bool = False


@dataclass(frozen=True, slots=True)
class Project:
    """A project. Without a repository ``head`` is None; ``changes`` and ``commits`` are None where
    they are not known.
    """

    head: Head | None = None
    changes: Changes | None = None
    commits: tuple[Commit, ...] | None = None

    def report(self) -> dict[str, Any]:
        """It as plain values."""
        at, changes = self.head, self.changes
        return {
            "repository": at is not None,
            "branch": (at.branch or None) if at else None,
            "state": (at.state or None) if at else None,
            "commit": (at.commit or None) if at else None,
            "worktree": (at.worktree or None) if at else None,
            "under_way": (at.under_way or None) if at else None,
            "changes": {
                "total": changes.total,
                "staged": changes.staged,
                "modified": changes.modified,
                "untracked": changes.untracked,
                "conflicted": changes.conflicted,
                "at_least": changes.at_least,
                "files": list(changes.files),
            }
            if changes
            else None,
            "commits": None
            if self.commits is None
            else [{"hash": c.hash, "time": c.at, "subject": c.subject} for c in self.commits],
        }


def load(root: str, slot: Slot) -> None:
    """The project around ``root``: at once what files tell, then what git does."""
    repository = find(root)
    if repository is None:
        slot.put(Project())
        return
    project = Project(_clean(head(repository)))
    slot.put(project)
    program = git.program(root)
    if not program:
        raise UnavailableError("git is not installed, so changes and commits are not known")
    ends = slot.ends - _GRACE
    if time.monotonic() >= ends:
        raise UnavailableError("there was no time left for git")
    commits = _Aside(lambda: _commits(program, root, ends, project))
    try:
        status = _status(program, root, repository.folder, ends)
        project = _with_status(project, *status)
    except git.GitError as error:
        slot.put(replace(project, commits=commits.value(ends)))
        raise UnavailableError(f"changes are not known: {error}") from error
    slot.put(project)
    slot.put(replace(project, commits=commits.value(ends)))
    if commits.error:
        raise UnavailableError(f"recent commits are not known: {commits.error}")


class _Aside:
    """A question to git that is asked beside another."""

    def __init__(self, question: Callable[[], tuple[Commit, ...]]) -> None:
        self.error = ""
        self._found: tuple[Commit, ...] | None = None
        self._question = question
        self._thread = threading.Thread(target=self._ask, name="load-commits", daemon=True)
        self._thread.start()

    def _ask(self) -> None:
        try:
            self._found = self._question()
        except git.GitError as error:
            self.error = str(error)

    def value(self, ends: float) -> tuple[Commit, ...] | None:
        """The answer; None where there is none in time."""
        self._thread.join(max(0.0, ends - time.monotonic()))
        if self._found is None and not self.error:
            self.error = "git took too long"
        return self._found


def _status(program: str, root: str, folder: str, ends: float) -> tuple[dict[str, str], Changes]:
    """The work tree is that of ``folder``, whatever the configuration says it is."""
    settings = (f"--work-tree={folder}", *git.filters_off(program, root, ends))
    answer = git.ask(program, _STATUS, root, ends, settings=settings)
    return _read_status(answer.data, is_cut=answer.is_cut)


def _read_status(data: bytes, *, is_cut: bool) -> tuple[dict[str, str], Changes]:
    """The headers and the changes in ``git status --porcelain=v2 --branch -z``."""
    headers: dict[str, str] = {}
    files: list[str] = []
    counts = {"staged": 0, "modified": 0, "untracked": 0, "conflicted": 0}
    total = 0
    lines = data.split(b"\0")
    for line in lines[:-1]:  # what no NUL ends was cut off
        sort = line[:1]
        if sort == b"#":
            name, _, value = git.decoded(line[2:]).partition(" ")
            headers[name] = value
            continue
        if sort == b"?":
            counts["untracked"] += 1
            path = line[2:]
        elif sort == b"u":
            counts["conflicted"] += 1
            path = line.split(b" ", 10)[-1]
        elif sort == b"1":
            states = line[2:4]
            counts["staged"] += states[:1] != b"."
            counts["modified"] += states[1:2] != b"."
            path = line.split(b" ", 8)[-1]
        else:
            continue
        total += 1
        if len(files) < SHOWN:
            files.append(_name(path))
    return headers, Changes(**counts, total=total, files=tuple(files), at_least=is_cut)


def _with_status(project: Project, headers: dict[str, str], changes: Changes) -> Project:
    """Where git knows better what is checked out than files tell, it is believed."""
    at = project.head or Head()
    if not at.state and headers.get("branch.head"):
        name, commit = headers["branch.head"], headers.get("branch.oid", "")
        if name == "(detached)":
            at = replace(at, state="detached", commit=commit[:7])
        else:
            state = "unborn" if commit == "(initial)" else "branch"
            at = replace(at, branch=quoted(name), state=state)
    return replace(project, head=at, changes=changes)


def _commits(program: str, root: str, ends: float, project: Project) -> tuple[Commit, ...]:
    if project.head is not None and project.head.state == "unborn":
        return ()
    answer = git.ask(program, _LOG, root, ends)
    found = []
    for record in git.decoded(answer.data).split("\0"):
        hash, _, rest = record.partition("\x1f")
        at, _, subject = rest.partition("\x1f")
        if hash.strip() and at.isascii() and at.isdigit():
            found.append(Commit(hash.strip(), int(at), quoted(subject)))
    return tuple(found)


def _clean(at: Head) -> Head:
    return replace(at, branch=quoted(at.branch), worktree=quoted(at.worktree))


def _name(path: bytes) -> str:
    """A file's name as one line: a line break in it is shown as ``\\n``."""
    text = git.decoded(path)
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return quoted(escaped)
