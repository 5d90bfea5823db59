"""Tokens that a session costs, against a full block with each of its prompts.

    python -m tests.bench.bench_tokens [--tree TREE]

There are three sessions. A day: 50 prompts to 60 % of the window, six agent switches, four phases, three
star-commands; the bar is 8 %. The same day further on, through the next brackets and a compaction: each of those
may add 2.5 % of what the day's full blocks cost. And that of ``traces/fifty-prompts.json``: 50 prompts, two
compactions at 92 %, two agent switches, three phases, five keyword prompts, two star-commands; the bar is 25 %.

Each prompt and each start after a compaction goes through the hook. Every entry that is wanted stands: after each
reply an agent that read them all knows what it should, and no more.

Trees: one of a team, and that of `aiox` in the folder ``SYNAPSE_LS_CORPUS``, if that is set.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from synapse_ls.hooks import window_reply
from synapse_ls.hooks.window_reply import ComposedBlock, compose_block
from synapse_ls.integrations import hook_event
from synapse_ls.queries.context_question import Question, answer_question
from tests.bench.bench_hook import STATE, STATE_TEXT
from tests.bench.measure import Figure, add_tree_option, corpus_tree, print_figures
from tests.engine.reader import Reader
from tests.hooks.hook_clients import Scripted
from tests.trees import TEAM, Files, write_tree

TRACE = Path(__file__).parent / "traces" / "fifty-prompts.json"
BAR, DAY_BAR, ENTRY_BAR = 25.0, 8.0, 2.5
WINDOW = 200_000
_AGENTS = {2: "dev", 10: "qa", 18: "dev", 26: "architect", 34: "dev", 42: "qa"}
_PHASES = {1: "validation", 12: "in_development", 28: "qa_review", 40: "in_development"}
_COMMANDS = {9: " *brief", 24: " *dev", 38: " *review"}
_FURTHER = (0.66, 0.80, 0.92)
"""Parts of the window: in the two brackets after the day's last one, and where it is compacted."""


def rules(domain: str, count: int, text: str) -> str:
    return "".join(f"{domain}_RULE_{i}={text}, which is rule {i}\n" for i in range(count))


TREE: Files = {
    **TEAM,
    ".synapse/config.toml": 'profile = "synapse-live"\n',
    ".synapse/global": rules("GLOBAL", 14, "Write small functions that say what they do"),
    ".synapse/agent-dev": TEAM[".synapse/agent-dev"]
    + rules("AGENT_DEV", 8, "Keep the change as small as its reason").replace("_RULE_", "_RULE_1"),
    ".synapse/testing": rules("TESTING", 5, "A test shows one behaviour and is named after it"),
    ".synapse/docs": rules("DOCS", 4, "Every feature has an example that somebody has run"),
}


def day_steps(count: int = 50, until: float = 0.6) -> list[dict[str, Any]]:
    """A day's prompts, to a part of the window that grows evenly."""
    steps = []
    for number in range(1, count + 1):
        agent = f"@{_AGENTS[number]} " if number in _AGENTS else ""
        text = f"{agent}go on with part {number}{_COMMANDS.get(number, '')}"
        step: dict[str, Any] = {"prompt": text, "used": int(WINDOW * until * number / count)}
        if number in _PHASES:
            step["phase"] = _PHASES[number]
        steps.append(step)
    return steps


def further_steps() -> list[dict[str, Any]]:
    """What comes after such a day, up to a compaction and the first prompt after it."""
    steps: list[dict[str, Any]] = [
        {"prompt": f"go on at {part}", "used": int(WINDOW * part)} for part in _FURTHER
    ]
    steps[-1]["compact"] = True
    return [*steps, {"prompt": "where were we?", "used": 17_250}]


class Result(NamedTuple):
    """Tokens sent and those of a full block per prompt; replies that were not empty.

    full: replies that told everything. late: prompts after which something that is wanted was
    still to come, because the budget had cut it and said so. wrong: what an agent lacked without a
    word about it, or believed without reason.
    """

    sent: int
    every: int
    replies: int
    full: int
    late: int
    wrong: list[str]

    @property
    def percent(self) -> float:
        return 100 * self.sent / self.every


class Session:
    """The trace in the tree at ``root``."""

    def __init__(self, root: Path, window: int) -> None:
        self.client = Scripted(root)
        self.window = window
        self.reader = Reader()
        self.made: list[ComposedBlock] = []
        self.sent = self.every = self.replies = self.full = self.late = 0
        self.wrong: list[str] = []

    def play(self, step: dict[str, Any]) -> None:
        if "phase" in step:
            state = self.client.root / STATE
            state.parent.mkdir(exist_ok=True)
            state.write_text(STATE_TEXT.format(phase=step["phase"]))
        self.client.figures = {"used": step["used"], "window": self.window}
        self._take(lambda: self.client.prompt(step["prompt"]))
        asked = Question(
            str(self.client.root),
            step["prompt"],
            session=self.client.session,
            remaining=100 - 100 * step["used"] / self.window,
        )
        self.every += answer_question(asked).assembly.tokens
        if step.get("compact"):
            self.client.figures = None
            self.reader = Reader()
            self.client.send(hook_event.COMPACTING)
            self._take(lambda: self.client.send(hook_event.SESSION_START, source="compact"))

    def _take(self, send: Any) -> None:
        self.made.clear()
        send()
        if not self.made:
            return
        plan, assembly = self.made[-1].plan, self.made[-1].assembly
        self.reader.read(assembly)
        self.sent += assembly.tokens
        self.replies += bool(assembly.text)
        self.full += "[CONSTITUTION]" in assembly.text
        self.late += bool(self.reader.lacking(assembly))
        for what, found in (
            ("lacks", self.reader.missing(assembly)),
            ("still believes", self.reader.misleading(plan, assembly)),
        ):
            self.wrong += [f"{what} {heading} {text}" for heading, text in sorted(found)]


def run(root: Path, trace: Path = TRACE) -> Result:
    """The session in ``trace``, in the tree at ``root``."""
    read = json.loads(trace.read_text())
    return play(root, read["steps"], read["window"])


def play(root: Path, steps: list[dict[str, Any]], window: int = WINDOW) -> Result:
    """A session of these steps, in the tree at ``root``."""
    session = Session(root, window)

    def watched(*given: Any, **named: Any) -> ComposedBlock:
        made = compose_block(*given, **named)
        session.made.append(made)
        return made

    with (
        tempfile.TemporaryDirectory() as cache,
        mock.patch.dict(os.environ, {"SYNAPSE_LS_CACHE": cache}),
        mock.patch.object(window_reply, "compose_block", watched),
    ):
        for step in steps:
            session.play(step)
    return Result(
        session.sent, session.every, session.replies, session.full, session.late, session.wrong
    )


@contextmanager
def copied(source: Path | None) -> Iterator[Path]:
    """A copy of a tree, that of a team where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "tree"
        if source:
            shutil.copytree(source, root, symlinks=True)
        else:
            write_tree(root, TREE)
        yield root


def figures(tree: Path | None = None) -> Iterator[Figure]:
    """The share of the tokens, and how many entries were wrong, in a team's tree and in another."""
    for name, source in (("a team's tree", None), ("the reference tree", tree or corpus_tree())):
        if name != "a team's tree" and source is None:
            continue
        with copied(source) as root:
            day = play(root, day_steps())
        with copied(source) as root:
            further = play(root, [*day_steps(), *further_steps()])
        with copied(source) as root:
            long = run(root)
        yield from told(f"{name}, a day", day, DAY_BAR if source else None)
        more = 100 * (further.sent - day.sent) / day.every / len(_FURTHER)
        yield Figure("  each further bracket, or compaction, adds", more, "%", ENTRY_BAR)
        yield from told(f"{name}, two compactions", long, BAR)


def told(name: str, result: Result, bar: float | None) -> Iterator[Figure]:
    """The figures of a session."""
    what = f"{name}: {result.replies} replies, {result.full} of them full"
    yield Figure(f"{what}: tokens", result.sent, "")
    yield Figure("  of what full blocks would cost", result.percent, "%", bar)
    yield Figure("  replies with more to come", result.late, "")
    yield Figure("  entries that are wrong", len(result.wrong), "", 0)
    for line in result.wrong[:10]:
        print("  ", line, file=sys.stderr)


def main() -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_tree_option(parser)
    return print_figures(figures(parser.parse_args().tree))


if __name__ == "__main__":
    raise SystemExit(main())
