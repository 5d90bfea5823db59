"""Claude Code in a terminal; other windows beside it are processes of one prompt."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar

from tests.clients.claude import Claude
from tests.clients.client import Client
from tests.clients.model import SAYING, Usage
from tests.clients.terminal import CLEAR_LINE, ENTER, ESCAPE, UP, Terminal
from tests.clients.walks.player import MAIN, Call, Player

WINDOW = 100_000  # tokens


def _is_report(row: str) -> bool:
    """Whether a row of the transcript gives the end of a sub-agent's work to the model."""
    return "absorbed_mid_turn" in row or ("</task-notification>" in row and '"type":"user"' in row)


class ClaudePlayer(Player):
    client: Claude
    moves: ClassVar = frozenset(
        [
            "cancel",
            "interrupt",
            "rewind",
            "compact",
            "fill",
            "resume",
            "continue",
            "clear",
            "fork",
            "crash",
            "delegate",
            "worktree",
        ]
    )
    limit: ClassVar = 10_000
    shows_rewind: ClassVar = False
    tells_one_shots: ClassVar = True
    unshown: ClassVar = Player.unshown | {"fork"}

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        shared = client.environment()
        own = {**shared, "CLAUDE_CODE_AUTO_COMPACT_WINDOW": str(WINDOW)}
        client.environment = lambda: own  # type: ignore[method-assign]

    @contextmanager
    def open(self) -> Iterator[None]:
        self._original = ""
        self._terminal: Terminal = self.client.open_terminal()
        try:
            yield
        finally:
            self._terminal.end(signal.SIGTERM)

    def say(self, window: str, prompt: str) -> None:
        if window == MAIN:
            self._type(lambda: self.client.converse(self._terminal, prompt))
            self._terminal.wait_until("the answer's row", lambda: self._is_answered(prompt))
        else:
            super().say(window, prompt)

    def _is_answered(self, prompt: str, *later: Callable[[str], bool]) -> bool:
        """Whether the transcript has an answer after a prompt, and after rows that come later: the
        client writes it a moment after it was drawn.
        """
        file = self.client.transcript
        rows = iter(file.read_text("utf-8").splitlines() if file.exists() else ())
        return (
            any(prompt in row and '"user"' in row for row in rows)
            and all(any(map(is_it, rows)) for is_it in later)
            and any(SAYING in row and '"assistant"' in row for row in rows)
        )

    def cancel(self, prompt: str) -> None:
        self._type(lambda: self.client.cancel(self._terminal, prompt))

    def interrupt(self, prompt: str) -> None:
        self._type(lambda: self.client.interrupt(self._terminal, prompt))

    def fill(self, prompt: str) -> None:
        self.model.will_claim(Usage(WINDOW - 1000))
        self.will_use_tools(2)
        self.say(MAIN, prompt)

    def delegate(self, prompt: str, task: str) -> None:
        arguments = {"description": "Look", "prompt": task, "subagent_type": "general-purpose"}
        self.model.will_call("Agent", **arguments)
        self.say(MAIN, prompt)
        # It works in the background: its end is reported within the turn, or in one of its own.
        self._terminal.wait_until(
            "the answer to a report", lambda: self._is_answered(prompt, _is_report)
        )

    def _type(self, act: Callable[[], object]) -> None:
        """Something in the main window, whose session is the one that its hooks name."""
        before = len(self.place.hooked)
        act()
        for call in self.place.hooked[before:]:
            if self.is_of_main_agent(call):
                self.sessions[MAIN] = call.session

    def rewind(self, prompts: Sequence[str]) -> int:
        """Its list of prompts may begin anew with a compaction: what was chosen is on the screen."""
        terminal = self._terminal
        terminal.repeat(  # where something stands on the line, it only goes
            lambda: terminal.press(ESCAPE, ESCAPE), "Rewind", lambda: terminal.shows("(current)")
        )
        for _ in prompts:
            terminal.press(UP)
            terminal.wait_until("another row", lambda: terminal.drawn)
        terminal.press(ENTER)
        terminal.wait_for("Restore", "conversation", "step-", "ago)")
        words = re.findall(r"step-\d\d", terminal.text)[-1]
        terminal.press(ENTER)
        terminal.wait_until("the conversation", lambda: terminal.drawn)
        terminal.wait_for_rest(1)
        terminal.press(CLEAR_LINE)
        terminal.wait_until("an empty line", lambda: terminal.drawn)
        return sum(prompt.rsplit(maxsplit=1)[-1] >= words for prompt in prompts)

    def compact(self) -> None:
        self.client.compact(self._terminal)

    def clear(self) -> None:
        self.client.clear(self._terminal)

    def resume(self) -> None:
        self._restart("--resume", self.sessions[MAIN])

    def go_on(self) -> None:
        self._restart("--continue")

    def fork(self) -> None:
        self._original = self.sessions[MAIN]
        self._restart("--resume", self.sessions[MAIN], "--fork-session")

    def crash(self, prompt: str) -> None:
        with self.model.thinking():
            self._type(lambda: self.client.submit(self._terminal, prompt))
            self._terminal.end(signal.SIGKILL)
        if (
            not self.client.transcript.exists()
        ):  # of a fork nothing is written before its first answer
            self.sessions[MAIN] = self._original
        self.resume()

    def _restart(self, *arguments: str, how: signal.Signals = signal.SIGTERM) -> None:
        self._terminal.end(how)
        self._terminal = self.client.open_terminal(*arguments)

    def visit_worktree(self, name: str) -> list[tuple[str, list[Call]]]:
        tools: dict[str, object] = {"query": "select:EnterWorktree,ExitWorktree", "max_results": 5}
        return [
            ("go there", [("ToolSearch", tools), ("EnterWorktree", {"name": name})]),
            ("work there", [self.client.tool()]),
            ("come back", [("ExitWorktree", {"action": "keep"})]),
        ]
