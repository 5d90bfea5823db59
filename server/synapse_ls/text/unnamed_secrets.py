"""Secrets that have neither a published shape nor a telling name: random texts, and marked ones.

What is around them, or how they begin, says whether they are public.
"""

import re
from typing import Final

from synapse_ls.text.secret_likelihood import compiled, has_words, is_example, is_random, randomness
from synapse_ls.text.secret_names import HARMLESS_WORDS, PUBLIC_KEYS
from synapse_ls.text.secret_shapes import (
    ANY_HASH,
    PUBLIC_IDS,
    PUBLIC_KEY,
    PUBLIC_MARKS,
    PUBLIC_STARTS,
    SECRET_MARKS,
    STAGES,
    TAG_START,
)

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
    r"(?:(?:as|the|our|my|a) ){0,3}(?:[a-z]{1,12}[ _-])?"
    r"(?:password|secret|token|(?<!public )key)\b"
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
        if is_random(rest) or (is_said and compiled(ANY_HASH).fullmatch(body)):
            return True
    if compiled(_HINT_BEHIND, re.IGNORECASE).match(text, end) and is_random(body):
        return True
    if compiled(_TWO_PARTS).search(body):
        return True
    return len(rest) >= 28 and randomness(rest) >= 8


def _is_public_place(text: str, start: int, end: int) -> bool:
    """Return whether what stands at a place is public by what is around it or how it begins."""
    body, before = text[start:end], text[max(0, start - 32) : start]
    if body.startswith(PUBLIC_STARTS) or before.endswith("base64,") or text[end : end + 1] == "(":
        return True
    if compiled(r"[\w-]{1,40}(?:\.[\w-]{1,40}){1,4}/").match(body) or _is_public_block(text, start):
        return True  # an address without its scheme, a certificate
    if compiled(PUBLIC_KEY).match(body):
        return True
    if compiled(_PUBLIC_BEHIND, re.IGNORECASE).match(text, end):
        return True
    if compiled(_POD).fullmatch(body):
        return True
    before = before.rpartition("\n")[2]
    named = compiled(r"[?&](\w{1,24})=$").search(before)
    if (named and named[1].lower() in PUBLIC_IDS and len(body) <= 40) or compiled(TAG_START).search(
        before
    ):
        return True
    if any(compiled(s, re.IGNORECASE).search(before) for s in (_PUBLIC_NAMES, _ID_NAME)):
        return True
    alone = text[start - 1 : start] in ("", "\n") and text[end : end + 1] in ("", "\n")
    return alone and len(body) in _WRAPPED and _is_wrapped(text, start, end)


def _is_public_block(text: str, at: int) -> bool:
    """Return whether an offset is in an armoured block that is no private key."""
    start = text.rfind("-----BEGIN ", max(0, at - MOST_OF_KEY), at)
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
    is_public = not PUBLIC_MARKS.isdisjoint(words) or (words[0] in ("pk", "cs") and is_staged)
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
