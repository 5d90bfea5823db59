"""What stands for ``os`` in a process that does not load it says the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.workspace.light_os import os as given_os
from tests.syntax import PACKAGE

if sys.platform == "win32":
    pytest.skip("there is no other one on Windows", allow_module_level=True)

import posix
import posixpath

from synapse_ls.workspace import posix_calls, posix_paths

PATHS = st.text(alphabet="/.~ab\0\udc80é", max_size=12)
UNARY = ("split", "dirname", "basename", "isabs", "normpath", "abspath", "expanduser")
LOOKS = ("exists", "lexists", "isdir", "isfile", "islink")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a file, a folder and links to them and to nothing."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_text("", encoding="utf-8")
    for name, target in (("folder", "a"), ("file", "a/b"), ("nothing", "gone"), ("loop", "loop")):
        (tmp_path / name).symlink_to(target)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome(function: object, *arguments: str) -> object:
    try:
        return function(*arguments)  # type: ignore[operator]
    except (ValueError, OSError) as error:
        return type(error)


def test_where_os_is_loaded_it_is_taken() -> None:
    assert given_os is os


@pytest.mark.parametrize("name", UNARY)
@given(path=PATHS)
def test_a_path_has_the_same_parts(name: str, path: str) -> None:
    ours, theirs = getattr(posix_paths, name), getattr(posixpath, name)
    assert outcome(ours, path) == outcome(theirs, path)


@given(paths=st.lists(PATHS, min_size=1, max_size=4))
def test_paths_are_joined_in_the_same_way(paths: list[str]) -> None:
    assert posix_paths.join(*paths) == posixpath.join(*paths)


@given(path=PATHS, start=PATHS)
def test_a_path_from_another_one_is_the_same(path: str, start: str) -> None:
    theirs = outcome(posixpath.relpath, path, start or ".")
    assert outcome(posix_paths.relpath, path, start or ".") == theirs


@pytest.mark.parametrize(
    "path",
    [
        "", ".", "a", "a/b", "a/c", "folder", "folder/b", "file", "nothing", "loop", "a/../folder/../a/b",
        "a//b/", "/", "x\0y",
    ],
)  # fmt: skip
def test_what_lies_at_a_path_is_the_same(folder: Path, path: str) -> None:
    for start in ("", f"{folder}/"):
        for name in (*LOOKS, "realpath"):
            theirs = outcome(getattr(posixpath, name), start + path)
            assert outcome(getattr(posix_paths, name), start + path) == theirs, name


def test_two_names_of_a_file_are_seen(folder: Path) -> None:
    names = ("a/b", "file", "a")
    file, link, other = [(folder / name).stat() for name in names]
    assert posix_paths.samestat(file, link) and not posix_paths.samestat(file, other)


def test_the_home_folder_may_be_the_root_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    for home in ("/", "/home/of/é", ""):
        monkeypatch.setenv("HOME", home)
        monkeypatch.setitem(posix.environ, b"HOME", os.fsencode(home))
        for path in ("~", "~/", "~/a", "~nobody-here/a"):
            assert posix_paths.expanduser(path) == posixpath.expanduser(path)


def test_what_it_does_not_have_is_that_of_os() -> None:
    assert posix_calls.stat is os.stat
    assert posix_calls.walk is os.walk
    assert posix_calls.path.commonpath is posixpath.commonpath
    assert getattr(posix_calls, "O_NO_SUCH_FLAG", 0) == 0
    for name in ("curdir", "pardir", "sep", "pathsep", "linesep", "devnull", "name"):
        assert getattr(posix_calls, name) == getattr(os, name)
    for name in ("SEEK_SET", "SEEK_CUR", "SEEK_END"):
        assert getattr(posix_calls, name) == getattr(os, name)
    for call in (os.open, os.stat, os.mkdir, os.rename, os.unlink):
        assert (call in posix_calls.supports_dir_fd) is (call in os.supports_dir_fd)


@given(text=st.text())
def test_a_path_has_the_same_bytes(text: str) -> None:
    assert outcome(posix_calls.fsencode, text) == outcome(os.fsencode, text)


def test_a_process_without_os_has_the_same_environment(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(PACKAGE.parent)!r})\n"
        "from synapse_ls.workspace.light_os import os as light\n"
        "had = 'os' in sys.modules\n"
        "import os\n"
        "print(had, light is os, light.environ == dict(os.environ))\n"
    )
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        env={b"HOME": os.fsencode(tmp_path), b"ODD": b"\xff\xc3\xa9"},
        capture_output=True,
        check=True,
    )
    assert told.stdout.split() == [b"False", b"False", b"True"]
