"""A tree as git keeps it at a revision."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from synapse_ls.formats import config
from synapse_ls.formats.config import Paths
from synapse_ls.service.errors import ServiceError
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.kinds import FileKind, classify
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

_LINK = "120000"
_FILES = ("100644", "100755", _LINK)
# Set by git for its hooks; they would have us look at another repository than that of the root.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY")


class _Blob(NamedTuple):
    mode: str
    id: str


def tree_at(root: str, revision: str) -> Tree:
    """The tree of the folder ``root`` at ``revision``.

    ServiceError where git is missing, the folder is in no repository, or there is no such revision.
    """
    blobs = _listed(root, revision)
    with _checked_out(root, blobs) as folder:
        return Tree(load(folder, Scope.ALL).index.snapshot())


def _git(root: str, *arguments: str, given: bytes | None = None) -> bytes:
    """What a git command prints; ServiceError with its own words where it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    try:
        done = subprocess.run(
            ["git", "-C", root, *arguments],
            input=given,
            stdin=None if given is not None else subprocess.DEVNULL,
            capture_output=True,
            env={**environment, "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise ServiceError(f"git cannot be started: {error.strerror}.", "Install git.") from error
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise ServiceError(f"git cannot answer: {words.splitlines()[0] if words else '?'}.", "")
    return done.stdout


def _listed(root: str, revision: str) -> Mapping[str, _Blob]:
    """The files below the root at a revision, by path."""
    try:
        _git(root, "rev-parse", "--git-dir")
    except ServiceError as error:
        remedy = "There is nothing to compare with."
        raise ServiceError(f"{root} is in no git repository.", remedy) from error
    try:
        _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    except ServiceError as error:
        remedy = "Name a commit, a branch or a tag."
        raise ServiceError(f'The repository has no revision "{revision}".', remedy) from error
    listing = _git(root, "ls-tree", "-r", "-z", "--end-of-options", revision)
    found: dict[str, _Blob] = {}
    for line in listing.split(b"\0"):
        about, tab, name = line.partition(b"\t")
        if tab:
            mode, _, identity = about.decode().split(" ")
            if mode in _FILES:
                found[os.fsdecode(name)] = _Blob(mode, identity)
    return found


@contextmanager
def _checked_out(root: str, blobs: Mapping[str, _Blob]) -> Iterator[str]:
    """A folder with those of the files that belong to the tree."""
    settings = blobs.get(CONFIG)
    text = _contents(root, [settings.id])[0].decode(errors="replace") if settings else ""
    wanted = _ours(root, blobs, config.parse(text).document.paths)
    contents = _contents(root, [blobs[path].id for path in wanted])
    with TemporaryDirectory(prefix="synapse-") as made:
        folder = Path(os.path.realpath(made))
        for path, content in zip(wanted, contents, strict=True):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if blobs[path].mode == _LINK:
                target.symlink_to(os.fsdecode(content))
            else:
                target.write_bytes(content)
        yield str(folder)


def _ours(root: str, blobs: Mapping[str, _Blob], paths: Paths) -> list[str]:
    """The files that belong to the tree, and those that links of it lead to."""
    links = [path for path, blob in blobs.items() if blob.mode == _LINK]
    leads = {
        path: os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(target)))
        for path, target in zip(links, _contents(root, [blobs[p].id for p in links]), strict=True)
    }
    inside = {
        path: target.replace(os.sep, "/")
        for path, target in leads.items()
        if not os.path.isabs(target) and target.split(os.sep)[0] != os.pardir
    }

    def counts(path: str) -> bool:
        # Sessions are no part of what a tree says.
        return classify(path, paths) not in (None, FileKind.SESSION)

    def is_led_to(path: str) -> bool:
        return any(
            path == target or (path.startswith(f"{target}/") and counts(link + path[len(target) :]))
            for link, target in inside.items()
        )

    return [path for path in blobs if path in inside or counts(path) or is_led_to(path)]


def _contents(root: str, ids: list[str]) -> list[bytes]:
    """The contents of blobs, in one go."""
    if not ids:
        return []
    output = _git(root, "cat-file", "--batch", given="".join(f"{i}\n" for i in ids).encode())
    found, at = [], 0
    for _ in ids:
        end = output.index(b"\n", at)
        size = int(output[at:end].split(b" ")[2])
        found.append(output[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return found
