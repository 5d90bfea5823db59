"""A process that stands for one of ours: `forked_programs` forks the one that it stands for.

    python -I -S forked_client.py SOCKET PROGRAM ARGUMENT …

The fork has this process's streams, folder and environment; this process ends as the fork does, and the
fork with this process. It imports next to nothing, which is what makes it quick.
"""

import _socket
import marshal
import os
import sys

LENGTH = 8  # bytes before a job, that say how many it has
STATUS = 4  # bytes of an exit code, negative for a signal


def main() -> None:
    """Asks for the fork, and waits until it ends."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(sys.argv[1])
    folder = os.getcwd()  # noqa: PTH109 - pathlib takes as long to import as all of this to run
    job = marshal.dumps((sys.argv[2], sys.argv[3:], folder, dict(os.environ)))
    streams = b"".join(stream.to_bytes(4, sys.byteorder) for stream in (0, 1, 2))
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)
    connection.sendmsg([len(job).to_bytes(LENGTH, "big")], [rights])
    connection.sendall(job)
    for stream in (0, 1, 2):
        os.close(stream)
    status = int.from_bytes(connection.recv(STATUS), "big", signed=True)
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


if __name__ == "__main__":
    main()
