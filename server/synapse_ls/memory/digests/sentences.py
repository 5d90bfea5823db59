"""This module splits what somebody said into sentences, without what they only pasted or quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_SENTENCE = 300  # characters of a sentence that is kept; a longer one is cut at a word
LONGEST_MESSAGE = 20_000  # characters of one message that are looked at: its beginning and its end

_FENCE = re.compile(
    r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_TAGGED = re.compile(r"<([a-zA-Z][\w-]{0,40})(?:\s[^<>]{0,200})?>.*?(?:</\1>|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[a-zA-Z][\w-]{0,40}(?:\s[^<>]{0,200})?/?>")
_LIST_MARK = re.compile(r"^[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|\[ \])[ \t]+)+")
_ADDRESSEE = re.compile(
    r"^(?:[@*/][\w:-]+[,:]?[ \t]+)+"
)  # an agent or a command that is called first
_TICKED = re.compile(r"^[ \t]*(?:[-*+][ \t]+)?\[[xX]\]")
_QUOTE = re.compile(r"^[ \t]*(?:>|\|)")
_LOG = re.compile(
    r"^[ \t]*(?:\d{4}-\d\d-\d\d[T ]\d\d:|\[\d|at \S+ ?\(|File \"|\$ |[{}<]|\S+:\d+:\d+)"
)
# A full stop ends a sentence where a space and no lower-case letter follow.
_END = re.compile(r"(?<=[.!?…])[\"')\]]?\s+(?=[^\sa-z])")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " "})


def own_words(text: str) -> str:
    """Returns somebody's own sentences in ``text``, without fenced blocks, tagged parts, quotations
    and what looks like a log.
    """
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[: LONGEST_MESSAGE // 2]}\n\n{text[-LONGEST_MESSAGE // 2 :]}"
    text = _FENCE.sub("\n", text)
    text = _TAG.sub(" ", _TAGGED.sub("\n", text))
    lines = (line for line in text.splitlines() if not _QUOTE.match(line) and not _LOG.match(line))
    return "\n".join(lines)


def split_sentences(text: str) -> Iterator[str]:
    """Yields the sentences of somebody's own words, on one line each, in their order."""
    for paragraph in _split_paragraphs(_ADDRESSEE.sub("", own_words(text).lstrip())):
        for sentence in _END.split(paragraph):
            if told := shorten_text(" ".join(sentence.split())):
                yield told


def fold_sentence(sentence: str) -> str:
    """Returns a sentence as the patterns of `remark_patterns` expect it."""
    return " ".join(sentence.translate(_QUOTES).lower().replace("*", "").replace("`", "").split())


def shorten_text(text: str, most: int = LONGEST_SENTENCE) -> str:
    """Shortens a sentence to so many characters, cut at a word and then marked."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    return (head[:at] if at > most // 2 else head).rstrip(" ,;:") + "…"


def _split_paragraphs(text: str) -> Iterator[str]:
    """Yields items of lists one by one, other lines joined where the sentence goes on."""
    held: list[str] = []
    for line in text.splitlines():
        said = "" if _TICKED.match(line) else line  # what is done is no news
        lead = _LIST_MARK.match(said)
        if (lead or not said.strip()) and held:
            yield " ".join(held)
            held = []
        if said.strip():
            held.append(said[lead.end() :] if lead else said.strip())
    if held:
        yield " ".join(held)
