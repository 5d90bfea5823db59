"""What a request to the model should have, from the files of a tree and from what was typed.

It shares no code with the program: it reads the rules where they stand, finds their marks in what the
model was sent, and compares. What it knows of delivery is in docs/delivery.md: what applies is in
context once, what no longer holds is withdrawn, and only a budget may put something off.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.clients.place import Hooked

MISSING, TWICE, STALE = "missing", "twice", "stale"
FALSE_WITHDRAWAL, FALSE_ARRIVED = "false revocation", "false arrived"
REPEATED = "repeated"
"""A repetition where nothing shows yet what became of the turn before, which is no fault."""

_MARK = re.compile(r"\(([a-z]+\d*)\.(\d+)\)")
_WITHDRAWN = re.compile(r"\[WITHDRAWN\]\n((?: +\S.*(?:\n|$))+)")
_QUOTED = re.compile(r"\[CONTINUATION\]\n(?: +\S.*(?:\n|$))+|^[A-Z][A-Z_0-9]*=.*$", re.MULTILINE)
"""A note of where the work stands, and lines of a rule file that a client has read by itself."""
_BUDGET = 800  # tokens of one reply in FRESH
_SLACK = 60  # tokens of a heading and a line that names what is cut
_REFRESH = 10  # prompts


def _read_forbidding() -> re.Pattern[str]:
    """What forbids, by the published list of words."""
    page = (Path(__file__).parents[3] / "docs" / "tree.md").read_text("utf-8")
    section = page.partition("### What forbids")[2].partition("\n#")[0]
    _, _, *rows = re.findall(r"^\|.+\|(.+)\|(.+)\|$", section, re.MULTILINE)
    anywhere, first = (
        "|".join(re.escape(word.strip()) for row in column for word in row.split(","))
        for column in zip(*rows, strict=True)
    )
    return re.compile(rf"\b(?:{anywhere})\b|^(?:{first})\b", re.IGNORECASE)


_FORBIDS = _read_forbidding()


class Rule(NamedTuple):
    mark: str
    text: str
    key: str
    domain: str
    heading: str
    """As a withdrawal names it."""

    @property
    def forbids(self) -> bool:
        return bool(_FORBIDS.search(self.text))


@dataclass
class Situation:
    """What was last typed or written, which a cancelled prompt and a rewind leave as it is."""

    agent: str = ""
    task: str = ""
    """The agent that has taken up the story."""
    phase: str = ""
    prompt: str = ""
    is_full: bool = False
    """Whether the model has claimed that its window is full: what comes then is not judged."""


class Tree:
    """The rules below ``.synapse``, as they stand on disk now, and those of files of instructions
    that a client which reads the files ``reads`` is to have.
    """

    def __init__(
        self,
        project: Path,
        reads: frozenset[str] = frozenset(),
        dropped: frozenset[str] = frozenset(),
    ) -> None:
        """dropped: those of ``reads`` that the client has dropped itself."""
        folder = project / ".synapse"
        config = (folder / "config.toml").read_text("utf-8")
        self.is_letter = 'profile = "synapse"' in config
        """Whether the budgets are the seeds' letter."""
        self.manifest: dict[str, str] = {}
        self.rules: dict[str, Rule] = {}
        for home in (folder, *project.glob("squads/*/.synapse")):
            own = dict(_pairs(home / "manifest"))
            self.manifest |= own
            for domain in (key.removesuffix("_STATE") for key in own if key.endswith("_STATE")):
                for key, text in _pairs(home / domain.lower().replace("_", "-")):
                    self._add(text, key, domain, self._heading(domain))
        files = [*project.glob("*.md"), *project.glob(".cursor/rules/*.mdc")]
        if 'inject = "all"' not in config:
            # A client with instructions of its own has those.
            files = [file for file in files if file.name in reads] or files
        for file in files:
            if file.name in dropped:
                continue
            for line in file.read_text("utf-8").splitlines():
                self._add(line.removeprefix("- "), "", "ADOPTED", "GLOBAL")
        for story in project.glob("docs/stories/*.md"):
            for line in story.read_text("utf-8").splitlines():
                self._add(line.removeprefix("- [ ] "), "STORY", "STORY", "TASK CONTEXT")

    def _add(self, text: str, key: str, domain: str, heading: str) -> None:
        if mark := _MARK.search(text):
            name = f"{mark[1]}.{mark[2]}"
            self.rules[name] = Rule(name, text, key, domain, heading)

    def _heading(self, domain: str) -> str:
        if agent := self.manifest.get(f"{domain}_AGENT_TRIGGER"):
            return f"@{agent}"
        if workflow := self.manifest.get(f"{domain}_WORKFLOW_TRIGGER"):
            return f"ACTIVE WORKFLOW: {workflow}"
        if self._words(domain):
            return "KEYWORD MATCHES"
        return {"CONSTITUTION": domain, "CONTEXT": "CONTEXT BRACKET"}.get(domain, "GLOBAL")

    def due(self, now: Situation) -> dict[str, Rule]:
        """The rules that apply, by their marks."""
        return {mark: rule for mark, rule in self.rules.items() if self._applies(rule, now)}

    def _applies(self, rule: Rule, now: Situation) -> bool:
        domain = rule.domain
        if domain == "CONTEXT":
            return not now.is_full and "_FRESH_" in rule.key
        if rule.heading.startswith("@"):
            return rule.heading == f"@{now.agent}"
        if rule.heading.startswith("ACTIVE WORKFLOW"):
            phase = rule.text.removeprefix("Phase ").partition(":")[0]
            is_of_phase = not rule.text.startswith("Phase ") or phase == now.phase
            return bool(now.phase) and is_of_phase and not self.is_letter
        if rule.heading == "TASK CONTEXT":
            return bool(now.task) and now.task == now.agent and not self.is_letter
        if words := self._words(domain):
            return any(word in now.prompt for word in words) and not self.is_letter
        return True

    def _words(self, domain: str) -> list[str]:
        """What a prompt says for a domain to come in; none where it always does."""
        paths = self.manifest.get(f"{domain}_PATHS", "").replace("**", "")
        words = f"{self.manifest.get(f'{domain}_RECALL', '')},{paths}".split(",")
        return [word for word in map(str.strip, words) if word]

    def is_void(self, mark: str, now: Situation) -> bool:
        """Whether a rule that is in context would mislead: it was edited, or is another's."""
        rule = self.rules.get(mark)
        if rule is None:
            return True
        if rule.heading.startswith("@") or rule.domain == "CONTEXT":
            return not self._applies(rule, now)
        if rule.heading.startswith("ACTIVE WORKFLOW") and rule.text.startswith("Phase "):
            return bool(now.phase) and not self._applies(rule, now) and not self.is_letter
        return False

    def is_essential(self, rule: Rule) -> bool:
        """Whether it comes again every so many prompts."""
        if rule.domain == "CONSTITUTION":
            return rule.key.endswith("_0")
        return "_AUTH_" in rule.key or f"{rule.domain}_NON_NEGOTIABLE" in self.manifest


def _pairs(file: Path) -> list[tuple[str, str]]:
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    found = (line.partition("=") for line in lines if not line.startswith("#"))
    return [(key.strip(), value.strip()) for key, sign, value in found if sign]


class Withdrawal(NamedTuple):
    """A line that takes rules back: those of a heading, or those that it quotes."""

    line: str
    heading: str
    marks: frozenset[str]

    def covers(self, mark: str, headings: Mapping[str, str]) -> bool:
        return mark in self.marks if self.marks else headings.get(mark) == self.heading


def _withdrawal(line: str) -> Withdrawal:
    heading = line.partition(": no longer")[0].partition(": what was")[0].partition("'s rules")[0]
    heading = heading.partition(": phase ")[0]
    return Withdrawal(line, heading, frozenset(f"{m[1]}.{m[2]}" for m in _MARK.finditer(line)))


def read_window(text: str) -> list[str | Withdrawal]:
    """The marks and the withdrawals in what the model reads, in their order."""
    text = _QUOTED.sub("", text)
    parts: list[str | Withdrawal] = []
    at = 0
    for section in _WITHDRAWN.finditer(text):
        parts += [f"{mark[1]}.{mark[2]}" for mark in _MARK.finditer(text, at, section.start())]
        parts += [_withdrawal(line.strip()) for line in section[1].splitlines()]
        at = section.end()
    return parts + [f"{mark[1]}.{mark[2]}" for mark in _MARK.finditer(text, at)]


def tokens_of(text: str) -> int:
    return math.ceil(len(text) / 4)


class Fault(NamedTuple):
    kind: str
    what: str
    window: str
    request: int
    """Its number in the walk, from 0."""


@dataclass
class Window:
    """One conversation with the model, as its requests show it."""

    name: str
    limit: int
    """Characters that the client takes of one reply; 0: as many as there are."""
    is_one_shot: bool = False
    """Whether no prompt follows its first, so that nothing may wait for one."""
    turns: int = 0
    tool_replies: int = 0
    """How many tools of this turn have brought something."""
    is_new: bool = True
    """Whether nothing was injected yet."""
    is_compacted: bool = False
    """Whether a compaction has taken what was injected, and nothing has come since."""
    is_uncertain: bool = False
    """Whether nothing shows what became of the turn before: a repetition is better than a loss."""
    is_blind: bool = False
    """Whether a rewind or a fork is such that the client shows it with the event after the next
    prompt's at the earliest."""
    has_prompted: bool = False
    """Whether that prompt was there."""
    was_full: bool = False
    is_fresh_again: bool = False
    """Whether a compaction has emptied the window in this turn."""
    put_off: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    came: dict[str, int] = field(default_factory=dict)
    """The turn in which a rule last came."""
    withdrawals: Counter[str] = field(default_factory=Counter)
    stale: set[str] = field(default_factory=set)

    def begin_turn(self, *, uncertain: bool = False) -> None:
        self.turns += 1
        self.tool_replies = 0
        self.was_full = False
        self.is_uncertain = uncertain

    def lose_history(self) -> None:
        """After a compaction that is seen in the next request."""
        self.is_compacted = self.is_fresh_again = True
        self.counts.clear()
        self.came.clear()
        self.put_off.clear()


class Oracle:
    """Judges requests in their order."""

    def __init__(self, project: Path, reads: frozenset[str] = frozenset()) -> None:
        """reads: the files of instructions that the client has in each request by itself."""
        self.project, self.reads = project, reads
        self.faults: list[Fault] = []
        self.headings: dict[str, str] = {}
        """Of all rules that there were so far, by their marks."""

    def judge(
        self,
        number: int,
        window: Window,
        text: str,
        events: Sequence[Hooked],
        now: Situation,
        prompt_events: frozenset[str],
        dropped: frozenset[str] = frozenset(),
    ) -> None:
        """A request with ``text``, before which the client has called the hook for ``events`` whose
        reply it takes. dropped: the files that the client reads by itself, and has dropped.
        """
        tree = Tree(self.project, self.reads, dropped)
        self.headings |= {mark: rule.heading for mark, rule in tree.rules.items()}
        due = tree.due(now)
        parts = read_window(text)
        counts, withdrawals = self._standing(parts)
        window.was_full |= now.is_full

        def fault(kind: str, what: str) -> None:
            self.faults.append(Fault(kind, what, window.name, number))

        replies = [event.told for event in events if event.told]
        missing = {mark for mark in due if not counts[mark]}
        if events:
            lawful = self._put_off(tree, window, missing, due, events, prompt_events)
            is_prompt = any(event.name in prompt_events for event in events)
            window.is_blind &= is_prompt and not window.has_prompted
            window.has_prompted = window.is_blind
            window.put_off = missing if window.is_blind else lawful
        elif window.is_compacted:
            window.put_off = missing  # nothing was asked for them since
        for mark in sorted(missing - window.put_off):
            fault(MISSING, f"{mark} {due[mark].key}")
        for mark, count in counts.items():
            if count > window.counts[mark]:
                before = window.came.get(mark)
                # What a compaction brings back comes before the prompt that shows it.
                window.came[mark] = window.turns - window.is_compacted
                if count > 1 and not self._may_repeat(tree, window, mark, before):
                    fault(REPEATED if window.is_uncertain else TWICE, mark)
        for line in withdrawals:
            if withdrawals[line] <= window.withdrawals[line] or now.is_full:
                continue
            taken = _withdrawal(line)
            if held := [m for m in due if taken.covers(m, self.headings) and not counts[m]]:
                fault(FALSE_WITHDRAWAL, f"{line} takes {' '.join(held)}")
        if events and not now.is_full and not window.is_blind:
            stale = {m for m in counts if counts[m] and tree.is_void(m, now)}
            for mark in sorted(stale - window.stale):
                fault(STALE, mark)
            window.stale = stale
        window.counts, window.withdrawals = counts, withdrawals
        if replies:
            window.is_new = window.is_compacted = False

    def _standing(self, parts: Iterable[str | Withdrawal]) -> tuple[Counter[str], Counter[str]]:
        counts: Counter[str] = Counter()
        withdrawals: Counter[str] = Counter()
        for part in parts:
            if isinstance(part, str):
                counts[part] += 1
            else:
                withdrawals[part.line] += 1
                for mark in counts:
                    if part.covers(mark, self.headings):
                        counts[mark] = 0
        return counts, withdrawals

    def _put_off(
        self,
        tree: Tree,
        window: Window,
        missing: set[str],
        due: Mapping[str, Rule],
        events: Sequence[Hooked],
        prompt_events: frozenset[str],
    ) -> set[str]:
        """Those of ``missing`` that a budget lets wait: there was no room for them in what came, and
        nothing less important went before."""
        is_prompt = any(event.name in prompt_events for event in events)
        if not is_prompt:
            spoke = sum(1 for event in events if event.told)
            if window.tool_replies >= 2:
                return set(missing)
            window.tool_replies += spoke
        is_whole = window.is_compacted or (
            window.is_new and (window.is_one_shot or not tree.is_letter)
        )
        budget = math.inf if is_whole else _BUDGET
        if window.limit:
            budget = min(budget, window.limit / 4)
        replies = [event.told for event in events if event.told]
        size = max(map(tokens_of, replies), default=0)
        told = {part for reply in replies for part in read_window(reply) if isinstance(part, str)}
        lawful = set()
        for mark in missing:
            rule = due[mark]
            fits = size + tokens_of(rule.text) + _SLACK <= budget
            outranked = any(self._goes_before(rule, due[other]) for other in told if other in due)
            if not fits and not outranked:
                lawful.add(mark)
        return lawful

    def _goes_before(self, rule: Rule, other: Rule) -> bool:
        """Whether no budget may leave ``rule`` out while ``other`` comes."""
        if not rule.forbids or other.forbids:
            return False
        return other.heading == rule.heading or (
            rule.heading == "GLOBAL" and other.heading == "KEYWORD MATCHES"
        )

    def _may_repeat(self, tree: Tree, window: Window, mark: str, before: int | None) -> bool:
        rule = tree.rules.get(mark)
        if rule is None or window.was_full:
            return True
        if before is None:
            return False
        waits = window.turns - before >= _REFRESH
        return waits and (tree.is_essential(rule) or rule.heading == "KEYWORD MATCHES")
