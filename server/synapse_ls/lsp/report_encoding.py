"""This module writes reports in the protocol's terms: camelCase names, URIs for paths, and a
``location`` for a file with a line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Any, NamedTuple

from synapse_ls.lsp.convert import Range, line_range, to_json
from synapse_ls.lsp.custom_parameters import to_camel_case
from synapse_ls.lsp.file_uris import path_to_uri, uri_below
from synapse_ls.queries.report_model import LEFT_OUT, protocol_fields

VALUE, INLINE, ROOT_URI, URI, LOCATION = "value", "inline", "root", "path", "location"
"""How a field is written; see the metadata in `synapse_ls.queries.report_model`."""


class ProtocolField(NamedTuple):
    """A ProtocolField is a field of a report as it is encoded for the protocol.

    attribute: where its value is. file: of a location, the attribute with the path.
    """

    name: str
    attribute: str
    form: str
    file: str = ""


def encode_report(value: Any, root: str = "") -> Any:
    """Encodes a report, or a list of reports, as a JSON value; any other value stays as it is.
    ``root`` is the tree's folder.
    """
    if isinstance(value, list | tuple):
        return [encode_report(item, root) for item in value]
    if isinstance(value, Range):
        return to_json(value)
    if not is_dataclass(value):
        return None if value is LEFT_OUT else value
    return dict(_encoded_fields(value, root))


def _encoded_fields(report: Any, root: str) -> Iterator[tuple[str, Any]]:
    for field in encoded_fields(report.__class__):
        value = getattr(report, field.attribute)
        if field.form == INLINE:
            yield from _encoded_fields(value, root)
        elif field.form == ROOT_URI:
            yield field.name, path_to_uri(value)
        elif field.form == URI:
            yield field.name, uri_below(root, value) if value else None
        elif field.form == LOCATION:
            yield field.name, _encode_location(getattr(report, field.file), value, root)
        else:
            yield field.name, encode_report(value, root)


@cache
def encoded_fields(kind: type[Any]) -> tuple[ProtocolField, ...]:
    """Returns the fields of a class of reports as they are encoded for the protocol."""
    found = []
    for field in protocol_fields(kind):
        file = field.metadata.get("file", "")
        form = LOCATION if file else INLINE if "inline" in field.metadata else VALUE
        form = field.metadata.get("uri", form)
        name = LOCATION if file else to_camel_case(field.name)
        found.append(ProtocolField(name, field.name, form, file))
    return tuple(found)


def _encode_location(path: str | None, line: int | None, root: str) -> dict[str, Any] | None:
    """Returns the LSP ``Location`` of a line from 1: the file, and the whole of the line."""
    if not path:
        return None
    return {"uri": uri_below(root, path), "range": to_json(line_range((line or 1) - 1))}
