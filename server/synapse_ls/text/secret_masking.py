"""Find and mask secrets: access tokens, keys, passwords and private keys.

They are recognised by published shapes, by the name that they are assigned to and, for masking, by
randomness. A recognisable example (repeated, in alphabetical order, spelling "example"), a variable
or words are no secret, except, for masking, under a name that only secrets have. Of a random text
without shape or name, what is around it, or how it begins, says whether it is public.
"""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from synapse_ls.text import hidden_characters, secret_shapes
from synapse_ls.text.secret_likelihood import (
    compiled,
    has_words,
    is_example,
    is_key,
    is_mixed,
    is_password,
    is_random,
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
from synapse_ls.text.span import Span

_PRIVATE_KEY: Final = (
    r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?=\s{0,20}(?:\\n)?[A-Za-z0-9+/=:\s-]{64}|[^()]{0,200}?[A-Za-z0-9+/]{40})"
)
_KEY_BODY: Final = r"(?:[A-Za-z0-9+/=:,.>*|#\"'\s-]|\\[nr]){0,20000}"
_RANDOM: Final = (  # without the full stop of its sentence
    r"(?<![A-Za-z0-9_+/.@:%-])[A-Za-z0-9_+/.~-]{11,4095}[A-Za-z0-9_+/~-]={0,2}"
    r"(?![A-Za-z0-9_+/=@%-])"
)
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
    covered = bytearray(len(text))
    for layer, at in hidden_characters.text_layers(text):
        for span, kind in _iter_candidates(layer, masking=False):
            start, end = at[span.start], at[span.end - 1] + 1
            if not any(covered[start:end]):
                covered[start:end] = b"\1" * (end - start)
                yield Secret(Span(start, end), kind)


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
    characters = list(text)
    for layer, at in hidden_characters.text_layers(text):
        masked, spans = list(layer), list[tuple[int, int]]()
        for secret in _iter_candidates(layer, masking=True):
            start, end = secret.span
            if secret.kind == "private key" and layer.startswith("-----BEGIN", start):
                end = _key_end(layer, end)
            elif rest := compiled(r"[\w-]{1,4096}").match(layer, end):
                end = rest.end()  # a longer token than its issuer's are
            masked[start:end] = "•" * (end - start)
            spans.append((start, end))
        remaining = "".join(masked)
        randoms = compiled(_RANDOM).finditer(remaining)
        spans += (match.span() for match in randoms if is_unnamed_secret(remaining, match))
        for start, end in spans:
            for index in at[start:end]:
                characters[index] = "•"
    return "".join(characters)


def mask_beginning(text: str, most: int) -> str:
    """Return the first ``most`` characters of a text, masked; what is cut hides no secret."""
    return mask_secrets(text[: most + secret_shapes.LONGEST_MATCH])[:most]


def mask_end(text: str, most: int) -> str:
    """Return the last ``most`` characters of a text, masked; what is cut hides no secret."""
    return mask_secrets(text[-most - secret_shapes.LONGEST_MATCH :])[-most:]


def _key_end(text: str, start: int) -> int:
    """Return where the body of a private key ends, which begins at ``start``: at its last line,
    whatever stands before its lines, or before the next key.
    """
    last = text.find("-----END ", start, start + MOST_OF_KEY)
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
    for kind, mark, shape in secret_shapes.TOKEN_SHAPES:
        if mark in marks:
            pattern = compiled(f"(?<![A-Za-z0-9_-]){shape}(?![A-Za-z0-9_])")
            for start, end in _lines_with(mark, text):
                for match in pattern.finditer(text, start, end):
                    if is_varied(match[1]):
                        yield Secret(Span(*match.span()), kind)
    placed = [row for row in secret_shapes.PLACED_SHAPES if row[1] in marks]
    if masking:
        placed += [row for row in secret_shapes.MASKED_SHAPES if row[1] in low]
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
        if is_unnamed_secret(text, match, marked=True):
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
            _line_marks(line) if len(line) <= secret_shapes.LONGEST_MATCH else _marks_within(line)
            for line in text.split("\n")
        )
    )


def _marks_within(text: str) -> frozenset[str]:
    low = text.lower()
    shapes = [mark for _, mark, _ in secret_shapes.TOKEN_SHAPES if mark in text]
    placed = [mark for _, mark, _ in secret_shapes.PLACED_SHAPES if mark in low]
    return frozenset((*shapes, *placed, *(word for word in _telling_words() if word in low)))


_line_marks = lru_cache(maxsize=8_192)(_marks_within)


def _lines_with(mark: str, text: str) -> Iterator[tuple[int, int]]:
    at = text.find(mark)
    while at >= 0:
        end = line_end(text, at)
        yield text.rfind("\n", 0, at) + 1, end
        at = text.find(mark, end)


def _is_placed_secret(kind: str, mark: str, match: re.Match[str], masking: bool) -> bool:
    """Return whether what stands at the place of a secret is one."""
    body = match["body"]
    if name := match.groupdict().get("name", "").lower():
        *others, last = name.split("_")
        harmless = secret_shapes.PUBLIC_IDS.union(HARMLESS_WORDS, PUBLIC_WORDS)
        is_public_key = last == "key" and not PUBLIC_KEYS.isdisjoint(others)
        if last.endswith("id") or is_public_key or not harmless.isdisjoint((*others, last)):
            return False
    if mark == "://" and kind == secret_shapes.PASSWORD and "host" in match.groupdict():
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
    if kind == secret_shapes.PASSWORD:
        # as Google shows the password of an application, which words are not
        is_grouped = " " in body and randomness(body) > -3
        has_mix = masking and mark != "://" and is_mixed(body)
        if is_grouped or has_mix or is_password(body, fewest=5):
            return True
    return is_key(body) or (masking and may_be_secret(body))


MOST_OF_KEY: Final = 20_000  # characters of a private key
# The mark that an issuer puts in front of what is random: words and numbers of versions.
_MARK_WORD: Final = r"(?:[A-Za-z]{1,12}[0-9]{0,2}|[A-Za-z][A-Za-z0-9]{1,7})[_.-]"
_MARK: Final = (
    rf"(?![0-9A-Fa-f]{{8}}-[0-9A-Fa-f]{{4}}-)((?:{_MARK_WORD}){{1,4}}(?:[0-9]{{1,2}}[_.-])?)"
)
_MARK_END: Final = r"(?:key|token|tkn|secret|seck?|api|[^aeiou]sk|pat|[^aeiou]at)$"
# A secret behind an id that says so, and two random parts in a row, as of an id and its secret.
_INNER_MARK: Final = r"[a-z0-9]_(?:secret|key|token)_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{16,}"
_TWO_PARTS: Final = r"(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{20,}[._][A-Za-z0-9]{16,}"
_HEXADECIMAL: Final = (  # and what may stand around it, as an account and a checksum
    r"(?:[0-9]{6,20}[_-]){0,3}"
    r"(?:[0-9a-fA-F]{24,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
    r"(?:[_.-][0-9A-Za-z_-]{1,64}){0,2}"
)
_HASH: Final = (  # a part of an id or a path
    r"(?<![A-Za-z0-9])(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|0x[0-9a-fA-F]{6,128}|[A-Za-z]{0,8}[0-9a-f]{6,128}|[0-9A-F]{16,128})(?![A-Za-z0-9])"
)
# … which counts for the mark as little as it can.
_MARKED_HEXADECIMAL: Final = rf"((?:{_MARK_WORD}){{1,4}}?(?:[0-9]{{1,2}}[_.-])?){_HEXADECIMAL}"
_POD: Final = r"(?:[a-z][a-z0-9]{0,30}-){1,8}[a-z0-9]{6,10}-[a-z0-9]{5}"  # as Kubernetes names it
_FILE_END: Final = r"\.(?:[a-z]{3,6}[0-9]?|js|ts|py|so|md|gz)$"
_GLUED: Final = r"(?![0-9a-f]{1,128}$)([a-z]{3,6}|[A-Z]{3,6})(?:[0-9a-f]{8}){3,8}"
_PUBLIC_NAMES: Final = (
    r"pub(?:lic|key)|peer|challenge|nonce|recv|search.?only|hash|integrity|checksum|digest"
    r"|fingerprint|commit|revision|boundary|version[_-]id|site.?key|sha-?(?:1|256|384|512)|md5"
    r"|cache|request(?!\w{0,40}\.)|verification|program|address|wallet|build(?!er)"
    r"|change|cursor|continuation"
    r"|(?:page|sync|next).?token|dns|dkim|marker|mappings|thumbprint|x5[ct]|sec-websocket|etag"
    rf"|(?:{'|'.join(PUBLIC_KEYS)})\W{{0,3}}_?key|callback.{{0,20}}state"
)
_SECRET_HINT: Final = (
    r"(?:passw(?:or[dt])?|passphrase|\bpwd|senha|contrase|secret|token|credential"
    r"|\bauth(?!or)|bearer|\bpat\b"
    r"|licen[cs]e|(?:\b|api)keys?\b)(?!s?[ _-]?(?:" + "|".join(HARMLESS_WORDS) + "))"
)
# What may stand between such a word and a hash that it is said of.
_HINT_GAP: Final = (
    r"s?[^A-Za-z0-9]{1,4}(?:(?:is|was|to|with|as|value|here|used|now|provided|ist|lautet|es|é"
    r")[^A-Za-z0-9]{1,4}){0,3}"
)
_HINT_BEHIND: Final = (  # as in a comment, or in a sentence
    r"[^A-Za-z0-9\n]{0,4}(?://|#|--|\(| is | was ) ?"
    r"(?:(?:as|the|our|my|a) ){0,3}(?:[a-z]{1,12}[ _-])?(?:password|secret|token|(?<!public )key)\b"
)
_PUBLIC_BEHIND: Final = r"[^A-Za-z0-9\n]{0,8}(?://|#|--|/\*|\()[^\n]{0,24}\bpublic\b"
_ID_NAME: Final = (
    r"(?:(?<!s)id(?:-[0-9])?[\"']?\s{0,24}[:=]?"
    # a label, such as "Device ID of the laptop:"
    r"|\bid\b(?![^\n]{0,32}(?:secret|token|key|pass))[^\n:=`\"']{0,30}[:=]\W{0,4}"
    r"|\b[nxy][\"']?\s{0,4}[:=])\s{0,4}[\"']?$"
)
_WRAPPED: Final = (60, 64, 70, 72, 76)  # lengths of the lines of encoded files


def is_unnamed_secret(text: str, match: re.Match[str], *, marked: bool = False) -> bool:
    """Return whether a string without shape or name had better be masked: it is random, and neither
    its place nor its mark says that it is public. marked: only where the mark of an issuer says
    that it is a secret.
    """
    body = match[0]
    if has_words(body) and randomness(body) < 8:
        return False
    start, end = match.span()
    before = text[max(0, start - 64) : start].rpartition("\n")[2]
    if _is_public_place(text, start, end) or is_example(body):
        return False
    if compiled(_INNER_MARK).search(body):
        return True
    if glued := compiled(_GLUED).fullmatch(body):
        return glued[1].lower() not in secret_shapes.PUBLIC_IDS
    if compiled(_FILE_END).search(body):
        return False
    mark = compiled(_MARKED_HEXADECIMAL).fullmatch(body) or compiled(_MARK).match(body)
    is_secret = _is_marked_secret(mark[1], body) if mark and len(body) >= 20 else None
    if marked or is_secret is not None:
        return bool(is_secret)
    before = re.split(compiled(_PUBLIC_NAMES, re.IGNORECASE), before)[-1]
    hints = list(compiled(_SECRET_HINT, re.IGNORECASE).finditer(before))
    rest = compiled(_HASH).sub("", body)  # a hash is public unless it is called a secret
    if hints:
        is_said = compiled(_HINT_GAP, re.IGNORECASE).fullmatch(before[hints[-1].end() :])
        if is_random(rest) or (is_said and compiled(secret_shapes.ANY_HASH).fullmatch(body)):
            return True
    return (
        (compiled(_HINT_BEHIND, re.IGNORECASE).match(text, end) is not None and is_random(body))
        or compiled(_TWO_PARTS).search(body) is not None
        or (len(rest) >= 28 and randomness(rest) >= 8)
    )


def _is_public_place(text: str, start: int, end: int) -> bool:
    """Return whether what stands at a place is public by what is around it or how it begins."""
    body, before = text[start:end], text[max(0, start - 32) : start]
    if (
        body.startswith(secret_shapes.PUBLIC_STARTS)
        or before.endswith("base64,")
        or text[end : end + 1] == "("
        # An address without its scheme, a certificate.
        or compiled(r"[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}/").match(body)
        or _is_public_block(text, start)
        or compiled(secret_shapes.PUBLIC_KEY).match(body)
        or compiled(_PUBLIC_BEHIND, re.IGNORECASE).match(text, end)
        or compiled(_POD).fullmatch(body)
    ):
        return True
    before = before.rpartition("\n")[2]
    named = compiled(r"[?&](\w{1,24})=$").search(before)
    if (
        (named and named[1].lower() in secret_shapes.PUBLIC_IDS and len(body) <= 40)
        or compiled(secret_shapes.TAG_START).search(before)
        or any(compiled(s, re.IGNORECASE).search(before) for s in (_PUBLIC_NAMES, _ID_NAME))
    ):
        return True
    alone = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
    return alone and len(body) in _WRAPPED and _is_wrapped(text, start, end)


def _is_public_block(text: str, at: int) -> bool:
    """Return whether an offset is in an armoured block that is no private key."""
    start = text.rfind("-----BEGIN ", max(0, at - MOST_OF_KEY), at)
    is_open = start >= 0 and text.find("-----END ", start, at) < 0
    return is_open and "PRIVATE KEY" not in text[start : start + 50]


def _is_marked_secret(mark: str, body: str) -> bool | None:
    """Return whether what stands behind the mark of an issuer, as in "abc_live_", is a secret or
    a public id; None where the mark says neither.
    """
    words = compiled("[_.-]").split(mark.lower().lstrip("_"))[:-1]
    sign, rest = mark[-1], body[len(mark) :]
    is_hash = compiled(_HEXADECIMAL).fullmatch(rest) is not None
    is_staged = not secret_shapes.STAGES.isdisjoint(words[1:])
    is_public = not secret_shapes.PUBLIC_MARKS.isdisjoint(words) or (
        words[0] in ("pk", "cs") and is_staged
    )
    if not is_public and (
        any(
            word in secret_shapes.SECRET_MARKS or compiled(_MARK_END).search(word) for word in words
        )
        or (sign != "-" and is_staged)
    ):
        rest = rest if sign == "_" else compiled(_HASH).sub("", rest)
        return is_hash or (len(rest) >= 16 and is_random(rest)) or None
    if is_public or (words[0] in secret_shapes.PUBLIC_IDS and (is_hash or len(rest) < 36)):
        return False
    if is_hash:
        # Behind a hyphen, words and a hash are the key of a cache or the name of a build.
        is_coined = bool(compiled("[a-z][0-9]{1,4}[a-z]").search(mark))
        return sign != "-" or len(mark) < 9 or is_coined or "-" in rest.strip("-")[32:]
    rest = compiled(_HASH).sub("", rest)
    return (len(rest) >= 16 and is_random(rest, 4 if sign == "_" else 6)) or None


def _is_wrapped(text: str, start: int, end: int) -> bool:
    """Return whether the line before or behind one is part of an encoded file as well."""
    above = text[max(0, start - 1 - max(_WRAPPED)) : max(0, start - 1)].rpartition("\n")[2]
    below = text[end + 1 : end + 1 + max(_WRAPPED)].partition("\n")[0]
    encoded = compiled(r"[A-Za-z0-9+/]{4,76}={0,2}")
    return any(encoded.fullmatch(line) for line in (above, below))
