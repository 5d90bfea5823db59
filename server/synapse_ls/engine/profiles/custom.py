"""Profiles of a tree's own: ``[profiles.NAME]`` of the configuration, laid over the one it extends.

A word that the extended profile does not know is a fault with its place in the table; what is right
of a faulty profile still counts.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from synapse_ls.engine.profiles import registry

Table = dict[str, Any]
BUILT_IN = registry.MODULES
Written = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that cannot count.

    path: below ``profiles``. said: what is wrong, with its effect where there are no words. words:
    those that there are, where one of them was meant.
    """

    path: tuple[str | int, ...]
    said: str
    words: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is wrong, and its effect."""
        return f"{self.said}, so it does not count." if self.words else f"{self.said}."


@dataclass(slots=True)
class Made:
    """A table and what is wrong with it; ``base`` is the built-in profile it comes from."""

    table: Table
    base: str
    faults: list[Fault] = field(default_factory=list)


def names(written: Written) -> tuple[str, ...]:
    """The names of all profiles: the built-in ones, then those of the tree."""
    return (*BUILT_IN, *(name for name in written if name not in BUILT_IN))


def make(name: str, written: Written) -> Made | None:
    """The profile ``name``, None where there is none of that name."""
    builtin = registry.table(name)
    if builtin is not None:
        return Made(builtin, name)
    return _extended(name, written) if name in written else None


def faults(written: Written) -> Iterator[Fault]:
    """What is wrong with the profiles that are written, in their order."""
    for name in written:
        if name in BUILT_IN:
            yield Fault((name,), f"`{name}` is a profile already, so this one is never used")
        elif (made := make(name, written)) is not None:
            yield from made.faults


def _extended(name: str, written: Written) -> Made:
    said = written[name]
    extends = said.get("extends", "synapse")
    found: list[Fault] = []
    base = registry.table(extends)
    origin = extends
    circle = _circle(name, written)
    if base is None and extends in written and not circle:
        made = _extended(extends, written)
        base, origin = made.table, made.base
    elif base is None:
        known = tuple(other for other in names(written) if other not in (name, extends))
        what = (
            f"`{name}` extends itself by way of {circle}"
            if circle
            else f"There is no profile `{extends}`"
        )
        found.append(Fault((name, "extends"), what, known))
        base, origin = registry.table("synapse"), "synapse"
    assert base is not None
    table = {**base, "name": name}
    found += _changed(table, name, origin, said)
    return Made(table, origin, found)


def _circle(name: str, written: Written) -> str:
    """The profiles by which ``name`` extends itself, "" where it does not."""
    chain = [name]
    while (extends := written[chain[-1]].get("extends", "")) in written:
        chain.append(extends)
        if extends == name:
            return " → ".join(f"`{link}`" for link in chain)
        if extends in chain[:-1]:
            return ""
    return ""


def _changed(table: Table, name: str, origin: str, said: Mapping[str, Any]) -> Iterator[Fault]:
    """Lay what is said over ``table``, which comes from the built-in profile ``origin``."""
    yield from _frame(table, name, origin, said)
    if "layers" in said:
        asked = {layer: (layer, module) for layer, module in table["layers"]}
        found = yield from _known((name, "layers"), said["layers"], asked, "layer")
        table["layers"] = tuple(asked[layer] for layer in found)
        table["brackets"] = tuple(
            {**row, "layers": tuple(layer for layer in row["layers"] if layer in found)}
            for row in table["brackets"]
        )
    if "order" in said:
        found = yield from _known((name, "order"), said["order"], table["sections"], "section")
        table["sections"] = _first(found, table["sections"])
    classes = (*table["drop"], *table["protected"])
    if "protect" in said:
        found = yield from _known((name, "protect"), said["protect"], classes, "class of entries")
        added = [word for word in table["drop"] if word in found and word != "CUT_LINES"]
        table["protected"] = (*added, *table["protected"])
        table["drop"] = tuple(word for word in table["drop"] if word not in added)
    if "drop" in said:
        found = yield from _known((name, "drop"), said["drop"], classes, "class of entries")
        table["protected"] = tuple(word for word in table["protected"] if word not in found)
        table["drop"] = _first(found, (*table["drop"], *found))
    if "recall_prompts" in said:
        table["recall_prompts"] = said["recall_prompts"]
    yield from _brackets(table, name, said)


def _frame(table: Table, name: str, origin: str, said: Mapping[str, Any]) -> Iterator[Fault]:
    if "renderer" in said:
        other = registry.table(said["renderer"])
        if other is None:
            words = tuple(BUILT_IN)
            yield Fault((name, "renderer"), f"There is no profile `{said['renderer']}`", words)
        elif other.get("markup") and not table.get("markup"):
            what = (
                f"The block of `{said['renderer']}` is XML and the sections of `{origin}` are not"
            )
            yield Fault((name, "renderer"), f"{what}, so `renderer` does not count")
        else:
            table["layout"] = {**other["layout"], "indent": table["layout"]["indent"]}
    if "tag" in said:
        tag = said["tag"]
        if (
            tag
            and all(c.isascii() and (c.isalnum() or c in "-_") for c in tag)
            and tag[0].isalpha()
        ):
            between = table["layout"]["between"]
            frame = {"open": f"<{tag}>{between}", "close": f"{between}</{tag}>"}
            table["layout"] = {**table["layout"], **frame}
        else:
            yield Fault((name, "tag"), f"`{tag}` is no name of a tag: letters, digits, - and _")


def _brackets(table: Table, name: str, said: Mapping[str, Any]) -> Iterator[Fault]:
    rows: dict[str, Table] = {row["name"]: dict(row) for row in table["brackets"]}
    known = [layer for layer, _ in table["layers"]]
    for bracket, changes in said.get("brackets", {}).items():
        row = rows.get(bracket.upper())
        if row is None:
            row = dict(_holding(table["brackets"], changes.get("floor", 0)))
            row["name"] = bracket.upper()
            rows[row["name"]] = row
        for key, value in changes.items():
            if key == "layers":
                at = (name, "brackets", bracket, "layers")
                row["layers"] = tuple((yield from _known(at, value, known, "layer")))
            else:
                row[key] = value
    if "use_brackets" in said:
        upper = [word.upper() for word in said["use_brackets"]]
        found = yield from _known((name, "use_brackets"), upper, rows, "bracket")
        rows = {word: rows[word] for word in found} or rows
    if "brackets" in said or "use_brackets" in said:
        yield from _shared_out(table, name, said, rows)


def _shared_out(
    table: Table, name: str, said: Mapping[str, Any], rows: Mapping[str, Table]
) -> Iterator[Fault]:
    """Sort the brackets that hold at any time, each with the words for its share of the window."""
    ordered = sorted(rows.values(), key=lambda row: -row["floor"])
    within = [row for row in ordered if row["floor"] <= 100] or ordered[-1:]
    held: list[Table] = []

    def fault(row: Table, what: str) -> Fault:
        return Fault((name, "brackets", _spelled(said, row["name"]), "floor"), what)

    for row in ordered:
        if row not in within:
            what = f"`{row['name']}` begins at more than 100 percent, so it never holds"
            yield fault(row, what)
        elif held and row["floor"] == held[-1]["floor"]:
            what = f"`{row['name']}` begins where `{held[-1]['name']}` does, so it never holds"
            yield fault(row, what)
        else:
            held.append(row)
    last = held[-1]
    if last["floor"]:
        yield fault(last, f"`{last['name']}` is the last bracket, so it holds down to 0 percent")
        last["floor"] = 0
    upper = 100
    for row in held:
        row["layers"] = tuple(row["layers"])
        row["label"] = f"less than {upper}%" if row is last else f"{row['floor']}–{upper}%"
        upper = row["floor"]
    table["brackets"] = tuple(held)


def _spelled(said: Mapping[str, Any], bracket: str) -> str:
    """A bracket as the configuration writes it."""
    return next((word for word in said.get("brackets", {}) if word.upper() == bracket), bracket)


def _holding(rows: Collection[Table], floor: float) -> Table:
    """The bracket in which ``floor`` percent are left."""
    ordered = sorted(rows, key=lambda row: -row["floor"])
    return next((row for row in ordered if floor >= row["floor"]), ordered[-1])


def _known(
    path: tuple[str, ...], words: Sequence[str], known: Collection[str], what: str
) -> Generator[Fault, None, list[str]]:
    """The words that are known, each once; a fault for every other."""
    found: list[str] = []
    for position, word in enumerate(words):
        if word not in known:
            yield Fault((*path, position), f"There is no {what} `{word}`", tuple(known))
        elif word not in found:
            found.append(word)
    return found


def _first(words: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return (*words, *(word for word in others if word not in words))
