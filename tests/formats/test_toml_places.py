from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.formats.toml_document import TomlPath, key_positions
from tests.support import mark

DOCUMENT = """\
# profile = "no"
profile = "x" # trailing
a.b."c.d" = [1, "]", [3], {k = "v}", l = 'q'}]

[lint]
select = [
  "a", # no ]
  "b",
]
text = \"\"\"
[fake]
x = 1
\"\"\"

[[section]]
label = "n"
[section.sub]
z = 2
[[section]]
label = "m"
[ lint . 'per path' ]
"**/x" = ["y"]
date = 1979-05-27 07:32:00
"""


def test_a_key_and_its_value_have_places() -> None:
    text, (key, value) = mark("# a = 1\n«a b»  = «'x # y'» # note\n".replace("a b", "ab"))
    assert key_positions(text)[("ab",)] == (key, value)


def test_a_table_has_the_place_of_its_name() -> None:
    text, (table, key) = mark("[«lint»]\n«select» = []\n")
    found = key_positions(text)
    assert (found[("lint",)].key, found[("lint", "select")].key) == (table, key)


def test_an_item_of_a_list_has_a_place() -> None:
    text, (place,) = mark("a = [ 1, # one\n  «'two'», ]\n")
    assert key_positions(text)[("a", 1)].value == place


def test_a_key_of_an_inline_table_has_a_place() -> None:
    text, (place,) = mark("a = { b = 1, «c» = 2 }\n")
    assert key_positions(text)[("a", "c")].key == place


def test_a_list_of_tables_is_numbered() -> None:
    text, (first, second) = mark("[[s]]\n«a» = 1\n[[s]]\n«a» = 2\n")
    found = key_positions(text)
    assert (found[("s", 0, "a")].key, found[("s", 1, "a")].key) == (first, second)


def test_quoted_keys_are_unescaped() -> None:
    assert ("a\tbé",) in key_positions('"a\\tb\\u00e9" = 1\n')


def test_windows_line_breaks_change_nothing() -> None:
    assert ("t", "b") in key_positions("a = [\r\n1,\r\n]\r\n[t]\r\nb = 1\r\n")


def paths(value: Any, path: TomlPath = ()) -> set[TomlPath]:
    found = {path} if path else set()
    if isinstance(value, dict):
        for key, item in value.items():
            found |= paths(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            found |= paths(item, (*path, number))
    return found


def test_every_path_of_a_document_is_found() -> None:
    assert set(key_positions(DOCUMENT)) == paths(tomllib.loads(DOCUMENT))


def test_a_value_is_the_source_of_what_it_holds() -> None:
    for path, place in key_positions(DOCUMENT).items():
        if path[0] == "a" and isinstance(path[-1], int):
            value: Any = tomllib.loads(DOCUMENT)
            for step in path:
                value = value[step]
            assert tomllib.loads(f"x = {place.value.cut(DOCUMENT)}") == {"x": value}


@pytest.mark.parametrize("text", ["", "[", "[]", "=", "a", "a =", "a = [", '"', "[[", "]", "a.b"])
def test_what_is_no_toml_is_scanned_all_the_same(text: str) -> None:
    for place in key_positions(text).values():
        assert place.value.end <= len(text)


names = st.text(min_size=1, max_size=4)
leaves = st.booleans() | st.integers() | st.text(max_size=6)
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


def inline(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote(k)} = {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return quote(value) if isinstance(value, str) else str(value)


def quote(text: str) -> str:
    plain = text.encode("ascii", "backslashreplace").decode()
    return (
        '"'
        + "".join(c if c.isprintable() and c not in '"\\' else f"\\u{ord(c):04x}" for c in plain)
        + '"'
    )


@given(st.dictionaries(names, trees, max_size=4))
def test_every_path_of_any_document_is_found(data: dict[str, Any]) -> None:
    text = "".join(f"{quote(key)} = {inline(value)}\n" for key, value in data.items())
    assert set(key_positions(text)) == paths(tomllib.loads(text))


@given(st.text(st.sampled_from("ab=.[]{}\"'#\\, \n\r\t1é")))
def test_any_text_gives_places_inside_it(text: str) -> None:
    for place in key_positions(text).values():
        assert 0 <= place.key.start <= place.key.end <= len(text)
        assert 0 <= place.value.start <= place.value.end <= len(text)


@pytest.mark.parametrize("opening", ["[", "{a = "])
def test_what_is_nested_too_deeply_keeps_the_places_before_it(opening: str) -> None:
    assert key_positions("first = 1\nsecond = " + opening * 9_000).keys() == {("first",)}
