"""Parse ``.synapse/config.toml`` into a Config, by the table in `config_settings`.

An invalid setting is reported and keeps its default; the others count. Only a guard mode that
cannot be read counts as the strictest.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from synapse_ls.formats import config_settings
from synapse_ls.formats.setting_validation import OptionReader
from synapse_ls.formats.toml_document import key_positions, load_toml
from synapse_ls.text.finding import ParseResult
from synapse_ls.text.lazy_pattern import lazy_pattern

# A file below the root, as `extends` may name one.
_OWN_FILE = lazy_pattern(r"(?!(?:.*/)?\.\.?/)(?:[\w@. -]+/)*[\w@. -]+\.toml")
_BRACKET_TABLE = lazy_pattern(r"^\[profiles\.[\w-]+\.brackets\.([\w-]+)\]", re.MULTILINE)


def parse(text: str, *, is_extended: bool = False) -> ParseResult[config_settings.Config]:
    """Parse the configuration file; the empty text gives the defaults.

    is_extended: it is a file that a tree takes settings over from. Problem kinds: ``invalid-toml``
    (all defaults hold, except those of `unreadable_config`; nothing is taken over),
    ``unknown-config-key``, ``bad-config-value``, ``path-leaves-root``. Never raises.
    """
    if not text.strip():
        return ParseResult(config_settings.Config(), ())
    strict = _strict_values(text)
    effect = "the whole configuration is ignored and the defaults hold"
    if strict:
        said = " and ".join(f'`{path}` counts as "{value}"' for path, value in strict.items())
        effect += f", but {said}"
    if is_extended:
        effect = (
            "nothing of it is taken over, and the guard enforces unless .synapse/config.toml says "
            "otherwise"
        )
    data, problem = load_toml(text, "This file" if is_extended else "The configuration", effect)
    if problem:
        config = _build_config(strict)
        # A rule for a bracket of this file is not to be renamed while the file cannot be read.
        brackets = frozenset(name.upper() for name in _BRACKET_TABLE.findall(text))
        config = replace(config, lint=replace(config.lint, brackets=brackets))
        return ParseResult(config, (problem,))
    reader = OptionReader(key_positions(text), config_settings.BY_PATH, config_settings.GROUPS)
    values = reader.read(data)
    return ParseResult(_build_config(values), tuple(sorted(reader.problems, key=lambda p: p.span)))


def unreadable_config() -> config_settings.Config:
    """Return the configuration that holds where there is a file that nobody can read: the defaults,
    with strict settings.
    """
    return _build_config(_strict_values(None))


def _strict_values(text: str | None) -> dict[str, Any]:
    """Return the strict settings that a broken text seems to mention; all of them where ``text`` is
    None.
    """
    return {
        option.path: option.strict
        for option in config_settings.CONFIG_OPTIONS
        if option.strict
        and (
            text is None
            or re.search(rf"^[^#\n]*\b{option.path.partition('.')[0]}\b", text, re.MULTILINE)
            is not None
        )
    }


def _build_config(values: Mapping[str, Any]) -> config_settings.Config:
    groups: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        group, _, name = path.rpartition(".")
        groups.setdefault(group, {})[name] = value
    top = groups.pop("", {})
    top["section"] = sections = tuple(
        config_settings.SectionSpec(**record) for record in top.get("section", ())
    )
    top["adopted"] = adopted = tuple(
        config_settings.AdoptedSource(**record) for record in top.get("adopted", ())
    )
    own = (table.get("brackets", {}) for table in top.get("profiles", {}).values())
    if brackets := frozenset(name.upper() for table in own for name in table):
        groups.setdefault("lint", {})["brackets"] = brackets
    if files := tuple(dict.fromkeys(section.file for section in sections if section.file)):
        groups.setdefault("paths", {})["sections"] = files
    if sources := tuple(dict.fromkeys(source.path for source in adopted)):
        groups.setdefault("paths", {})["adopted"] = sources
    if extended := tuple(filter(_OWN_FILE.fullmatch, top.get("extends", ()))):
        groups.setdefault("paths", {})["extended"] = extended
    own_groups = {name: config_settings.GROUP_CLASSES[name](**own) for name, own in groups.items()}
    return config_settings.Config(**top, **own_groups, written=values)


Layer = tuple[str, Mapping[str, Any]]  # where settings come from, and they by dotted path


def combine_layers(layers: Iterable[Layer]) -> config_settings.Config:
    """Return the configuration that layers of settings make, later ones over earlier: a table by
    name gets their names, any other setting their value. Of a table that several make, the origin
    says which names are whose.
    """
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    owners: dict[str, dict[str, str]] = {}  # path of a table -> name in it -> layer
    for layer, settings in layers:
        for path, value in settings.items():
            before = values.get(path)
            is_table = isinstance(value, Mapping)
            values[path] = {**(before or {}), **value} if is_table else value
            if not is_table or value or not before:
                origins[path] = layer
            if is_table:
                owners.setdefault(path, {}).update(dict.fromkeys(value, layer))
    for path, owned in owners.items():
        if len(sources := dict.fromkeys(owned.values())) > 1:
            names = {source: [n for n in owned if owned[n] == source] for source in sources}
            origins[path] = ", ".join(f"{s} ({', '.join(names[s])})" for s in sources)
    return replace(_build_config(values), origins=origins)
