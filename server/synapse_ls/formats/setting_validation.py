"""Validate a TOML file by a table of options, and report unknown keys and bad values.

Defaults, validation and documentation share a row of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from math import isfinite
from typing import Any, NamedTuple

from synapse_ls.formats.toml_document import KeyPosition, TomlPath, dotted_key
from synapse_ls.text import edit_distance, path_globs
from synapse_ls.text.finding import Finding, problem_data
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import code_text
from synapse_ls.text.span import Span


class Option(NamedTuple):
    """One setting of a configuration file.

    ``path`` is its place in the file, dotted. ``kind`` is "text", "bool", "int", "number", "texts",
    "paths", "text-by-name", "texts-by-name", "ints-by-name", "numbers-by-name", "tables-by-name" (a
    text by name by name) or "records-by-name" (tables with ``fields``), "records" (a list of those,
    of which each has ``exactly_one`` field of some groups; where it ``is_located``, ``span`` and
    ``number`` say which one it is), "line-range" or "path". ``choices`` are the words that are
    allowed as text, in a map or list as its values. ``minimum`` and ``maximum`` are for numbers.
    ``strict`` is the value that holds where something is written that cannot be read: a slip of the
    pen must not switch off what keeps agents in bounds.
    """

    path: str
    kind: str
    default: object
    about: str
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    strict: str = ""
    fields: tuple[Option, ...] = ()
    exactly_one: tuple[tuple[str, ...], ...] = ()
    maximum: int | None = None
    is_located: bool = False


# What other linters call settings that there are here: dotted path -> our last name.
FOREIGN_NAMES: Mapping[str, str] = {
    "lint.disable": "ignore",
    "lint.enable": "select",
    "lint.extend-exclude": "exclude",
    "lint.extend-ignore": "ignore",
    "lint.extend-select": "select",
    "lint.per-file-ignores": "per_path",
}


@dataclass(eq=False)
class UnusableValue(Exception):  # noqa: N818 - a finding about a value, not a fault
    """An UnusableValue says that an option that was read, or one item of it, cannot have
    its value.
    """

    reason: str
    path: TomlPath
    kind: str = "bad-config-value"
    _: KW_ONLY
    suggestion: str = ""
    remedy: str = ""
    word: str = ""


class OptionReader:
    """An OptionReader reads the options in what ``tomllib`` made of a file whose keys stand at the
    places of ``where``.

    ``options`` are by dotted path from the table that is read; ``groups`` are the tables inside it
    that hold options. ``effect`` is what
    comes of anything that cannot be read, where that is the same for all. Without one of the
    ``needed`` options the table is of no use: where it cannot be read, `read` raises
    `UnusableValue`.
    """

    def __init__(
        self,
        where: Mapping[TomlPath, KeyPosition],
        options: Mapping[str, Option],
        groups: frozenset[str],
        effect: str = "",
        needed: frozenset[str] = frozenset(),
    ) -> None:
        self.problems: list[Finding] = []
        self._where = where
        self._options = options
        self._groups = groups
        self._base: TomlPath = ()
        self._outer: TomlPath = ()
        self._effect = effect
        self._needed = needed

    def read(
        self, data: Mapping[str, Any], base: TomlPath = (), outer: TomlPath | None = None
    ) -> dict[str, Any]:
        """Return the usable settings in ``data``, by dotted path; the rest is left in ``problems``.

        ``base`` is where the table ``data`` stands in its file, ``outer`` the part of it that
        messages leave out.
        """
        values: dict[str, Any] = {}
        self._base, self._outer = base, base if outer is None else outer
        self._read_table(data, base, values)
        return values

    def _read_table(self, data: Mapping[str, Any], path: TomlPath, values: dict[str, Any]) -> None:
        for key, value in data.items():
            here = (*path, key)
            name = self._setting_name(here)
            option = None if "." in key else self._options.get(name)
            if option:
                try:
                    values[name] = _READERS[option.kind](self, option, value, here)
                except UnusableValue as unusable:
                    if name in self._needed:
                        raise
                    if option.strict:
                        values[name] = option.strict
                    effect = "its default holds"
                    if isinstance(option.default, str) and option.default:
                        effect = f'the default `"{option.default}"` holds'
                    elif isinstance(option.default, int | float):
                        effect = f"the default `{str(option.default).lower()}` holds"
                    if option.default in (None, ""):
                        effect = "it is ignored"
                    if option.strict:
                        effect = f'it counts as "{option.strict}"'
                    self._report(unusable, effect)
            elif "." in key or name not in self._groups:
                group = self._setting_name(path)
                known = (n.rpartition(".") for n in (*self._options, *self._groups))
                name_known = [last for first, _, last in known if first == group]
                near = FOREIGN_NAMES.get(self._setting_name(here)) or edit_distance.nearest_word(
                    str(here[-1]), name_known
                )
                meant = data.get(near) if near in self._groups else data
                held = self._apply_strict_values(group or near, meant, values)
                effect = held or "this has no effect"
                self.problems.append(
                    Finding(
                        self._place(here).key,
                        f"There is no setting `{self._message_name(here)}`, so "
                        f"{self._effect or effect}.",
                        f"Write `{near}`." if near else "Delete it.",
                        kind="unknown-config-key",
                        data=problem_data(near=near),
                    )
                )
            elif isinstance(value, dict):
                self._read_table(value, here, values)
            else:
                held = self._apply_strict_values(name, value, values)
                self._report(UnusableValue("is not a table", here), held or "it has no effect")

    def _apply_strict_values(self, group: str, data: object, values: dict[str, Any]) -> str:
        """Set the strict values of what a table does not say, since something in it cannot be read;
        return the effect as part of a sentence, "" for none.
        """
        said = data if isinstance(data, dict) else {}
        effects = []
        for option in self._options.values():
            table, _, name = option.path.rpartition(".")
            if option.strict and table == group and name not in said:
                values[option.path] = option.strict
                effects.append(f'`{option.path}` counts as "{option.strict}"')
        return " and ".join(effects)

    def _read_items(
        self, items: Iterable[tuple[Any, Any]], path: TomlPath, read: Callable[[Any, TomlPath], Any]
    ) -> Iterable[tuple[Any, Any]]:
        """Yield the usable items of a list or table, with their keys."""
        for key, item in items:
            here = (*path, key)
            try:
                yield key, read(item, here)
            except UnusableValue as unusable:
                effect = "it is ignored" if unusable.path == here else "its table is ignored"
                self._report(unusable, effect)

    def _read_list(
        self,
        value: Any,
        path: TomlPath,
        read: Callable[[Any, TomlPath], Any],
        reason: str = "is not a list",
    ) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise UnusableValue(reason, path)
        return tuple(item for _, item in self._read_items(enumerate(value), path, read))

    def read_texts(self, option: Option, value: Any, path: TomlPath) -> tuple[str, ...]:
        """Return a list of texts as a tuple."""
        return self._read_list(value, path, lambda item, at: _read_text(self, option, item, at))

    def read_paths(self, option: Option, value: Any, path: TomlPath) -> tuple[str, ...]:
        """Return a list of places inside the root, or a single one, as a tuple."""
        if isinstance(value, str):
            return (_path_inside_root(value, path),)
        return self._read_list(value, path, lambda item, at: _read_path(self, option, item, at))

    def read_record(self, option: Option, value: Any, path: TomlPath) -> dict[str, Any]:
        """Return the fields of a table that has fields of its own."""
        if not isinstance(value, dict):
            raise UnusableValue("is not a table", path)
        fields = {field.path: field for field in option.fields}
        needed = frozenset(name for group in option.exactly_one for name in group)
        inner = OptionReader(self._where, fields, frozenset(), self._effect, needed)
        try:
            return inner.read(value, path, self._outer)
        finally:
            self.problems += inner.problems

    def read_records(
        self, option: Option, value: Any, path: TomlPath
    ) -> tuple[dict[str, Any], ...]:
        """Return the fields of each table of a list; a table that lacks what it needs is
        left out.
        """

        def read(item: Any, at: TomlPath) -> dict[str, Any]:
            record = self.read_record(option, item, at)
            for group in option.exactly_one:
                count = sum(name in item for name in group)
                if count != 1:
                    names = f" {'and' if count else 'nor'} ".join(f"`{name}`" for name in group)
                    lack = "has neither " if len(group) > 1 else "has no "
                    raise UnusableValue(("has both " if count else lack) + names, at)
            if option.is_located:
                record |= {"span": self._place(at).key, "number": at[-1]}
            return record

        reason = f"is not a list of tables (write `[[{option.path}]]`)"
        return self._read_list(value, path, read, reason)

    def _report(self, unusable: UnusableValue, effect: str) -> None:
        name, near = self._message_name(unusable.path), unusable.suggestion
        effect, reason = self._effect or effect, f"`{name}` {unusable.reason}"
        if unusable.word:
            reason = f"`{code_text(unusable.word)}` is not a value of `{name}`"
        self.problems.append(
            Finding(
                self._place(unusable.path).value,
                f"{reason}, so {effect}.",
                unusable.remedy,
                kind=unusable.kind,
                data=problem_data(near=near),
            )
        )

    def _setting_name(self, path: TomlPath) -> str:
        """Return how a setting is called: its names from the table that is read, with dots."""
        return dotted_key(path[len(self._base) :])

    def _message_name(self, path: TomlPath) -> str:
        return code_text(dotted_key(path[len(self._outer) :]))

    def _place(self, path: TomlPath) -> KeyPosition:
        while path and path not in self._where:
            path = path[:-1]
        return self._where.get(path, KeyPosition(Span(0, 0), Span(0, 0)))


def _read_text(_: OptionReader, option: Option, value: Any, path: TomlPath) -> str:
    if not isinstance(value, str):
        raise UnusableValue("is not a text", path)
    if option.choices and value not in option.choices:
        raise UnusableValue(
            "",  # the word says it
            path,
            suggestion=edit_distance.nearest_choice(value, option.choices),
            remedy=edit_distance.choice_remedy(value, option.choices, '"'),
            word=f'"{value[:40]}"',
        )
    return value


def _read_bool(_: OptionReader, __: Option, value: Any, path: TomlPath) -> bool:
    if not isinstance(value, bool):
        raise UnusableValue("is neither true nor false", path, remedy="Write `true` or `false`.")
    return value


def _read_int(_: OptionReader, option: Option, value: Any, path: TomlPath) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise UnusableValue("is not a whole number", path)
    _verify_bounds(option, value, path)
    return value


def _read_number(_: OptionReader, option: Option, value: Any, path: TomlPath) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise UnusableValue("is not a number", path)
    _verify_bounds(option, value, path)
    return value


def _verify_bounds(option: Option, value: float, path: TomlPath) -> None:
    if option.minimum is not None and value < option.minimum:
        raise UnusableValue(f"is less than {option.minimum}", path)
    if option.maximum is not None and value > option.maximum:
        raise UnusableValue(f"is more than {option.maximum}", path)


_LINE_RANGE = lazy_pattern(r"([1-9]\d{0,6})-([1-9]\d{0,6})")


def _read_line_range(
    reader: OptionReader, option: Option, value: Any, path: TomlPath
) -> tuple[int, int]:
    match = _LINE_RANGE.fullmatch(_read_text(reader, option, value, path).replace(" ", ""))
    if match is None:
        raise UnusableValue('is not the first and the last line, such as "10-40"', path)
    first, last = int(match[1]), int(match[2])
    if last < first:
        raise UnusableValue("ends before it begins", path)
    return first, last


def _read_path(reader: OptionReader, option: Option, value: Any, path: TomlPath) -> str:
    return _path_inside_root(_read_text(reader, option, value, path), path)


def _path_inside_root(text: str, path: TomlPath) -> str:
    """Return a path with ``/`` that stays below the root; raise `UnusableValue` for one that leaves
    it.
    """
    if not (inside := path_globs.resolve_inside("", text)):
        raise UnusableValue("names a place that is not below the root", path, "path-leaves-root")
    return inside


def _mapping_reader(
    read: Callable[[OptionReader, Option, Any, TomlPath], Any],
) -> Callable[[OptionReader, Option, Any, TomlPath], dict[str, Any]]:
    def reader(self: OptionReader, option: Option, value: Any, path: TomlPath) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise UnusableValue("is not a table", path)
        return dict(self._read_items(value.items(), path, lambda v, at: read(self, option, v, at)))

    return reader


_READERS: Mapping[str, Callable[[OptionReader, Option, Any, TomlPath], Any]] = {
    "text": _read_text,
    "bool": _read_bool,
    "int": _read_int,
    "number": _read_number,
    "texts": OptionReader.read_texts,
    "paths": OptionReader.read_paths,
    "text-by-name": _mapping_reader(_read_text),
    "texts-by-name": _mapping_reader(OptionReader.read_texts),
    "ints-by-name": _mapping_reader(_read_int),
    "numbers-by-name": _mapping_reader(_read_number),
    "tables-by-name": _mapping_reader(_mapping_reader(_read_text)),
    "records-by-name": _mapping_reader(OptionReader.read_record),
    "records": OptionReader.read_records,
    "line-range": _read_line_range,
    "path": _read_path,
}
