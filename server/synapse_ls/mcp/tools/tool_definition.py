"""This module defines what an MCP tool is: a table row that its own module fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import types

from synapse_ls.mcp.tool_arguments import ToolArgument, arguments_schema
from synapse_ls.mcp.tool_result import ToolResult

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A Tool is one tool of the server. description: for the model that chooses. run: (root,
    arguments) -> its result; for a thread. is_changing: whether it changes a session or what is
    remembered. idempotent: whether the same again makes no difference. consent_question: (root,
    arguments) -> the question that a person has to say yes to before, "" for none. command_words:
    arguments -> the words of the command line with which a person does the same.
    """

    name: str
    title: str
    description: str
    arguments: tuple[ToolArgument, ...]
    run: Callable[[str, Arguments], ToolResult]
    is_changing: bool = False
    idempotent: bool = True
    consent_question: Callable[[str, Arguments], str] | None = None
    command_words: Callable[[Arguments], list[str]] | None = None

    def to_mcp(self) -> types.Tool:
        """Returns the tool in the protocol's form, as a client is sent it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=arguments_schema(self.arguments),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=not self.is_changing,
                # What a session was set to before is lost, but never a file that somebody wrote.
                destructive_hint=False,
                idempotent_hint=self.idempotent,
                open_world_hint=False,
            ),
        )
