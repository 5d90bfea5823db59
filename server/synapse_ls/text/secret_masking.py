"""Find and mask secrets: access tokens, keys, passwords and private keys.

They are recognised by published shapes, by the name that they are assigned to and, for masking, by
randomness. A recognisable example (repeated, in alphabetical order, spelling "example"), a variable
or words are no secret, except, for masking, under a name that only secrets have.
"""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from synapse_ls.text import hidden_characters, unnamed_secrets
from synapse_ls.text.secret_likelihood import (
    compiled,
    is_example,
    is_key,
    is_mixed,
    is_password,
    is_varied,
    may_be_secret,
    randomness,
)
from synapse_ls.text.secret_names import (
    HARMLESS_WORDS,
    KEY_NOUNS,
    PASSWORD_WORDS,
    PLAIN_VALUES,
    PUBLIC_KEYS,
    PUBLIC_WORDS,
    SECRET_WORDS,
    find_named_secrets,
    line_end,
)
from synapse_ls.text.secret_shapes import (
    LONGEST_MATCH,
    MASKED_SHAPES,
    PASSWORD,
    PLACED_SHAPES,
    PUBLIC_IDS,
    TOKEN_SHAPES,
)
from synapse_ls.text.span import Span

_PRIVATE_KEY: Final = (
    r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?=\s{0,20}(?:\\n)?[A-Za-z0-9+/=:\s-]{64}|[^()]{0,200}?[A-Za-z0-9+/]{40})"
)
_KEY_BODY: Final = r"(?:[A-Za-z0-9+/=:,.>*|#\"'\s-]|\\[nr]){0,20000}"
_RANDOM: Final = r"(?<![A-Za-z0-9_+/.@:%-])[A-Za-z0-9_+/.~-]{12,4096}={0,2}(?![A-Za-z0-9_+/=@%-])"
_LONG_TEXT: Final = 20_000  # characters of a text of which an editor has most lines as before
# A host of which no password is worth a finding.
_LOCAL_HOST: Final = r"localhost$|127\.|(?:.*\.)?example\b"
# A password that a program puts in.
_TEMPLATE: Final = r"[${\[(]|%(?:s$|\(|\w{1,60}%)"


class Secret(NamedTuple):
    """The span of a secret and its kind, such as "GitHub token"."""

    span: Span
    kind: str

    @property
    def sentence_start(self) -> str:
        """The kind with its article, as a sentence begins: "A GitHub token"."""
        return f"{'An' if self.kind[0] in 'AEIOUaeiox' else 'A'} {self.kind}"


def find_secrets(text: str) -> Iterator[Secret]:
    """Yield the secrets of a text that have a shape or a name, sorted by shape and then in text
    order; none overlaps another. Characters that nobody sees part no secret.
    """
    visible = hidden_characters.visible_text(text)
    if len(visible) < len(text):
        secrets = list(find_secrets(visible))
        at = hidden_characters.visible_positions(text) if secrets else ()
        for span, kind in secrets:
            yield Secret(Span(at[span.start], at[span.end - 1] + 1), kind)
        return
    covered = bytearray(len(text))
    for secret in _iter_candidates(text, masking=False):
        start, end = secret.span
        if not any(covered[start:end]):
            covered[start:end] = b"\1" * (end - start)
            yield secret


@cache
def _telling_words() -> tuple[str, ...]:
    """Return, of the words by which the name of a secret is known, those that contain no other."""
    words = {"key", "token", "secret", "passwd", *KEY_NOUNS, *PASSWORD_WORDS, *SECRET_WORDS}
    return tuple(w for w in words if not any(other in w for other in words - {w}))


@lru_cache(maxsize=4)
def mask_secrets(text: str) -> str:
    """Return the text with dots in place of its secrets and of what is random enough to be one; as
    long as it was.
    """
    at = hidden_characters.visible_positions(text)
    characters = list(text)
    if len(at) < len(text):
        for index, char in zip(at, mask_secrets("".join(text[i] for i in at)), strict=True):
            characters[index] = char
        return "".join(characters)
    for secret in _iter_candidates(text, masking=True):
        start, end = secret.span
        if secret.kind == "private key" and text.startswith("-----BEGIN", start):
            end = _key_end(text, end)
        elif rest := compiled(r"[\w-]{1,4096}").match(text, end):
            end = rest.end()  # a longer token than its issuer's are
        characters[start:end] = "•" * (end - start)
    masked = "".join(characters)
    for match in compiled(_RANDOM).finditer(masked):
        if unnamed_secrets.is_unnamed_secret(masked, match):
            start, end = match.span()
            characters[start:end] = "•" * (end - start)
    return "".join(characters)


def mask_beginning(text: str, most: int) -> str:
    """Return the first ``most`` characters of a text, masked; what is cut hides no secret."""
    return mask_secrets(text[: most + LONGEST_MATCH])[:most]


def _key_end(text: str, start: int) -> int:
    """Return where the body of a private key ends, which begins at ``start``: at its last line,
    whatever stands before its lines, or before the next key.
    """
    limit = start + unnamed_secrets.MOST_OF_KEY
    last = text.find("-----END ", start, limit)
    if last >= 0 and text.find("-----BEGIN ", start, last) < 0:
        return last
    match = compiled(_KEY_BODY).match(text, start)
    end = match.end() if match else start
    last = text.find("-----", start, end)
    return end if last < 0 else last


def _iter_candidates(text: str, masking: bool) -> Iterator[Secret]:
    """Yield what may be a secret; spans may overlap. ``masking``: to be masked, so that in doubt
    it is one.
    """
    low = text.lower()
    marks = _find_marks(text)
    for kind, mark, shape in TOKEN_SHAPES:
        if mark in marks:
            pattern = compiled(f"(?<![A-Za-z0-9_-]){shape}(?![A-Za-z0-9_])")
            for start, end in _lines_with(mark, text):
                for match in pattern.finditer(text, start, end):
                    if is_varied(match[1]):
                        yield Secret(Span(*match.span()), kind)
    placed = [row for row in PLACED_SHAPES if row[1] in marks]
    if masking:
        placed += [row for row in MASKED_SHAPES if row[1] in low]
    for kind, mark, shape in {row[2]: row for row in placed}.values():
        for match in compiled(shape, re.IGNORECASE).finditer(text):
            if _is_placed_secret(kind, mark, match, masking):
                start, end = match.span("body")
                if masking and (quote := text[start - 1 : start]) in ("'", '"'):
                    end = max(end, text.find(quote, end, line_end(text, end)))
                yield Secret(Span(start, end), kind)
    if len(low) != len(text):  # places in the one are none in the other
        low = "".join(character.lower()[:1] for character in text)
    # The lines that have a word by which the name of a secret is known.
    words = [word for word in _telling_words() if word in marks]
    lines = sorted({line for word in words for line in _lines_with(word, low)})
    for span, kind in find_named_secrets(text, lines, masking):
        yield Secret(span, kind)
    if "PRIVATE KEY" in text:
        for match in compiled(_PRIVATE_KEY).finditer(text):
            yield Secret(Span(*match.span()), "private key")
    for match in () if masking else compiled(_RANDOM).finditer(text):
        if unnamed_secrets.is_unnamed_secret(text, match, marked=True):
            yield Secret(Span(*match.span()), "access token")


def _find_marks(text: str) -> frozenset[str]:
    """Return what a text has of the marks that secrets are known by.

    A long text is looked at line by line: an editor asks anew after each key stroke, and most of
    its lines are as before.
    """
    if len(text) <= _LONG_TEXT:
        return _marks_within(text)
    return frozenset[str]().union(
        *(
            _line_marks(line) if len(line) <= LONGEST_MATCH else _marks_within(line)
            for line in text.split("\n")
        )
    )


def _marks_within(text: str) -> frozenset[str]:
    low = text.lower()
    shapes = [mark for _, mark, _ in TOKEN_SHAPES if mark in text]
    placed = [mark for _, mark, _ in PLACED_SHAPES if mark in low]
    return frozenset((*shapes, *placed, *(word for word in _telling_words() if word in low)))


_line_marks = lru_cache(maxsize=8_192)(_marks_within)


def _lines_with(mark: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(mark)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text.rfind("\n", 0, at) + 1, end
        at = text.find(mark, end)


def _is_placed_secret(kind: str, mark: str, match: re.Match[str], masking: bool) -> bool:
    """Return whether what stands at the place of a secret is one."""
    body = match["body"]
    if name := match.groupdict().get("name", "").lower():
        *others, last = name.split("_")
        harmless = PUBLIC_IDS.union(HARMLESS_WORDS, PUBLIC_WORDS)
        is_public_key = last == "key" and not PUBLIC_KEYS.isdisjoint(others)
        if last.endswith("id") or is_public_key or not harmless.isdisjoint((*others, last)):
            return False
    if mark == "://" and kind == PASSWORD and "host" in match.groupdict():
        if compiled(_TEMPLATE, 0).match(body):
            return False
        if masking:  # nothing else stands there, however much it looks like an example
            return body.lower() not in PLAIN_VALUES and len(set(body)) > 1
        local = compiled(_LOCAL_HOST, re.IGNORECASE).match(match["host"])
        return not local and is_password(body, 5)
    if mark == "basic ":
        try:
            user, colon, password = a2b_base64(body).decode().partition(":")
        except (Error, ValueError):
            return False
        return bool(colon and user.isprintable()) and is_password(password, fewest=5)
    if masking and match.groupdict().get("sure"):  # nothing but passwords stands there
        return body.lower() not in PLAIN_VALUES and not is_example(body)
    if kind == PASSWORD:
        # as Google shows the password of an application, which words are not
        is_grouped = " " in body and randomness(body) > -3
        has_mix = masking and mark != "://" and is_mixed(body)
        if is_grouped or has_mix or is_password(body, fewest=5):
            return True
    return is_key(body) or (masking and may_be_secret(body))
