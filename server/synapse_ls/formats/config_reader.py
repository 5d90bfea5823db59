"""The values of a TOML file, checked one by one against a table of options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any

from synapse_ls.formats.config_schema import BY_PATH, GROUPS, OTHER_NAMES
from synapse_ls.formats.option import Option
from synapse_ls.formats.problem import Problem
from synapse_ls.formats.toml_places import Path, Place
from synapse_ls.formats.toml_text import dotted
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span


class Unusable(Exception):  # noqa: N818 - a finding about a value, not a fault
    """A value that a setting, or one item of it, cannot have."""

    def __init__(self, what: str, path: Path, kind: str = "bad-config-value", near: str = ""):
        super().__init__(what)
        self.what = what
        self.path = path
        self.kind = kind
        self.near = near


class Reader:
    """Reads what ``tomllib`` made of a file whose keys stand at the places of ``where``.

    ``options`` are those of the configuration unless others are given, by dotted path from the
    table that is read; ``groups`` are the tables inside it that hold options. ``effect`` is what
    comes of anything that cannot be read, where that is the same for all. Without one of the ``needed``
    options the table is of no use: where it cannot be read, `read` raises `Unusable`.
    """

    def __init__(
        self,
        where: Mapping[Path, Place],
        options: Mapping[str, Option] = BY_PATH,
        groups: frozenset[str] = GROUPS,
        effect: str = "",
        needed: frozenset[str] = frozenset(),
    ) -> None:
        self.problems: list[Problem] = []
        self._where = where
        self._options = options
        self._groups = groups
        self._base: Path = ()
        self._outer: Path = ()
        self._effect = effect
        self._needed = needed

    def read(
        self, data: Mapping[str, Any], base: Path = (), outer: Path | None = None
    ) -> dict[str, Any]:
        """The usable settings in ``data``, by dotted path; the rest is left in ``problems``.

        ``base`` is where the table ``data`` stands in its file, ``outer`` the part of it that
        messages leave out.
        """
        values: dict[str, Any] = {}
        self._base, self._outer = base, base if outer is None else outer
        self._table(data, base, values)
        return values

    def _table(self, data: Mapping[str, Any], path: Path, values: dict[str, Any]) -> None:
        for key, value in data.items():
            here = (*path, key)
            name = self._name(here)
            option = None if "." in key else self._options.get(name)
            if option:
                try:
                    values[name] = self._value(option, value, here)
                except Unusable as unusable:
                    if name in self._needed:
                        raise
                    if option.strict:
                        values[name] = option.strict
                    held = f'it counts as "{option.strict}"' if option.strict else ""
                    self._report(unusable, held or "its default holds")
            elif "." in key or name not in self._groups:
                group = self._name(path)
                known = (n.rpartition(".") for n in (*self._options, *self._groups))
                near = self._near(here, [last for first, _, last in known if first == group])
                meant = data.get(near) if near in self._groups else data
                held = self._held(group or near, meant, values)
                self._unknown(here, near, held or "this has no effect")
            elif isinstance(value, dict):
                self._table(value, here, values)
            else:
                held = self._held(name, value, values)
                self._report(Unusable("is not a table", here), held or "it has no effect")

    def _held(self, group: str, data: object, values: dict[str, Any]) -> str:
        """Take the strict reading of what a table does not say, since something in it cannot be
        read; the effect as part of a sentence, "" for none."""
        said = data if isinstance(data, dict) else {}
        effects = []
        for option in self._options.values():
            table, _, name = option.path.rpartition(".")
            if option.strict and table == group and name not in said:
                values[option.path] = option.strict
                effects.append(f'`{option.path}` counts as "{option.strict}"')
        return " and ".join(effects)

    def _value(self, option: Option, value: Any, path: Path) -> Any:
        return _READERS[option.kind](self, option, value, path)

    def _each(
        self, items: Iterable[tuple[Any, Any]], path: Path, read: Callable[[Any, Path], Any]
    ) -> Iterable[tuple[Any, Any]]:
        """The usable items of a list or table."""
        for key, item in items:
            here = (*path, key)
            try:
                yield key, read(item, here)
            except Unusable as unusable:
                what = "it" if unusable.path == here else "its table"
                self._report(unusable, f"{what} is ignored")

    def texts(self, option: Option, value: Any, path: Path) -> tuple[str, ...]:
        """A list of texts."""
        if not isinstance(value, list):
            raise Unusable("is not a list", path)
        found = self._each(enumerate(value), path, lambda item, at: _text(self, option, item, at))
        return tuple(item for _, item in found)

    def paths(self, option: Option, value: Any, path: Path) -> tuple[str, ...]:
        """A list of places inside the root, or a single one."""
        if isinstance(value, str):
            return (_inside(value, path),)
        if not isinstance(value, list):
            raise Unusable("is not a list", path)

        def read(item: Any, at: Path) -> str:
            return _inside(_text(self, option, item, at), at)

        return tuple(item for _, item in self._each(enumerate(value), path, read))

    def record(self, option: Option, value: Any, path: Path) -> dict[str, Any]:
        """A table with fields of its own."""
        if not isinstance(value, dict):
            raise Unusable("is not a table", path)
        fields = {field.path: field for field in option.fields}
        needed = frozenset(name for group in option.exactly_one for name in group)
        inner = Reader(self._where, fields, frozenset(), self._effect, needed)
        try:
            return inner.read(value, path, self._outer)
        finally:
            self.problems += inner.problems

    def records(self, option: Option, value: Any, path: Path) -> tuple[dict[str, Any], ...]:
        """A list of tables with fields of their own; one that lacks what it needs is left out."""
        if not isinstance(value, list):
            raise Unusable(f"is not a list of tables (write `[[{option.path}]]`)", path)

        def read(item: Any, at: Path) -> dict[str, Any]:
            found = self.record(option, item, at)
            for group in option.exactly_one:
                given = [name for name in group if name in item]
                if len(given) != 1:
                    names = f" {'and' if given else 'nor'} ".join(f"`{name}`" for name in group)
                    lack = "has neither " if len(group) > 1 else "has no "
                    raise Unusable(("has both " if given else lack) + names, at)
            return found

        return tuple(item for _, item in self._each(enumerate(value), path, read))

    def path(self, option: Option, value: Any, path: Path) -> str:
        """A place inside the root."""
        return _inside(_text(self, option, value, path), path)

    def _near(self, path: Path, known: Iterable[str]) -> str:
        return OTHER_NAMES.get(self._name(path)) or nearest(str(path[-1]), known)

    def _unknown(self, path: Path, near: str, effect: str) -> None:
        self.problems.append(
            Problem(
                "unknown-config-key",
                self._place(path).key,
                f"There is no setting `{self._told(path)}`, so {self._effect or effect}.",
                f"Write `{near}`." if near else "Delete it.",
                (("near", near),) if near else (),
            )
        )

    def _report(self, unusable: Unusable, effect: str) -> None:
        self.problems.append(
            Problem(
                unusable.kind,
                self._place(unusable.path).value,
                f"`{self._told(unusable.path)}` {unusable.what}, so {self._effect or effect}.",
                f"Write `{unusable.near}`." if unusable.near else "",
                (("near", unusable.near),) if unusable.near else (),
            )
        )

    def _name(self, path: Path) -> str:
        """How a setting is called: its names from the table that is read, with dots."""
        return dotted([part for part in path[len(self._base) :] if isinstance(part, str)])

    def _told(self, path: Path) -> str:
        """How a message calls a setting."""
        return dotted([part for part in path[len(self._outer) :] if isinstance(part, str)])

    def _place(self, path: Path) -> Place:
        while path and path not in self._where:
            path = path[:-1]
        return self._where.get(path, Place(Span(0, 0), Span(0, 0)))


def _text(_: Reader, option: Option, value: Any, path: Path) -> str:
    if not isinstance(value, str):
        raise Unusable("is not a text", path)
    if option.choices and value not in option.choices:
        words = ", ".join(f'"{choice}"' for choice in option.choices if choice)
        raise Unusable(f"is none of {words}", path, near=nearest(value, option.choices))
    return value


def _bool(_: Reader, __: Option, value: Any, path: Path) -> bool:
    if not isinstance(value, bool):
        raise Unusable("is neither true nor false", path)
    return value


def _int(_: Reader, option: Option, value: Any, path: Path) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unusable("is not a whole number", path)
    _verify_bounds(option, value, path)
    return value


def _number(_: Reader, option: Option, value: Any, path: Path) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value):
        raise Unusable("is not a number", path)
    _verify_bounds(option, value, path)
    return value


def _verify_bounds(option: Option, value: float, path: Path) -> None:
    if option.minimum is not None and value < option.minimum:
        raise Unusable(f"is less than {option.minimum}", path)
    if option.maximum is not None and value > option.maximum:
        raise Unusable(f"is more than {option.maximum}", path)


def _inside(text: str, path: Path) -> str:
    """A path with ``/`` that stays below the root."""
    outside = Unusable("names a place that is not below the root", path, "path-leaves-root")
    if text[:1] in ("/", "\\", "~") or text[1:2] == ":" or "\0" in text:
        raise outside
    parts: list[str] = []
    for part in text.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                raise outside
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise outside
    return "/".join(parts)


def _by_name(
    read: Callable[[Reader, Option, Any, Path], Any],
) -> Callable[[Reader, Option, Any, Path], dict[str, Any]]:
    def reader(self: Reader, option: Option, value: Any, path: Path) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Unusable("is not a table", path)
        return dict(self._each(value.items(), path, lambda v, at: read(self, option, v, at)))

    return reader


_READERS: Mapping[str, Callable[[Reader, Option, Any, Path], Any]] = {
    "text": _text,
    "bool": _bool,
    "int": _int,
    "number": _number,
    "texts": Reader.texts,
    "paths": Reader.paths,
    "text-by-name": _by_name(_text),
    "texts-by-name": _by_name(Reader.texts),
    "ints-by-name": _by_name(_int),
    "numbers-by-name": _by_name(_number),
    "tables-by-name": _by_name(_by_name(_text)),
    "records-by-name": _by_name(Reader.record),
    "records": Reader.records,
    "path": Reader.path,
}
