"""The model of reports, the typed answers of ``queries``, and their JSON.

A report is a frozen dataclass, whose fields are never renamed or removed. The command line and MCP
write it as it is (snake_case, paths relative to the root, lines from 1), the language server in the
protocol's terms (``lsp.custom_messages``); ``scripts/generated`` makes TypeScript types and docs of
it. Metadata has what a field needs beyond its type. Reasons and remedies are in English,
with codes for translation.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Final, TypeVar, cast

from synapse_ls.engine.reason_phrases import Explanation, Phrase

R = TypeVar("R")

# The value of a field that a report does not have here: JSON leaves it out, the protocol sends
# null.
LEFT_OUT: Final[Any] = object()

# Marks a field in whose place the fields of its value stand.
INLINE: Final = {"inline": True}

# Marks a path below the root, "" for none, that the protocol sends as a URI or null.
URI: Final = {"uri": "path"}

# Marks an absolute path that the protocol sends as a URI.
ROOT_URI: Final = {"uri": "root"}

# Marks the line in ``file``: both together are the protocol's ``location``.
LINE: Final = {"file": "file"}

# Marks the line in ``manifest``, as `LINE` does in ``file``.
MANIFEST_LINE: Final = {"file": "manifest"}

# Marks a field that the protocol does not send.
JSON_ONLY: Final = {"form": "json"}

# Marks a field that JSON does not have.
PROTOCOL_ONLY: Final = {"form": "protocol"}


def report_of(kind: type[R], source: Any, /, **values: Any) -> R:
    """Return a report with what ``source``, an object or a mapping, has under the names of its
    fields, but for ``values``: sequences are lists, and "" is null where a field can be null.
    """
    is_mapping = isinstance(source, Mapping)
    names = source if is_mapping else dir(source)
    for field in fields(cast("Any", kind)):
        if field.name not in values and field.name in names:
            value = source[field.name] if is_mapping else getattr(source, field.name)
            if isinstance(value, tuple):
                value = list(value)
            values[field.name] = None if value == "" and "None" in str(field.type) else value
    return kind(**values)


def to_json(value: Any) -> Any:
    """Write a report, or reports in a list or a mapping, as plain values for JSON; any other value
    stays as it is.
    """
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {name: to_json(item) for name, item in value.items()}
    if not is_dataclass(value):
        return value
    written: dict[str, Any] = {}
    for name, is_inline in _json_fields(value.__class__):
        item = getattr(value, name)
        if is_inline:
            written |= to_json(item)
        elif item is not LEFT_OUT:
            written[name] = to_json(item)
    return written


def protocol_fields(kind: type[Any]) -> tuple[Field[Any], ...]:
    """Return the fields of a report that the protocol sends; a line stands for its file as well,
    which is not among them.
    """
    sent = [field for field in fields(kind) if field.metadata.get("form") != "json"]
    located = {field.metadata.get("file") for field in sent}
    return tuple(field for field in sent if field.name not in located or "uri" in field.metadata)


@cache
def _json_fields(kind: type[Any]) -> tuple[tuple[str, bool], ...]:
    return tuple(
        (field.name, "inline" in field.metadata)
        for field in fields(kind)
        if field.metadata.get("form") != "protocol"
    )


@dataclass(frozen=True, kw_only=True)
class PhraseReport:
    """A reason or a remedy as a code with values, for clients that write it in another language."""

    code: str
    values: list[str]


@dataclass(frozen=True, kw_only=True)
class ReasonReport:
    """The reason why something is so, and what would change it. `attempt` has parameters of a
    question that try the remedy out.
    """

    reason: str
    because: list[PhraseReport]
    remedy: str
    change: PhraseReport | None
    attempt: dict[str, str] | None


def reason_report(explanation: Explanation) -> ReasonReport:
    """Return the report of a reason why something is so: in English, and as codes for whoever
    speaks another language.
    """
    remedy = explanation.remedy_phrase
    return ReasonReport(
        reason=explanation.reason,
        because=[phrase_report(phrase) for phrase in explanation.reasons],
        remedy=explanation.remedy,
        change=phrase_report(remedy) if remedy else None,
        attempt=explanation.attempt,
    )


def phrase_report(phrase: Phrase) -> PhraseReport:
    """Return the phrase of a reason as its code and its values."""
    return PhraseReport(code=phrase.code, values=list(phrase.values))
