"""From request to reply where a client calls the hook server as its hook, against a bare interpreter.

    python -m tests.bench.bench_hook_server [--tree TREE] [--rounds N]

Bar: 0.35 × ``python -I -S -c pass`` at the 95th percentile. Before each event one is started, so that both find the
processor in the same state: after a rest it takes half as long again for everything.

The transcript grows as Claude Code's does: with what was asked, what hooks told, and what was answered. Behind each
reply stands what is done after it, so the next event comes when the server is ready again, as it does when a model
has to think in between.

The tree is that of `aiox` in the folder ``SYNAPSE_LS_CORPUS``, unless another is given.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from synapse_ls.hooks.hook_server import MAKING_PAUSE
from tests.bench.bench_hook import (
    STATE,
    STATE_TEXT,
    placed,
    settle,
    timestamp,
    transcript,
    wait_for_builds,
    wait_for_plan,
    warm,
)
from tests.bench.measure import (
    Figure,
    add_tree_option,
    corpus_tree,
    percentile,
    print_figures,
    start_interpreter,
)
from tests.hooks.served_hook import ServedHook, said

BAR = 0.35
SEEN_SECONDS = 3 * MAKING_PAUSE
"""After which the server has seen a plan that is there."""
WARMING = 3  # rounds that do not count
PHASES = ("qa_review", "in_development")


class ServedSession:
    """A session of Claude Code that calls ``server``; the cache of its plans is in ``cache``."""

    def __init__(self, server: ServedHook, root: Path, cache: Path) -> None:
        self.server = server
        self.root = root
        self.cache = cache
        self.session = "one"
        self._tokens = 42_000

    def send(self, event: str, **fields: object) -> float:
        """The milliseconds from an event to its reply, without what the client makes of either."""
        payload = {
            "session_id": self.session,
            "transcript_path": str(transcript(self.root.parent, self.session)),
            "cwd": str(self.root),
            **fields,
        }
        request = self.server.event_request(event, payload)
        began = time.perf_counter()
        self.server.write(request)
        line = self.server.read_line()
        took = (time.perf_counter() - began) * 1000
        reply = json.loads(said(json.loads(line)))
        told = reply.get("hookSpecificOutput", {}).get("additionalContext", "")
        if event == "UserPromptSubmit":
            self._write(
                {"type": "user", "message": {"role": "user", "content": fields["prompt"]}},
                *([_context(told)] if told else []),
                self._answer(),
            )
        elif told:
            self._write(_context(told))
        self.wait_until_ready()
        return took

    def wait_until_ready(self) -> None:
        """Wait until the server has done all that follows its replies: it answers one event after
        the other, but a ping at once.
        """
        folder = str(self.root.parent / "bare")  # no tree, so there is nothing to say
        assert self.server.reply("PreToolUse", {"session_id": "none", "cwd": folder}) == "{}"

    def _answer(self) -> dict[str, Any]:
        self._tokens += 20
        usage = {"input_tokens": 20, "cache_read_input_tokens": self._tokens, "output_tokens": 50}
        return {"type": "assistant", "message": {"model": "claude-sonnet-5-5", "usage": usage}}

    def _write(self, *records: dict[str, Any]) -> None:
        now, path = timestamp(), transcript(self.root.parent, self.session)
        newest = json.loads(path.read_bytes().splitlines()[-1])["uuid"]
        with path.open("a", encoding="utf-8") as file:
            for record in records:
                following = {"parentUuid": newest, **record, "timestamp": now, "uuid": str(uuid4())}
                newest = following["uuid"]
                file.write(json.dumps(following, separators=(",", ":")) + "\n")


def _context(text: str) -> dict[str, Any]:
    attachment = {"type": "hook_additional_context", "content": [text]}
    return {"type": "attachment", "attachment": attachment}


class Event(NamedTuple):
    """One kind of event: ``send`` it and get the milliseconds to its reply, after ``prepare``; both with
    the number of the round.
    """

    send: Callable[[int], float]
    prepare: Callable[[int], object] = bool


def events(session: ServedSession) -> dict[str, Event]:
    """What is measured, by name."""
    root = session.root
    read = {"tool_name": "Read", "tool_input": {"file_path": str(root / "README.md")}}
    rules = next(root.glob(".*/global"))
    text = rules.read_text(encoding="utf-8")

    def set_phase(number: int) -> None:
        (root / STATE).write_text(STATE_TEXT.format(phase=PHASES[number % 2]))

    def prompt(words: str) -> float:
        return session.send("UserPromptSubmit", prompt_id=words, prompt=words)

    def first(number: int) -> float:
        session.session = f"s{number}"
        took = prompt("improve the login endpoint *brief")
        session.session = "one"
        return took

    def run(line: str) -> float:
        return session.send("PreToolUse", tool_name="Bash", tool_input={"command": line})

    def changed_prompt(number: int) -> float:
        set_phase(number)
        return prompt(f"go on with phase {number}")

    def changed_tool(number: int) -> float:
        set_phase(number + 1)
        return session.send("PostToolUse", **read)

    def edit(number: int) -> None:
        rules.write_text(f"{text}\n# {number}\n", encoding="utf-8")
        wait_for_plan(session.cache, rules)
        time.sleep(SEEN_SECONDS)
        session.wait_until_ready()

    return {
        "prompt, nothing new": Event(lambda n: prompt(f"go on with part {n}")),
        "first prompt of a session": Event(first),
        "tool, nothing new": Event(lambda _: session.send("PostToolUse", **read)),
        "before a file is read": Event(lambda _: session.send("PreToolUse", **read)),
        "before a command, allowed": Event(lambda _: run("npm test -- --watch=false")),
        "before a command, warned of": Event(lambda _: run("cd . && git push")),
        "prompt, workflow state changed just before": Event(changed_prompt),
        "tool, workflow state changed just before": Event(changed_tool),
        "prompt, rule file changed, the server has seen it": Event(
            lambda n: prompt(f"go on with rule {n}"), edit
        ),
    }


def figures(tree: Path | None = None, rounds: int = 120) -> Iterator[Figure]:
    """All figures, in the order of the report."""
    with placed(tree or corpus_tree()) as (root, environment):
        (root / ".aiox").mkdir(exist_ok=True)
        (root.parent / "bare").mkdir()
        (root / STATE).write_text(STATE_TEXT.format(phase="in_development"))
        warm(root, environment)
        cache = Path(environment["SYNAPSE_LS_CACHE"])
        with ServedHook(root, environment=environment) as server:
            for name, event in events(ServedSession(server, root, cache)).items():
                base, taken = [], []
                for number in range(WARMING + rounds):
                    event.prepare(number)
                    base.append(start_interpreter())
                    taken.append(event.send(number))
                    if number == WARMING - 1:
                        wait_for_builds(cache)
                        time.sleep(SEEN_SECONDS)
                wait_for_builds(cache)
                settle(root)
                # A processor that has rested is slower, and so is the interpreter that it starts then.
                bare = percentile(base[WARMING:], 50)
                yield Figure(f"a bare interpreter before: {name}, p50", bare, "ms")
                yield Figure(f"{name}, p50", percentile(taken[WARMING:], 50) / bare, "×")
                yield Figure(f"{name}, p95", percentile(taken[WARMING:], 95) / bare, "×", BAR)


def main() -> int:
    """Print the figures; 1 where one is above its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_tree_option(parser)
    parser.add_argument("--rounds", type=int, default=120)
    options = parser.parse_args()
    return print_figures(figures(options.tree, options.rounds))


if __name__ == "__main__":
    raise SystemExit(main())
