"""What a walk asks of a client, beside what the other tests do.

A client that has only `Client` can be walked: it answers prompts, each in a process of its own. What
else it can do, its player says in `moves`, and does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from tests.clients.client import Client
from tests.clients.place import Hooked

MAIN = "main"
Call = tuple[str, dict[str, object]]


class Player:
    """Plays the moves of one client."""

    moves: ClassVar[frozenset[str]] = frozenset()
    """Of `walk.MOVES`, those that it has beside the common ones."""
    lacks: ClassVar[frozenset[str]] = frozenset()
    """Those of the common ones that it does not have."""
    prompt_events: ClassVar[frozenset[str]] = frozenset({"UserPromptSubmit", "SessionStart"})
    tool_events: ClassVar[frozenset[str]] = frozenset({"PostToolUse", "PostToolUseFailure"})
    """The events whose reply the next request has."""
    late_events: ClassVar[frozenset[str]] = frozenset()
    """Those of them whose reply only the request after that is sure to have."""
    limit: ClassVar[int] = 0
    """Characters that it takes of one reply; 0: as many as there are."""
    reads: ClassVar[frozenset[str]] = frozenset({"CLAUDE.md"})
    """The files of instructions that each of its requests has by itself."""
    shows_rewind: ClassVar[bool] = True
    """Whether anything shows a rewind before the reply to the prompt that follows it is due."""

    forks_before_last: ClassVar[bool] = False
    """Whether a fork is a copy of what came before the last prompt."""
    tells_one_shots: ClassVar[bool] = False
    """Whether its hook learns that no prompt follows the first."""
    unshown: ClassVar[frozenset[str]] = frozenset({"cancel", "interrupt", "rewind", "crash"})
    """The moves after which the client's history shows only later what has become of the last turn."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.place = client.place
        self.model = client.place.model
        self.sessions: dict[str, str] = {}
        """The sessions' ids by the windows' names."""
        self._summaries = self._last_summary = 0

    def open(self) -> AbstractContextManager[Any]:
        """The client, as long as the walk lasts."""
        return nullcontext()

    def say(self, window: str, prompt: str) -> None:
        """A prompt in a window, which is opened by its first, until the client waits again."""
        self.client.session = self.sessions.get(window, "")
        self.client.ask(prompt)
        self.sessions[window] = self.client.session

    def will_use_tools(self, number: int) -> None:
        """Has the model call a tool so many times in the turn that follows."""
        tool, arguments = self.client.tool()
        for _ in range(number):
            self.model.will_call(tool, **arguments)

    def is_of_main_agent(self, hooked: Hooked) -> bool:
        """Whether an event is the main agent's, and no sub-agent's."""
        return not hooked.event.get("agent_id")

    def has_compacted(self, calls: Sequence[Hooked], text: str) -> bool:
        """Whether the client has compacted the window before a request with ``text``, and since the
        one before; calls: of the hook, in that time.
        """
        return any(call.event.get("source") == "compact" for call in calls)

    def compacted_at(self, request: int) -> int:
        """When the compaction before a request was done, in nanoseconds: what the hook was asked
        before cannot bring back what it took. 0 where the client calls the hook after each.
        """
        return 0

    def number_summary(self, form: str = "{}") -> None:
        """Has the model give the next summary a number of its own."""
        self._summaries += 1
        self.model.summary = form.format(f"The stand-in has summed up {self._summaries}.")

    def has_later_summary(self, text: str) -> bool:
        """The same as `has_compacted`, by those numbers."""
        numbers = re.findall(r"The stand-in has summed up (\d+)", text)
        before = self._last_summary
        self._last_summary = max([before, *map(int, numbers)])  # another window may have none
        return self._last_summary > before

    def dropped_files(self, text: str) -> frozenset[str]:
        """The files of `reads` that the client itself has dropped from a request with ``text``."""
        return frozenset()

    def read(self, text: str) -> str:
        """What the model reads, as other clients write it."""
        return text

    # What follows only those have that name it in `moves`.

    def cancel(self, prompt: str) -> None:
        """A prompt in the main window that is stopped before the first word of its answer."""
        raise NotImplementedError

    def interrupt(self, prompt: str) -> None:
        """A prompt in the main window that is stopped within its answer."""
        raise NotImplementedError

    def rewind(self, prompts: Sequence[str]) -> int:
        """Goes back in the main window to before one of its last prompts; how many are gone.
        prompts: those that stand there, in their order.
        """
        raise NotImplementedError

    def retry(self) -> None:
        """Has the last prompt of the main window answered anew, in its place."""
        raise NotImplementedError

    def compact(self) -> None:
        """Has the main window compacted by a command."""
        raise NotImplementedError

    def fill(self, prompt: str) -> None:
        """A prompt in the main window whose answer claims that the window is full, so that the
        client compacts it by itself, now or with the next prompt.
        """
        raise NotImplementedError

    def resume(self) -> None:
        """Leaves the client, and starts it again in the session of the main window."""
        raise NotImplementedError

    def go_on(self) -> None:
        """The same, in whatever session was the last in this folder."""
        raise NotImplementedError

    def clear(self) -> None:
        """Empties the main window by a command: another session."""
        raise NotImplementedError

    def fork(self) -> None:
        """Goes on in a copy of the main window's session."""
        raise NotImplementedError

    def crash(self, prompt: str) -> None:
        """A prompt in whose turn the client is killed, and its start in the same session."""
        raise NotImplementedError

    def delegate(self, prompt: str, task: str) -> None:
        """A prompt in the main window by which the model gives a task to a sub-agent."""
        raise NotImplementedError

    def visit_worktree(self, name: str) -> list[tuple[str, list[Call]]]:
        """Prompts by which the session goes to a linked work tree and comes back, each with the calls
        of tools by which the model does it.
        """
        raise NotImplementedError
