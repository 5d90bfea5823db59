"""Generate the types of the ``synapse/*`` methods: ``protocol.ts``, and a part of docs/protocol.md."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import attrs
from lsprotocol.types import Location

from synapse_ls.lsp import custom_messages, feature_table
from synapse_ls.lsp.context_change import ContextChange
from synapse_ls.lsp.features.custom_requests import RulePageReport, TestRunReport, TestsReport
from synapse_ls.queries.activation_report import ActivationReport
from synapse_ls.queries.context_report import ComparisonReport, ContextReport, ExplanationReport
from synapse_ls.queries.domain_report import DomainsReport, SquadsReport
from synapse_ls.queries.guard_report import VerdictReport
from synapse_ls.queries.history_compaction import CompactionReport
from synapse_ls.queries.injection_report import InjectionsReport
from synapse_ls.queries.memory_report import MemoriesReport
from synapse_ls.queries.rule_audit import AuditReport
from synapse_ls.queries.rule_lookup import WhyReport
from synapse_ls.queries.session_lookup import SessionsReport
from synapse_ls.queries.situation_report import ChoicesReport
from synapse_ls.queries.status_report import StatusReport

# The answers by method.
REPORTS: Mapping[str, type[Any]] = {
    feature_table.CONTEXT: ContextReport,
    feature_table.EXPLAIN: ExplanationReport,
    feature_table.STATUS: StatusReport,
    feature_table.DOMAINS: DomainsReport,
    feature_table.SESSIONS: SessionsReport,
    feature_table.CHOICES: ChoicesReport,
    feature_table.SQUADS: SquadsReport,
    feature_table.WHY: WhyReport,
    feature_table.GUARD: VerdictReport,
    feature_table.COMPARE: ComparisonReport,
    feature_table.TESTS: TestsReport,
    feature_table.RUN_TESTS: TestRunReport,
    feature_table.INJECTIONS: InjectionsReport,
    feature_table.COMPACT: CompactionReport,
    feature_table.MEMORY: MemoriesReport,
    feature_table.ACTIVATION: ActivationReport,
    feature_table.AUDIT: AuditReport,
    feature_table.RULE_PAGE: RulePageReport,
}

_TYPES_HEADING = "## Types\n"
_SIGNATURE = re.compile(r"^### (synapse/\w+)\n\n(.+?)\n\n", re.MULTILINE | re.DOTALL)
_MODULE_HEAD = """\
/**
 * The methods that the server adds to the protocol, and the types of their parameters and answers.
 * Written by `scripts/gen-docs` from the classes of the server; `docs/protocol.md` says more.
 */

import type { Location, Position, Range } from "vscode-languageclient/node";
import { method } from "./connection";
"""
_PAGE_HEAD = "As LSP writes them. A `location` is that of the whole line."


class Dialect(NamedTuple):
    """A way to write the protocol's types: TypeScript, or the language of the LSP specification."""

    numbers: str
    anything: str
    declaration: str
    modifier: str


TYPESCRIPT = Dialect("number", "unknown", "export interface", "readonly ")
SPECIFICATION = Dialect("integer", "any", "interface", "")


def typescript_module() -> str:
    """Return the text of the extension's ``protocol.ts``, with the protocol's types."""
    blocks = [_MODULE_HEAD, *(_interface(kind, TYPESCRIPT) for kind in _protocol_classes())]
    methods = [
        f"export const {name.partition('/')[2]} = "
        f'method<{type_name(custom_messages.PARAMS[name])}, {type_name(report)}>("{name}");\n'
        for name, report in REPORTS.items()
    ]
    notification = f'export const DID_CHANGE_CONTEXT = "{feature_table.DID_CHANGE_CONTEXT}";\n'
    return "\n".join(
        [*blocks, f"{''.join(methods)}/** A notification of the server. */\n{notification}"]
    )


def page_with_types(page: str) -> str:
    """Return the page of the protocol with the types of all methods as they are now."""
    head, heading, _ = page.partition(_TYPES_HEADING)

    def signature(heading: re.Match[str]) -> str:
        method = heading[1]
        types = f"`{type_name(custom_messages.PARAMS[method])}` → `{type_name(REPORTS[method])}`"
        return f"### {method}\n\n{types}\n\n"

    head = _SIGNATURE.sub(signature, head)
    listing = "\n".join(_interface(kind, SPECIFICATION) for kind in _protocol_classes())
    return f"{head}{heading}\n{_PAGE_HEAD}\n\n```ts\n{listing}```\n"


def type_name(kind: type[Any]) -> str:
    """Return the name of the protocol's type for a class."""
    return kind.__name__.removesuffix("Report")


def field_names(kind: type[Any]) -> set[str]:
    """Return the names of all fields that the protocol's type of an answer has."""
    return set(_own_types(kind)).union(*map(field_names, _base_classes(kind)))


def _protocol_classes() -> list[type[Any]]:
    """Return the classes of all parameters and answers, each after those that it speaks of."""
    classes: dict[type[Any], None] = {}

    def add_class(kind: type[Any]) -> None:
        if (
            kind not in classes
            and (is_dataclass(kind) or attrs.has(kind))
            and not kind.__module__.startswith("lsprotocol.")
        ):
            for part in (*_base_classes(kind), *_named_classes(_own_types(kind).values())):
                add_class(part)
            classes.setdefault(kind)

    for kind in (*custom_messages.PARAMS.values(), *REPORTS.values(), ContextChange):
        add_class(kind)
    return list(classes)


def _interface(kind: type[Any], dialect: Dialect) -> str:
    """Return the declaration of a class, with its docstring."""
    docstring = re.sub(r"``(.*?)``", r"`\1`", inspect.getdoc(kind) or "")
    comment = f"/** {docstring} */"
    if "\n" in docstring:
        lines = [f" * {line}".rstrip() for line in docstring.splitlines()]
        comment = "\n".join(["/**", *lines, " */"])
    bases = ", ".join(map(type_name, _base_classes(kind)))
    head = f"{dialect.declaration} {type_name(kind)}{f' extends {bases}' if bases else ''} {{"
    fields = [
        f"  {dialect.modifier}{name}: {_type_text(hint, dialect)};"
        for name, hint in _own_types(kind).items()
    ]
    return "\n".join([comment, head, *fields, "}", ""])


def _base_classes(kind: Any) -> tuple[type[Any], ...]:
    """Return the classes whose fields stand among those of ``kind``."""
    if attrs.has(kind):
        return tuple(base for base in kind.__bases__ if attrs.has(base))
    hints = get_type_hints(kind)
    fields = custom_messages.encoded_fields(kind)
    return tuple(hints[f.attribute] for f in fields if f.form == custom_messages.INLINE)


def _own_types(kind: Any) -> dict[str, Any]:
    """Return name -> type of the fields that no base class has; a name of a parameter that may be
    left out ends in "?".
    """
    hints, own_types = get_type_hints(kind), {}
    if attrs.has(kind):
        for param in attrs.fields(kind):
            if not param.inherited:
                mark = "" if param.default is attrs.NOTHING else "?"
                hint = hints[param.name]
                parts = [part for part in get_args(hint) if part is not NoneType]
                is_optional = get_origin(hint) in (Union, UnionType) and len(parts) == 1
                own_types[custom_messages.to_camel_case(param.name) + mark] = (
                    parts[0] if is_optional else hint
                )
        return own_types
    special_types = {custom_messages.LOCATION: Location | None, custom_messages.URI: str | None}
    for field in custom_messages.encoded_fields(kind):
        if field.form != custom_messages.INLINE:
            own_types[field.name] = special_types.get(field.form, hints[field.attribute])
    return own_types


def _named_classes(hints: Iterable[Any]) -> Iterator[type[Any]]:
    """Yield the classes that types speak of."""
    for hint in hints:
        if isinstance(hint, type) and not get_args(hint):
            yield hint
        yield from _named_classes(get_args(hint))


def _type_text(hint: Any, dialect: Dialect) -> str:
    """Return a type as a dialect writes it."""
    plain = {
        str: "string", int: dialect.numbers, float: "number", bool: "boolean", NoneType: "null",
        Any: dialect.anything,
    }  # fmt: skip
    if hint in plain:
        return plain[hint]
    parts = [
        _type_text(part, dialect) for part in get_args(hint) if get_origin(hint) is not Literal
    ]
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(parts)
    if get_origin(hint) is Literal:
        return " | ".join(f'"{word}"' for word in get_args(hint))
    if get_origin(hint) is list:
        return f"{dialect.modifier}{parts[0]}[]"
    if get_origin(hint) is dict:
        record = f"Record<string, {parts[1]}>"
        return f"Readonly<{record}>" if dialect.modifier else record
    return type_name(hint)
