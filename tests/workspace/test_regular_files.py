"""Only regular files are read, and no more of them than is wanted."""

from __future__ import annotations

import errno
import os
import socket
import sys
from pathlib import Path

import pytest

from synapse_ls.workspace.regular_files import (
    NotRegularError,
    open_named_stream,
    open_stream,
    read_beginning,
    read_whole,
    real_path,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and links")


def test_a_file_is_read_and_so_is_one_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("a")
    assert [read_whole(tmp_path / name) for name in ("a", "link")] == [b"abc", b"abc"]
    assert read_beginning(tmp_path / "a", 2) == b"ab"


def test_a_pipe_a_folder_a_device_and_a_socket_are_refused_with_what_they_are(
    tmp_path: Path,
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(tmp_path / "socket"))
    for name in ("pipe", "folder", "device", "socket"):
        with pytest.raises(NotRegularError, match=name):
            open_stream(tmp_path / name)


def test_a_file_of_more_bytes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    with pytest.raises(OSError, match="more than 2 bytes") as refused:
        read_whole(tmp_path / "a", 2)
    assert refused.value.errno == errno.EFBIG


@pytest.mark.parametrize("path", ["a\0b", "\0", "a\ud800b"])
def test_a_path_that_no_file_can_have_is_that_of_no_file(path: str) -> None:
    with pytest.raises(FileNotFoundError):
        open_stream(path)
    assert real_path(f"/x/../{path}") == f"/{path}"


def test_what_a_shell_has_opened_is_read() -> None:
    read, write = os.pipe()
    os.write(write, b"abc")
    os.close(write)
    try:
        with open_named_stream(f"/dev/fd/{read}") as stream:
            assert stream.read() == b"abc"
    finally:
        os.close(read)
