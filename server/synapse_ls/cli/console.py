"""This module writes to the terminal: results to standard output, everything else to standard
error.

Text is made of plain parts and parts with a style. Styles are painted only where a person looks
(or with ``--color always``), and only then is ``rich`` imported.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TextIO

from synapse_ls.cli.cli_error import CliError

if TYPE_CHECKING:
    from rich.console import Console as Painter

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
_CONTROL_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # many scripts and emoji need them


class Styled(NamedTuple):
    """A Styled is a part of a line with one of `STYLES`."""

    text: str
    style: str


Part = str | Styled


def part_text(part: Part) -> str:
    """Returns the text of a part."""
    return part if isinstance(part, str) else part.text


def escape_controls(text: str) -> str:
    """Returns ``text`` with control, bidirectional and unpaired characters written as escapes.

    Trees come from other people: nothing in them may steer a terminal.
    """
    if text.isprintable():
        return text
    from unicodedata import category

    return "".join(
        c.encode("unicode_escape").decode()
        if not c.isprintable() and c not in _JOINERS and category(c) in _CONTROL_CATEGORIES
        else c
        for c in text
    )


class Console:
    """A Console holds the two streams of a command.

    color: "auto", "always" or "never". quiet: leave out `note`. exit_code: the exit code for a
    reader that goes away, set by a command that knows it before it writes. A stream that is closed
    from the start takes nothing. Every method may raise BrokenPipeError where nobody reads any
    more, and CliError where the text cannot be written.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        *,
        color: str = "auto",
        quiet: bool = False,
    ) -> None:
        self._out: TextIO | None = out or sys.stdout
        self._err: TextIO | None = err or sys.stderr
        self.color = color
        self.quiet = quiet
        self.exit_code = 0
        self._painter: Painter | None = None
        self._progress_text = ""
        for stream in (self._out, self._err):
            _use_utf8(stream)

    @property
    def is_for_people(self) -> bool:
        """Returns whether standard output is looked at, and not read by a program."""
        return _is_terminal(self._out) or self.color == "always"

    def write(self, text: str) -> None:
        """Writes ``text`` as it is to standard output; a line break follows only on a terminal."""
        end = "\n" if text and not text.endswith("\n") and _is_terminal(self._out) else ""
        _write_stream(self._out, text + end)

    def copy_to(self, out: TextIO, err: TextIO) -> Console:
        """Returns a console for the same reader that writes elsewhere, painted as this one would
        be.
        """
        color = "always" if self._uses_color(self._out) else "never"
        return Console(out, err, color=color, quiet=self.quiet)

    def show_page(self, out: str, err: str, *, is_spaced: bool) -> None:
        """Shows what another console has written: in place of the page before on a terminal, else
        below.

        is_spaced: with an empty line between the two.
        """
        if _is_terminal(self._out):
            _write_stream(self._out, "\x1b[H\x1b[2J")
        elif is_spaced:
            _write_stream(self._out, "\n")
        _write_stream(self._out, out, flush=True)
        _write_stream(self._err, err, flush=True)

    def line(self, *parts: Part) -> None:
        """Writes a line of standard output; no space is left at its end."""
        self._write_line(self._out, parts)

    def json(self, value: object, indent: int | None = 2) -> None:
        """Writes a document of JSON to standard output; without ``indent`` on one line."""
        from synapse_ls.text.fast_json import dumps

        encoding = getattr(self._out, "encoding", None) or "utf-8"
        _write_stream(self._out, dumps(value, indent, ascii=encoding.lower() not in _UTF8) + "\n")

    def show_progress(self, text: str) -> None:
        """Shows a remark on a terminal's standard error, in place of the one before; "" takes it
        away.
        """
        if self.quiet or not _is_terminal(self._err) or text == self._progress_text:
            return
        self._progress_text = text
        _write_stream(self._err, f"\r\x1b[K{escape_controls(text)}", flush=True)

    def note(self, sentence: str) -> None:
        """Writes a remark beside the result, on standard error; not with ``--quiet``."""
        if not self.quiet:
            self._write_line(self._err, (Styled("note:", "dim"), f" {sentence}"))

    def note_line(self, *parts: Part) -> None:
        """Writes a line of a longer remark, on standard error; not with ``--quiet``."""
        if not self.quiet:
            self._write_line(self._err, parts)

    def error(self, sentence: str, remedy: str = "") -> None:
        """Writes why there is no result, and what to do."""
        self._write_line(self._err, (Styled("error:", "bad"), f" {sentence}"))
        if remedy:
            self._write_line(self._err, ("  ", Styled("remedy:", "good"), f" {remedy}"))

    def help(self, text: str) -> None:
        """Writes help that was not asked for: it stands where an error would."""
        _write_stream(self._err, text)

    def flush(self) -> None:
        """Flushes both streams."""
        _write_stream(self._out, "", flush=True)
        _write_stream(self._err, "", flush=True)

    def abandon(self) -> None:
        """Has nothing more written: the other end is closed, and the interpreter must not notice."""
        for stream in (self._out, self._err):
            try:
                number = stream.fileno() if stream is not None else -1
                if number >= 0:
                    nowhere = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(nowhere, number)
                    os.close(nowhere)
            except (OSError, ValueError):
                continue  # a stream without a file behind it

    def _write_line(self, stream: TextIO | None, parts: tuple[Part, ...]) -> None:
        self.show_progress("")
        if stream is self._err:
            # Where both lead to one place they stay in order; if not, the last flush will tell.
            with suppress(OSError, CliError):
                _write_stream(self._out, "", flush=True)
        shown = [_escape_part(part) for part in parts]
        if self._uses_color(stream):
            _write_stream(stream, self._render_styles(shown))
        else:
            _write_stream(stream, "".join(map(part_text, shown)).rstrip(" ") + "\n")

    def _uses_color(self, stream: TextIO | None) -> bool:
        if self.color != "auto":
            return self.color == "always"
        return (
            _is_terminal(stream)
            and not os.environ.get("NO_COLOR")
            and os.environ.get("TERM") != "dumb"
        )

    def _render_styles(self, parts: list[Part]) -> str:
        from rich.console import Console as RichConsole
        from rich.text import Text

        if self._painter is None:
            self._painter = RichConsole(
                force_terminal=True, color_system="standard", no_color=False, highlight=False
            )
        pairs = [p if isinstance(p, str) else (p.text, STYLES[p.style]) for p in parts]
        text = Text.assemble(*pairs)
        text.rstrip()
        with self._painter.capture() as painted:
            self._painter.print(text, soft_wrap=True)
        return painted.get()


def _write_stream(stream: TextIO | None, text: str, *, flush: bool = False) -> None:
    if stream is None:
        return
    try:
        stream.write(text)
        if flush:
            stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CliError(f"The output cannot be written: {error.strerror or error}.") from error


def _escape_part(part: Part) -> Part:
    return (
        escape_controls(part)
        if isinstance(part, str)
        else Styled(escape_controls(part.text), part.style)
    )


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def _use_utf8(stream: TextIO | None) -> None:
    """Sets a stream to UTF-8: the same bytes wherever a result is redirected to, and no failure for
    want of a character.
    """
    from io import TextIOWrapper

    if not isinstance(stream, TextIOWrapper) or stream.closed:
        return
    if _is_terminal(stream):
        stream.reconfigure(errors="backslashreplace")
    else:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
