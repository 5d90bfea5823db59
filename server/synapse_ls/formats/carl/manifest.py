"""CARL v1's manifest: four settings of a domain, and two of the whole tree.

``_STATE`` is on for ``active``, ``true``, ``yes`` and ``1``. Where it is missing, a domain that waits for
keywords is off, while one that is always on, GLOBAL, CONTEXT and COMMANDS are on. GLOBAL is always on.
Every other suffix is ignored: the triggers of SYNAPSE have no effect here.

Not imitated: an empty keyword, which CARL finds in every prompt. It is reported and left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from synapse_ls.formats import values
from synapse_ls.formats.carl.lines import suggested
from synapse_ls.formats.manifest import Declaration, Manifest, assemble
from synapse_ls.formats.manifest_line import SETTINGS, Line, split_key
from synapse_ls.formats.manifest_line import read as read_synapse
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.rules import in_order
from synapse_ls.text.near import nearest
from synapse_ls.text.span import WHITE_SPACE, Span, trim

KNOWN = ("STATE", "ALWAYS_ON", "RECALL", "EXCLUDE")
"""The settings of a domain that CARL reads."""

GLOBALS = ("DEVMODE", "GLOBAL_EXCLUDE")
ACTIVE = values.TRUE | {"active"}
STANDING = ("GLOBAL", "CONTEXT", "COMMANDS")
"""Domains that are on without a state."""

INACTIVE = frozenset({"inactive", "false", "no", "0", "off", "disabled"})
_PLAIN_FALSE = frozenset({"false", "no", "0"})
_USUAL = 512  # code points of a line that is worth keeping


class CarlDeclaration(Declaration):
    """One domain as CARL takes its settings."""

    __slots__ = ()

    @property
    def active(self) -> bool:
        if "STATE" in self.entries:
            return self._word("STATE").lower() in ACTIVE
        return self.always_on or self.name in STANDING

    @property
    def always_on(self) -> bool:
        return self.name == "GLOBAL" or self._flag("ALWAYS_ON")


def parse(text: str) -> Parsed[Manifest]:
    """Read a manifest. Never raises; takes time linear in the text."""
    manifest, problems = assemble(text, read, CarlDeclaration)
    return Parsed(manifest, in_order([*problems, *_without_keywords(manifest)]))


def read(line: str) -> Line | None:
    """What a line without its break says; None for a blank one and for a comment."""
    return _known(line) if len(line) <= _USUAL else _read(line)


def _read(text: str) -> Line | None:
    equals = text.find("=")
    start = equals - len(text[: max(equals, 0)].lstrip(WHITE_SPACE))
    if equals < 0 or start == equals or text[start] == "#" or text.startswith("export ", start):
        return read_synapse(text)  # no line of a manifest to either of them, for the same reason
    key_span = Span(start, start + len(text[start:equals].rstrip(WHITE_SPACE)))
    key = Text(key_span.cut(text), key_span)
    value_span = trim(text, equals + 1, len(text))
    value = Text(value_span.cut(text), value_span)
    domain, name = split_key(key.value)
    if name not in KNOWN and not (name in GLOBALS and not domain):
        return Line(key, value, "", "", (), (_unknown(key, name),))
    if name in ("RECALL", "EXCLUDE", "GLOBAL_EXCLUDE"):
        items, gaps = values.split_list(text, value_span)
        comment = values.comment_in_list(value)
        problems = [_empty_item(gap) for gap in gaps if name == "RECALL"]
        return Line(key, value, domain, name, items, (*problems, *((comment,) if comment else ())))
    return Line(key, value, domain, name, (), tuple(_check(name, value)))


_known = lru_cache(maxsize=8192)(_read)


def _check(name: str, value: Text) -> Iterator[Problem]:
    """What is wrong with a state or a boolean."""
    word = value.value.lower()
    true = ACTIVE if name == "STATE" else values.DEVMODE_TRUE if name == "DEVMODE" else values.TRUE
    if word in true or word in (INACTIVE if name == "STATE" else _PLAIN_FALSE):
        return
    _, comment = values.before_comment(value)
    if comment is not None:
        yield Problem(
            comment.kind,
            comment.span,
            "To CARL the note is part of the value, which therefore counts as "
            f"{'inactive' if name == 'STATE' else 'false'}.",
            comment.remedy,
            comment.data,
        )
    elif name == "STATE":
        yield _bad_state(value)
    else:
        problem = values.read_bool(value, true)[1]
        if problem is not None:
            yield problem


def _bad_state(value: Text) -> Problem:
    said = values.unquoted(value.value.lower())
    near = nearest(said, ("active", "inactive"))
    on = said in ACTIVE | {"on", "enabled"} or near == "active"
    meant = "active" if on else "inactive"
    shown = f"`{value.value[:40]}` is not a state" if value.value else "The state is empty"
    return Problem(
        "bad-state",
        value.span,
        f"{shown}; CARL takes every word but active, true, yes and 1 for inactive.",
        f"Write `{meant}`.",
        values.reading(meant, "inactive", near=bool(near), known=not on),
    )


def _empty_item(gap: Span) -> Problem:
    return Problem(
        "empty-recall-item",
        gap,
        "CARL finds the empty keyword in every prompt, so that the domain is always in; "
        "it is ignored here.",
        "Delete the comma.",
        (("suggestion", ""),),
    )


def _without_keywords(manifest: Manifest) -> Iterator[Problem]:
    """Lists of keywords with nothing in them: to CARL that is one empty keyword."""
    for declaration in manifest.domains.values():
        entry = declaration.entries.get("RECALL")
        if entry is None or entry.line.items or declaration.always_on or not declaration.active:
            continue
        yield Problem(
            "empty-recall-item",
            entry.key.span,
            "CARL takes the empty list for an empty keyword, which is in every prompt; here "
            f"{declaration.name} waits for a keyword that does not exist.",
            f"Write keywords, or {declaration.name}_ALWAYS_ON=true.",
        )


def _unknown(key: Text, name: str) -> Problem:
    """What is said of a key that CARL does not read."""
    shown = f"`{key.value[:80]}`"
    if key.value == "DOMAIN_ORDER":
        why = "CARL documents it and never reads it: domains come in the order of the manifest"
        return Problem(
            "unknown-key",
            key.span,
            f"{shown} is ignored, because {why}.",
            "Put the domains in the order that is wanted, and delete the line.",
        )
    if name in SETTINGS:
        return Problem(
            "unknown-key",
            key.span,
            f"{shown} is ignored, because CARL does not know `_{name}`.",
            "Move the tree to `.synapse/` (`synapse migrate`), where it has an effect.",
        )
    line = read_synapse(f"{key.value}=")
    known = line.problems[0] if line is not None and line.problems else None
    meant = dict(known.data).get("suggestion", "") if known is not None else ""
    if split_key(meant)[1] not in (*KNOWN, *GLOBALS):
        meant = ""
    return Problem(
        "unknown-key",
        key.span,
        f"{shown} is ignored, because it does not end in a setting of CARL's manifest.",
        f"Write `{meant}`." if meant else "Correct the key or make the line a comment.",
        suggested(meant),
    )
