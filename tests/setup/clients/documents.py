"""Settings files as people write them, for hypothesis: any layout, comments, commas, line breaks."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from synapse_ls.integrations.client_settings import COMMENTS, CUT_COMMENTS, RELAXED, Client
from synapse_ls.integrations.settings_registry import CLIENTS

FOREIGN = "echo mine // not a comment"


class Layout(NamedTuple):
    """How one document is written."""

    newline: str
    unit: str
    comments: bool
    trailing: bool
    escapes_slashes: bool


@cache  # what is made anew for each example is checked anew as well, which takes longer than the draws
def layouts(name: str) -> st.SearchStrategy[Layout]:
    """The layouts that a client reads."""
    client = CLIENTS[name]
    return st.builds(
        Layout,
        st.sampled_from(["\n", "\r\n", "\r"]),
        st.sampled_from(["  ", "    ", "\t"]),
        st.booleans() if client.syntax in (COMMENTS, CUT_COMMENTS, RELAXED) else st.just(False),
        st.booleans() if client.syntax == RELAXED else st.just(False),
        st.just(client.syntax == CUT_COMMENTS),
    )


_SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.text(max_size=6)
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc", max_size=2), inner, max_size=3)
    ),
    max_leaves=5,
)


@cache
def settings(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Settings with other people's members, and perhaps hooks of theirs."""
    client = CLIENTS[name]
    handler = st.just({"type": "command", "command": FOREIGN})
    entry = st.one_of(handler, st.builds(lambda h: {"matcher": "x", "hooks": [h]}, handler))
    events = st.sampled_from([*client.events, "Foreign"])
    table: st.SearchStrategy[Any] = st.dictionaries(events, st.lists(entry, max_size=2), max_size=3)
    for key in reversed(client.table):
        table = st.builds(lambda inner, key=key: {key: inner}, table)
    place = client.places[0]
    constants = st.sampled_from([{}, dict(place.document_constants)])
    others = st.dictionaries(st.sampled_from(["a", "permissions", "ü"]), _VALUES, max_size=3)
    return st.builds(
        lambda first, own, fixed, last: {**first, **fixed, **own, **last},
        others,
        st.one_of(st.just({}), table),
        constants,
        st.dictionaries(st.sampled_from(["z", "model"]), _VALUES, max_size=1),
    )


@st.composite
def texts(draw: st.DrawFn, client: Client) -> str:
    """The text of a settings file."""
    layout = draw(layouts(client.name))
    value = draw(settings(client.name))
    # One draw for all that a hand may do to the layout: each of its own took longer than what is tested.
    hand = Random(draw(st.integers(0, 2**32)))
    space = hand.choice(["", " ", layout.newline])
    return space + _write(hand, layout, value, "") + hand.choice(["", layout.newline])


def _flip(hand: Random) -> bool:
    return hand.random() < 0.5


def _write(hand: Random, layout: Layout, value: Any, indent: str) -> str:
    if not isinstance(value, dict | list):
        text = json.dumps(value, ensure_ascii=_flip(hand))
        return text.replace("/", "\\/") if layout.escapes_slashes else text
    opening, closing = ("{", "}") if isinstance(value, dict) else ("[", "]")
    style = hand.choice(["block", "block", "line", "compact"])
    if style == "block":
        return _block(hand, layout, value, indent, opening, closing)
    gap = " " if style == "line" else ""
    if not value:
        return opening + gap + closing
    flat = layout._replace(comments=False, trailing=False)
    items = [_item(hand, flat, item, indent, gap) for item in _items(value)]
    return opening + gap + f",{gap}".join(items) + gap + closing


def _block(
    hand: Random, layout: Layout, value: Any, indent: str, opening: str, closing: str
) -> str:
    deeper = indent + layout.unit
    parts = [opening]
    items = _items(value)
    for number, item in enumerate(items):
        if layout.comments and _flip(hand):
            parts.append(f"{layout.newline}{deeper}{hand.choice(['// x, [', '/* y */'])}")
        parts.append(layout.newline + deeper + _item(hand, layout, item, deeper, " "))
        if number + 1 < len(items) or (layout.trailing and _flip(hand)):
            parts.append(hand.choice([",", " ,"]))
        if layout.comments and _flip(hand):
            parts.append(hand.choice([" // behind", " /* b */", "  /* b */ // c"]))
        parts.append(hand.choice(["", "", "  ", layout.newline]))
    if layout.comments and _flip(hand):
        parts.append(f"{layout.newline}{deeper}// last")
    return "".join(parts) + layout.newline + indent + closing


def _items(value: Any) -> list[Any]:
    return list(value.items()) if isinstance(value, dict) else list(value)


def _item(hand: Random, layout: Layout, item: Any, indent: str, gap: str) -> str:
    if isinstance(item, tuple):
        return f"{json.dumps(item[0])}:{gap}{_write(hand, layout, item[1], indent)}"
    return _write(hand, layout, item, indent)
