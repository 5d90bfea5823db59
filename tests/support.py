"""What every test may lean on."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest
from hypothesis import settings
from markdown_it import MarkdownIt

from synapse_ls.text.span import Span

USUAL_EXAMPLES = 100
"""What Hypothesis tries where nobody says otherwise."""
PATIENT_ACTIVATION = "3600000"
"""What the time of an activation is set to, in milliseconds: an hour, however busy the machine of the tests
is. What this process has worked before counts as time that the activation has taken, and a worker of
the tests works for many minutes.
"""

MEMORY_FOLDER = "/dev/shm"
ROOM = 2 << 30  # bytes that must be free there, several times what the tests ever have


def has_memory_folder() -> bool:
    """Says whether this system has a folder in memory with room for the tests and their programs."""
    if sys.platform != "linux" or not os.access(MEMORY_FOLDER, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(MEMORY_FOLDER)
    return found.f_bavail * found.f_frsize >= ROOM and not found.f_flag & os.ST_NOEXEC


LINKED_WORDS = (
    "https://evil.example/x", "//evil.example", "WWW.evil.example", "a@evil.example", "a.@evil.example",
    "a+@evil.example", "mailto:a@evil", "https&colon;&sol;&sol;evil.example", "www&period;evil.example",
    "x=@münchen.de", "a;@ü.рф", "a;@mu\u0308.com", "“www.evil.example”",
)  # fmt: skip
"""Words of which a renderer of Markdown makes a link by itself."""


def text_outside_code(markdown: str) -> str:
    """What Markdown shows, without its code: there a renderer looks for links."""
    blocks = MarkdownIt().parse(markdown)
    shown = (token for block in blocks for token in block.children or ())
    return "".join(token.content if token.type == "text" else "\n" for token in shown)


def corpus() -> Path:
    """The folder of real trees named by ``SYNAPSE_LS_CORPUS``; without one the test is skipped."""
    folder = os.environ.get("SYNAPSE_LS_CORPUS")
    if not folder:
        pytest.skip("set SYNAPSE_LS_CORPUS to a folder of real trees to run this test")
    path = Path(folder)
    if not path.is_dir():
        pytest.skip(f"SYNAPSE_LS_CORPUS names {folder}, which is not a folder")
    return path


def examples(number: int) -> int:
    """How many examples to try where a thorough run tries ``number``, for `settings`."""
    return max(5, number * settings().max_examples // USUAL_EXAMPLES)


class Marked(NamedTuple):
    """A fixture without its markers, and the spans that they enclosed, in order of opening."""

    text: str
    spans: tuple[Span, ...]


def mark(fixture: str) -> Marked:
    """Dedent a fixture, drop a first line break, and take out its ``«`` and ``»``, which may nest.

    >>> mark("A=«b»")
    Marked(text='A=b', spans=(Span(start=2, end=3),))
    """
    spans: list[Span] = []
    open_spans: list[int] = []
    kept: list[str] = []
    for char in dedent(fixture).removeprefix("\n"):
        if char == "«":
            open_spans.append(len(spans))
            spans.append(Span(len(kept), len(kept)))
        elif char == "»":
            which = open_spans.pop()
            spans[which] = Span(spans[which].start, len(kept))
        else:
            kept.append(char)
    if open_spans:
        raise ValueError("a « has no »")
    return Marked("".join(kept), tuple(spans))
