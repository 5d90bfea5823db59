"""The process that tests fork programs from."""

from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from tests.forked_client import LENGTH
from tests.forked_programs import forked_line


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="this system starts a process for each")
@pytest.mark.parametrize(
    "beginning", [b"", (99).to_bytes(LENGTH, "big")], ids=["nothing", "length"]
)
def test_a_client_that_ends_before_it_has_asked_leaves_the_others_theirs(beginning: bytes) -> None:
    line = forked_line([sys.executable, "-m", "synapse_ls", "--version"])
    path = line[line.index("synapse") - 1]

    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        client.sendall(beginning)

    assert subprocess.run(line, capture_output=True, check=True).stdout.startswith(b"synapse")
