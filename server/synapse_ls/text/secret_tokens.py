"""Find and mask secrets: access tokens, keys, passwords and private keys.

They are recognised by published shapes, by the name that they are assigned to and, for masking, by
randomness. A recognisable example (repeated, in alphabetical order, spelling "example"), a variable
or words are no secret, except, for masking, under a name that only secrets have.
"""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from math import log2
from typing import Final, NamedTuple

from synapse_ls.text.hidden_characters import visible_positions, visible_text
from synapse_ls.text.secret_shapes import (
    HARMLESS_WORDS,
    KEY_WORDS,
    MASKED_SHAPES,
    PASSWORD,
    PASSWORD_ENDS,
    PASSWORD_WORDS,
    PLACED_SHAPES,
    PLAIN_VALUES,
    PUBLIC_IDS,
    PUBLIC_KEYS,
    PUBLIC_WORDS,
    SECRET_MARKS,
    SECRET_WORDS,
    STAGES,
    TOKEN_SHAPES,
)
from synapse_ls.text.span import Span

_VALUE: Final = r"(?P<body>(?![%<])[^\s\"'`<>,;()\[\]{{}}]{{{least},4096}})"
_BLANKS: Final = r"[^\S\r\n]{0,8}"  # of whatever sort, within a line
_LINE_END: Final = r"[|>]?[+-]?[ \t]{0,8}\r?\n"  # behind which YAML may have the value
_SIGN: Final = (
    rf"[\\]?[\"']?\]?{_BLANKS}(?:=>|:=|\|=|[:=：]){_BLANKS}"  # between a name and its value
)
# How a name begins: with a letter, an underscore or another sign, named by what it is not, because
# `re` looks at each letter of a wide range where case is ignored.
_NO_LETTER: Final = r"\x00-,/-@\[-\^`{-\xb4\xb6-\xbf"
_ASSIGNMENT: Final = (
    rf"(?<![\w.-])(?P<name>[^.{_NO_LETTER}][\w.-]{{1,63}})"
    rf"{_SIGN}(?:{_LINE_END}[ \t]{{1,40}})?"
    r"(?P<quote>[\\]?[\"'`]|)" + _VALUE.format(least=4)
)
_ENCODED: Final = (  # as an address has it
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{1,63})(?:%22)?%3[AD](?:%22)?" + _VALUE.format(least=4)
)
_ELEMENT: Final = (
    r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,63})(?:\s[^<>]{0,80})?>\s{0,8}" + _VALUE.format(least=6)
)
_SAID: Final = (
    r"(?<![A-Za-z0-9])(?P<name>(?:api |access |secret |private |auth )?"
    r"(?:password|passwd|passphrase|senha|pwd|token|key|secret))"
    r"(?:[ \t]{1,4}(?:for|of|on|to|in|at|do|da|de|para)(?:[ \t]{1,4}[\w.-]{1,24}){1,4}?"
    r"(?=[ \t]{1,8}(?:is|é)\b))?"
    r"[ \t]{1,8}(?:(?:is|é|was|will be|to)[ \t:]{1,8})?(?P<quote>[\"'`]|)" + _VALUE.format(least=8)
)
_OPTION: Final = (
    r"(?<![A-Za-z0-9_-])--?(?P<name>[A-Za-z][A-Za-z0-9-]{0,40})[ \t]{1,8}(?P<quote>[\"'`]|)"
    + _VALUE.format(least=8)
)
# Between a name and its value, where they stand beside or below each other, as `name` and `value`.
_GAP: Final = r"(?:[^\w\r\n$%]{1,12}|[^\w\r\n$%),;]{0,8}(?:\r?\n){1,2}[^\w\r\n$%]{0,40})"
_FILLERS: Final = (
    r"(?:value|default|content|type|string|str|text|sensitive|slotsetting|true|false|const|static"
    r"|body|b|to|is|as|production|staging|prod|test|live)"
)
_BESIDE: Final = (
    rf"(?<![\w-])(?P<name>[^{_NO_LETTER}-][\w.-]{{1,63}}){_GAP}(?:{_FILLERS}{_GAP}){{0,6}}"
    r"(?<![@#/])(?P<body>[^\W_][^\s\"'`<>,;()\[\]{}|\\]{7,4096})"
)
_NAMED: Final = (
    # what has to stand in the text, in lower case, and the shape
    ("=", _ASSIGNMENT),
    (":", _ASSIGNMENT),
    ("%3", _ENCODED),
    ("：", _ASSIGNMENT),
    ("</", _ELEMENT),
    (" ", _SAID),
    (" -", _OPTION),
)
_PRIVATE_KEY: Final = (
    r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    r"(?=\s{0,20}(?:\\n)?[A-Za-z0-9+/=:\s-]{64}|[^()]{0,200}?[A-Za-z0-9+/]{40})"
)
_MOST_OF_KEY: Final = 20_000  # characters
_KEY_BODY: Final = r"(?:[A-Za-z0-9+/=:,.>*|#\"'\s-]|\\[nr]){0,20000}"
_RANDOM: Final = r"(?<![A-Za-z0-9_+/.@:%-])[A-Za-z0-9_+/.~-]{20,4096}={0,2}(?![A-Za-z0-9_+/=@%-])"
# The mark that an issuer puts in front of what is random: words and numbers of versions.
_MARK_WORD: Final = r"(?:[A-Za-z]{1,12}[0-9]{0,2}|[A-Za-z][A-Za-z0-9]{1,7})[_.-]"
_MARK: Final = rf"((?:{_MARK_WORD}){{1,4}}(?:[0-9]{{1,2}}[_.-])?)"
_MARK_END: Final = r"(?:key|token|tkn|secret|sec|api|[^aeiou]sk|pat|[^aeiou]at)$"
# A secret behind an id that says so, and two random parts in a row, as of an id and its secret.
_INNER_MARK: Final = r"[a-z0-9]_(?:secret|key|token)_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{16,}"
_TWO_PARTS: Final = r"(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{20,}[._][A-Za-z0-9]{16,}"
_HEXADECIMAL: Final = (  # and what may stand around it, as an account and a checksum
    r"(?:[0-9]{6,20}-){0,3}"
    r"(?:[0-9a-fA-F]{24,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
    r"(?:[_.-][0-9A-Za-z_-]{6,64}){0,2}"
)
# … which counts for the mark as little as it can.
_MARKED_HEXADECIMAL: Final = rf"((?:{_MARK_WORD}){{1,4}}?(?:[0-9]{{1,2}}[_.-])?){_HEXADECIMAL}"
_FILE_END: Final = r"\.(?:[a-z]{3,6}[0-9]?|js|ts|py|so|md|gz)$"
_GLUED: Final = r"(?![0-9a-f]{1,128}$)([a-z]{3,6}|[A-Z]{3,6})(?:[0-9a-f]{8}){3,8}"
_EXAMPLE: Final = (
    r"example|sample|placeholder|redacted|changeme|change_me|process\.env|environ|\$\{|\$\("
)
# What stands in examples, and by chance in a secret: then more than that is left.
_FILLED: Final = (
    r"(.)\1{4,}|dummy|fake|x{4,}|your|secret|token|qwerty|\bmy[-_]|insert|replace|todo|\.{3,}"
)
_SEQUENCE: Final = 5  # characters in their order that no secret is made of
# A word and its number, as in "base64-encoded" or "settings.apiKey", which no secret consists of.
_WORD: Final = (
    r"(?:[a-z]{1,40}|[A-Z]{1,40})?(?:[A-Z][a-z]{1,40}){0,8}[A-Z]{0,4}[0-9]{0,6}"
    r"|[0-9]{1,6}[a-z]{1,3}"
)
# No value of a secret: an example, a path, an attribute as in "settings.token".
_NO_VALUE: Final = (
    rf"{_EXAMPLE}|{_FILLED}|[/\\]"
    r"|^[A-Za-z_][A-Za-z0-9_]{0,60}(?:\.[A-Za-z_][A-Za-z0-9_]{0,60}){1,8}$"
    r"|^(?-i:[A-Z]{1,20}(?:_[A-Z]{1,20}){1,6})$|^await$"
)
# A name that is said of secrets alone.
_PLAIN_NAME: Final = (
    r"(?:passw(?:or)?d|passwort|passphrase|pwd|senha|contraseña|secret|token"
    r"|(?:api|secret|access|private|signing|encryption)[_.-]?key)"
    r"(?:[_-]?(?:[0-9]{1,2}|prod|dev|test|staging|live|old|new))?$"
)
_USUAL: Final = r"pass|pwd|user|admin|test|demo|postgres|root|changeit"
_CAMEL: Final = r"(?<=[a-z0-9])(?=[A-Z])|[_.\s-]"
_FEWEST: Final = 10  # different characters that a token of 20 or more has; an example has fewer
_PUBLIC_NAMES: Final = (
    r"public|hash|integrity|checksum|digest|fingerprint|commit|revision|boundary|version[_-]id"
    r"|site.?key|sha-?(?:1|256|384|512)|md5|cache|request|verification|program|address|wallet"
    r"|build|change|cursor|dns|marker|mappings|thumbprint|x5[ct]|sec-websocket|etag"
)
_ID_NAME: Final = (
    r"(?:(?<!s)id(?:-[0-9])?[\"']?\s{0,4}[:=]?|\b[nxy][\"']?\s{0,4}[:=])\s{0,4}[\"']?$"
)
# How the name of an id ends that is public by nature, and what such an id is.
_CLIENT_ID: Final = (
    # What DocuSign calls the client id of an application: who knows it still needs a private key.
    r"integrat(?:ion|or)(?:key|[ _.-]key)$",
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
)
# What is called a key where things are kept under it: words, and a hash at the end.
_CACHE_KEY: Final = r"[A-Za-z]{2,20}[0-9]{0,3}-(?:[\w.]{1,20}-){0,12}(?:[0-9a-f]{40}|[0-9a-f]{64})"
_PUBLIC_STARTS: Final = (
    *("AAAA", "MII", "Qm", "sha1-", "sha256-", "sha384-", "sha512-", "iVBOR"),
    *("MIGfMA0", "/", "./", "../", "_Z", "_R"),  # public keys, paths, names that compilers make
    # addresses that are told to everybody
    *("bc1", "age1", "z6Mk", "12D3KooW", "npub1", "bafy", "bafk"),
)
_LONG_TEXT: Final = 20_000  # characters of a text of which an editor has most lines as before
_LONGEST_MATCH: Final = 5_000  # characters from a name to the end of its value, and more
_OPEN_ENDS: Final = (":", "=", "|", ">", "+", "-")  # of a line whose value is in the next
# A host of which no password is worth a finding.
_LOCAL_HOST: Final = r"localhost$|127\.|(?:.*\.)?example\b"
# A password that a program puts in.
_TEMPLATE: Final = r"[${\[(]|%(?:s$|\(|\w{1,60}%)"
_WRAPPED: Final = (60, 64, 70, 72, 76)  # lengths of the lines of encoded files


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
    visible = visible_text(text)
    if len(visible) < len(text):
        secrets = list(find_secrets(visible))
        at = visible_positions(text) if secrets else ()
        for span, kind in secrets:
            yield Secret(Span(at[span.start], at[span.end - 1] + 1), kind)
        return
    taken = bytearray(len(text))
    for secret in _iter_candidates(text, masking=False):
        start, end = secret.span
        if not any(taken[start:end]):
            taken[start:end] = b"\1" * (end - start)
            yield secret


@cache
def _telling_words() -> tuple[str, ...]:
    """Return, of the words by which the name of a secret is known, those that contain no other."""
    words = {"key", "token", "secret", "passwd", *PASSWORD_WORDS, *SECRET_WORDS}
    return tuple(w for w in words if not any(other in w for other in words - {w}))


@lru_cache(maxsize=4)
def mask_secrets(text: str) -> str:
    """Return the text with dots in place of its secrets and of what is random enough to be one; as
    long as it was.
    """
    at = visible_positions(text)
    shown = list(text)
    if len(at) < len(text):
        for index, char in zip(at, mask_secrets("".join(text[i] for i in at)), strict=True):
            shown[index] = char
        return "".join(shown)
    for secret in _iter_candidates(text, masking=True):
        start, end = secret.span
        if secret.kind == "private key" and text.startswith("-----BEGIN", start):
            end = _key_end(text, end)
        shown[start:end] = "•" * (end - start)
    masked = "".join(shown)
    for match in _pattern(_RANDOM).finditer(masked):
        if _is_unnamed_secret(masked, match):
            start, end = match.span()
            shown[start:end] = "•" * (end - start)
    return "".join(shown)


def _key_end(text: str, start: int) -> int:
    """Return where the body of a private key ends, which begins at ``start``: at its last line,
    whatever stands before its lines, or before the next key.
    """
    limit = start + _MOST_OF_KEY
    last = text.find("-----END ", start, limit)
    if last >= 0 and text.find("-----BEGIN ", start, last) < 0:
        return last
    match = _pattern(_KEY_BODY).match(text, start)
    end = match.end() if match else start
    last = text.find("-----", start, end)
    return end if last < 0 else last


@cache
def _pattern(shape: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled pattern; compiled when it is first needed, as most never are."""
    return re.compile(shape, flags)


def _iter_candidates(text: str, masking: bool) -> Iterator[Secret]:
    """Yield what may be a secret; spans may overlap. ``masking``: to be masked, so that in doubt
    it is one.
    """
    low = text.lower()
    marks = _find_marks(text)
    for kind, mark, shape in TOKEN_SHAPES:
        if mark in marks:
            pattern = _pattern(f"(?<![A-Za-z0-9_-]){shape}(?![A-Za-z0-9_])")
            for start, end in _lines_with(mark, text):
                for match in pattern.finditer(text, start, end):
                    if _is_random(match[1]):
                        yield Secret(Span(*match.span()), kind)
    placed = [row for row in PLACED_SHAPES if row[1] in marks]
    if masking:
        placed += [row for row in MASKED_SHAPES if row[1] in low]
    for kind, mark, shape in placed:
        for match in _pattern(shape, re.IGNORECASE).finditer(text):
            if _is_placed_secret(kind, mark, match, masking):
                yield Secret(Span(*match.span("body")), kind)
    if len(low) != len(text):  # places in the one are none in the other
        low = "".join(character.lower()[:1] for character in text)
    # The lines that have a word by which the name of a secret is known.
    words = [word for word in _telling_words() if word in marks]
    lines = sorted({line for word in words for line in _lines_with(word, low)})
    shapes = [shape for mark, shape in _NAMED if lines and mark in low]
    for shape in dict.fromkeys([*shapes, _BESIDE] if masking and lines else shapes):
        yield from _find_named_secrets(text, shape, lines, masking)
    if "PRIVATE KEY" in text:
        for match in _pattern(_PRIVATE_KEY).finditer(text):
            yield Secret(Span(*match.span()), "private key")
    for match in () if masking else _pattern(_RANDOM).finditer(text):
        if _is_unnamed_secret(text, match, marked=True):
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
            _line_marks(line) if len(line) <= _LONGEST_MATCH else _marks_within(line)
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
    """Yield the spans of the lines that have ``mark``."""
    at = text.find(mark)
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        yield text.rfind("\n", 0, at) + 1, end
        at = text.find(mark, end)


def _find_named_secrets(
    text: str, shape: str, lines: Iterable[tuple[int, int]], masking: bool
) -> Iterator[Secret]:
    """Yield the values whose name, in one of the ``lines``, makes a secret of them."""
    pattern = _pattern(shape, re.IGNORECASE)
    at = 0
    for start, end in lines:
        at = max(at, start)
        goes_on = text[start:end].rstrip().endswith(_OPEN_ENDS)  # the value is in the next line
        limit = end + _LONGEST_MATCH if goes_on or shape == _BESIDE else end
        while at < end and (match := pattern.search(text, at, limit)):
            if match.start() >= end:
                break
            kind = _named_kind(match["name"], masking)
            before = text[max(0, match.start() - 24) : match.start()].lower().split()
            if before and before[-1] in PUBLIC_KEYS and match["name"].strip("-.").lower() == "key":
                kind = ""  # "cache key …"
            span = _named_value(text, match, kind, masking) if kind else None
            at = span.end if span else match.end("name")
            if span:
                yield Secret(span, kind)


def _named_value(text: str, match: re.Match[str], kind: str, masking: bool) -> Span | None:
    """Return the value behind a name, None where it is no secret."""
    start, end = match.span("body")
    end -= len(match["body"]) - len(match["body"].rstrip(".:*\\" if masking else ".:!?\\"))
    body = text[start:end]
    # Whether a value, behind what its `name` ends with, is the public id of an application.
    name = text[max(0, match.start() - 16) : match.end("name")]
    named, shape = _CLIENT_ID
    if _pattern(named, re.IGNORECASE).search(name) and _pattern(shape, re.IGNORECASE).fullmatch(
        body
    ):
        return None
    if match["name"].strip("-.").lower() == "key" and (
        body.startswith(_PUBLIC_STARTS) or _pattern(_CACHE_KEY).fullmatch(body)
    ):
        return None
    if text[match.end() : match.end() + 1] in ("(", "[", "{") or body.startswith("$"):
        return None  # a call, an index or a variable
    if text.startswith("<", match.end()) and not text.startswith("</", match.end()):
        return None  # a type or a placeholder
    is_secret = _is_password(body) if kind == PASSWORD else _is_key(body)
    if masking and not is_secret:
        is_secret = _is_plain_secret(text, match, body)
    quote = match.groupdict().get("quote", "")
    if masking and is_secret and quote:
        end = max(end, text.find(quote, end, _line_end(text, end)))  # whatever stands in it
    return Span(start, end) if is_secret else None


def _is_plain_secret(text: str, match: re.Match[str], body: str) -> bool:
    """Return whether what stands behind the name of a secret has to be masked though it looks like
    a word: it is assigned, is no word of settings, no variable and no part of a sentence.
    """
    name = match["name"]
    if not _pattern(_PLAIN_NAME, re.IGNORECASE).search(name) and (
        _named_kind(name) != PASSWORD or name.lower() in ("pass", "passe", "pw")
    ):
        return False
    is_word = body.lower() in PLAIN_VALUES or body.lower() == name.lower()
    if is_word or _pattern(_NO_VALUE, re.IGNORECASE).search(body):
        return False
    gap = text[match.end("name") : match.start("body")]
    sign = gap.strip(" \t\r\n\\\"']")
    quote = match.groupdict().get("quote", "")
    behind = text[match.end("body") : _line_end(text, match.end("body"))]
    if quote:
        is_sentence = behind.partition(quote)[0].count(" ") > 1
    else:
        is_sentence = sign == ":" and behind.strip(" .,;\r") != ""
    if sign in ("=", ":", "=>", ":=", "|=", ">", "：") and not is_sentence:
        return True
    if not _is_mixed(body):
        return False
    # Beside its name, or behind it in a sentence, words and names of variables are more likely.
    quoted = gap.endswith(("'", '"', "`")) and behind.startswith(gap[-1])
    return quoted or _has_marks(body) or ("-" not in body and sign in ("is", "é"))


def _is_mixed(body: str) -> bool:
    """Return whether a value has letters beside digits or marks, as no word has."""
    others = any(map(str.isdigit, body)) or _has_marks(body)
    return others and any(map(str.isalpha, body)) and not _is_example(body, fewest=5)


def _has_marks(body: str) -> bool:
    """Return whether a value has what stands in passwords and in no path, name or version."""
    return any(not c.isalnum() and c not in "-_./:=@\\" for c in body)


def _line_end(text: str, at: int) -> int:
    """Return where the line ends that the offset ``at`` is in."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _named_kind(name: str, masking: bool = False) -> str:
    """Return what the value of a setting is by its name, "" where it is no secret."""
    if len(name) > 24 and _looks_drawn(name):
        return ""  # part of an encoded text
    words = [word.lower() for word in _pattern(_CAMEL).split(name) if word]
    kinds = [_word_kind(word) for word in words]
    if words and words[-1] == "key":
        any_key = masking and words[-2:-1] and words[-2] not in PUBLIC_KEYS
        if any_key or words == ["key"] or not KEY_WORDS.isdisjoint(words):
            kinds[-1] = "API key"
    if masking and words and words[-1].endswith("key") and len(words[-1]) > 7 and not kinds[-1]:
        kinds[-1] = "API key"
    last = max((at for at, kind in enumerate(kinds) if kind), default=-1)
    if last < 0 or not HARMLESS_WORDS.isdisjoint(words[last + 1 :]):
        return ""
    if not PUBLIC_WORDS.isdisjoint(words[:last]):
        return ""
    if "".join(words).endswith("secretaccesskey"):
        return "AWS secret key" if "aws" in words else "secret"
    # In "api_secret_key" the secret says more than the key.
    said = [kind for word, kind in zip(words, kinds, strict=True) if kind and word != "key"]
    return PASSWORD if PASSWORD in said else (said or kinds[last:])[-1]


@lru_cache(maxsize=4_096)
def _word_kind(word: str) -> str:
    """Return the kind of secret that a word of a name stands for, or "" ."""
    if word in PASSWORD_WORDS or (
        word.endswith(PASSWORD_ENDS) and not word.endswith(("bypass", "compass", "surpass"))
    ):
        return PASSWORD
    if word in SECRET_WORDS:
        return SECRET_WORDS[word]
    if word.endswith(("apikey", "secretkey", "accesskey", "keydata")):
        return "API key"
    is_library = word in ("tiktoken", "jsonwebtoken")
    return "secret" if word.endswith(("token", "secret")) and not is_library else ""


def _is_placed_secret(kind: str, mark: str, match: re.Match[str], masking: bool) -> bool:
    """Return whether what stands at the place of a secret is one."""
    body = match["body"]
    if name := match.groupdict().get("name", "").lower():
        harmless = PUBLIC_IDS.union(HARMLESS_WORDS, PUBLIC_WORDS)
        if name.endswith("id") or not harmless.isdisjoint(name.split("_")):
            return False
    if mark == "://" and kind == PASSWORD and "host" in match.groupdict():
        if _pattern(_TEMPLATE, 0).match(body):
            return False
        if masking:  # nothing else stands there, however much it looks like an example
            return body.lower() not in PLAIN_VALUES
        local = _pattern(_LOCAL_HOST, re.IGNORECASE).match(match["host"])
        return not local and _is_password(body, 5)
    if mark == "basic ":
        try:
            user, colon, password = a2b_base64(body).decode().partition(":")
        except (Error, ValueError):
            return False
        return bool(colon and user.isprintable()) and _is_password(password, fewest=5)
    if masking and match.groupdict().get("sure"):  # nothing but passwords stands there
        return body.lower() not in PLAIN_VALUES and not _is_example(body)
    if kind == PASSWORD:
        is_grouped = " " in body  # as Google shows the password of an application
        is_mixed = masking and mark != "://" and _is_mixed(body)
        return is_grouped or is_mixed or _is_password(body, fewest=5)
    return _is_key(body)


def _is_password(body: str, fewest: int = 6) -> bool:
    """Return whether a value can be a real password and no example: letters with digits or other
    characters, no words.
    """
    letters = sum(map(str.isalpha, body))
    others = sum(map(_has_marks, body))
    mixed = letters and (any(map(str.isdigit, body)) or others >= 2)
    if not mixed or len(set(body)) < fewest or _has_words(body) or "://" in body:
        return False
    return not (_pattern(_USUAL, re.IGNORECASE).search(body) or _is_example(body, fewest))


def _is_key(body: str) -> bool:
    """Return whether a value is a key: long and random, with letters and digits."""
    mixed = any(map(str.isdigit, body)) and any(map(str.isalpha, body))
    if len(body) < 16 or not mixed or "://" in body or _has_words(body):
        return False
    return _is_random(body) and _entropy(body) >= 3.0


def _is_random(body: str) -> bool:
    # A token of 16 characters out of 32, as Amazon's, has by chance fewer than 10 different ones.
    fewest = min(_FEWEST, len(body) // 2)
    return len(set(body)) >= fewest and not _is_example(body, fewest)


def _is_example(body: str, fewest: int = _FEWEST) -> bool:
    """Return whether a value says that it is an example, or has fewer than so many different
    characters beside what fills examples.
    """
    if _pattern(_EXAMPLE, re.IGNORECASE).search(body):
        return True
    runs = list(_split_sequences(body.lower()))
    if 10 * sum(len(run) for run in runs if len(run) > 2) >= 8 * len(body):
        return True  # as "abc123def456"
    left = _pattern(_FILLED, re.IGNORECASE).sub("", body)
    left = "".join(run for run in _split_sequences(left) if len(run) < _SEQUENCE)
    return len(left) < len(body) and len(set(left)) < min(fewest, len(set(body)))


def _split_sequences(text: str) -> Iterator[str]:
    """Yield the runs of characters that follow each other in alphabet or number, as "abcdef"."""
    at = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or ord(text[end]) != ord(text[end - 1]) + 1:
            yield text[at:end]
            at = end


def _has_words(body: str) -> bool:
    """Return whether a value consists of words and numbers alone."""
    word = _pattern(_WORD)
    return all(word.fullmatch(part) for part in _pattern(r"[^A-Za-z0-9]").split(body))


def _is_unnamed_secret(text: str, match: re.Match[str], *, marked: bool = False) -> bool:
    """Return whether a string without shape or name is so random that it had better be masked;
    marked: whether it has the mark of an issuer, so that it is a secret.

    Hashes in hexadecimal digits, names of things, encoded files and public keys are not.
    """
    body = match[0]
    if not any(map(str.isdigit, body)):
        return False
    start, end = match.span()
    before = text[max(0, start - 32) : start]
    if body.startswith(_PUBLIC_STARTS) or before.endswith("base64,") or text[end : end + 1] == "(":
        return False
    if _pattern(r"[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}/").match(body) or _is_public_block(text, start):
        return False  # an address without its scheme, a certificate
    before = before.rpartition("\n")[2]
    if any(_pattern(s, re.IGNORECASE).search(before) for s in (_PUBLIC_NAMES, _ID_NAME)):
        return False
    alone = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
    if (alone and len(body) in _WRAPPED and _is_wrapped(text, start, end)) or _is_example(body):
        return False
    if _pattern(_INNER_MARK).search(body):
        return True
    if glued := _pattern(_GLUED).fullmatch(body):
        return glued[1].lower() not in PUBLIC_IDS
    if _pattern(_FILE_END).search(body):
        return False
    mark = _pattern(_MARKED_HEXADECIMAL).fullmatch(body) or _pattern(_MARK).match(body)
    is_secret = _is_marked_secret(mark[1], body) if mark else None
    if marked or is_secret is not None:
        return bool(is_secret)
    if _pattern(_TWO_PARTS).search(body) and not _has_words(body):
        return True
    if len(body) < 28 or len(longest := _longest_part(body)) < 12:
        return False
    return _looks_drawn(body) or (len(longest) >= 24 and _looks_drawn(longest))


def _is_public_block(text: str, at: int) -> bool:
    """Return whether an offset is in an armoured block that is no private key."""
    start = text.rfind("-----BEGIN ", max(0, at - _MOST_OF_KEY), at)
    if start < 0 or text.find("-----END ", start, at) >= 0:
        return False
    return "PRIVATE KEY" not in text[start : start + 50]


def _is_marked_secret(mark: str, body: str) -> bool | None:
    """Return whether what stands behind the mark of an issuer, as in "abc_live_", is a secret or
    a public id; None where the mark says neither.
    """
    words = _pattern("[_.-]").split(mark.lower())[:-1]
    sign, rest = mark[-1], body[len(mark) :]
    is_hash = _pattern(_HEXADECIMAL).fullmatch(rest) is not None
    is_staged = not STAGES.isdisjoint(words[1:])
    is_public = words[0] == "pub" or (words[0] in ("pk", "cs") and is_staged)
    if not is_public and (
        any(word in SECRET_MARKS or _pattern(_MARK_END).search(word) for word in words)
        or (sign != "-" and is_staged)
    ):
        is_long = len(rest) >= 32 or len(_longest_part(rest)) >= 12
        return is_hash or (is_long and _is_key(rest)) or None
    if is_public or (words[0] in PUBLIC_IDS and (is_hash or len(rest) < 36)):
        return False
    if is_hash:
        # Behind a hyphen, words and a hash are the key of a cache or the name of a build.
        is_coined = bool(_pattern("[a-z][0-9]{1,4}[a-z]").search(mark))
        return sign != "-" or len(mark) < 9 or is_coined or "-" in rest.strip("-")[32:]
    return _looks_drawn(rest, fewest=16 if sign == "_" else 28) or None


def _looks_drawn(body: str, fewest: int = 28) -> bool:
    """Return whether letters, capitals and digits change as often as where each is drawn by lot.
    fewest: characters of the longest run of lower or upper case that can be random.
    """
    if len(body) < 16:
        return False
    longest = _longest_part(body)
    kinds = [_character_class(c) for c in body]
    changes = sum(a != b for a, b in pairwise(kinds)) / len(body)
    if kinds.count("0") < 2 or _has_words(body) or _pattern("[0-9A-F]{1,}").fullmatch(longest):
        return False
    if "A" not in kinds or "a" not in kinds:
        # A hash behind a word, as in the key of a cache, is no more random than a hash.
        least = 4.1 if fewest >= 28 else 3.5
        return len(longest) >= fewest and changes >= 0.25 and _entropy(longest) >= least
    mixed = {"a", "A", "0"} <= set(map(_character_class, longest))
    least = 4.1 if len(body) >= 28 else 3.6  # bits, of which a short text has fewer
    return mixed and kinds.count("A") >= 2 and changes >= 0.36 and _entropy(body) >= least


def _longest_part(body: str) -> str:
    """Return the longest run of letters and digits."""
    return max(_pattern(r"[^A-Za-z0-9]").split(body), key=len)


def _is_wrapped(text: str, start: int, end: int) -> bool:
    """Return whether the line before or behind one is part of an encoded file as well."""
    above = text[max(0, start - 1 - max(_WRAPPED)) : max(0, start - 1)].rpartition("\n")[2]
    below = text[end + 1 : end + 1 + max(_WRAPPED)].partition("\n")[0]
    encoded = _pattern(r"[A-Za-z0-9+/]{4,76}={0,2}")
    return any(encoded.fullmatch(line) for line in (above, below))


def _character_class(character: str) -> str:
    if character.isdigit():
        return "0"
    if character.isalpha():
        return "A" if character.isupper() else "a"
    return "-"


def _entropy(text: str) -> float:
    """Return the Shannon entropy of a text, in bits per character."""
    size = len(text)
    counts = (text.count(character) / size for character in set(text))
    return -sum(share * log2(share) for share in counts)
