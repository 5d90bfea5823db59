"""Records as Claude Code writes them."""

from __future__ import annotations

from itertools import count

from tests.integrations.transcripts.support import Record, at

_numbers = count()


def linked(*records: Record, after: Record | None = None) -> list[Record]:
    """Records each of which follows the one before it, the first of them ``after`` another one."""
    parent = after["uuid"] if after else None
    chain = []
    for record in records:
        own = {
            "parentUuid": parent,
            **record,
            "uuid": f"{next(_numbers):08x}-0000-4000-8000-000000000000",
        }
        parent = own["uuid"]
        chain.append(own)
    return chain


def prompt(text: str, second: int = 0, **more: object) -> Record:
    return {
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"u{second}",
        "sessionId": "s",
        "isSidechain": False,
        "timestamp": at(second),
        **more,
    }


def answer(
    used: int, text: str = "Done.", *parts: Record, second: int = 5, **more: object
) -> Record:
    model = more.pop("model", "claude-sonnet-4-5-20250929")
    return {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": text}, *parts],
            "usage": {
                "input_tokens": 1,
                "cache_creation_input_tokens": 2,
                "cache_read_input_tokens": used - 3,
                "output_tokens": 700,
            },
        },
        "uuid": f"a{second}",
        "sessionId": "s",
        "isSidechain": False,
        "timestamp": at(second),
        **more,
    }


def tool(name: str, path: str) -> Record:
    return {"type": "tool_use", "id": "t", "name": name, "input": {"file_path": path}}


def result() -> Record:
    content = [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]
    return {"type": "user", "message": {"role": "user", "content": content}, "sessionId": "s"}


def hook(*texts: str, event: str = "UserPromptSubmit", second: int = 1) -> Record:
    attachment = {
        "type": "hook_additional_context",
        "content": list(texts),
        "hookName": event,
        "hookEvent": event,
    }
    return {
        "type": "attachment",
        "attachment": attachment,
        "uuid": f"h{second}",
        "sessionId": "s",
        "timestamp": at(second),
    }


def boundary(**metadata: object) -> Record:
    found: Record = {"type": "system", "subtype": "compact_boundary", "sessionId": "s", "uuid": "b"}
    return {**found, "compactMetadata": metadata} if metadata else found
