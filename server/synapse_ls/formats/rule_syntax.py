"""Parse the keys of rules, such as ``AGENT_DEV_AUTH_0``, and checks, the values of ``{D}_CHECK_n``.

Keys follow SYNAPSE's domain, Constitution and Context Brackets files, CARL v1
(``{BRACKET}_RULE_n``), and the guard's ``DENY`` and ``ALLOW``. A check is what a session's record
shows of rule n: ``never run COMMAND``, ``run COMMAND before COMMAND``, ``run COMMAND after
COMMAND``, ``run COMMAND after changes to GLOB``, ``never write GLOB`` or ``files GLOB contain
"TEXT"``. It is never injected.
"""

import re
from typing import NamedTuple
from unicodedata import normalize

from synapse_ls.formats.rule import Rule
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_PHASE = lazy_pattern(r"[Pp]hase\s+([\w-]+)\s*:")


class RuleKey(NamedTuple):
    """The parts of a rule's key; ``qualifier`` is the article, bracket or command, or ""."""

    kind: str
    domain: str
    qualifier: str
    number: int | None


def build_rule(
    key: str,
    parts: RuleKey,
    text: str,
    phase: str,
    group: str,
    line: int,
    span: Span,
    key_span: Span,
    text_span: Span,
) -> Rule:
    """Return the rule with these fields, whose places count from the beginning of the file."""
    return Rule(
        *(key, parts.kind, parts.number, text, group, phase, parts.qualifier, line),
        domain=parts.domain,
        span=span,
        key_span=key_span,
        text_span=text_span,
    )


def leading_phase(text: str) -> str:
    """Return the workflow phase that a rule's text begins with: ``Phase qa_review: …`` ->
    ``qa_review``.
    """
    match = _PHASE.match(text)
    return match[1] if match else ""


BRACKETS = ("FRESH", "MODERATE", "DEPLETED", "CRITICAL")
# Code points; a longer word before ``=`` is not taken for a key.
MAX_KEY = 200

_BRACKET = "|".join(BRACKETS)
# For keys that end in a number, which is cut off before. COMMANDS comes first: its command may have
# any name, AUTH or FRESH included.
_NUMBERED = (
    ("command", lazy_pattern(r"(?P<domain>COMMANDS)_(?:RULE|CMD)_(?P<qualifier>.+)")),
    ("command", lazy_pattern(r"(?P<domain>.+?)_CMD_(?P<qualifier>.+)")),
    ("bracket", lazy_pattern(rf"(?P<domain>(?P<qualifier>{_BRACKET}))_RULE")),
    ("rule", lazy_pattern(r"(?:(?P<domain>.+)_)?RULE(?P<qualifier>)")),
    ("auth", lazy_pattern(r"(?:(?P<domain>.+?)_)?(?:RULE_)?AUTH(?P<qualifier>)")),
    ("article", lazy_pattern(r"(?:(?P<domain>.+?)_)?RULE_ART(?P<qualifier>[0-9]{1,4})")),
    ("bracket", lazy_pattern(rf"(?P<domain>.+?)_RULE_(?P<qualifier>{_BRACKET})")),
    ("deny", lazy_pattern(r"(?:(?P<domain>.+?)_)?(?:RULE_)?DENY(?P<qualifier>)")),
    ("allow", lazy_pattern(r"(?:(?P<domain>.+?)_)?(?:RULE_)?ALLOW(?P<qualifier>)")),
)
_UNNUMBERED = (
    ("command", lazy_pattern(r"(?P<domain>COMMANDS)_(?:RULE|CMD)_(?P<qualifier>.+)")),
    ("rule", lazy_pattern(r"(?P<domain>.+?)_RULE(?:_.+)?(?P<qualifier>)")),
)
_NUMBER = lazy_pattern(r"[0-9]{1,9}")
# GLOBAL_RULE_0_PRIORITY=CRITICAL: what some trees say of a rule, which is none itself.
_ATTRIBUTE = lazy_pattern(r"(?P<rule>.+_RULE_[0-9]{1,9})_(?:PRIORITY|SEVERITY|WEIGHT)")
_NOT_UPPER_SNAKE = lazy_pattern(r"[^A-Z0-9]+")


def parse_key(key: str) -> RuleKey | None:
    """Parse ``key`` if it has the syntax of a rule's key, else returns ``None``.

    A rule key that does not end in a number (``GLOBAL_RULE_NAMING``) has none.
    """
    if described_rule(key):
        return None
    head, _, tail = key.rpartition("_")
    number = int(tail) if _NUMBER.fullmatch(tail) else None
    for kind, pattern in _UNNUMBERED if number is None else _NUMBERED:
        match = pattern.fullmatch(key if number is None else head)
        if match:
            return RuleKey(kind, match["domain"] or "", match["qualifier"], number)
    # GLOBAL_RULE_TYPES_2: the number counts within a name, so it gives no order in the file.
    match = _UNNUMBERED[-1][1].fullmatch(key)
    return RuleKey("rule", match["domain"], "", None) if match else None


def described_rule(key: str) -> str:
    """Return the key of the rule whose attribute ``key`` is: ``GLOBAL_RULE_0_PRIORITY`` ->
    ``GLOBAL_RULE_0``; "" for any other key.
    """
    match = _ATTRIBUTE.fullmatch(key)
    return match["rule"] if match else ""


def rule_prefixes(domain: str, trigger: str) -> frozenset[str]:
    """Return the words that may stand before ``_RULE_n`` in a domain's file.

    These are the domain, the domain without ``AGENT_`` or ``WORKFLOW_``, and its trigger in upper
    snake: ``("AGENT_UX", "ux-design-expert")`` gives AGENT_UX, UX and UX_DESIGN_EXPERT.
    """
    short = domain.removeprefix("AGENT_").removeprefix("WORKFLOW_")
    return frozenset(filter(None, (domain, short, to_upper_snake(trigger))))


def to_upper_snake(name: str) -> str:
    """Return a name as the syntax of rule keys has it, in upper snake case: ``ux-design-expert``
    -> ``UX_DESIGN_EXPERT``.
    """
    return _NOT_UPPER_SNAKE.sub("_", name.upper()).strip("_")


def suggest_key_name(name: str) -> str:
    """Return a name that the keys of rules can have in place of ``name``: ``Ação`` -> ``ACAO``; ""
    for one with other letters than A to Z and their accents, for which only a person has a word.
    """
    plain = name if name.isascii() else normalize("NFKD", name)
    is_latin = all(char.isascii() or not char.isalpha() for char in plain)
    return to_upper_snake("".join(filter(str.isascii, plain))) if is_latin else ""


NEVER_RUN = "never-run"
RUN_BEFORE = "run-before"
RUN_AFTER = "run-after"
RUN_AFTER_CHANGES = "run-after-changes"
NEVER_WRITE = "never-write"
FILES_CONTAIN = "files-contain"

SENTENCES = (
    "never run COMMAND", "run COMMAND before COMMAND", "run COMMAND after COMMAND",
    "run COMMAND after changes to GLOB", "never write GLOB", 'files GLOB contain "TEXT"',
)  # fmt: skip

_KEY = lazy_pattern(r"(?P<domain>[A-Z][A-Z0-9_]*?)_CHECK_(?P<number>[0-9]{1,9})")
_FIRST_WORDS = ("never", "run", "files")
_COMMAND = r"(?:`(?P<{0}q>[^`]+)`|(?P<{0}>[^`\s].*?))"
_SHAPES = (
    (NEVER_RUN, rf"never run {_COMMAND.format('command')}"),
    (
        RUN_AFTER_CHANGES,
        rf"run {_COMMAND.format('command')} after changes to `?(?P<glob>[^`\s]+)`?",
    ),
    (RUN_BEFORE, rf"run {_COMMAND.format('command')} before {_COMMAND.format('other')}"),
    (RUN_AFTER, rf"run {_COMMAND.format('command')} after {_COMMAND.format('other')}"),
    (NEVER_WRITE, r"never write `?(?P<glob>[^`\s]+)`?"),
    (FILES_CONTAIN, r"files `?(?P<glob>[^`\s]+)`? contain (?P<quote>[\"'`])(?P<text>.+)(?P=quote)"),
)


class RuleCheck(NamedTuple):
    """What a check demands.

    kind: one of the constants above. command: what is to be run, or never. other: the command that
    comes before or after it. glob: the files that it is about. text: what has to stand in them.
    """

    kind: str
    command: str = ""
    other: str = ""
    glob: str = ""
    text: str = ""


def parse_check_key(key: str) -> RuleKey | None:
    """Return the parts of the key of a check; None for any other key."""
    match = _KEY.fullmatch(key)
    return RuleKey("check", match["domain"], "", int(match["number"])) if match else None


def begins_check(value: str) -> bool:
    """Return whether a value begins as a check does; list of a tree's own have such keys, too."""
    return value.partition(" ")[0] in _FIRST_WORDS


def parse_check(value: str) -> RuleCheck | None:
    """Return the check in a value; None where it is no sentence of the language."""
    said = " ".join(value.split()).rstrip(".")
    for kind, shape in _SHAPES:
        if match := re.fullmatch(shape, said):
            parts = {"commandq": "", "otherq": "", "glob": "", "text": ""} | match.groupdict("")
            return RuleCheck(
                kind,
                parts["commandq"] or parts.get("command", ""),
                parts["otherq"] or parts.get("other", ""),
                parts["glob"],
                parts["text"],
            )
    return None
