from __future__ import annotations

import io

from synapse_ls.cli.console import Console
from synapse_ls.cli.console_progress import Progress


class Terminal(io.StringIO):
    """A stream that somebody looks at."""

    def isatty(self) -> bool:
        return True


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def told(err: io.StringIO, *moments: float, quiet: bool = False) -> str:
    """What is said of work that is one item further at each of these moments."""
    clock = Clock()
    console = Console(io.StringIO(), err, quiet=quiet)
    progress = Progress(console, clock)
    tell = progress.counter("checked")
    for done, moment in enumerate(moments):
        clock.now = moment
        tell(done, 1_000)
    progress.end()
    return err.getvalue()


def test_what_takes_long_is_told_on_a_terminal_and_taken_away() -> None:
    assert told(Terminal(), 0.1, 1.0) == "\r\x1b[Kchecked 1 of 1,000 …\r\x1b[K"


def test_it_is_not_told_too_often() -> None:
    assert told(Terminal(), 1.0, 1.01, 1.02, 1.5).count("of") == 2


def test_what_is_quick_is_not_told() -> None:
    assert told(Terminal(), 0.1, 0.2) == ""


def test_nothing_is_told_where_nobody_looks() -> None:
    assert told(io.StringIO(), 1.0, 2.0) == ""
    assert told(Terminal(), 1.0, 2.0, quiet=True) == ""


def test_a_line_on_standard_error_takes_its_place() -> None:
    err = Terminal()
    console = Console(io.StringIO(), err, color="never")
    console.show_progress("checked 1 of 2 …")
    console.note("done")
    assert err.getvalue() == "\r\x1b[Kchecked 1 of 2 …\r\x1b[Knote: done\n"
