"""Find and mask secrets: access tokens, keys, passwords and private keys.

They are recognised by published shapes, by the name that they are assigned to and, for masking, by
randomness. A recognisable example (repeated, in alphabetical order, spelling "example"), a variable
or words are no secret, except, for masking, under a name that only secrets have.
"""

import re
from binascii import Error, a2b_base64
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import Final, NamedTuple

from synapse_ls.text.hidden_characters import visible_positions, visible_text
from synapse_ls.text.secret_shapes import (
    HARMLESS_WORDS,
    KEY_NOUNS,
    KEY_WORDS,
    MASKED_SHAPES,
    PASSWORD,
    PASSWORD_ENDS,
    PASSWORD_WORDS,
    PLACED_SHAPES,
    PLAIN_VALUES,
    PUBLIC_IDS,
    PUBLIC_KEYS,
    PUBLIC_MARKS,
    PUBLIC_WORDS,
    SECRET_MARKS,
    SECRET_WORDS,
    STAGES,
    TOKEN_SHAPES,
)
from synapse_ls.text.secret_values import (
    compiled,
    has_all_kinds,
    has_marks,
    has_words,
    is_example,
    is_key,
    is_mixed,
    is_password,
    is_random,
    is_setting,
    is_varied,
    may_be_secret,
    randomness,
)
from synapse_ls.text.span import Span

_FORMAT: Final = r"%(?:[A-Za-z]\b|[A-Za-z_]{{0,60}}[%({{])"  # what stands for a value
_VALUE: Final = rf"(?P<body>(?!<|{_FORMAT})" r"[^\s\"'`<>,;()\[\]{{}}]{{{least},4096}})"
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
# A password or key, what it is for, and its value, as sentences of several languages have them.
_COPULA: Final = (
    r"(?:(?:is|was|will be|became|es|era|será|é|è|sarà|est|ist|war|wird|wurde|lautet|heißt)"
    r"(?:[ \t]{1,4}(?:now|ahora|agora|ora|maintenant|jetzt|nun))?|quedó|queda|ficou|fica)"
)
_SAID: Final = (
    r"(?<![A-Za-z0-9])(?P<name>(?:(?:api|access|secret|private|auth) )?(?:password|token|key|secret)"
    r"|passwd|passwort|passphrase|passcode|pwd?|kennwort|senha|contraseña|clave|chave|chiave|clé|jeton"
    r"|(?:api-)?schlüssel|mot de passe|parola d['’]ordine)(?:[ \t]{1,4}to(?=[ \t]))?"
    rf"(?:(?P<for>(?:[ \t]{{1,4}}[^\s:=]{{1,24}}){{0,9}}?)"
    rf"(?:[ \t]{{1,4}}{_COPULA}[ \t]{{0,4}}:?|[ \t]{{0,4}}(?:[:=]|[-=]>)))?"
    r"[ \t]{1,8}(?P<quote>[\"'`]|)" + _VALUE.format(least=8)
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
    rf"(?<![\w-])(?P<name>[^{_NO_LETTER}-][\w.-]{{1,63}})(?![\w./-])"
    rf"(?!\?\w){_GAP}(?:{_FILLERS}{_GAP}){{0,6}}"
    r"(?<![@#/])(?![\w.-]{1,64}:\s)(?P<body>[^\W_][^\s\"'`<>,;()\[\]{}|\\]{7,4096})"
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
_RANDOM: Final = r"(?<![A-Za-z0-9_+/.@:%-])[A-Za-z0-9_+/.~-]{12,4096}={0,2}(?![A-Za-z0-9_+/=@%-])"
# The mark that an issuer puts in front of what is random: words and numbers of versions.
_MARK_WORD: Final = r"(?:[A-Za-z]{1,12}[0-9]{0,2}|[A-Za-z][A-Za-z0-9]{1,7})[_.-]"
_MARK: Final = rf"((?:{_MARK_WORD}){{1,4}}(?:[0-9]{{1,2}}[_.-])?)"
_MARK_END: Final = r"(?:key|token|tkn|secret|seck?|api|[^aeiou]sk|pat|[^aeiou]at)$"
# A secret behind an id that says so, and two random parts in a row, as of an id and its secret.
_INNER_MARK: Final = r"[a-z0-9]_(?:secret|key|token)_(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{16,}"
_TWO_PARTS: Final = r"(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{20,}[._][A-Za-z0-9]{16,}"
_HEXADECIMAL: Final = (  # and what may stand around it, as an account and a checksum
    r"(?:[0-9]{6,20}[_-]){0,3}"
    r"(?:[0-9a-fA-F]{24,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
    r"(?:[_.-][0-9A-Za-z_-]{4,64}){0,2}"
)
_HASH: Final = (  # a part of an id or a path
    r"(?<![A-Za-z0-9])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|0x[0-9a-fA-F]{6,128}|[A-Za-z]{0,8}[0-9a-f]{6,128}|[0-9A-F]{40})(?![A-Za-z0-9])"
)
# … which counts for the mark as little as it can.
_MARKED_HEXADECIMAL: Final = rf"((?:{_MARK_WORD}){{1,4}}?(?:[0-9]{{1,2}}[_.-])?){_HEXADECIMAL}"
_POD: Final = r"(?:[a-z][a-z0-9]{0,30}-){1,8}[a-z0-9]{6,10}-[a-z0-9]{5}"  # as Kubernetes names it
_FILE_END: Final = r"\.(?:[a-z]{3,6}[0-9]?|js|ts|py|so|md|gz)$"
_GLUED: Final = r"(?![0-9a-f]{1,128}$)([a-z]{3,6}|[A-Z]{3,6})(?:[0-9a-f]{8}){3,8}"
# A name that is said of secrets alone.
_PLAIN_NAME: Final = (
    r"(?:passw(?:or)?d|passwort|passphrase|pwd|senha|contraseña|secret|token"
    r"|(?:api|secret|access|private|signing|encryption)[_.-]?key)"
    r"(?:[_-]?(?:[0-9]{1,2}|prod|dev|test|staging|live|old|new))?$"
)
_CAMEL: Final = r"(?<=[a-z0-9])(?=[A-Z])|[_.\s-]"
_PUBLIC_NAMES: Final = (
    r"public|hash|integrity|checksum|digest|fingerprint|commit|revision|boundary|version[_-]id"
    r"|site.?key|sha-?(?:1|256|384|512)|md5|cache|request|verification|program|address|wallet"
    r"|build(?!er)|change|cursor|(?:page|sync|next).?token|dns|marker|mappings|thumbprint|x5[ct]"
    r"|sec-websocket|etag"
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
    r"(?:(?:as|the|our|my|a) ){0,3}(?:[a-z]{1,12}[ _-])?"
    r"(?:password|secret|token|(?<!public )key)\b"
)
_PUBLIC_BEHIND: Final = r"[^A-Za-z0-9\n]{0,8}(?://|#|--|/\*|\()[^\n]{0,24}\bpublic\b"
_ANY_HASH: Final = r"[0-9a-fA-F-]{16,128}"
_ID_NAME: Final = (
    r"(?:(?<!s)id(?:-[0-9])?[\"']?\s{0,4}[:=]?"
    # a label, such as "Device ID of the laptop:"
    r"|\bid\b(?![^\n]{0,32}(?:secret|token|key|pass))[^\n:=`\"']{0,30}[:=]\W{0,4}"
    r"|\b[nxy][\"']?\s{0,4}[:=])\s{0,4}[\"']?$"
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
    *("mcp__", "AAAA", "MII", "Qm", "sha1-", "sha256-", "sha384-", "sha512-", "iVBOR"),
    *("MIGfMA0", "/", "./", "../", "_Z", "_R"),  # public keys, paths, names that compilers make
    # addresses that are told to everybody
    *("bc1", "age1", "z6Mk", "12D3KooW", "npub1", "bafy", "bafk"),
)
_COLUMN_SIGNS: Final = "|│┃║\t;,"  # between the cells of a table, else some blanks
_LONGEST_HEAD: Final = 300  # characters of the line that names the columns
_CELL_MARGIN: Final = " \t\r|\"'`*"
_LONG_TEXT: Final = 20_000  # characters of a text of which an editor has most lines as before
_LONGEST_MATCH: Final = 5_000  # characters from a name to the end of its value, and more
_OPEN_ENDS: Final = (":", "=", "|", ">", "+", "-")  # of a line whose value is in the next
# A host of which no password is worth a finding.
_LOCAL_HOST: Final = r"localhost$|127\.|(?:.*\.)?example\b"
# A password that a program puts in.
_TEMPLATE: Final = r"[${\[(]|%(?:s$|\(|\w{1,60}%)"
_PLAIN_WORDS: Final = r"[a-z]{1,40}(?:[_-][a-z]{1,40}){1,6}"
_TAG_START: Final = (
    r"<[A-Z]\w{0,40}\s[^<>]{0,60}(?:key=[\"']?)?$"  # of an element in code, which has a key
)
_EXPRESSION: Final = r"!?[\w.:>?-]{1,200}|[A-Za-z]{1,2}"  # before a bracket
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
    words = {"key", "token", "secret", "passwd", *KEY_NOUNS, *PASSWORD_WORDS, *SECRET_WORDS}
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
        elif rest := compiled(r"[\w-]{1,4096}").match(text, end):
            end = rest.end()  # a longer token than its issuer's are
        shown[start:end] = "•" * (end - start)
    masked = "".join(shown)
    for match in compiled(_RANDOM).finditer(masked):
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
    for kind, mark, shape in placed:
        for match in compiled(shape, re.IGNORECASE).finditer(text):
            if _is_placed_secret(kind, mark, match, masking):
                start, end = match.span("body")
                if masking and (quote := text[start - 1 : start]) in ("'", '"'):
                    end = max(end, text.find(quote, end, _line_end(text, end)))
                yield Secret(Span(start, end), kind)
    if len(low) != len(text):  # places in the one are none in the other
        low = "".join(character.lower()[:1] for character in text)
    # The lines that have a word by which the name of a secret is known.
    words = [word for word in _telling_words() if word in marks]
    lines = sorted({line for word in words for line in _lines_with(word, low)})
    shapes = [shape for mark, shape in _NAMED if lines and mark in low]
    for shape in dict.fromkeys([*shapes, _BESIDE] if masking and lines else shapes):
        yield from _find_named_secrets(text, shape, lines, masking)
    for start, end in lines if masking else ():
        yield from _find_column_secrets(text, start, end)
    if "PRIVATE KEY" in text:
        for match in compiled(_PRIVATE_KEY).finditer(text):
            yield Secret(Span(*match.span()), "private key")
    for match in () if masking else compiled(_RANDOM).finditer(text):
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
    pattern = compiled(shape, re.IGNORECASE)
    at = 0
    for start, end in lines:
        at = max(at, start)
        goes_on = text[start:end].rstrip().endswith(_OPEN_ENDS)  # the value is in the next line
        limit = end + _LONGEST_MATCH if goes_on or shape == _BESIDE else end
        while at < end and (match := pattern.search(text, at, limit)):
            if match.start() >= end:
                break
            kind = _named_kind(match["name"], masking)
            before = compiled(r"[\s_.:-]{1,24}").split(
                text[max(0, match.start() - 24) : match.start()].lower().rstrip(" \t_.:-")
            )
            name = match["name"].strip("-.").lower()
            public = {"key": PUBLIC_KEYS, "token": PUBLIC_WORDS}.get(name, frozenset())
            behind = (match.groupdict().get("for") or "").lower().split()
            if before[-1] in public or (behind and behind[0] in HARMLESS_WORDS - {"at"}):
                kind = ""  # "cache key …", "page token …", "password policy for …"
            gap = text[match.end("name") : match.start("body")]
            if behind and not masking and gap.rstrip(" \t\"'`").endswith((":", "=", ">")):
                kind = ""  # "a password in code: …" heads a sentence
            span = _named_value(text, match, kind, masking) if kind else None
            at = span.end if span else match.end("name")
            if span:
                yield Secret(span, kind)


def _find_column_secrets(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the values of the columns that are named as secrets are, if a line heads a table."""
    head = text[start:end].strip()
    sign = next((sign for sign in _COLUMN_SIGNS if sign in head), "  ")
    if len(head) > _LONGEST_HEAD or sign not in head:
        return
    cells = compiled(r"[^\S\n]{2,}" if sign == "  " else re.escape(sign))
    names = [name.strip(_CELL_MARGIN) for name in cells.split(head)]
    if not all(compiled(r"[\w .-]{0,30}").fullmatch(name) for name in names):
        return
    if sign in ",;" and not all(names):
        return
    kinds = [_named_kind(name, masking=True) for name in names]
    while any(kinds) and end + 1 < len(text):
        start, end = end + 1, _line_end(text, end + 1)
        row = cells.split(text[start:end].strip())
        if not any(map(str.isalnum, text[start:end])) and end > start:
            continue  # a rule
        if len(row) != len(names):
            return
        for kind, cell in zip(kinds, row, strict=True):
            body = cell.strip(_CELL_MARGIN)
            start = text.index(body, start) + len(body)
            if kind and _is_column_secret(kind, body):
                yield Secret(Span(start - len(body), start), kind)


def _is_column_secret(kind: str, body: str) -> bool:
    """Return whether a cell below the name of a secret holds one, and no word of a manual."""
    if len(body) < 6 or " " in body or is_setting(body):
        return False
    if kind == PASSWORD:
        return is_mixed(body)
    return is_key(body) or (len(body) >= 10 and is_mixed(body) and is_random(body, least=4))


def _named_value(text: str, match: re.Match[str], kind: str, masking: bool) -> Span | None:
    """Return the value behind a name, None where it is no secret."""
    start, end = match.span("body")
    is_bold = "*" in text[max(0, match.start() - 2) : start].rpartition("\n")[2]
    margin = ".:!?\\" if not masking else ".:*\\" if is_bold else ".:\\"
    if text.startswith("${", max(0, match.start() - 2)) and match["body"][0] in "-=?+":
        start += 1  # what a shell puts in for a variable that is not set
        if text[start - 1] in "?+":
            return None
    if text.startswith(("?", "&"), max(0, match.start() - 1)):
        end = start + len(text[start:end].partition("&")[0])  # of an address
    end = start + len(text[start:end].rstrip(margin))
    body = text[start:end]
    is_cut = text.startswith(("...", "…"), end)
    if len(body) < 4 or (is_cut and (len(body) < 12 or not masking)):
        return None
    if compiled(r"0x[0-9a-fA-F]{40}").fullmatch(body):
        return None  # an address of a wallet or a contract
    # Whether a value, behind what its `name` ends with, is the public id of an application.
    name = text[max(0, match.start() - 16) : match.end("name")]
    named, shape = _CLIENT_ID
    if compiled(named, re.IGNORECASE).search(name) and compiled(shape, re.IGNORECASE).fullmatch(
        body
    ):
        return None
    if match["name"].strip("-.").lower() == "key" and (
        body.startswith(_PUBLIC_STARTS)
        or compiled(_CACHE_KEY).fullmatch(body)
        or compiled(_TAG_START).search(text[max(0, match.start() - 100) : match.start()])
    ):
        return None
    if body.startswith("$"):
        return None  # a variable
    quote = match.groupdict().get("quote", "")
    if text[match.end() : match.end() + 1] in ("(", "[", "{"):
        whole = text[start : text.find(quote, start, _line_end(text, start))] if quote else ""
        is_quoted = whole and not whole.endswith(")") and not compiled(r"\s").search(whole)
        if compiled(_EXPRESSION).fullmatch(body) and not is_quoted:
            return None  # a call or an index
        if masking and not quote and (rest := compiled(r"[^\s\"'`]{1,256}").match(text, end)):
            end = rest.end()
    if text.startswith("<", match.end()) and not text.startswith("</", match.end()):
        return None  # a type or a placeholder
    is_secret = is_password(body) if kind == PASSWORD else is_key(body)
    if masking and not is_secret:
        is_secret = may_be_secret(body) or _is_plain_secret(text, match, body)
    if masking and is_secret and quote:
        end = max(end, text.find(quote, end, _line_end(text, end)))  # whatever stands in it
    return Span(start, end) if is_secret else None


def _is_plain_secret(text: str, match: re.Match[str], body: str) -> bool:
    """Return whether what stands behind the name of a secret has to be masked though it looks like
    a word: it is assigned, is no word of settings, no variable and no part of a sentence.
    """
    name, is_for = match["name"], bool(match.groupdict().get("for"))
    if is_for and _named_kind(name) != PASSWORD:
        return False
    if not compiled(_PLAIN_NAME, re.IGNORECASE).search(name) and (
        _named_kind(name) != PASSWORD or name.lower() in ("pass", "passe", "pw")
    ):
        return False
    is_word = body.lower() in PLAIN_VALUES | PASSWORD_WORDS or body.lower() == name.lower()
    words = compiled(_CAMEL).split(name.lower())
    if words[-1] not in PASSWORD_WORDS and compiled(_PLAIN_WORDS).fullmatch(body):
        is_word = is_word or bool(_named_kind(body, masking=True))  # under which it is kept
    if is_word or is_setting(body) or not any(map(str.isalnum, body)):
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
    if not is_mixed(body.lstrip("¿¡")):
        return False
    # Beside its name, or behind it in a sentence, words and names of variables are more likely.
    quoted = gap.endswith(("'", '"', "`")) and behind.startswith(gap[-1])
    is_said = is_for or compiled(rf"(?<!\S){_COPULA}$").search(sign.rstrip(" :"))
    is_coined = "-" not in body or (len(body) >= 10 and has_all_kinds(body))
    has_signs = has_marks(body.lstrip("¿¡"))
    return quoted or has_signs or bool(is_said and is_coined)


def _line_end(text: str, at: int) -> int:
    """Return where the line ends that the offset ``at`` is in."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _named_kind(name: str, masking: bool = False) -> str:
    """Return what the value of a setting is by its name, "" where it is no secret."""
    if len(name) > 24 and randomness(name) > 8:
        return ""  # part of an encoded text
    words = [word.lower() for word in compiled(_CAMEL).split(name) if word]
    kinds = [_word_kind(word) for word in words]
    if words and words[-1] in KEY_NOUNS:
        kinds[-1] = "API key"
    if words and words[-1] == "key":
        any_key = masking and words[-2:-1] and words[-2] not in PUBLIC_KEYS
        if any_key or words == ["key"] or not KEY_WORDS.isdisjoint(words):
            kinds[-1] = "API key"
    if masking and words and words[-1].endswith("key") and len(words[-1]) > 7 and not kinds[-1]:
        kinds[-1] = "API key"
    last = max((at for at, kind in enumerate(kinds) if kind), default=-1)
    if last < 0 or not HARMLESS_WORDS.isdisjoint(words[last + 1 :]):
        return ""
    if "public" in words[:last] or (last and words[last - 1] in PUBLIC_WORDS):
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
        is_grouped = " " in body  # as Google shows the password of an application
        has_mix = masking and mark != "://" and is_mixed(body)
        if is_grouped or has_mix or is_password(body, fewest=5):
            return True
    return is_key(body) or (masking and may_be_secret(body))


def _is_unnamed_secret(text: str, match: re.Match[str], *, marked: bool = False) -> bool:
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
        return glued[1].lower() not in PUBLIC_IDS
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
        gap = before[hints[-1].end() :]
        is_said = compiled(_HINT_GAP, re.IGNORECASE).fullmatch(gap)
        if is_random(rest) or (is_said and compiled(_ANY_HASH).fullmatch(body)):
            return True
    if compiled(_HINT_BEHIND, re.IGNORECASE).match(text, end) and is_random(body):
        return True
    if compiled(_TWO_PARTS).search(body):
        return True
    return len(rest) >= 28 and randomness(rest) >= 8


def _is_public_place(text: str, start: int, end: int) -> bool:
    """Return whether what stands at a place is public by what is around it or how it begins."""
    body, before = text[start:end], text[max(0, start - 32) : start]
    if body.startswith(_PUBLIC_STARTS) or before.endswith("base64,") or text[end : end + 1] == "(":
        return True
    if compiled(r"[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}/").match(body) or _is_public_block(text, start):
        return True  # an address without its scheme, a certificate
    if compiled(_PUBLIC_BEHIND, re.IGNORECASE).match(text, end):
        return True
    if compiled(_POD).fullmatch(body):
        return True
    before = before.rpartition("\n")[2]
    named = compiled(r"[?&](\w{1,24})=$").search(before)
    if (named and named[1].lower() in PUBLIC_IDS and len(body) <= 40) or compiled(
        _TAG_START
    ).search(before):
        return True
    if any(compiled(s, re.IGNORECASE).search(before) for s in (_PUBLIC_NAMES, _ID_NAME)):
        return True
    alone = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
    return alone and len(body) in _WRAPPED and _is_wrapped(text, start, end)


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
    words = compiled("[_.-]").split(mark.lower().lstrip("_"))[:-1]
    sign, rest = mark[-1], body[len(mark) :]
    is_hash = compiled(_HEXADECIMAL).fullmatch(rest) is not None
    is_staged = not STAGES.isdisjoint(words[1:])
    is_public = words[0] in PUBLIC_MARKS or (words[0] in ("pk", "cs") and is_staged)
    if not is_public and (
        any(word in SECRET_MARKS or compiled(_MARK_END).search(word) for word in words)
        or (sign != "-" and is_staged)
    ):
        rest = rest if sign == "_" else compiled(_HASH).sub("", rest)
        return is_hash or (len(rest) >= 16 and is_random(rest)) or None
    if is_public or (words[0] in PUBLIC_IDS and (is_hash or len(rest) < 36)):
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
