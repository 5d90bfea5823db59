"""Find files about one person's work that are, or would be, in the git repository."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.text.finding import Finding
from synapse_ls.text.phrases import format_count, shell_word
from synapse_ls.text.span import Span
from synapse_ls.workspace import outside_links, repository_discovery
from synapse_ls.workspace.tree_folders import METRICS, PRIVATE_FOLDERS

NOTE_KIND = "private-in-git"
GITIGNORE = ".gitignore"
# Files that keep an empty folder in a repository, or other files out of it.
_PLACEHOLDERS = (".gitkeep", ".keep", GITIGNORE)

_NOT_IGNORED = ("--exclude-standard", "--")
_PATIENCE = 5.0  # seconds
_MOST_DEPTH = 32  # levels of folders that are looked through


class ExposedFolder(NamedTuple):
    """A private folder of which git has ``tracked`` files, or would take ``waiting`` ones;
    ``has_ignore`` is whether it has an ignore file of its own.
    """

    folder: str
    tracked: tuple[str, ...]
    waiting: tuple[str, ...]
    has_ignore: bool

    @property
    def first(self) -> str:
        """The path of the first file."""
        return (*self.tracked, *self.waiting)[0]

    def describe(self) -> str:
        """Return what is wrong, a sentence without its full stop."""
        count = format_count(len(self.tracked or self.waiting), "file")
        folder = describe_private_folder(self.folder)
        if self.tracked:
            return f"git has {count} of {folder}"
        return f"git would take {count} of {folder}"

    def remedy(self) -> str:
        """Return what to do, a sentence."""
        ignore = f"{self.folder}/{GITIGNORE}"
        folder = shell_word(self.folder)
        if self.tracked and self.has_ignore:
            return (
                f"Run `git rm -r --cached {folder}`, and see that {ignore} says `*`; the files "
                "stay."
            )
        if self.tracked:
            return (
                f"Run `git rm -r --cached {folder}`, and create {ignore} with the line `*`; the "
                "files stay."
            )
        if self.has_ignore:
            return f"Write `*` into {ignore}."
        return f"Create {ignore} with the line `*`."


def describe_private_folder(folder: str) -> str:
    """Return a folder with the reason why git should not have it."""
    if folder == METRICS:
        return f"{folder}/, which is written anew as people work, on every machine"
    return f"{folder}/, which holds words of a person's prompts"


def private_file_notes(root: str) -> Iterator[Finding]:
    """Yield one note about a tree whose private folders git has, or would take: about the first;
    and one where git does not say.
    """
    try:
        exposed = exposed_folders(root)
    except UnknownExposureError as error:
        yield Finding(Span(0, 0), f"{error}.", kind="private-in-git", path=error.path)
        return
    if exposed:
        first, *rest = exposed
        message = f"{first.describe().replace('git', 'Git', 1)}."
        if rest:
            folders = ", ".join(other.folder for other in rest)
            message = f"{message} Files of {folders} are there, too."
        yield Finding(Span(0, 0), message, first.remedy(), kind="private-in-git", path=first.first)


class UnknownExposureError(Exception):
    """git does not say what it has of a private folder; the text is a sentence without its full
    stop. path: a file of the folder.
    """

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


def exposed_folders(root: str) -> list[ExposedFolder]:
    """Return the private folders of which git has files or would take some; none outside of a
    repository. Raise UnknownExposureError where git is not there, or refuses.
    """
    files = {folder: path for folder in PRIVATE_FOLDERS if (path := _first_file(root, folder))}
    if not files or not repository_discovery.find_top_folder(os.path.realpath(root)):
        return []
    # Few trees have such a file, and to start git needs much that nothing else does.
    from synapse_ls.workspace.git_runner import GitError, list_files

    try:
        listed = list_files(root, ("-t", "--cached", "--others", *_NOT_IGNORED, *files), _PATIENCE)
    except GitError as error:
        folder, path = next(iter(files.items()))
        what = describe_private_folder(folder)
        sentence = f"Whether git has files of {what}, is not known: {error}"
        raise UnknownExposureError(path, sentence) from error
    exposed = []
    for folder in files:
        inside = [
            (status, path)
            for status, path in (line.split(" ", 1) for line in listed)
            if path.startswith(f"{folder}/") and _has_content(path)
        ]
        if inside:
            tracked = tuple(path for status, path in inside if status != "?")
            waiting = tuple(path for status, path in inside if status == "?")
            has_ignore = os.path.isfile(os.path.join(root, folder, GITIGNORE))
            exposed.append(ExposedFolder(folder, tracked, waiting, has_ignore))
    return exposed


def _first_file(root: str, folder: str) -> str:
    """Return the first file in a folder or below that says something; "" for none."""
    if outside_links.find_outside_link(root, folder):
        return ""
    top = os.path.join(root, folder)
    for at, folders, names in os.walk(top):
        folders.sort()
        if at[len(top) :].count(os.sep) >= _MOST_DEPTH:
            folders.clear()  # nothing that we write lies deeper
        for name in filter(_has_content, sorted(names)):
            return os.path.relpath(os.path.join(at, name), root).replace(os.sep, "/")
    return ""


def _has_content(path: str) -> bool:
    """Return whether a file is there for more than git or a lock."""
    return path.rpartition("/")[2] not in _PLACEHOLDERS and not path.endswith(".lock")
