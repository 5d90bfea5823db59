"""Recognise which client wrote a transcript, by the records at its beginning."""

from collections.abc import Iterator
from itertools import chain

from synapse_ls.integrations.antigravity import turns as antigravity
from synapse_ls.integrations.claude import turns as claude
from synapse_ls.integrations.codex import turns as codex
from synapse_ls.integrations.copilot import turns as copilot
from synapse_ls.integrations.cursor import turns as cursor
from synapse_ls.integrations.gemini import turns as gemini
from synapse_ls.integrations.transcript_tail import parse_record
from synapse_ls.integrations.transcript_turns import HistoryReader

HEAD_BYTES = 1_048_576  # bytes of a transcript's beginning in which its format shows

# The readers of whole transcripts: the formats that say the most first.
READERS = (
    claude.READER, codex.READER, copilot.READER, gemini.READER, antigravity.READER, cursor.READER,
)  # fmt: skip


def find_reader(head: bytes) -> HistoryReader | None:
    """Return the reader of the transcript that begins with ``head``, None for another file.

    Lines that say nothing are passed over, and so is a last line that is cut.
    """
    for line in head.split(b"\n"):
        if record := parse_record(line):
            for reader in READERS:
                if reader.recognises_record(record):
                    return reader
    return None


def recognise_lines(lines: Iterator[bytes]) -> tuple[HistoryReader | None, Iterator[bytes]]:
    """Return the reader of the transcript with these lines, None for another file, and the lines
    from the first on.
    """
    head: list[bytes] = []
    size = 0
    for line in lines:
        head.append(line)
        size += len(line)
        if size >= HEAD_BYTES:
            break
    return find_reader(b"".join(head)), chain(head, lines)
