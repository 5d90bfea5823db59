"""This module finds and masks secrets (API keys, access tokens, passwords in URLs, private keys) by
the shapes that their issuers publish.

Only what has a mark is known: a shape of its own, or a name in front of it, as a password has in
the address of a service. What a person would recognise as an example (repeated, in alphabetical
order, spelling "example") is not reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.text.span import Span

_SHAPES: tuple[tuple[str, str, str], ...] = (
    # what it is, what it contains in any case, its shape
    ("AWS access key", "IA", r"(?:AKIA|ASIA)(?P<{0}>[A-Z2-7]{{16}})"),
    ("GitHub token", "gh", r"gh[pousr]_(?P<{0}>[A-Za-z0-9]{{36,255}})"),
    ("GitHub token", "github_pat_", r"github_pat_(?P<{0}>[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{59}})"),
    ("GitLab token", "glpat-", r"glpat-(?P<{0}>[A-Za-z0-9_-]{{20,64}})"),
    ("Slack token", "xox", r"xox[abeoprs]-(?P<{0}>(?:[0-9]{{8,14}}-)+[A-Za-z0-9-]{{16,120}})"),
    (
        "Slack webhook",
        "hooks.slack.com/services/",
        r"hooks\.slack\.com/services/T[A-Z0-9]{{6,14}}/B[A-Z0-9]{{6,14}}/(?P<{0}>[A-Za-z0-9]{{20,32}})",
    ),
    ("Anthropic key", "sk-ant-", r"sk-ant-[a-z]{{2,8}}[0-9]{{2}}-(?P<{0}>[A-Za-z0-9_-]{{80,120}})"),
    ("OpenAI key", "sk-", r"sk-(?:proj|svcacct|admin)-(?P<{0}>[A-Za-z0-9_-]{{40,200}})"),
    ("OpenAI key", "T3BlbkFJ", r"sk-(?P<{0}>[A-Za-z0-9]{{20}}T3BlbkFJ[A-Za-z0-9]{{20}})"),
    ("Google API key", "AIza", r"AIza(?P<{0}>[A-Za-z0-9_-]{{35}})"),
    ("Stripe key", "k_live_", r"[sr]k_live_(?P<{0}>[A-Za-z0-9]{{24,247}})"),
    ("npm token", "npm_", r"npm_(?P<{0}>[A-Za-z0-9]{{36}})"),
    ("PyPI token", "pypi-AgEIcHlwaS5vcmc", r"pypi-AgEIcHlwaS5vcmc(?P<{0}>[A-Za-z0-9_-]{{50,250}})"),
    ("SendGrid key", "SG.", r"SG\.(?P<{0}>[A-Za-z0-9_-]{{22}}\.[A-Za-z0-9_-]{{43}})"),
    ("Hugging Face token", "hf_", r"hf_(?P<{0}>[A-Za-z]{{34}})"),
    ("DigitalOcean token", "_v1_", r"do[opr]_v1_(?P<{0}>[a-f0-9]{{64}})"),
    (
        "JSON web token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{{16,1000}}\.eyJ[A-Za-z0-9_-]{{16,2000}}\.(?P<{0}>[A-Za-z0-9_-]{{27,700}})",
    ),
)
_TOKENS = tuple(
    (what, mark, re.compile(rf"(?<![A-Za-z0-9_-]){shape.format('body')}(?![A-Za-z0-9_])"))
    for what, mark, shape in _SHAPES
)
_PASSWORDS = ("password", "passwd", "passphrase", "senha")
_NAMED: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    # what it is, what stands near it in any case, the name and the secret
    (
        "AWS secret key",
        "aws_secret_access_key",
        re.compile(
            r"aws_secret_access_key[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?"
            r"(?P<body>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
            re.IGNORECASE,
        ),
    ),
    (
        "bearer token",
        "bearer ",
        re.compile(
            r"authorization[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?bearer[ \t]{1,8}"
            r"(?P<body>[A-Za-z0-9._~+/-]{32,1000})",
            re.IGNORECASE,
        ),
    ),
    (
        "password",
        "://",
        re.compile(
            r"(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@?#\"'<>]{0,64}:"
            r"(?P<body>[^\s:/@?#\"'<>${}%*()\[\]]{8,128})"
            r"@(?!localhost\b|127\.|example\b|[\w.-]{0,64}\bexample\b)[A-Za-z0-9]",
            re.IGNORECASE,
        ),
    ),
    *(
        (
            "password",
            name,
            re.compile(
                rf"{name}[\"']?[ \t]{{0,8}}(?:[:=]|\bis\b|\bé\b)[ \t]{{0,8}}[\"']?"
                r"(?P<body>(?![$%<({\[])[^\s\"'`<>,;()\[\]{}]{8,128}?)(?=[.,;]?(?:[\s\"'`]|$))",
                re.IGNORECASE,
            ),
        )
        for name in _PASSWORDS
    ),
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=\s*(?:\\n)?[A-Za-z0-9+/=:\s-]{64})"
)
_EXAMPLE = re.compile(
    r"(.)\1{4}|example|sample|dummy|placeholder|redacted|fake|xxxx|your|changeme|secret|token"
    r"|01234|12345|23456|abcdef|ABCDEF|qwerty",
    re.IGNORECASE,
)
_FEWEST = 10  # different characters that a token of 20 or more has; a person's example has fewer


class Secret(NamedTuple):
    """A Secret is the span of a secret and its kind, such as "GitHub token"."""

    span: Span
    kind: str

    @property
    def sentence_start(self) -> str:
        """Returns the kind with its article, as a sentence begins: "A GitHub token"."""
        return f"{'An' if self.kind[0] in 'AEIOU' else 'A'} {self.kind}"


def find_secrets(text: str) -> Iterator[Secret]:
    """Yields the secrets of a text, sorted by shape and then in text order."""
    for what, mark, shape in _TOKENS:
        if mark not in text:
            continue
        for match in shape.finditer(text):
            if _is_random(match["body"]):
                yield Secret(Span(*match.span()), what)
    yield from _find_named_secrets(text)
    if "PRIVATE KEY" in text:
        for match in _PRIVATE_KEY.finditer(text):
            yield Secret(Span(*match.span()), "private key")


def _find_named_secrets(text: str) -> Iterator[Secret]:
    """Yields what a name in front of it makes a secret, except for tokens that are known by their
    shape.
    """
    low = text.lower()
    for what, mark, shape in _NAMED:
        if mark not in low:
            continue
        for match in shape.finditer(text):
            body = match["body"]
            token = any(known.search(body) for _, mark, known in _TOKENS if mark in body)
            sound = _is_password(body) if what == "password" else _is_random(body)
            sound = sound and not (mark in _PASSWORDS and _DESCRIPTION.fullmatch(body))
            if sound and not token:
                yield Secret(Span(*match.span("body")), what)


@lru_cache(maxsize=4)
def mask_secrets(text: str) -> str:
    """Returns the text with dots in place of its secrets, for logs that others read; as long as it
    was.
    """
    for secret in find_secrets(text):
        start, end = secret.span
        text = f"{text[:start]}{'•' * (end - start)}{text[end:]}"
    return text


# Words and their numbers, as in "base64-encoded": what a password is like, and none.
_DESCRIPTION = re.compile(r"[A-Za-z][a-z]+[0-9]{0,4}(?:[-_./][A-Za-z]?[a-z]+[0-9]{0,4})*")
_USUAL = re.compile(r"pass|pwd|user|admin|test|demo|postgres|root|changeit", re.IGNORECASE)


def _is_password(body: str) -> bool:
    """Returns whether a value can be a real password and no example: letters and digits, of six
    kinds at least.
    """
    mixed = any(map(str.isdigit, body)) and any(map(str.isalpha, body))
    return mixed and len(set(body)) >= 6 and not (_USUAL.search(body) or _EXAMPLE.search(body))


def _is_random(body: str) -> bool:
    return len(set(body)) >= _FEWEST and _EXAMPLE.search(body) is None
