"""Read a tree from a revision in git."""

import os
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from synapse_ls.formats import config_file
from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import path_classification, tree_folders
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.git_runner import GitError, find_git, run_git
from synapse_ls.workspace.repository_discovery import find_foreign_place
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

LINK_MODE = "120000"
_UNSAFE_NAMES = frozenset(("", os.curdir, os.pardir))
FILE_MODES = ("100644", "100755", LINK_MODE)
_MAX_SECONDS = 30.0  # for one question to git
_OUTPUT_LIMIT = 256_000_000  # bytes of one answer
_REMEDY_FOR_MISSING = (
    "A partial clone lacks them: `git fetch --refetch --no-filter` gets all of it."
)


class Blob(NamedTuple):
    """A file at a revision: its mode as git writes it, and the name of its content."""

    mode: str
    id: str


def tree_at(root: str, revision: str) -> Tree:
    """Return the tree of the folder ``root`` as it was at the git revision ``revision``.

    Raises UserError where git is missing, the folder is in no repository, or there is no such
    revision.
    """
    # The files below the root at a revision, by path.
    verify_revision(root, revision)
    with explained_gaps(root):
        listing = ask_git(root, "ls-tree", "-r", "-z", "--end-of-options", revision)
    with _check_out(root, parse_listing(listing)) as folder:
        return load_tree(folder, LoadScope.ALL).tree


def ask_git(
    root: str, *arguments: str, standard_input: bytes = b"", accepted_codes: Sequence[int] = (0,)
) -> bytes:
    """Return what a git command prints about a revision; raise UserError with its own words where
    it fails.
    """
    if not (git := find_git(root)):
        raise _missing_git()
    try:
        answer = run_git(
            git,
            arguments,
            root,
            time.monotonic() + _MAX_SECONDS,
            byte_limit=_OUTPUT_LIMIT,
            accepted_codes=accepted_codes,
            standard_input=standard_input,
        )
    except GitError as error:
        raise UserError(f"git cannot answer: {error}.", "") from error
    if answer.is_cut:
        raise UserError("git cannot answer: that is too much to read, or takes too long.", "")
    return answer.data


def verify_revision(root: str, revision: str, kind: str = "tree") -> str:
    """Verify a git revision, and return the name of the tree, or of another ``kind`` of object,
    that it means.

    Raises UserError where git is missing, the folder is in no repository, or there is no such
    revision.
    """
    if foreign := find_foreign_place(root):
        raise UserError(
            f"git is not asked: {foreign.describe()}.", "There is nothing to compare with."
        )
    if not find_git(root):
        raise _missing_git()
    try:
        ask_git(root, "rev-parse", "--git-dir")
    except UserError as error:
        remedy = "There is nothing to compare with."
        raise UserError(f"{root} is in no git repository.", remedy) from error
    if name := _object_name(root, f"{revision}^{{{kind}}}"):
        return name
    if _object_name(root, f"{revision}^{{commit}}"):
        raise _missing_objects()
    remedy = "Name a commit, a branch or a tag."
    if _object_name(root, f"origin/{revision}^{{{kind}}}"):
        remedy = f'Name it "origin/{revision}".'
    elif ask_git(root, "rev-parse", "--is-shallow-repository").strip() == b"true":
        remedy = (
            "The checkout is shallow: `fetch-depth: 0` in the step of actions/checkout gets the "
            "commits that it lacks."
            if os.environ.get("GITHUB_ACTIONS") == "true"
            else "The clone is shallow: `git fetch --unshallow` gets the commits that it lacks, "
            "`git fetch --depth=1 origin REVISION` one of them."
        )
    raise UserError(f'The repository has no revision "{revision}".', remedy)


def parse_listing(listing: bytes) -> dict[str, Blob]:
    """Return the files of a revision that ``git ls-tree -z`` lists, by path; none that git would
    not check out, such as one below what is a link at the same revision.
    """
    blobs: dict[str, Blob] = {}
    for line in listing.split(b"\0"):
        about, tab, name = line.partition(b"\t")
        if tab:
            mode, _, identity = about.decode().split(" ")
            if mode in FILE_MODES:
                blobs[os.fsdecode(name)] = Blob(mode, identity)
    return {path: blob for path, blob in blobs.items() if is_inside(path, blobs)}


def is_inside(path: str, files: Container[str] = ()) -> bool:
    """Return whether a path in a revision stays inside the folder that it is put into, where these
    ``files``, which may be links, are put into it, too. Whoever makes a revision without git may
    write any path into it.
    """
    names = path.split("/")
    if os.name == "nt" and any(sign in path for sign in ("\\", ":")):
        return False
    return _UNSAFE_NAMES.isdisjoint(names) and not any(
        "/".join(names[:count]) in files for count in range(1, len(names))
    )


def free_place(folder: str, path: str) -> str:
    """Return where the file ``path`` of a revision stands in ``folder``; "" for a file of CARL
    above the root, of a revision that was made by hand, and behind a link, such as one whose name
    differs in its case only, where the disk takes no notice of that.
    """
    place = os.path.normpath(f"{folder}/{path}")
    return place if is_inside(path) and os.path.realpath(place) == place else ""


def _object_name(root: str, name: str) -> str:
    """Return the hash of what git calls ``name``, "" where the repository does not have it."""
    try:
        output = ask_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    except UserError:
        return ""
    return output.decode().strip()


@contextmanager
def explained_gaps(root: str) -> Iterator[None]:
    """Return a context in which git's failure to read a revision is that of a partial clone, where
    it is in one.
    """
    try:
        yield
    except UserError as error:
        names = r"^(extensions\.partialclone|remote\..*\.promisor)$"
        if ask_git(root, "config", "--get-regexp", names, accepted_codes=(0, 1)):
            raise _missing_objects() from error
        raise


@contextmanager
def _check_out(root: str, blobs: Mapping[str, Blob]) -> Iterator[str]:
    """Yield a temporary folder with those of the files that belong to the tree."""
    settings = blobs.get(tree_folders.CONFIG)
    text = read_blobs(root, [settings.id])[0].decode(errors="replace") if settings else ""
    wanted = _tree_paths(root, blobs, config_file.parse(text).document.paths)
    contents = read_blobs(root, [blobs[path].id for path in wanted])
    with TemporaryDirectory(prefix="synapse-") as temporary:
        folder = os.path.realpath(temporary)
        for path, content in zip(wanted, contents, strict=True):
            if not (place := free_place(folder, path)):
                continue
            with suppress(FileExistsError):  # by another name that means the same to the disk
                os.makedirs(os.path.dirname(place), exist_ok=True)
                if blobs[path].mode == LINK_MODE:
                    os.symlink(os.fsdecode(content), place)
                else:
                    Path(place).write_bytes(content)
        yield folder


def _tree_paths(root: str, blobs: Mapping[str, Blob], paths: PathSettings) -> list[str]:
    """Return the files that belong to the tree, and those that links of it lead to."""
    links = [path for path, blob in blobs.items() if blob.mode == LINK_MODE]
    leads = {
        path: os.path.normpath(os.path.join(os.path.dirname(path), os.fsdecode(target)))
        for path, target in zip(links, read_blobs(root, [blobs[p].id for p in links]), strict=True)
    }
    inside = {
        path: target.replace(os.sep, "/")
        for path, target in leads.items()
        if not os.path.isabs(target) and target.split(os.sep)[0] != os.pardir
    }

    def belongs_to_tree(path: str) -> bool:
        # Sessions are no part of what a tree says.
        return path_classification.classify_path(path, paths) not in (None, FileKind.SESSION)

    def is_link_target(path: str) -> bool:
        return any(
            path == target
            or (path.startswith(f"{target}/") and belongs_to_tree(link + path[len(target) :]))
            for link, target in inside.items()
        )

    return [
        path for path in blobs if path in inside or belongs_to_tree(path) or is_link_target(path)
    ]


def read_blobs(root: str, ids: list[str]) -> list[bytes]:
    """Return the contents of files at a git revision, in one go. Raises UserError where the
    repository lacks one.
    """
    if not ids:
        return []
    wanted = "".join(f"{i}\n" for i in ids).encode()
    with explained_gaps(root):
        output = ask_git(root, "cat-file", "--batch", standard_input=wanted)
    contents, at = [], 0
    for _ in ids:
        end = output.index(b"\n", at)
        if len(about := output[at:end].split(b" ")) < 3:  # "missing"
            raise _missing_objects()
        size = int(about[2])
        contents.append(output[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return contents


def _missing_git() -> UserError:
    return UserError("git cannot be started: there is none on the search path.", "Install git.")


def _missing_objects() -> UserError:
    """Return the error that says that a partial clone left something out."""
    return UserError(
        "The repository does not hold all files of that revision.", _REMEDY_FOR_MISSING
    )
