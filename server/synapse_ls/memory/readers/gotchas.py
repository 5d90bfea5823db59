"""Pitfalls that other tools have kept, as memories: Chati's, of its two trackers and its intelligence
file, and those of AIOX, of both schemas (``aiox-gotchas-v1``, ``aiox-gotchas-memory-v1``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synapse_ls.memory.record import Record, one_line
from synapse_ls.memory.score import confidence_after
from synapse_ls.text.json import JsonError, loads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from synapse_ls.formats.yaml_tree import Node

AIOX = (".aiox/gotchas.json", ".aios/gotchas.json")
_SEVERE = {
    **dict.fromkeys(("critical", "high", "error"), "critical"),
    **dict.fromkeys(("info", "low"), "info"),
}


def parse(text: str, path: str) -> tuple[Record, ...]:
    """A record for each pitfall; none in what cannot be read. Never raises."""
    try:
        value = _yaml(text) if path.endswith((".yaml", ".yml")) else loads(text)
    except JsonError:
        return ()
    return tuple(record for item in _items(value) if (record := _record(item, path)) is not None)


def _yaml(text: str) -> Any:
    from synapse_ls.formats.yaml_tree import parse_yaml

    root, _ = parse_yaml(text)
    return _plain(root) if root is not None else None


def _plain(node: Node) -> Any:
    if node.kind == "sequence":
        return [_plain(item) for item in node.items]
    if node.kind == "mapping":
        return {key.value: _plain(value) for key, value in node.pairs}
    # An alias stays its name: what is followed could grow without end.
    return node.resolve() if node.kind == "scalar" else node.value


def _items(value: Any) -> Iterator[Mapping[str, Any]]:
    """The pitfalls of a file: a list, or a list or an object of them under ``gotchas``."""
    if isinstance(value, dict):
        value = value.get("gotchas", value)
    if isinstance(value, dict):
        value = list(value.values())
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _record(item: Mapping[str, Any], path: str) -> Record | None:
    """One pitfall; what is told of it first is what goes wrong, then what to do."""
    source = item.get("source")
    source = source if isinstance(source, dict) else {}
    trigger = item.get("trigger")
    trigger = trigger if isinstance(trigger, dict) else {}
    title = _first(item, "title", "message", "original_message", "description", "pattern")
    if not title:
        return None
    told = [
        part
        for part in (
            _first(item, "description") if _first(item, "description") != title else "",
            _first(item, "reason"),
            _labelled("Wrong", _first(item, "wrong")),
            _labelled("Right", _first(item, "right")),
            _labelled("What to do", _first(item, "workaround", "resolution", "mitigation")),
            _labelled("Sign", one_line(_first(item, "pattern") or _first(trigger, "errorPattern"))),
        )
        if part and part != title
    ]
    count = item.get("count", source.get("occurrences", 1))
    seen = count if isinstance(count, int) and count > 0 else 1
    files = [str(file) for file in _list(item.get("relatedFiles"))]
    if files:
        told.append(f"Files: {', '.join(files)}")
    severity = _SEVERE.get(str(item.get("severity", "")).lower(), "")
    tags = [
        *map(str, _list(item.get("tags"))),
        *(str(item[name]) for name in ("category", "technology") if item.get(name)),
        *([severity] if severity else []),
    ]
    begun = _first(item, "first_seen", "createdAt", "discoveredAt", "discovered_at")
    begun = begun or _first(source, "firstSeen")
    # What is counted fades with its last occurrence; what a person has listed does not.
    last = _first(item, "last_seen") or _first(source, "lastSeen")
    return Record(
        id=_first(item, "id"),
        title=title,
        text="\n\n".join(told),
        type="gotcha",
        tags=tuple(tags),
        confidence=confidence_after(seen),
        evidence=seen,
        tier="warm",  # somebody has kept it: told where it matches
        explicit=source.get("type") == "manual",
        created=begun if last else "",
        updated=last,
        source=f"{path}, {begun[:10]}" if begun and not last else path,
        path=path,
    )


def _labelled(label: str, text: str) -> str:
    if not text:
        return ""
    if "\n" in text:
        return f"{label}:\n\n```\n{text}\n```"
    return f"{label}: {text}"


def _first(item: Mapping[str, Any], *names: str) -> str:
    for name in names:
        value = item.get(name)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
