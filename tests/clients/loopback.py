"""Runs a command in a new network namespace with loopback on, which in there is off at first.

unshare --user --map-root-user --net python loopback.py COMMAND …
"""

from __future__ import annotations

import fcntl
import os
import socket
import struct
import sys

GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1  # <linux/sockios.h>, <linux/if.h>


def switch_on() -> None:
    """As `ip link set lo up` does, which not every system has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        asked = struct.pack("16sh14x", b"lo", 0)
        _, flags = struct.unpack("16sh14x", fcntl.ioctl(connection, GET_FLAGS, asked))
        fcntl.ioctl(connection, SET_FLAGS, struct.pack("16sh14x", b"lo", flags | UP))


if __name__ == "__main__":
    switch_on()
    os.execvp(sys.argv[1], sys.argv[1:])
