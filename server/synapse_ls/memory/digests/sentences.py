"""The sentences of what somebody said, without what they only pasted or quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST = 300  # characters of a sentence that is kept; a longer one is cut at a word
READ = 20_000  # characters of one message that are looked at: its beginning and its end

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAGGED = re.compile(r"<([a-zA-Z][\w-]{0,40})(?:\s[^<>]{0,200})?>.*?(?:</\1>|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][\w-]{0,40}(?:\s[^<>]{0,200})?/?>")
_LEAD = re.compile(r"^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[ \])[ \t]+)+")
_CALLED = re.compile(r"^(?:[@*/][\w:-]+[,:]?[ \t]+)+")  # an agent or a command that is called first
_TICKED = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\[[xX]\]")
_QUOTE = re.compile(r"^[ \t]*(?:>|\|)")
_LOG = re.compile(
    r"^[ \t]*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[\d|at \S+ ?\(|File \"|\$ |[{}<]|\S+:\d+:\d+)"
)
# A full stop ends a sentence where a space and no lower-case letter follow.
_END = re.compile(r"(?<=[.!?…])[\"')\]]?\s+(?=[^\sa-z])")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def own_words(text: str) -> str:
    """``text`` without fenced blocks, tagged parts, quotations and what looks like a log."""
    if len(text) > READ:
        text = f"{text[: READ // 2]}\n\n{text[-READ // 2 :]}"
    text = _FENCE.sub("\n", text)
    text = _TAG.sub(" ", _TAGGED.sub("\n", text))
    lines = (line for line in text.splitlines() if not _QUOTE.match(line) and not _LOG.match(line))
    return "\n".join(lines)


def sentences(text: str) -> Iterator[str]:
    """The sentences of somebody's own words, on one line each, in their order."""
    for paragraph in _paragraphs(_CALLED.sub("", own_words(text).lstrip())):
        for sentence in _END.split(paragraph):
            if told := shortened(" ".join(sentence.split())):
                yield told


def folded(sentence: str) -> str:
    """A sentence as the tables of `words` expect it."""
    return " ".join(sentence.translate(_QUOTES).lower().replace("*", "").replace("`", "").split())


def shortened(text: str, most: int = LONGEST) -> str:
    """``text`` of at most so many characters, cut at a word and then marked."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    return (head[:at] if at > most // 2 else head).rstrip(" ,;:") + "…"


def _paragraphs(text: str) -> Iterator[str]:
    """Items of lists one by one, other lines joined where the sentence goes on."""
    held: list[str] = []
    for line in text.splitlines():
        said = "" if _TICKED.match(line) else line  # what is done is no news
        lead = _LEAD.match(said)
        if (lead or not said.strip()) and held:
            yield " ".join(held)
            held = []
        if said.strip():
            held.append(said[lead.end() :] if lead else said.strip())
    if held:
        yield " ".join(held)
