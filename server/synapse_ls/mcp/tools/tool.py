"""What a tool is: a table row that its own module fills in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import types

from synapse_ls.mcp.fields import Field, schema_of
from synapse_ls.mcp.said import Said

Given = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. about: for the model that chooses. run: (root, arguments) -> what it says; for a
    thread. changes: whether it changes a session. confirm: (root, arguments) -> the question that a
    person has to say yes to before, "" for none.
    """

    name: str
    title: str
    about: str
    fields: tuple[Field, ...]
    run: Callable[[str, Given], Said]
    changes: bool = False
    confirm: Callable[[str, Given], str] | None = None

    def described(self) -> types.Tool:
        """It as a client is told of it."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.about,
            input_schema=schema_of(self.fields),
            annotations=types.ToolAnnotations(
                title=self.title,
                read_only_hint=not self.changes,
                # What a session was set to before is lost, but never a file that somebody wrote.
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )
