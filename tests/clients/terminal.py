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
from contextlib import suppress
from threading import Event, Lock, Thread
from types import TracebackType

ESCAPE, ENTER, CLEAR_LINE = "\x1b", "\r", "\x15"
UP, DOWN, LEFT = "\x1b[A", "\x1b[B", "\x1b[D"
_ROWS, _COLUMNS = 50, 160
_PATIENCE = 10  # seconds until what was typed is typed again
_LIMIT = 120  # seconds for anything that is waited for, on a machine that is busy
_PAUSE = 0.1  # seconds
_SEQUENCES = re.compile(rb"\x1b\[[0-9;?>]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|\x1b.")


class Terminal:
    """A program in a pseudo-terminal while the ``with`` block lasts. ready: what it draws when it
    can be used. drawn: all that it has drawn since the last key. Nothing is waited for without a
    limit, and what it draws is always read: a program whose screen is full stands still.
    """

    def __init__(
        self, line: Sequence[str], folder: str, environment: Mapping[str, str], *ready: str
    ) -> None:
        self.drawn = b""
        self._process, self._screen = pty.fork()
        if not self._process:
            os.chdir(folder)
            os.execve(line[0], list(line), {**environment, "TERM": "xterm-256color"})
        size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, size)
        os.set_blocking(self._screen, False)
        self._lock, self._has_drawn, self._has_ended = Lock(), Event(), Event()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.wait_for(*ready)
        except AssertionError:
            self.end(signal.SIGKILL)
            raise

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
        if not self._process:
            return
        os.kill(self._process, how)
        deadline = time.monotonic() + 5
        while not os.waitpid(self._process, os.WNOHANG)[0]:
            self._has_drawn.wait(_PAUSE / 10)
            if time.monotonic() > deadline:
                os.kill(self._process, signal.SIGKILL)
        self._process = 0
        self._has_ended.set()
        self._reader.join()
        os.close(self._screen)

    def kill(self) -> None:
        """Ends the program at once, as a crash does."""
        os.kill(self._process, signal.SIGKILL)
        os.waitid(os.P_PID, self._process, os.WEXITED | os.WNOWAIT)

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        self.forget()
        for key in keys:
            self._send(key)
            self._wait_briefly()

    def forget(self) -> None:
        """Has only what is drawn from now on count."""
        with self._lock:
            self.drawn = b""

    def _send(self, key: str) -> None:
        """What the program has no room for goes when it has read what came before."""
        left = key.encode()

        def is_sent() -> bool:
            nonlocal left
            with suppress(BlockingIOError):
                left = left[os.write(self._screen, left) :]
            return not left

        self.wait_until(f"a reader of {key!r}", is_sent)

    def type(self, line: str) -> None:
        """Types a line until it is drawn: a program that is still starting loses what comes early,
        and of what stands on its screen already it draws nothing.
        """
        last = line.rsplit(maxsplit=1)[-1]

        def act() -> None:
            self.press(CLEAR_LINE)
            self.wait_for_rest()
            self.press(line)

        self.forget()
        self.repeat(act, repr(line), lambda: self.shows(last))

    def press_until(self, key: str, *words: str) -> None:
        """Presses a key until all of these words are drawn, which may be so already: a busy program
        may not heed the first.
        """
        self.repeat(lambda: self._send(key), " ".join(words), lambda: self.shows(*words))

    def repeat(self, act: Callable[[], object], what: str, is_so: Callable[[], object]) -> None:
        """Does something until something else is so. what: as an error names it."""
        late = 0.0

        def is_so_now() -> object:
            nonlocal late
            if not is_so() and time.monotonic() > late:
                act()
                late = time.monotonic() + _PATIENCE
            return is_so()

        self.wait_until(what, is_so_now)

    def wait_until(self, what: str, is_so: Callable[[], object]) -> None:
        """Waits until something is so. what: as an error names it."""
        deadline = time.monotonic() + _LIMIT
        while not is_so():
            screen = " ".join(self.text.split())[-2000:]
            assert not self._has_ended.is_set(), f"{what}: the program has ended: {screen}"
            assert time.monotonic() < deadline, f"{what} has not come: {screen}"
            self._wait_briefly()

    def wait_for(self, *words: str) -> None:
        """Waits until all of these words were drawn since the last key."""
        self.wait_until(" ".join(words), lambda: self.shows(*words))

    def wait_for_rest(self, seconds: float = _PAUSE) -> None:
        """Waits until nothing is drawn for so long."""
        drawn, since = -1, 0.0

        def is_at_rest() -> bool:
            nonlocal drawn, since
            if drawn != len(self.drawn):
                drawn, since = len(self.drawn), time.monotonic()
            return time.monotonic() - since >= seconds

        self.wait_until("a screen at rest", is_at_rest)

    def shows(self, *words: str) -> bool:
        """Whether all of these were drawn since the last key, in however many pieces."""
        text = self.text
        whole = "".join(text.split())
        return all(word in text or word in whole for word in words)

    @property
    def text(self) -> str:
        """What was drawn since the last key, without the sequences that move and colour it."""
        return _SEQUENCES.sub(b" ", self.drawn).decode("utf-8", "replace")

    def _wait_briefly(self) -> None:
        self._has_drawn.clear()
        self._has_drawn.wait(_PAUSE)

    def _read(self) -> None:
        """Keeps what is drawn, until the program has ended."""
        while not self._has_ended.is_set():
            if select.select([self._screen], [], [], _PAUSE)[0]:
                try:
                    with self._lock:
                        self.drawn += os.read(self._screen, 65_536)
                except BlockingIOError:
                    continue
                except OSError:  # the program has ended
                    self._has_ended.set()
                self._has_drawn.set()
