"""Which client wrote a transcript, by what stands at its beginning."""

from __future__ import annotations

from synapse_ls.hosts.transcripts.tail import record
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Final

HEAD: Final = 1_048_576  # bytes of a transcript's beginning in which its format shows

# The readers of whole transcripts, `history/NAME.py`: the formats that say the most first.
FORMATS: Final = ("claude", "codex", "copilot", "gemini", "antigravity", "cursor")


def recognise(head: bytes) -> ModuleType | None:
    """The reader of the transcript that begins with ``head``, a module with ``turns``, or None.

    Lines that say nothing are passed over, and so is a last line that is cut.
    """
    readers = [load(f"synapse_ls.hosts.transcripts.history.{name}") for name in FORMATS]
    for line in head.split(b"\n"):
        if found := record(line):
            for reader in readers:
                if reader.recognises(found):
                    return reader
    return None
