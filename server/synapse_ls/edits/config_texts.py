"""This module finds the names and paths that ``.synapse/config.toml`` mentions, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats.toml_document import TomlPath, key_positions
from synapse_ls.text.span import Span
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG

_QUOTES = ("'", '"')


class ConfigText(NamedTuple):
    """A ConfigText is a name or path in the text of the configuration (``config.toml``): where in
    the file it belongs, what it says, its place.
    """

    path: TomlPath
    value: str
    span: Span
    is_key: bool


def config_texts(tree: Tree) -> Iterator[ConfigText]:
    """Yields the texts of the configuration that may be names or paths, every key, and every value
    that is a quoted text of one line; the span is without quotes.
    """
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        return
    for path, place in key_positions(facts.text).items():
        if isinstance(path[-1], str):
            yield _config_text(facts.text, path, place.key, is_key=True)
        if place.value != place.key or isinstance(path[-1], int):
            written = place.value.cut(facts.text)
            if written[:1] in _QUOTES and written[:3] != written[:1] * 3:
                yield _config_text(facts.text, path, place.value, is_key=False)


def _config_text(text: str, path: TomlPath, span: Span, *, is_key: bool) -> ConfigText:
    written = span.cut(text)
    if written[:1] in _QUOTES and written[-1:] == written[:1] and len(written) > 1:
        span = Span(span.start + 1, span.end - 1)
    return ConfigText(path, span.cut(text), span, is_key)
