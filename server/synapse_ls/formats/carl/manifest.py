"""Parse CARL v1's manifest: four settings per domain, and two of the whole tree.

``_STATE`` is on for ``active``, ``true``, ``yes`` and ``1``. Without it, only domains that are
always on, GLOBAL, CONTEXT and COMMANDS are on. GLOBAL is always on. Triggers of SYNAPSE have no
effect. An empty keyword, which CARL finds in every prompt, is reported and ignored.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from synapse_ls.formats import manifest_settings
from synapse_ls.formats.manifest import (
    DomainDeclaration,
    Manifest,
    assemble_manifest,
    unknown_key_problem,
)
from synapse_ls.formats.manifest_settings import SETTINGS, ManifestLine, split_key
from synapse_ls.formats.manifest_settings import parse_line as read_synapse
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, ParseResult, Text, problem_data, sort_problems
from synapse_ls.text.span import WHITE_SPACE, Span, trim_span

# The settings of a domain that CARL reads.
CARL_SETTINGS = ("STATE", "ALWAYS_ON", "RECALL", "EXCLUDE")

CARL_GLOBALS = ("DEVMODE", "GLOBAL_EXCLUDE")
ACTIVE = manifest_settings.TRUE | {"active"}
# Domains that are on without a state.
ALWAYS_ON_DOMAINS = ("GLOBAL", "CONTEXT", "COMMANDS")

INACTIVE = frozenset({"inactive", "false", "no", "0", "off", "disabled"})
_PLAIN_FALSE = frozenset({"false", "no", "0"})
_UNREAD = problem_data(unread="key")
_NAMED = 3  # keys that a finding about several names
_MOVE = "Move the tree to `.synapse/` (`synapse migrate`), where it has an effect."
_MAX_CACHED_LENGTH = 512  # code points of a line that is worth keeping


class CarlDeclaration(DomainDeclaration):
    """One domain as CARL takes its settings."""

    @property
    def is_active(self) -> bool:
        if "STATE" in self.entries:
            return self._word("STATE").lower() in ACTIVE
        return self.always_on or self.name in ALWAYS_ON_DOMAINS

    @property
    def always_on(self) -> bool:
        return self.name == "GLOBAL" or self._flag("ALWAYS_ON")


def parse(text: str) -> ParseResult[Manifest]:
    """Parse CARL's manifest. Never raises; takes time linear in the text."""
    manifest, problems = assemble_manifest(text, parse_line, CarlDeclaration)
    # Lists of keywords with nothing in them: to CARL that is one empty keyword.
    empty_lists = (
        Finding(
            entry.key.span,
            "CARL takes the empty list for an empty keyword, which is in every prompt; here "
            f"{domain.name} waits for a keyword that does not exist.",
            f"Write keywords, or {domain.name}_ALWAYS_ON=true.",
            kind="empty-recall-item",
        )
        for domain in manifest.domains.values()
        if (entry := domain.entries.get("RECALL"))
        and not (entry.line.items or domain.always_on)
        and domain.is_active
    )
    return ParseResult(manifest, sort_problems([*_merge_unread_keys(text, problems), *empty_lists]))


def _merge_unread_keys(text: str, problems: Sequence[Finding]) -> Iterator[Finding]:
    """Yield problems with one for all keys that CARL does not read: they are of one template."""
    unread = [problem for problem in problems if problem.data == _UNREAD]
    for problem in problems:
        if problem.data != _UNREAD or not unread[1:]:
            yield problem
        elif problem is unread[0]:
            keys = [f"`{other.span.cut(text)[:80]}`" for other in unread]
            more = f" and {len(keys) - _NAMED} more" if keys[_NAMED:] else ""
            is_known = all(other.remedy == _MOVE for other in unread)
            yield problem._replace(
                message=f"{len(keys)} keys are ignored, because CARL's manifest has no such "
                f"settings: {', '.join(keys[:_NAMED])}{more}.",
                remedy=_MOVE if is_known else "Begin the lines with `#`, or delete them.",
            )


def parse_line(line: str) -> ManifestLine | None:
    """Parse a line of CARL's manifest without its break; return None for a blank one and for a
    comment.
    """
    parse = _parse_cached_line if len(line) <= _MAX_CACHED_LENGTH else _parse_uncached_line
    return parse(line)


def _parse_uncached_line(text: str) -> ManifestLine | None:
    equals = text.find("=")
    start = equals - len(text[: max(equals, 0)].lstrip(WHITE_SPACE))
    if equals < 0 or start == equals or text.startswith(("#", "//", ";", "export "), start):
        return read_synapse(text)  # no line of a manifest to either of them, for the same reason
    key_span = Span(start, start + len(text[start:equals].rstrip(WHITE_SPACE)))
    key = Text(key_span.cut(text), key_span)
    value_span = trim_span(text, equals + 1, len(text))
    value = Text(value_span.cut(text), value_span)
    domain, name = split_key(key.value)
    if name not in CARL_SETTINGS and not (name in CARL_GLOBALS and not domain):
        return ManifestLine(key, value, "", "", (), (_unknown_key_problem(key, name),))
    if name in ("RECALL", "EXCLUDE", "GLOBAL_EXCLUDE"):
        items, gaps = manifest_settings.split_list(text, value_span)
        comment = manifest_settings.list_comment_problem(value)
        problems = [_empty_item_problem(gap) for gap in gaps if name == "RECALL"]
        return ManifestLine(
            key, value, domain, name, items, (*problems, *((comment,) if comment else ()))
        )
    if (problem := _value_problem(name, value)) and not value.value:
        problem = manifest_settings.mark_key(problem, text, Span(start, equals + 1))
    return ManifestLine(key, value, domain, name, (), (problem,) if problem else ())


_parse_cached_line = lru_cache(maxsize=8192)(_parse_uncached_line)


def _value_problem(name: str, value: Text) -> Finding | None:
    true = {"STATE": ACTIVE, "DEVMODE": manifest_settings.DEVMODE_TRUE}.get(
        name, manifest_settings.TRUE
    )
    word = value.value.lower()
    if name == "DEVMODE" and word in true:
        return Finding(
            value.span,
            "Each answer ends in CARL's debug section for everybody who has this tree.",
            "Write `false`; `*synapse debug` in a prompt switches it on for one session.",
            kind="debug-left-on",
            data=(("suggestion", "false"),),
        )
    if word in true or word in (INACTIVE if name == "STATE" else _PLAIN_FALSE):
        return None
    _, comment = manifest_settings.split_comment(value)
    if comment is not None:
        message = (
            "To CARL the note is part of the value, which therefore counts as "
            f"{'inactive' if name == 'STATE' else 'false'}."
        )
        return comment._replace(message=message)
    return _state_problem(value) if name == "STATE" else manifest_settings.read_bool(value, true)[1]


def _state_problem(value: Text) -> Finding:
    quotes = manifest_settings.strip_quotes(value.value.lower())
    near = nearest_word(quotes, ("active", "inactive"))
    on = quotes in ACTIVE | {"on", "enabled"} or near == "active"
    meant = "active" if on else "inactive"
    shown = f"`{value.value[:40]}` is not a state" if value.value else "The state is empty"
    return Finding(
        value.span,
        f"{shown}; CARL takes every word but active, true, yes and 1 for inactive.",
        f"Write `{meant}`.",
        kind="bad-state",
        data=manifest_settings.suggestion_data(
            meant, "inactive", is_near=bool(near), is_known=not on
        ),
    )


def _empty_item_problem(gap: Span) -> Finding:
    return Finding(
        gap,
        "CARL finds the empty keyword in every prompt, so that the domain is always in; "
        "it is ignored here.",
        "Delete the comma.",
        kind="empty-recall-item",
        data=(("suggestion", ""),),
    )


def _unknown_key_problem(key: Text, name: str) -> Finding:
    shown, data = f"`{key.value[:80]}`", _UNREAD
    message = f"{shown} is ignored, because it does not end in a setting of CARL's manifest."
    remedy = "Begin the line with `#`, or delete the line."
    if key.value == "DOMAIN_ORDER":
        why = "CARL documents it and never reads it: domains come in the order of the manifest"
        message, data = f"{shown} is ignored, because {why}.", ()
        remedy = "Put the domains in the order that is wanted, and delete the line."
    elif name in SETTINGS:
        message = f"{shown} is ignored, because CARL does not know `_{name}`."
        remedy = _MOVE
    elif not name:
        problem = unknown_key_problem(key, Text("", key.span))
        suggestion = dict(problem.data).get("suggestion", "")
        if split_key(suggestion)[1] in (*CARL_SETTINGS, *CARL_GLOBALS):
            message, remedy = problem.message, f"Write `{suggestion}`."
            data = problem_data(suggestion=suggestion)
    return Finding(key.span, message, remedy, kind="unknown-key", data=data)
