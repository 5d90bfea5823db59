"""A command that writes summaries: the conversation on its standard input, the summary on its output."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from typing import Final

from synapse_ls.compaction.counter import compact_json
from synapse_ls.compaction.errors import ProviderError
from synapse_ls.compaction.message import (
    Message,
    Role,
    Text,
    ToolResult,
    ToolUse,
    spoken,
)
from synapse_ls.compaction.provider import Completion, CompletionRequest

PATIENCE: Final = 600.0  # seconds that a command has for a summary
_CHARS_PER_TOKEN = 4


class Summarizer:
    """Asks a command, given as for the shell. It reads UTF-8 and writes UTF-8."""

    def __init__(self, command: str, patience: float = PATIENCE) -> None:
        self.command = command
        self.patience = patience

    async def complete(self, request: CompletionRequest) -> Completion:
        """What the command writes. Raises ProviderError where it fails or takes too long."""
        try:
            done = subprocess.run(
                self.command,
                shell=True,
                input=asked(request).encode("utf-8", "replace"),
                capture_output=True,
                check=False,
                timeout=self.patience,
            )
        except subprocess.TimeoutExpired as error:
            raise ProviderError(
                f"`{self.command}` took more than {self.patience:.0f} seconds"
            ) from error
        except OSError as error:
            raise ProviderError(f"`{self.command}` cannot be run: {error.strerror}") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            why = f": {said[-1]}" if said else ""
            raise ProviderError(f"`{self.command}` ended with exit code {done.returncode}{why}")
        return Completion((Text(done.stdout.decode("utf-8", "replace").strip()),))


def asked(request: CompletionRequest) -> str:
    """A request as one text."""
    longest = _CHARS_PER_TOKEN * request.max_tokens
    parts = [
        f"{request.system} Write no more than {longest:,} characters, and nothing but the summary.",
        "<conversation>",
        *told(request.messages),
        "</conversation>",
    ]
    return "\n\n".join(parts) + "\n"


def told(messages: Iterable[Message]) -> Iterator[str]:
    """Who said what, a piece for each block."""
    names: dict[str, str] = {}
    for message in messages:
        for block in message.content:
            if isinstance(block, ToolUse):
                names[block.id] = block.name
                yield f"[{message.role.value} calls {block.name}]\n{_json(block.input)}"
            elif isinstance(block, ToolResult):
                name = names.get(block.tool_use_id, "a tool")
                failed = " with an error" if block.is_error else ""
                yield f"[{name} answers{failed}]\n" + "\n".join(spoken(block.content))
            elif words := "\n".join(spoken((block,))):
                speaker = "instructions" if message.role is Role.SYSTEM else message.role.value
                yield f"[{speaker}]\n{words}"


def _json(value: object) -> str:
    return value if isinstance(value, str) else compact_json(value)
