"""This module recognises which client wrote a transcript, by the records at its beginning."""

from __future__ import annotations

from synapse_ls.integrations.transcript_tail import parse_record
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Final

HEAD_BYTES: Final = 1_048_576  # bytes of a transcript's beginning in which its format shows

# The clients whose whole transcripts `CLIENT/history.py` reads: the formats that say the most first.
FORMATS: Final = ("claude", "codex", "copilot", "gemini", "antigravity", "cursor")


def find_reader(head: bytes) -> ModuleType | None:
    """Returns the reader of the format of the transcript that begins with ``head``, a module with
    `read_turns`, or None.

    Lines that say nothing are passed over, and so is a last line that is cut.
    """
    readers = [load_module(f"synapse_ls.integrations.{name}.history") for name in FORMATS]
    for line in head.split(b"\n"):
        if found := parse_record(line):
            for reader in readers:
                if reader.recognises_record(found):
                    return reader
    return None
