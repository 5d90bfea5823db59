"""This module reads what a repository's own files say: which branch is checked out,
and what (rebase, merge …) is not finished.

No git is needed for that, and it takes no time: a project's status begins with it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from synapse_ls.storage.repository_place import NAME_FILE_LIMIT, Repository
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
    """A Head is what is checked out in a repository.

    ``state``: "branch", "detached" (then ``commit`` is the beginning of its hash) or "unborn" (a
    branch without any commit yet); "" where that cannot be told. ``worktree``: its name, where this
    is a linked work tree. ``under_way``: "rebase", "merge", … that is not finished.
    """

    branch: str = ""
    state: str = ""
    commit: str = ""
    worktree: str = ""
    under_way: str = ""


def read_head(repository: Repository) -> Head:
    """Returns what is checked out in a repository, as far as files alone tell it."""
    git, common = repository.git, repository.common
    worktree = os.path.basename(git) if os.path.realpath(git) != os.path.realpath(common) else ""
    if os.path.basename(os.path.dirname(git)) != "worktrees":
        worktree = ""  # a submodule has a folder of its own, too
    under_way = next(
        (what for name, what in _UNFINISHED_MARKS if os.path.exists(os.path.join(git, name))), ""
    )
    place = os.path.join(git, "HEAD")
    said = _link_target(place) or _read_name(place).strip()
    if said.startswith("ref:"):
        said = said[4:].strip()
    if said.startswith("refs/"):
        name = said.removeprefix(_HEADS)
        if name == ".invalid":  # git's own mark for references that are kept in another way
            return Head(worktree=worktree, under_way=under_way)
        state = "branch" if _has_commit(git, common, said) else "unborn"
        return Head(name, state, "", worktree, under_way)
    if said and all(c in "0123456789abcdef" for c in said):
        rebased = _read_name(os.path.join(git, "rebase-merge", "head-name")).strip()
        return Head(
            rebased.removeprefix(_HEADS), "detached", said[:_SHORT_HASH], worktree, under_way
        )
    return Head(worktree=worktree, under_way=under_way)


def _has_commit(git: str, common: str, reference: str) -> bool:
    """Tells whether a branch has a commit."""
    for folder in dict.fromkeys((git, common)):
        if os.path.isfile(os.path.join(folder, *reference.split("/"))):
            return True
    wanted = f" {reference}\n".encode(errors="surrogateescape")
    return wanted in _read_beginning(
        os.path.join(common, "packed-refs"), _PACKED_REFS_LIMIT
    ).replace(b"\r\n", b"\n")


def _link_target(path: str) -> str:
    """Returns where a symbolic link for a head leads; "" for a plain file."""
    try:
        return os.readlink(path) if os.path.islink(path) else ""
    except OSError:
        return ""


def _read_name(path: str) -> str:
    data = _read_beginning(path, NAME_FILE_LIMIT).partition(b"\0")[0]  # as git reads it
    return data.decode("utf-8", "backslashreplace")


def _read_beginning(path: str, limit: int) -> bytes:
    """Returns the beginning of a regular file; empty for anything else."""
    try:
        return read_beginning(path, limit)
    except OSError:
        return b""
