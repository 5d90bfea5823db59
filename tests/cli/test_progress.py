from __future__ import annotations

import io

import pytest

from synapse_ls.cli import main
from synapse_ls.cli.console import Console, Progress

TAKEN_AWAY = "\x1b[?25h\r\x1b[1A\x1b[2K"  # the cursor is back, and the line is empty


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


def written(err: io.StringIO, *moments: float, quiet: bool = False) -> str:
    """What is shown of work that is one item further at each of these moments."""
    clock = Clock()
    console = Console(io.StringIO(), err, quiet=quiet)
    progress = Progress(console, clock)
    count = progress.counter("checked")
    for done, moment in enumerate(moments):
        clock.now = moment
        count(done, 4)
    progress.end()
    return err.getvalue()


def test_what_takes_long_is_shown_on_a_terminal_and_taken_away() -> None:
    shown = written(Terminal(), 0.1, 1.0, 2.0)
    assert "checked" in shown and "50%" in shown
    assert shown.endswith(TAKEN_AWAY)


def test_what_is_quick_is_not_shown() -> None:
    assert written(Terminal(), 0.1, 0.2) == ""


def test_nothing_is_shown_where_nobody_looks() -> None:
    assert written(io.StringIO(), 1.0, 2.0) == ""
    assert written(Terminal(), 1.0, 2.0, quiet=True) == ""


def test_a_line_on_standard_error_takes_its_place() -> None:
    err = Terminal()
    console = Console(io.StringIO(), err, color="never")
    console.show_progress("checked", 1, 2)
    console.note("done")
    assert err.getvalue().endswith(f"{TAKEN_AWAY}note: done\n")


def test_what_is_shown_of_a_name_cannot_steer_the_terminal() -> None:
    err = Terminal()
    console = Console(io.StringIO(), err)
    console.show_progress("read \x1b[2Jx [bold]")
    console.show_progress("")
    assert "read \\x1b[2Jx [bold]" in err.getvalue()


def test_an_interrupt_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    err = Terminal()
    monkeypatch.setattr("sys.stderr", err)

    def interrupted(_: object, console: Console) -> int:
        console.show_progress("checked", 1, 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_run_command", interrupted)
    assert main.main([]) == main.INTERRUPTED
    assert err.getvalue().endswith(TAKEN_AWAY)
