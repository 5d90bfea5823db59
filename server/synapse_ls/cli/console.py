"""The console: results on standard output, everything else on standard error; tables and progress.

Text is made of plain parts and parts with a style. ``rich`` is imported only where styles are
shown: on a terminal, or with ``--color always``.
"""

from __future__ import annotations

import os
import re
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from io import TextIOWrapper
from typing import TYPE_CHECKING, NamedTuple, TextIO, cast

from synapse_ls.text.fast_json import dumps
from synapse_ls.text.phrases import replace_controls
from synapse_ls.text.user_error import UserError

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.console import RenderableType
    from rich.progress import Progress as RichProgress
    from rich.text import Text


# Style -> how rich paints it. Colours are the terminal's own, so that they fit its background.
STYLES = {
    "title": "bold",
    "name": "cyan",
    "good": "green",
    "warn": "yellow",
    "bad": "bold red",
    "dim": "dim",
}

_UTF8 = ("utf-8", "utf8")
_UNLIMITED_WIDTH = 10_000  # columns


class Styled(NamedTuple):
    """A part of a line on the console with one of `STYLES`."""

    text: str
    style: str


Part = str | Styled
Row = tuple[str, list[Part]]


def part_text(part: Part) -> str:
    """Return the text of a part of a line on the console."""
    return part if isinstance(part, str) else part.text


def escape_controls(text: str) -> str:
    """Return a text for the console with control, bidirectional, unseen and unpaired characters
    written as escapes.

    Trees come from other people: nothing in them may steer a terminal.
    """
    return replace_controls(text, lambda c: c.encode("unicode_escape").decode())


def escape_json_controls(text: str) -> str:
    """Return a text of JSON for the console with control characters as JSON's escapes; it means the
    same.
    """
    if text.isascii() and "\x7f" not in text:
        return text  # what JSON itself escapes
    return replace_controls(text, lambda c: dumps(c, ascii=True)[1:-1] if c >= "\x7f" else c)


def escape_part(part: Part) -> Part:
    """Return a part of a line on the console with its control characters written as escapes."""
    if isinstance(part, str):
        return escape_controls(part)
    return Styled(escape_controls(part.text), part.style)


def rich_text(parts: Iterable[Part]) -> Text:
    """Return the parts of a line on the console as ``rich`` paints them."""
    from rich.text import Text

    return Text.assemble(
        *(p if isinstance(p, str) else (p.text, STYLES[p.style]) for p in map(escape_part, parts))
    )


class OutputStream:
    """Standard output or standard error, whose writing never raises: what comes after a failure is
    discarded. ``error`` says why, None as long as all is well.

    A stream that is None, since it was closed from the start, takes nothing and does not fail.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.error: OSError | None = None
        if isinstance(stream, TextIOWrapper) and not stream.closed:
            # The same bytes wherever a result is redirected to, and no failure for want of a
            # character.
            if stream.isatty():
                stream.reconfigure(errors="backslashreplace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")

    @property
    def encoding(self) -> str:
        """The stream's encoding."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        """Write ``text``, or discards it; return its length."""
        self._attempt(lambda stream: stream.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        self._attempt(lambda stream: stream.flush())

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        try:
            return self._stream is not None and self._stream.isatty()
        except ValueError:  # closed
            return False

    def leads_to(self, other: OutputStream) -> bool:
        """Return whether two streams lead to the same file or pipe."""
        if self._stream is None or other._stream is None or self._stream is other._stream:
            return self._stream is other._stream
        try:
            return os.path.samestat(
                os.fstat(self._stream.fileno()), os.fstat(other._stream.fileno())
            )
        except (OSError, ValueError):  # no file behind one of them
            return False

    def _attempt(self, act: Callable[[TextIO], object]) -> None:
        """Do something with the stream. After a failure nothing more is written: what is buffered
        goes nowhere, and the end of the interpreter does not fail.
        """
        if (stream := self._stream) is None:
            return
        try:
            act(stream)
        except OSError as error:
            self.error, self._stream = error, None
            with suppress(OSError, ValueError):  # a stream without a file behind it
                number = stream.fileno()
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, number)
                os.close(nowhere)


class Console:
    """The two streams of a command.

    color: "auto", "always" or "never". quiet: leave out `note`. No method stops the work where what
    it writes has no reader, or no room: `raise_for_loss` says so when all is done.
    """

    def __init__(
        self,
        out: TextIO | OutputStream | None = None,
        err: TextIO | OutputStream | None = None,
        *,
        color: str = "auto",
        quiet: bool = False,
    ) -> None:
        self._out = _output_stream(out or sys.stdout)
        self._err = _output_stream(err or sys.stderr)
        self.color = color
        self.quiet = quiet
        self._painter: RichConsole | None = None
        self._progress: RichProgress | None = None
        self._is_line_open = False
        self._noted: set[str] = set()

    @property
    def is_for_people(self) -> bool:
        """Whether standard output is looked at, and not read by a program."""
        return self._out.isatty() or self.color == "always"

    @property
    def paints_output(self) -> bool:
        """Whether standard output is painted, so that ``rich`` lays it out."""
        return self._uses_color(self._out)

    @property
    def can_ask(self) -> bool:
        """Whether a person sits at both ends: reads what is written, and can answer."""
        return self._err.isatty() and sys.stdin is not None and sys.stdin.isatty()

    @property
    def is_read(self) -> bool:
        """Whether what is written to standard output still comes to somebody."""
        return self._out.error is None

    def confirm(self, question: str, *, default: bool = False) -> bool | None:
        """Ask the person at the terminal, on standard error; None where there is nobody to ask.

        An empty line is ``default``; the end of the input and anything but yes is no.
        """
        if not self.can_ask:
            return None
        answer = self._read_line(f"{question} {'[Y/n]' if default else '[y/N]'}")
        if not answer.strip():
            return default and answer.endswith("\n")
        return answer.strip().casefold() in ("y", "yes")

    def ask(self, question: str, default: str = "") -> str:
        """Ask the person at the terminal for a line, on standard error; an empty one, and the end
        of the input, is ``default``.
        """
        if not self.can_ask:
            return default
        default_hint = f" [{default}]" if default else ""
        return " ".join(self._read_line(f"{question}{default_hint}:").split()) or default

    def _read_line(self, question: str) -> str:
        self.flush()
        self.show_progress("")
        self._err.write(f"{escape_controls(question)} ")
        self._err.flush()
        return sys.stdin.readline()

    def write(self, text: str) -> None:
        """Write ``text`` as it is to standard output, where people look at it without what could
        steer a terminal; a line break follows only on a terminal.
        """
        self.show_progress("")
        if self.is_for_people:
            parts = re.split(r"([\t\n])", text)
            text = "".join(p if p in ("\t", "\n") else escape_controls(p) for p in parts)
        is_open = bool(text) and not text.endswith("\n")
        end = "\n" if is_open and self._out.isatty() else ""
        self._out.write(text + end)
        self._is_line_open = is_open and not end

    def show_page(self, out: str, err: str, *, is_spaced: bool) -> None:
        """Show what another console has written: in place of the page before on a terminal, else
        below.

        is_spaced: with an empty line between the two.
        """
        if self._out.isatty():
            self._out.write("\x1b[H\x1b[2J")
        elif is_spaced:
            self._out.write("\n")
        self._out.write(out)
        self._out.flush()
        self._err.write(err)
        self._err.flush()

    def beside_output(self) -> Console:
        """Return a console that writes all that it is asked to, to standard error, beside a
        result.
        """
        return Console(self._err, self._err, color=self.color)

    def line(self, *parts: Part) -> None:
        """Write a line of standard output; no space is left at its end."""
        self._write_line(self._out, parts)

    def lines(self, lines: Iterable[Iterable[Part]]) -> None:
        """Write lines of standard output."""
        for parts in lines:
            self.line(*parts)

    def rows(self, rows: Iterable[Row], indent: str = "") -> None:
        """Write lines with a name each, their values in one column."""
        rows = tuple(rows)
        width = max(len(name) for name, _ in rows) + 2
        for name, value in rows:
            self.line(indent, Styled(f"{name:<{width}}", "dim"), *value)

    def table(
        self,
        rows: Iterable[Sequence[Part]],
        header: Sequence[str] = (),
        right_aligned: Collection[int] = (),
    ) -> None:
        """Write a table to standard output, below the names of its columns where these are given;
        the columns in ``right_aligned`` are numbers.
        """
        rows = [*([[Styled(name, "dim") for name in header]] if header else []), *rows]
        if not (rows and self.paints_output):
            self.lines(align_columns(rows, right_aligned=right_aligned))
            return
        from rich.table import Table

        grid = Table.grid(padding=(0, len(GAP), 0, 0), pad_edge=False)
        for i in range(max(map(len, rows))):
            words = (word for row in rows if i < len(row) for word in part_text(row[i]).split())
            # A name or a path is not broken, so that it can be copied.
            widest = max(map(cell_width, words), default=0)
            grid.add_column(justify="right" if i in right_aligned else "left", min_width=widest)
        for row in rows:
            grid.add_row(*(rich_text([cell]) for cell in row))
        painted = self._render_page(grid)
        self._write_text(self._out, "".join(f"{line.rstrip()}\n" for line in painted.splitlines()))

    def json(self, value: object, indent: int | None = 2) -> None:
        """Write a document of JSON to standard output, reports in it as plain values; without
        ``indent`` on one line. Control and bidirectional characters in it are escapes.
        """
        from synapse_ls.queries.report_model import to_json

        self.show_progress("")
        text = dumps(to_json(value), indent, ascii=self._out.encoding.lower() not in _UTF8)
        self._out.write(escape_json_controls(text) + "\n")

    def show_progress(self, text: str, done: int = 0, total: int | None = None) -> None:
        """Show on a terminal's standard error what is being done, and how far where that is known;
        "" takes it away.
        """
        if not text:
            if self._progress is not None:
                self._progress.stop()
                self._progress = None
        elif not self.quiet and self._err.isatty():
            description = escape_controls(text)
            if self._progress is None:
                from rich.console import Console as RichConsole
                from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

                progress = Progress(
                    TextColumn("{task.description}", markup=False),
                    BarColumn(),
                    TaskProgressColumn(),
                    console=RichConsole(
                        file=cast("TextIO", self._err), no_color=not self._uses_color(self._err)
                    ),
                    transient=True,
                    redirect_stdout=False,
                    redirect_stderr=False,
                )
                progress.add_task(description, total=None)
                progress.start()
                self._progress = progress
            task = self._progress.task_ids[0]
            self._progress.update(task, description=description, completed=done, total=total)

    def note(self, sentence: str) -> None:
        """Write a remark beside the result, on standard error, once; not with ``--quiet``."""
        if not self.quiet and sentence not in self._noted:
            self._noted.add(sentence)
            self._write_line(self._err, (Styled("note:", "dim"), f" {sentence}"))

    def notes(self, sentences: Iterable[str]) -> None:
        """Write remarks beside the result."""
        for sentence in sentences:
            self.note(sentence)

    def note_line(self, *parts: Part) -> None:
        """Write a line of a longer remark, on standard error; not with ``--quiet``."""
        if not self.quiet:
            self._write_line(self._err, parts)

    def error(self, sentence: str, remedy: str = "") -> None:
        """Write why there is no result, and what to do."""
        self._write_line(self._err, (Styled("error:", "bad"), f" {sentence}"))
        if remedy:
            self._write_line(self._err, ("  ", Styled("remedy:", "good"), f" {remedy}"))

    def help(self, text: str) -> None:
        """Write help that was not asked for: it stands where an error would."""
        self._err.write(text)

    def flush(self) -> None:
        """Flush both streams."""
        self._out.flush()
        self._err.flush()

    def raise_for_loss(self) -> None:
        """Raise UserError where anything of the output could not be written. A reader that has gone
        has what it wanted.
        """
        self.flush()
        for stream in (self._out, self._err):
            if stream.error is not None and not isinstance(stream.error, BrokenPipeError):
                raise UserError(
                    f"The output cannot be written: {stream.error.strerror or stream.error}.",
                    "Make room, or send it elsewhere; all else that the command does is done.",
                )

    def _write_line(self, stream: OutputStream, parts: tuple[Part, ...]) -> None:
        if self._uses_color(stream):
            text = rich_text(parts)
            text.rstrip()
            self._write_text(stream, self._render_page(text, soft_wrap=True))
        else:
            line = "".join(part_text(escape_part(part)) for part in parts)
            self._write_text(stream, line.rstrip(" ") + "\n")

    def _write_text(self, stream: OutputStream, text: str) -> None:
        self.show_progress("")
        if stream is self._err:
            self._out.flush()  # where both lead to one place they stay in order
            if self._is_line_open and self._out.leads_to(self._err):
                text = f"\n{text}"
        self._is_line_open = False
        stream.write(text)

    def _uses_color(self, stream: OutputStream) -> bool:
        if self.color != "auto":
            return self.color == "always"
        if os.environ.get("NO_COLOR"):
            return False
        if forced := os.environ.get("FORCE_COLOR"):
            return forced != "0"
        return stream.isatty() and os.environ.get("TERM") != "dumb"

    def _render_page(self, page: RenderableType, *, soft_wrap: bool = False) -> str:
        from rich.console import Console as RichConsole

        if self._painter is None:
            self._painter = RichConsole(
                force_terminal=True,
                color_system="standard",
                no_color=False,
                highlight=False,
                width=None if self._out.isatty() else _UNLIMITED_WIDTH,
            )
        with self._painter.capture() as painted:
            self._painter.print(page, soft_wrap=soft_wrap, crop=False)
        return painted.get()


def _output_stream(stream: TextIO | OutputStream | None) -> OutputStream:
    return stream if isinstance(stream, OutputStream) else OutputStream(stream)


GAP = "  "


def align_columns(
    rows: Sequence[Sequence[Part]], *, right_aligned: Collection[int] = (), indent: str = ""
) -> Iterator[list[Part]]:
    """Yield the rows of a table as the parts of lines, which are as long as they have to be."""
    cells = [[escape_part(cell) for cell in row] for row in rows]
    count = max(map(len, cells), default=0)
    widths = [max(cell_width(row[i]) for row in cells if i < len(row)) for i in range(count)]
    for row in cells:
        line: list[Part] = [indent]
        for i, cell in enumerate(row):
            space = " " * (widths[i] - cell_width(cell))
            line += (space, cell) if i in right_aligned else (cell, space)
            line.append(GAP if i + 1 < len(row) else "")
        yield line


def shorten_text(text: str, max_width: int) -> str:
    """Return a text for a table that takes up no more than ``max_width`` cells, with "…" for what
    is left out.
    """
    if cell_width(text) <= max_width:
        return text
    from rich.cells import set_cell_size

    return f"{set_cell_size(text, max_width - 1)}…"


def cell_width(cell: Part) -> int:
    """Return how many cells of a terminal a text in a table takes up."""
    text = part_text(cell)
    if text.isascii() or not any(c >= "\u0300" and not "\u2010" <= c <= "\u2027" for c in text):
        return len(text)  # Latin letters, dashes and the like: rich need not be loaded
    from rich.cells import cell_len

    return cell_len(text)


_MIN_DURATION = 0.7  # seconds until a run counts as long
_MIN_INTERVAL = 0.1  # seconds between two messages


class Progress:
    """A Progress shows what is done and how far, but only of what takes long, and not too often."""

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._console = console
        self._clock = clock
        self._next = clock() + _MIN_DURATION

    def counter(self, label: str) -> Callable[[int, int], None]:
        """Return a function that is called with how many of how many are done."""

        def show_count(done: int, total: int) -> None:
            if (now := self._clock()) >= self._next:
                self._next = now + _MIN_INTERVAL
                self._console.show_progress(label, done, total)

        return show_count

    def end(self) -> None:
        """Clear the progress: the run is over."""
        self._console.show_progress("")


_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def parse_since(argument: str) -> float:
    """Parse a relative time: return the moment, in seconds since the epoch, that ``30min``, ``2d``
    or an ISO 8601 date means.

    A date without a zone is one of this computer's. Raises ArgumentTypeError for anything else.
    """
    text = argument.strip().lower().removesuffix(" ago")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(number) :].strip()
    try:
        if unit in _UNITS:
            return time.time() - float(number) * _UNITS[unit]
        return datetime.fromisoformat(argument.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ArgumentTypeError(
            f'takes a time such as 30min, 2h, 3d or 2026-03-02T09:30, not "{argument}"'
        ) from None


def format_age(moment: float, now: float) -> str:
    """Format a moment as a relative time, in the largest unit that fits: how long ago it is, or how
    far ahead where the clock was set back.
    """
    seconds = int(now - moment)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if abs(seconds) >= size:
            return f"{abs(seconds) // size} {unit} {'ago' if seconds > 0 else 'from now'}"
    return "just now"
