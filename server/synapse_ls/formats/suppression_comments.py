"""Parse comments that suppress lint findings: ``# synapse: ignore[SYN105] until the migration``.

``ignore`` is for its own line, ``ignore-next-line`` for the one below, ``ignore-file`` for the
file. Brackets list the rules, all without them; the rest is a reason for people. ``# …`` or ``<!--
… -->`` as the kind of file has it, on its own line or at the end of one. Parsers read the text
after `blank_directives`.
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from synapse_ls.text.finding import Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span, trim_span

LINE = "ignore"
NEXT_LINE = "ignore-next-line"
FILE = "ignore-file"
SCOPES = (LINE, NEXT_LINE, FILE)

_MARK = "synapse:"
_BODY = (
    r"[ \t]*synapse:[ \t]*(?P<word>ignore[\w-]*|(?=i[gnore]{4,6}[-\w]*[ \t]*\[)[\w-]+)"
    r"(?:[ \t]*\[(?P<list>[^\]\r\n]*)\]?|(?=\s|$|-->))"
)
_HASH = lazy_pattern(rf"(?<!\S)#+{_BODY}")
_MARKUP = lazy_pattern(rf"<!--{_BODY}")
_CLOSE = "-->"
_BREAK = lazy_pattern(r"[\r\n]")
_SELECTOR = lazy_pattern(r"[^,]+")


class CommentStyle(Enum):
    """The comments that can be suppression comments in a file."""

    # ``# …``, alone or behind something: manifests, YAML, TOML.
    HASH = "hash"
    # ``<!-- … -->``, and ``# …`` alone on a line: Markdown.
    MARKUP = "markup"
    # Both kinds in both places: rule files, which have keys or are plain text.
    BOTH = "both"


class Directive(NamedTuple):
    """One suppression comment.

    ``word`` is its first word, most often one of ``SCOPES``. ``listed`` is the place between the
    brackets, ``None`` without them; ``selectors`` are what stands there. ``span`` is the comment;
    ``alone`` is whether its line has nothing but directives. ``reason`` is free text.
    """

    word: Text
    selector_span: Span | None
    selectors: tuple[Text, ...]
    reason: str
    span: Span
    alone: bool = False


def find_directives(text: str, comments: CommentStyle) -> tuple[Directive, ...]:
    """Return the suppression comments of a text, in its order. Never raises; time linear in the
    text.
    """
    return tuple(_iter_directives(text, comments)) if _MARK in text else ()


def blank_directives(text: str, comments: CommentStyle) -> str:
    """Return the text with white space in place of its suppression comments, so that all offsets
    stay what they are.
    """
    pieces: list[str] = []
    done = 0
    for directive in find_directives(text, comments):
        start, end = directive.span
        pieces += text[done:start], " " * (end - start)
        done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _iter_directives(text: str, comments: CommentStyle) -> Iterator[Directive]:
    end = 0
    while (place := text.find(_MARK, end)) >= 0:
        start = max(text.rfind("\n", end, place) + 1, text.rfind("\r", end, place) + 1, end)
        broken = _BREAK.search(text, place)
        end = broken.start() if broken else len(text)
        # The directives at the end of a line.
        body = trim_span(text, *Span(start, end))
        directives: list[Directive] = []
        # Return the match of the `# …` that ends a line, unless it is inside a comment of the other
        # kind.
        hashed: re.Match[str] | None
        comment_match = _HASH.search(text, *body)
        if comment_match is None or comments is CommentStyle.HASH:
            hashed = comment_match
        elif comments is CommentStyle.MARKUP and comment_match.start() != body.start:
            hashed = None
        else:
            opened = text.rfind("<!--", body.start, comment_match.start())
            hashed = (
                comment_match
                if opened < 0 or text.find(_CLOSE, opened, comment_match.start()) >= 0
                else None
            )
        directive_place, directive_end = body.start, hashed.start() if hashed else body.end
        while comments is not CommentStyle.HASH and (
            match := _MARKUP.search(text, directive_place, directive_end)
        ):
            close = text.find(_CLOSE, match.end(), directive_end)
            if close < 0:
                break
            directive_place = close + len(_CLOSE)
            directives.append(
                _build_directive(text, match, close, Span(match.start(), directive_place))
            )
        if hashed:
            directives.append(
                _build_directive(text, hashed, body.end, Span(hashed.start(), body.end))
            )
        rest, last = body, len(directives)
        while last and directives[last - 1].span.end == rest.end:
            last -= 1
            rest = trim_span(text, body.start, directives[last].span.start)
        yield from [directive._replace(alone=not rest.length) for directive in directives[last:]]


def _build_directive(text: str, match: re.Match[str], end: int, span: Span) -> Directive:
    listed = Span(*match.span("list")) if match["list"] is not None else None
    places = _SELECTOR.finditer(text, *listed) if listed else ()
    spans = [trim_span(text, *place.span()) for place in places]
    return Directive(
        Text(match["word"], Span(*match.span("word"))),
        listed,
        tuple(Text(place.cut(text), place) for place in spans if place.length),
        trim_span(text, match.end(), max(match.end(), end)).cut(text),
        span,
    )
