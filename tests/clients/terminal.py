"""A client in a terminal, where a person types: what no run without one has, such as Esc."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

from tests.clients.place import DEADLINE

ESCAPE, ENTER, CLEAR_LINE = "\x1b", "\r", "\x15"
UP, DOWN, LEFT = "\x1b[A", "\x1b[B", "\x1b[D"
_ROWS, _COLUMNS = 50, 160
_PATIENCE = 10  # seconds until what was typed is typed again
_SEQUENCES = re.compile(rb"\x1b\[[0-9;?>]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b.")


class Terminal:
    """A program in a pseudo-terminal while the ``with`` block lasts. drawn: all that it has drawn
    since the last key.
    """

    def __init__(self, line: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
        self.drawn = b""
        self._process, self._screen = pty.fork()
        if not self._process:
            os.chdir(folder)
            os.execve(line[0], list(line), {**environment, "TERM": "xterm-256color"})
        size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, size)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(signal.SIGTERM)

    def end(self, how: signal.Signals) -> None:
        """Ends the program by a signal, and by force where that takes too long."""
        os.kill(self._process, how)
        deadline = time.monotonic() + 5
        while not os.waitpid(self._process, os.WNOHANG)[0]:
            self._read()
            if time.monotonic() > deadline:
                os.kill(self._process, signal.SIGKILL)
        os.close(self._screen)

    def kill(self) -> None:
        """Ends the program at once, as a crash does."""
        os.kill(self._process, signal.SIGKILL)
        os.waitid(os.P_PID, self._process, os.WEXITED | os.WNOWAIT)

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        self.drawn = b""
        for key in keys:
            os.write(self._screen, key.encode())
            self._read()

    def type(self, line: str) -> None:
        """Types a line until it is drawn: a program that is still starting loses what comes early."""
        last = line.rsplit(maxsplit=1)[-1]
        while True:
            self.press(line)
            deadline = time.monotonic() + _PATIENCE
            while time.monotonic() < deadline:
                if last in "".join(self.text.split()):
                    return
                self._read()
            self.press(CLEAR_LINE)

    def press_until(self, key: str, *words: str) -> None:
        """Presses a key until all of these words are drawn: a busy program may not heed the first."""
        self.drawn = b""
        while not self._shows(words):
            os.write(self._screen, key.encode())
            deadline = time.monotonic() + _PATIENCE
            while time.monotonic() < deadline and not self._shows(words):
                self._read()

    def wait_until(self, what: str, is_so: Callable[[], object]) -> None:
        """Reads what is drawn until something is so."""
        deadline = time.monotonic() + DEADLINE
        while not is_so():
            assert time.monotonic() < deadline, f"{what} has not come: {self.text[-2000:]}"
            self._read()

    def wait_for(self, *words: str) -> None:
        """Reads what is drawn until all of these words were drawn since the last key."""
        self.wait_until(" ".join(words), lambda: self._shows(words))

    def _shows(self, words: Sequence[str]) -> bool:
        """Whether all of these were drawn since the last key, in however many pieces."""
        text = self.text
        whole = "".join(text.split())
        return all(word in text or word in whole for word in words)

    @property
    def text(self) -> str:
        """What was drawn since the last key, without the sequences that move and colour it."""
        return _SEQUENCES.sub(b" ", self.drawn).decode("utf-8", "replace")

    def _read(self) -> None:
        if not select.select([self._screen], [], [], 0.1)[0]:
            return
        try:
            self.drawn += os.read(self._screen, 65_536)
        except OSError:  # the program has ended
            return
