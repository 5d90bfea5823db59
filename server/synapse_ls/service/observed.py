"""What is known of many replies together: which domains, rules and keywords had a part in them."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from synapse_ls.engine.words import fold
from synapse_ls.hosts.event import PROMPT
from synapse_ls.service.injections import entries_of
from synapse_ls.service.told import domains_of

if TYPE_CHECKING:
    from synapse_ls.service.injections import Record

    Named = tuple[str, str]  # name and hash of an entry

_MARKS = "()[]{}<>,;:!?\"'“”‘’`*_.@#"
_LONGEST = 3  # words of a phrase that is compared with keywords
_PHRASES = 200_000  # that are kept of prompts: beyond, only those that are known are counted


class Observed:
    """Replies, counted. A prompt is a record of that kind; other replies tell, but are none.

    took: label of a domain -> numbers of the prompts in which it took part; woke: those of them that
    woke it, and did not only follow such a one. reasons: label -> codes
    by which it did. slept: label -> brackets in which its keywords matched and it did not take part.
    matched: (label, keyword) -> prompts. said: words and phrases of prompts, where these are known.
    """

    def __init__(self) -> None:
        self.prompts = 0
        self.sessions: set[str] = set()
        self.first = self.last = 0.0
        self.told: Counter[Named] = Counter()
        self.cut: Counter[Named] = Counter()
        self.took: defaultdict[str, set[int]] = defaultdict(set)
        self.woke: defaultdict[str, set[int]] = defaultdict(set)
        self.reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.slept: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.matched: Counter[tuple[str, str]] = Counter()
        self.said: Counter[str] = Counter()
        self.knows_prompts = False

    def add(self, record: Record, prompt: str | None = None) -> None:
        """Count a reply; ``prompt`` is what it answered, None where nobody knows."""
        if record["session"]:
            self.sessions.add(record["session"])
        if record["time"]:
            self.first = min(self.first or record["time"], record["time"])
            self.last = max(self.last, record["time"])
        for _, written in record["sections"]:
            self.told.update((name, identity) for identity, name in entries_of(written) if name)
        for written in (record["cut"], record["limited"]):
            self.cut.update((name, identity) for identity, name in entries_of(written) if name)
        if record["kind"] != PROMPT:
            return
        self.prompts += 1
        taking_part = set()
        for took in domains_of(record):
            taking_part.add(took.label)
            self.took[took.label].add(self.prompts)
            self.reasons[took.label][took.why.code] += 1
            if not took.why.code.startswith("recalled"):
                self.woke[took.label].add(self.prompts)
        for label, words in record["matched"].items():
            self.matched.update((label, word) for word in words)
            if label not in taking_part:
                self.slept[label][record["bracket"]] += 1
        if prompt is not None:
            self.knows_prompts = True
            self._hear(prompt)

    def _hear(self, prompt: str) -> None:
        words = [w for word in fold(prompt).split() if (w := word.strip(_MARKS))]
        for length in range(1, _LONGEST + 1):
            for start in range(len(words) - length + 1):
                phrase = " ".join(words[start : start + length])
                if len(self.said) < _PHRASES or phrase in self.said:
                    self.said[phrase] += 1
