"""This module reads pitfalls that other tools have kept, as memories: gotchas of Chati and of AIOX.

Chati's are those of its two trackers and its intelligence file, AIOX's those of both schemas
(``aiox-gotchas-v1``, ``aiox-gotchas-memory-v1``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synapse_ls.memory.attention_score import confidence_after
from synapse_ls.memory.record import Record, one_line
from synapse_ls.text.fast_json import JsonError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from synapse_ls.formats.yaml_tree import YamlNode

AIOX_FILES = (".aiox/gotchas.json", ".aios/gotchas.json")
_SEVERITY_TAGS = {
    **dict.fromkeys(("critical", "high", "error"), "critical"),
    **dict.fromkeys(("info", "low"), "info"),
}


def parse(text: str, path: str) -> tuple[Record, ...]:
    """Returns a record for each pitfall in a file of Chati or AIOX; none in what cannot be read.
    Never raises.
    """
    try:
        value = _read_yaml(text) if path.endswith((".yaml", ".yml")) else loads(text)
    except JsonError:
        return ()
    return tuple(
        record
        for item in _pitfall_items(value)
        if (record := _pitfall_record(item, path)) is not None
    )


def _read_yaml(text: str) -> Any:
    from synapse_ls.formats.yaml_tree import parse_yaml

    root, _ = parse_yaml(text)
    return _plain_value(root) if root is not None else None


def _plain_value(node: YamlNode) -> Any:
    if node.kind == "sequence":
        return [_plain_value(item) for item in node.items]
    if node.kind == "mapping":
        return {key.value: _plain_value(value) for key, value in node.pairs}
    # An alias stays its name: what is followed could grow without end.
    return node.resolve() if node.kind == "scalar" else node.value


def _pitfall_items(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yields the pitfalls of a file: a list, or a list or an object of them under ``gotchas``."""
    if isinstance(value, dict):
        value = value.get("gotchas", value)
    if isinstance(value, dict):
        value = list(value.values())
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _pitfall_record(item: Mapping[str, Any], path: str) -> Record | None:
    """Returns the record of one pitfall; its text says first what goes wrong, then what to do."""
    title = _first_text(item, "title", "message", "original_message", "description", "pattern")
    if not title:
        return None
    source, trigger = _mapping_of(item, "source"), _mapping_of(item, "trigger")
    sign = one_line(_first_text(item, "pattern") or _first_text(trigger, "errorPattern"))
    remedy = _first_text(item, "workaround", "resolution", "mitigation")
    files = ", ".join(map(str, _list_or_empty(item.get("relatedFiles"))))
    told = [
        _first_text(item, "description"),
        _first_text(item, "reason"),
        _label_text("Wrong", _first_text(item, "wrong")),
        _label_text("Right", _first_text(item, "right")),
        _label_text("What to do", remedy),
        _label_text("Sign", sign),
        f"Files: {files}" if files else "",
    ]
    count = item.get("count", source.get("occurrences", 1))
    seen = count if isinstance(count, int) and count > 0 else 1
    begun = _first_text(item, "first_seen", "createdAt", "discoveredAt", "discovered_at")
    begun = begun or _first_text(source, "firstSeen")
    # What is counted fades with its last occurrence; what a person has listed does not.
    last = _first_text(item, "last_seen") or _first_text(source, "lastSeen")
    return Record(
        id=_first_text(item, "id"),
        title=title,
        text="\n\n".join(part for part in told if part and part != title),
        type="gotcha",
        tags=tuple(_pitfall_tags(item)),
        confidence=confidence_after(seen),
        evidence=seen,
        tier="warm",  # somebody has kept it: told where it matches
        explicit=source.get("type") == "manual",
        created=begun if last else "",
        updated=last,
        source=f"{path}, {begun[:10]}" if begun and not last else path,
        path=path,
    )


def _pitfall_tags(item: Mapping[str, Any]) -> Iterator[str]:
    yield from map(str, _list_or_empty(item.get("tags")))
    yield from (str(item[name]) for name in ("category", "technology") if item.get(name))
    severity = _SEVERITY_TAGS.get(str(item.get("severity", "")).lower(), "")
    if severity:
        yield severity


def _mapping_of(item: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = item.get(name)
    return found if isinstance(found, dict) else {}


def _label_text(label: str, text: str) -> str:
    if not text:
        return ""
    if "\n" in text:
        return f"{label}:\n\n```\n{text}\n```"
    return f"{label}: {text}"


def _first_text(item: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = item.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
