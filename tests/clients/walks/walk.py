"""Random walks of a client: what people do, in any order, and whether each request has its rules."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from tests.clients.model import Asked
from tests.clients.place import Hooked
from tests.clients.walks import oracle, trees
from tests.clients.walks.oracle import Fault, Oracle, Situation, Window
from tests.clients.walks.player import MAIN, Player

AGENTS = ("dev", "qa", "po")
_MARK = re.compile(r"\((\w+)\.(\d+)\)")
WEIGHTS = {
    "prompt": 4,
    "tools": 5,
    "keyword": 3,
    "story": 1,
    "agent": 3,
    "edit": 3,
    "remove": 1,
    "phase": 2,
    "cancel": 3,
    "interrupt": 3,
    "rewind": 2,
    "retry": 2,
    "compact": 2,
    "fill": 2,
    "resume": 2,
    "continue": 2,
    "clear": 1,
    "fork": 1,
    "crash": 1,
    "beside": 1,
    "one-shot": 1,
    "delegate": 2,
    "worktree": 1,
}
"""How often a move is made, against the others that the client has."""
COMMON = frozenset({"prompt", "tools", "keyword", "agent", "story", "edit", "remove", "phase"})
COMMON |= {"beside", "one-shot"}
ANSWERED = frozenset({"prompt", "tools", "keyword", "agent", "story", "fill", "delegate"})
"""The moves after which the main window has an answer."""
OF_FILES = frozenset({"edit", "remove", "phase"})
"""The moves that change nothing in any window."""


def choose(player: type[Player], tree: str, seed: int, number: int) -> list[str]:
    """The moves of a walk, each a word and what it is about."""
    chance = random.Random(f"{player.__name__} {tree} {seed}")
    known = [move for move in WEIGHTS if move in (COMMON - player.lacks) | player.moves]
    moves = chance.choices(known, [WEIGHTS[move] for move in known], k=number)
    return [_about(move, chance) for move in moves]


def _about(move: str, chance: random.Random) -> str:
    agent = chance.choice(AGENTS)
    if move == "agent" or (
        move in ("cancel", "interrupt", "beside", "one-shot") and chance.random() < 0.5
    ):
        return f"{move}={agent}"
    about: dict[str, Sequence[object]] = {
        "tools": (1, 2, 3),
        "keyword": ("unit-test", "migration", "pipeline", "web/page.ts"),
        "edit": range(24),
        "remove": range(24),
        "phase": trees.PHASES,
        "rewind": (1, 2, 3),
    }
    return f"{move}={chance.choice(about[move])}" if move in about else move


class Report(NamedTuple):
    client: str
    tree: str
    seed: int
    moves: list[str]
    requests: int
    faults: list[Fault]

    def count(self, kind: str) -> int:
        return sum(fault.kind == kind for fault in self.faults)


class Walk:
    """A client on its way through moves, from which requests come that are judged."""

    def __init__(self, player: Player, say: Callable[[str], object] = print) -> None:
        self.player = player
        self.place = player.place
        self.say = say
        self.oracle = Oracle(self.place.project, player.reads)
        self.windows: dict[str, Window] = {}
        self.situations: dict[str, Situation] = {}
        self.prompts: list[str] = []
        """Those that stand in the main window."""
        self.is_resumable = False
        """Whether a prompt of the main window was answered, so that it can be resumed."""
        self.read: list[tuple[str, str]] = []
        """The windows of all requests that were judged, and what the model read there."""
        self.phase = ""
        self.step = 0
        self._own = ""
        """What the prompt of this step has, and no other."""
        self._last = ""
        """The last move that was made in a window."""
        self._uncertain = False
        self._has_forked = False
        self._judged = 0
        self._since = 0
        self._late: dict[str, list[Hooked]] = {}
        """The events of each window whose reply the next request may have, or the one after it."""

    def play(self, moves: Sequence[str]) -> None:
        with self.player.open():
            for move in moves:
                if move.partition("=")[0] not in (COMMON - self.player.lacks) | self.player.moves:
                    continue
                self.step += 1
                self.say(f"{self.step:2} {move}")
                name, _, about = move.partition("=")
                faults = len(self.oracle.faults)
                getattr(self, f"_{name.replace('-', '_')}")(about)
                self._judged = len(self.place.model.turns)
                self._last = self._last if name in OF_FILES else name
                self._uncertain |= name in self.player.unshown
                self.is_resumable |= name in ANSWERED
                self.is_resumable &= MAIN in self.player.sessions
                self._tell(self.oracle.faults[faults:])
        self._check_log()

    def _tell(self, faults: Sequence[Fault]) -> None:
        for kind, window, request in dict.fromkeys((f.kind, f.window, f.request) for f in faults):
            what = [f.what for f in faults if (f.kind, f.request) == (kind, request)]
            some = ", ".join(what[:6]) + f" … {len(what)} in all" * (len(what) > 6)
            self.say(f"   {kind} in {window}, request {request}: {some}")

    # Moves

    def _prompt(self, about: str) -> None:
        self._talk(MAIN, "go on")

    def _tools(self, about: str) -> None:
        self.player.will_use_tools(int(about))
        self._talk(MAIN, "look around")

    def _keyword(self, about: str) -> None:
        self._talk(MAIN, f"think of a {about.replace('-', ' ')} for it")

    def _agent(self, about: str) -> None:
        self._talk(MAIN, self._words(about))

    def _story(self, about: str) -> None:
        self._window(MAIN)
        self.situations[MAIN].task = "dev"
        self._talk(MAIN, "@dev *develop STORY-7")

    def _beside(self, about: str) -> None:
        self._talk("beside", self._words(about))

    def _one_shot(self, about: str) -> None:
        self._talk(f"one-shot {self.step}", self._words(about))

    def _edit(self, about: str) -> None:
        def newer(mark: re.Match[str]) -> str:
            return f"({mark[1]}.{int(mark[2]) + 1})"

        self._change(about, lambda line: _MARK.sub(newer, line))

    def _remove(self, about: str) -> None:
        self._change(about, lambda _: "")

    def _change(self, about: str, change: Callable[[str], str]) -> None:
        """Writes the line of a rule anew, in one of the files that no client reads by itself."""
        files = [self.place.project / name for name in (".synapse/global", trees.UNREAD)]
        files = [file for file in files if file.exists()]
        file = files[int(about) % len(files)]
        lines = file.read_text("utf-8").splitlines(keepends=True)
        rules = [number for number, line in enumerate(lines) if _MARK.search(line)]
        at = rules[int(about) // len(files) % len(rules)]
        lines[at] = change(lines[at])
        file.write_text("".join(lines), encoding="utf-8")

    def _phase(self, about: str) -> None:
        folder = self.place.project / ".aiox"
        folder.mkdir(exist_ok=True)
        (folder / "release-1-state.yaml").write_text(trees.state_file(about), encoding="utf-8")
        self.phase = about
        for now in self.situations.values():
            now.task = ""  # which the state file moves on

    def _cancel(self, about: str) -> None:
        prompt = self._begin(MAIN, self._words(about))
        self.player.cancel(prompt)
        self._judge(MAIN)

    def _interrupt(self, about: str) -> None:
        self.player.interrupt(self._begin(MAIN, self._words(about)))
        self._judge(MAIN)

    def _rewind(self, about: str) -> None:
        if len(self.prompts) > int(about) and not self._uncertain:
            gone = self.player.rewind(self.prompts[-int(about) :])
            assert gone, "nothing was rewound"
            del self.prompts[len(self.prompts) - gone :]
            self._be_blind()

    def _retry(self, about: str) -> None:
        if self.prompts and self._last in ANSWERED | {"interrupt", "retry"}:
            self._begin_turn(MAIN, self.prompts[-1])
            self.player.retry()
            self._judge(MAIN)

    def _compact(self, about: str) -> None:
        if self.is_resumable:
            self.player.compact()

    def _fill(self, about: str) -> None:
        prompt = self._begin(MAIN, "read all of it")
        self.situations[MAIN].is_full = True
        self.player.fill(prompt)
        self._judge(MAIN)

    def _resume(self, about: str) -> None:
        if self.is_resumable:
            self.player.resume()

    def _continue(self, about: str) -> None:
        # Another session may have been the last where one was forked.
        if self.is_resumable and self.read[-1][0] == MAIN and not self._has_forked:
            self.player.go_on()

    def _clear(self, about: str) -> None:
        self.player.clear()
        for known in (self.windows, self.situations, self.player.sessions):
            known.pop(MAIN, None)
        self.prompts.clear()
        self.is_resumable = False

    def _fork(self, about: str) -> None:
        if self.is_resumable:
            self.player.fork()
            if self.player.forks_before_last:
                del self.prompts[-1:]
            self._has_forked = True
            self._be_blind()

    def _be_blind(self) -> None:
        window = self._window(MAIN)
        window.is_blind, window.has_prompted = not self.player.shows_rewind, False

    def _crash(self, about: str) -> None:
        if self.is_resumable:
            self.player.crash(self._begin(MAIN, "begin with it"))
            self._judge(MAIN)

    def _delegate(self, about: str) -> None:
        task = f"task-{self.step:02} look at the readme"
        prompt = self._begin(MAIN, "have somebody look")
        sub_agent = f"sub-agent {self.step}"
        self._window(sub_agent)
        # It works for who is at work in the main window.
        self.situations[sub_agent] = replace(self.situations[MAIN], prompt=task)
        self.player.delegate(prompt, task)
        self._judge(MAIN, task)

    def _worktree(self, about: str) -> None:
        git = ("git", "-c", "user.name=x", "-c", "user.email=x@localhost")
        if not (self.place.project / ".git").exists():
            self.place.run(*git, "init", "--quiet")
            self.place.run(*git, "add", "--all")
            self.place.run(*git, "commit", "--quiet", "--message", "Begin")
        for words, calls in self.player.visit_worktree(f"side-{self.step}"):
            for tool, arguments in calls:
                self.place.model.will_call(tool, **arguments)
            self._talk(MAIN, words)

    # What they have in common

    def _words(self, agent: str) -> str:
        return f"@{agent} take it up" if agent else "carry on"

    def _window(self, name: str) -> Window:
        if name not in self.windows:
            kinds = ("one-shot", "sub-agent") if self.player.tells_one_shots else ("sub-agent",)
            is_one_shot = name.startswith(kinds)
            self.windows[name] = Window(name, self.player.limit, is_one_shot)
            self.situations[name] = Situation()
        return self.windows[name]

    def _begin(self, name: str, words: str) -> str:
        """A turn of a window; its prompt, which stands nowhere else."""
        prompt = f"{words} step-{self.step:02}"
        self._begin_turn(name, prompt)
        if name == MAIN:
            self.prompts.append(prompt)
        return prompt

    def _begin_turn(self, name: str, prompt: str) -> None:
        words, self._own = prompt.rsplit(maxsplit=1)
        window = self._window(name)
        window.begin_turn(uncertain=self._uncertain and name == MAIN)
        if name == MAIN:
            self._uncertain = False
        now = self.situations[name]
        now.prompt, now.phase = words, self.phase
        now.is_full &= not window.is_fresh_again
        window.is_fresh_again = False
        if words.startswith("@"):
            now.agent = words.partition(" ")[0].removeprefix("@")

    def _talk(self, name: str, words: str) -> None:
        self.player.say(name, self._begin(name, words))
        self._judge(name)

    def _judge(self, name: str, task: str = "") -> None:
        """The requests that have come since; those that have only a task are a sub-agent's."""
        requests = self.place.model.turns
        for number in range(self._judged, len(requests)):
            asked = requests[number]
            text = self.player.read(asked.text)
            is_own = self._own in text
            is_sub = bool(task) and not is_own
            if not (is_own or is_sub or self._window(name).is_fresh_again):
                continue  # of the client's own, such as a suggestion of what to ask next
            self._judge_one(number, f"sub-agent {self.step}" if is_sub else name, asked, text)
        self._judged = len(requests)

    def _judge_one(self, number: int, name: str, asked: Asked, text: str) -> None:
        player = self.player
        taken = player.prompt_events | player.tool_events
        is_main = not name.startswith("sub-agent")
        session = player.sessions.get(name if is_main else MAIN)
        calls = [
            call
            for call in self.place.hooked
            if self._since < call.ended <= asked.at
            and player.is_of_main_agent(call) == is_main
            and (not session or call.session == session)
        ]
        events = [call for call in calls if call.name in taken or not is_main]
        late = [call for call in events if is_main and call.name in player.late_events]
        events = [*self._late.pop(name, ()), *(call for call in events if call not in late)]
        self._late[name] = late
        window = self._window(name)
        if is_main:
            self._since = asked.at
            if player.has_compacted(calls, text):
                window.lose_history()
                compacted_at = player.compacted_at(asked.at)
                events = [call for call in events if call.begun > compacted_at]
        if name == MAIN:
            lines = {line.strip() for line in text.splitlines()}
            self.prompts = [prompt for prompt in self.prompts if prompt in lines]
        now = self.situations[name]
        self.read.append((name, text))
        dropped = player.dropped_files(text) if name == MAIN else frozenset()
        self.oracle.judge(number, window, text, events, now, player.prompt_events, dropped)

    def _check_log(self) -> None:
        """What the log says has arrived, which the model has read, or has not."""
        listed = self.place.synapse("log", "-n", "0", "--format", "json-lines").splitlines()
        entries = [json.loads(line) for line in listed]
        last = dict(self.read)
        said = Counter(
            (entry["hash"], entry["arrived"], entry["cancelled"])
            for entry in entries
            if entry["block"] == "kept"
        )
        for digest, arrived, cancelled in said:
            if arrived is None and not cancelled:
                continue
            block = self.place.synapse("log", "--block", digest).strip()
            block = self.player.read(self.player.client.shown(block))
            was_read = any(block in text for _, text in self.read)
            stands = any(block in text for text in last.values())
            if arrived and not was_read:
                self._false(f"{digest} is said to have arrived, and no request has it")
            elif arrived is False and not cancelled and stands:
                self._false(f"{digest} is said not to have arrived, and is in the last request")
            elif (
                cancelled
                and stands
                and not (said[digest, True, False] or said[digest, None, False])
            ):
                # Else the same text was sent again, and that has arrived or is still waited for.
                self._false(f"{digest} is said to be cancelled, and is in the last request")

    def _false(self, what: str) -> None:
        self.oracle.faults.append(Fault(oracle.FALSE_ARRIVED, what, "log", -1))
        self.say(f"   {oracle.FALSE_ARRIVED}: {what}")
