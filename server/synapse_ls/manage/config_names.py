"""The names and paths that ``.synapse/config.toml`` mentions, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.toml_places import Path, places
from synapse_ls.text.span import Span
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.tree import Tree

_QUOTES = ("'", '"')


class ConfigText(NamedTuple):
    """A text of the configuration: where in the file it belongs, what it says, its place."""

    path: Path
    value: str
    span: Span
    is_key: bool


def config_texts(tree: Tree) -> Iterator[ConfigText]:
    """Every key, and every value that is a quoted text of one line; the span is without quotes."""
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        return
    for path, place in places(facts.text).items():
        if isinstance(path[-1], str):
            yield _text(facts.text, path, place.key, is_key=True)
        if place.value != place.key or isinstance(path[-1], int):
            written = place.value.cut(facts.text)
            if written[:1] in _QUOTES and written[:3] != written[:1] * 3:
                yield _text(facts.text, path, place.value, is_key=False)


def _text(text: str, path: Path, span: Span, *, is_key: bool) -> ConfigText:
    written = span.cut(text)
    if written[:1] in _QUOTES and written[-1:] == written[:1] and len(written) > 1:
        span = Span(span.start + 1, span.end - 1)
    return ConfigText(path, span.cut(text), span, is_key)
