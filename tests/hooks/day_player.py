"""A client and its agent on a day: what happens to them, and what the agent should not believe."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from synapse_ls.integrations import hook_event
from tests.hooks.day_oracle import Believer, Line
from tests.hooks.hook_clients import Scripted

WINDOW = 200_000


class Player:
    """``wrong``: what was found at the ends of turns. ``asked``: rules that a prompt asked for since
    the window began. tools: whether the client takes context with tool events.
    """

    def __init__(
        self, root: Path, grammar: Callable[[str], Iterable[Line]], *, tools: bool
    ) -> None:
        self.root, self.grammar, self.tools = root, grammar, tools
        self.client = Scripted(root, limit=60_000)
        if not tools:
            self.client.takes.discard(hook_event.TOOL)
        self.agent = Believer(grammar)
        self.asked: list[str] = []
        self.wrong: list[str] = []
        self.turns = 0

    def remaining(self) -> float:
        """Percent of the window that are left."""
        used = (self.client.figures or {}).get("used", 0)
        assert isinstance(used, int)
        return 100 - 100 * used / WINDOW

    def write(self, path: str, text: str) -> None:
        """Write a file of the tree, with a tool of the agent."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.use_tool(path)

    def replace(self, path: str, old: str, new: str) -> None:
        """Edit a file of the tree, with a tool of the agent."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def use_tool(self, path: str = "README.md") -> None:
        """Use a tool; what comes with it reaches the agent."""
        if self.tools:
            self.agent.read(self.client.tool(path))

    def turn(self, prompt: str, used: int, *, compacts: bool = False) -> None:
        """Type a prompt, let the agent work, and judge what it believes at the end.

        compacts: the history is compacted in the middle of it.
        """
        self.turns += 1
        self.client.figures = {"used": used, "window": WINDOW}
        self.agent.news.clear()
        self.agent.read(self.client.prompt(prompt))
        self.asked += self.matched(prompt)
        if compacts:
            self.compact()
            self.asked += self.matched(prompt)
        for _ in range(3):
            self.use_tool()
        self._judge(prompt)

    def compact(self) -> None:
        """Compact the history."""
        self.client.figures = {"used": 12_000, "window": WINDOW}
        self.client.send(hook_event.COMPACTING)
        self._forget()
        self.agent.read(self.client.send(hook_event.SESSION_START, source="compact"))

    def resume(self) -> None:
        """Leave the session for the night, and go on with it."""
        self.agent.read(self.client.send(hook_event.SESSION_START, source="resume", later=3_600))

    def begin(self, session: str) -> None:
        """End the session and begin another one."""
        self.client.send(hook_event.SESSION_END)
        self.client.session = session
        self._forget()
        self.agent.read(self.client.send(hook_event.SESSION_START, source="startup"))

    def _forget(self) -> None:
        tokens = self.agent.tokens
        self.agent = Believer(self.grammar)
        self.agent.tokens = tokens
        self.asked.clear()

    def _judge(self, prompt: str) -> None:
        wanted = dict.fromkeys((*self.wanted(), *self.asked))
        for text in wanted:
            self.check(prompt, "lacks", text, not self.agent.believes(text))
            self.check(prompt, "is injected twice", text, self.agent.news.count(text) > 1)
        for text in self.void():
            self.check(prompt, "believes", text, text not in wanted and self.agent.believes(text))
        for what, found, expected in self.statements():
            self.check(prompt, what, f"{found}, not {expected}", found != expected)

    def check(self, prompt: str, what: str, text: str, is_wrong: bool) -> None:
        """Note what is wrong."""
        if is_wrong:
            self.wrong.append(f"{self.turns} {prompt!r}: {what} {text}")

    # What the files of the tree and the script of the day say

    def matched(self, prompt: str) -> list[str]:
        """The rules that a prompt asks for."""
        return []

    def wanted(self) -> list[str]:
        """The texts that have to stand now, beside those asked for."""
        raise NotImplementedError

    def void(self) -> list[str]:
        """The texts that must not be believed now, unless they are wanted."""
        raise NotImplementedError

    def statements(self) -> list[tuple[str, object, object]]:
        """What it says of the state: (what, what is believed, what is true)."""
        return []
