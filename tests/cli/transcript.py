"""Transcripts of Claude Code for the command line's tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

COMPACTED = object()


def write(
    path: Path, prompts: Iterable[object], *, step: int = 15_000, touches: Iterable[str] = ()
) -> Path:
    """A session with these prompts, each of which takes ``step`` tokens of the window.

    touches: files that the agent reads at each.
    """
    lines: list[dict[str, Any]] = []
    used = 0

    def put(**fields: Any) -> None:
        number = len(lines)
        time = f"2026-03-02T{9 + number // 60:02}:{number % 60:02}:00.000Z"
        lines.append({"sessionId": "4f1c", "uuid": f"u-{number}", "timestamp": time, **fields})

    for prompt in prompts:
        if prompt is COMPACTED:
            put(type="system", subtype="compact_boundary", content="Conversation compacted")
            used = 5_000
            continue
        used += step
        put(type="user", message={"role": "user", "content": prompt})
        spent = {"input_tokens": 3, "cache_read_input_tokens": used - 3, "output_tokens": 200}
        message = {
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                *(
                    {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": name}}
                    for name in touches
                ),
                {"type": "text", "text": "Done."},
            ],
            "usage": spent,
        }
        put(type="assistant", message=message)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
