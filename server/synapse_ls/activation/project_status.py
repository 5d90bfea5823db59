"""Load the project's status: branch, changes, recent commits (ADR-001 C4).

The branch and an unfinished operation (rebase, merge …) are read from the repository's files, which
is immediate; only changes and commits need git.
"""

import os
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace

from synapse_ls.activation.activation_files import quote_line
from synapse_ls.activation.loader_runner import LoaderSlot, UnavailableError
from synapse_ls.text import phrases
from synapse_ls.workspace import git_runner, repository_discovery
from synapse_ls.workspace.regular_files import read_beginning

_PACKED_REFS_LIMIT = 8_000_000  # bytes of the packed references that are looked through
_SHORT_HASH = 7  # characters of a commit that are shown
_HEADS = "refs/heads/"
_UNFINISHED_MARKS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


@dataclass(frozen=True, slots=True)
class Head:
    """What is checked out in a repository.

    ``state``: "branch", "detached" (then ``commit`` is the beginning of its hash) or "unborn" (a
    branch without any commit yet); "" where that cannot be told. ``worktree``: its name, where this
    is a linked work tree. ``under_way``: "rebase", "merge", … that is not finished.
    """

    branch: str = ""
    state: str = ""
    commit: str = ""
    worktree: str = ""
    under_way: str = ""


def read_head(repository: repository_discovery.Repository) -> Head:
    """Return what is checked out in a repository, as far as files alone tell it."""
    git, common = repository.git, repository.common
    is_apart = os.path.realpath(git) != os.path.realpath(common)  # as a submodule's is, too
    is_worktree = is_apart and os.path.basename(os.path.dirname(git)) == "worktrees"
    worktree = os.path.basename(git) if is_worktree else ""
    under_way = next(
        (what for name, what in _UNFINISHED_MARKS if os.path.exists(os.path.join(git, name))), ""
    )
    place = os.path.join(git, "HEAD")
    reference = ""
    with suppress(OSError):  # it may be a symbolic link to the reference
        reference = os.readlink(place)
    reference = reference or _read_name(place)
    if reference.startswith("ref:"):
        reference = reference[4:].strip()
    if reference.startswith("refs/"):
        name = reference.removeprefix(_HEADS)
        # git's own mark for references that are kept in another way, or no name of a branch
        if name == ".invalid" or any(sign in name for sign in ("..", ":", "\\")):
            return Head(worktree=worktree, under_way=under_way)
        files = (os.path.join(folder, *reference.split("/")) for folder in (git, common))
        if not (has_commit := any(map(os.path.isfile, files))):
            packed = _read_beginning(os.path.join(common, "packed-refs"), _PACKED_REFS_LIMIT)
            line = f" {reference}\n".encode(errors="surrogateescape")
            has_commit = line in packed.replace(b"\r\n", b"\n")
        return Head(name, "branch" if has_commit else "unborn", "", worktree, under_way)
    if reference and all(c in "0123456789abcdef" for c in reference):
        rebased = _read_name(os.path.join(git, "rebase-merge", "head-name"))
        return Head(
            rebased.removeprefix(_HEADS), "detached", reference[:_SHORT_HASH], worktree, under_way
        )
    return Head(worktree=worktree, under_way=under_way)


def _read_name(path: str) -> str:
    """Return the name in a file of git's own; none through a link, which may lead to secrets."""
    if os.path.islink(path):
        return ""
    data = _read_beginning(path, repository_discovery.NAME_FILE_LIMIT)
    return data.partition(b"\0")[0].decode("utf-8", "backslashreplace").strip()


def _read_beginning(path: str, limit: int) -> bytes:
    """Return the beginning of a regular file; empty for anything else."""
    try:
        return read_beginning(path, limit)
    except OSError:
        return b""


MOST_COMMITS = 3
MOST_FILES = 5  # changed files that are named
_STOP_MARGIN = 0.03  # seconds that git is stopped before the loader's time is over

_STATUS_ARGUMENTS = (
    *("status", "--porcelain=v2", "--branch", "-z"),
    *("--untracked-files=normal", "--no-renames", "--no-ahead-behind"),
)
_LOG_ARGUMENTS = (
    *("log", f"-{MOST_COMMITS}", "-z", "--no-color", "--no-decorate"),
    *("--no-mailmap", "--format=%h%x1f%ct%x1f%s", "HEAD", "--"),
)


@dataclass(frozen=True, slots=True)
class Commit:
    """A recent commit: the beginning of its hash, when it was made (seconds since 1970), and its
    first line.
    """

    hash: str
    committed_at: int
    subject: str


@dataclass(frozen=True, slots=True)
class Changes:
    """The part of the project's status that says how many files differ from the last commit, and
    names some of them.

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
class ProjectStatus:
    """What git tells an agent that greets of the project. Without a repository ``head`` is None;
    ``changes`` and ``commits`` are None where they are not known.
    """

    head: Head | None = None
    changes: Changes | None = None
    commits: tuple[Commit, ...] | None = None


def load_project(root: str, slot: LoaderSlot) -> None:
    """Load the status of the project around ``root``: at once what files tell, then what git
    does.
    """
    if (repository := repository_discovery.find_repository(root)) is None:
        slot.put(ProjectStatus())
        if foreign := repository_discovery.find_foreign_place(root):
            raise UnavailableError(f"branch and commits are left out: {foreign.describe()}")
        return
    at = read_head(repository)
    at = replace(at, branch=quote_line(at.branch), worktree=quote_line(at.worktree))
    project = ProjectStatus(at)
    slot.put(project)
    if not (git := git_runner.find_git(root)):
        raise UnavailableError("git is not installed, so changes and commits are not known")
    ends = slot.deadline - _STOP_MARGIN
    if time.monotonic() >= ends:
        raise UnavailableError(
            f"git was not asked, because less than {_STOP_MARGIN * 1000:.0f} ms of its time were "
            "left"
        )
    commits: list[tuple[Commit, ...]] = []
    missing = ["git took too long"]

    def load_commits() -> None:
        try:
            commits.append(_recent_commits(git, root, ends, project))
        except git_runner.GitError as error:
            missing[:] = [str(error)]

    thread = threading.Thread(target=load_commits, name="load-commits", daemon=True)
    thread.start()
    reason = ""
    try:
        answer = git_runner.run_git(git, _STATUS_ARGUMENTS, root, ends, is_checked=True)
        headers, changes = _parse_status(answer.data, is_cut=answer.is_cut)
        if not at.state and headers.get("branch.head"):
            # Git knows better what is checked out than files tell.
            name, commit = headers["branch.head"], headers.get("branch.oid", "")
            if name == "(detached)":
                at = replace(at, state="detached", commit=commit[:7])
            else:
                state = "unborn" if commit == "(initial)" else "branch"
                at = replace(at, branch=quote_line(name), state=state)
        project = ProjectStatus(at, changes)
        slot.put(project)
    except git_runner.GitError as error:
        reason = f"changes are not known: {error}"
    thread.join(max(0.0, ends - time.monotonic()))
    if commits:
        slot.put(replace(project, commits=commits[0]))
    elif not reason:
        reason = f"recent commits are not known: {missing[0]}"
    if reason:
        raise UnavailableError(reason)


def _parse_status(data: bytes, *, is_cut: bool) -> tuple[dict[str, str], Changes]:
    """Parse the headers and the changes in ``git status --porcelain=v2 --branch -z``."""
    headers: dict[str, str] = {}
    counts = Counter[str]()
    paths: list[bytes] = []
    fields_before = {b"?": 1, b"u": 10, b"1": 8}  # how many stand before the path
    for line in data.split(b"\0")[:-1]:  # what no NUL ends was cut off
        if (sort := line[:1]) == b"#":
            name, _, value = git_runner.decode_output(line[2:]).partition(" ")
            headers[name] = value
        elif sort in fields_before:
            counts["untracked"] += sort == b"?"
            counts["conflicted"] += sort == b"u"
            counts["staged"] += sort == b"1" and line[2:3] != b"."
            counts["modified"] += sort == b"1" and line[3:4] != b"."
            paths.append(line.split(b" ", fields_before[sort])[-1])
    # A line break in a name is shown as `\n`.
    names = map(phrases.escape_invisible, map(git_runner.decode_output, paths[:MOST_FILES]))
    shown = tuple(map(quote_line, names))
    return headers, Changes(**counts, total=len(paths), files=shown, at_least=is_cut)


def _recent_commits(
    git: git_runner.Git, root: str, deadline: float, project: ProjectStatus
) -> tuple[Commit, ...]:
    if project.head is not None and project.head.state == "unborn":
        return ()
    answer = git_runner.run_git(git, _LOG_ARGUMENTS, root, deadline, is_checked=True)
    commits: list[Commit] = []
    for record in git_runner.decode_output(answer.data).split("\0"):
        hash, _, rest = record.partition("\x1f")
        at, _, subject = rest.partition("\x1f")
        if hash.strip() and at.isascii() and at.isdigit():
            commits.append(Commit(hash.strip(), int(at), quote_line(subject)))
    return tuple(commits)
