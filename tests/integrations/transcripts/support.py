"""Transcripts of invented sessions, in the shapes that clients write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from synapse_ls.text.digest import hash_text

Record = dict[str, Any]

BLOCK = (
    "<synapse-rules>\n\n[GLOBAL] GLOBAL RULES:\n  1. Ship small changes – “é”\n\n</synapse-rules>"
)
TOLD = hash_text(BLOCK)


def written(folder: Path, *records: Record | bytes, name: str = "t.jsonl") -> str:
    """The path of a transcript that holds ``records``, compact as clients write them."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines_of(*records))
    return str(path)


def lines_of(*records: Record | bytes) -> bytes:
    return b"".join(
        record
        if isinstance(record, bytes)
        else json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for record in records
    )


def at(second: int) -> str:
    return f"2026-11-02T09:00:{second:02d}.000Z"
