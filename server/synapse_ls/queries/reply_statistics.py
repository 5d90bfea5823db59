"""This module makes statistics of many replies: how often which domains, rules and keywords had a
part in them, for the coverage.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from synapse_ls.engine.word_matching import fold_text
from synapse_ls.integrations.hook_event import PROMPT
from synapse_ls.queries.injection_report import domains_in_reply
from synapse_ls.storage.injection_log import parse_entries

if TYPE_CHECKING:
    from synapse_ls.storage.injection_log import Record

    NamedEntry = tuple[str, str]  # name and hash of an entry

_PUNCTUATION = "()[]{}<>,;:!?\"'“”‘’`*_.@#"
_MAX_WORDS = 3  # words of a phrase that is compared with keywords
_MAX_PHRASES = 200_000  # that are kept of prompts: beyond, only those that are known are counted


class ReplyStatistics:
    """ReplyStatistics are counts of what many replies of the hook have told. A prompt is a record
    of that kind; other replies tell, but are none.

    prompts_by_domain: label of a domain -> numbers of the prompts in which it took part;
    waking_prompts: those of them that woke it, and did not only follow such a one. reasons: label
    -> codes by which it did. sleeping_brackets: label -> brackets in which its keywords matched and
    it did not take part. keyword_matches: (label, keyword) -> prompts. prompt_phrases: words and
    phrases of prompts, where these are known. sent_entries, cut_entries: (name, hash) of rules ->
    replies.
    """

    def __init__(self) -> None:
        self.prompts = 0
        self.sessions: set[str] = set()
        self.first_time = self.last_time = 0.0
        self.sent_entries: Counter[NamedEntry] = Counter()
        self.cut_entries: Counter[NamedEntry] = Counter()
        self.prompts_by_domain: defaultdict[str, set[int]] = defaultdict(set)
        self.waking_prompts: defaultdict[str, set[int]] = defaultdict(set)
        self.reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.sleeping_brackets: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.keyword_matches: Counter[tuple[str, str]] = Counter()
        self.prompt_phrases: Counter[str] = Counter()
        self.knows_prompts = False

    def add(self, record: Record, prompt: str | None = None) -> None:
        """Counts a reply; ``prompt`` is what it answered, None where nobody knows."""
        if record["session"]:
            self.sessions.add(record["session"])
        if record["time"]:
            self.first_time = min(self.first_time or record["time"], record["time"])
            self.last_time = max(self.last_time, record["time"])
        for _, written in record["sections"]:
            self.sent_entries.update(
                (name, identity) for identity, name in parse_entries(written) if name
            )
        for written in (record["cut"], record["limited"]):
            self.cut_entries.update(
                (name, identity) for identity, name in parse_entries(written) if name
            )
        if record["kind"] != PROMPT:
            return
        self.prompts += 1
        taking_part = set()
        for took in domains_in_reply(record):
            taking_part.add(took.label)
            self.prompts_by_domain[took.label].add(self.prompts)
            self.reasons[took.label][took.reason_phrase.code] += 1
            if not took.reason_phrase.code.startswith("recalled"):
                self.waking_prompts[took.label].add(self.prompts)
        for label, words in record["matched"].items():
            self.keyword_matches.update((label, word) for word in words)
            if label not in taking_part:
                self.sleeping_brackets[label][record["bracket"]] += 1
        if prompt is not None:
            self.knows_prompts = True
            self._count_phrases(prompt)

    def _count_phrases(self, prompt: str) -> None:
        words = [w for word in fold_text(prompt).split() if (w := word.strip(_PUNCTUATION))]
        for length in range(1, _MAX_WORDS + 1):
            for start in range(len(words) - length + 1):
                phrase = " ".join(words[start : start + length])
                if len(self.prompt_phrases) < _MAX_PHRASES or phrase in self.prompt_phrases:
                    self.prompt_phrases[phrase] += 1
