from __future__ import annotations

import json as stdlib
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synapse_ls.text import fast_json

ATOMS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec="utf-8"))
)
KEYS = st.text(st.characters(codec="utf-8")) | st.integers() | st.booleans() | st.none()
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner) | st.tuples(inner, inner),
    max_leaves=20,
)
WORDS = ("null", "true", "false", "NaN", "Infinity", ".5", "e3", "\\u12", '"k"')
SCRAPS = st.lists(st.sampled_from([*WORDS, *'{}[],:"\\a10-', *" \n\t\f\0é\u2028"])).map("".join)


def same(a: Any, b: Any) -> bool:
    """Equality under which NaN equals itself and types count."""
    return repr(a) == repr(b)


@given(VALUES, st.none() | st.integers(0, 4), st.booleans())
def test_dumps_gives_the_bytes_of_the_standard_library(
    value: Any, indent: int | None, escape: bool
) -> None:
    separators = (",", ":") if indent is None else None
    theirs = stdlib.dumps(value, ensure_ascii=escape, indent=indent, separators=separators)
    assert fast_json.dumps(value, indent, ascii=escape) == theirs


@given(VALUES)
def test_loads_reads_what_the_standard_library_wrote(value: Any) -> None:
    text = stdlib.dumps(value)
    assert same(fast_json.loads(text), stdlib.loads(text))


@given(SCRAPS | st.text())
def test_loads_accepts_and_rejects_what_the_standard_library_does(text: str) -> None:
    try:
        theirs = stdlib.loads(text.removeprefix("\ufeff"))
    except ValueError:
        with pytest.raises(ValueError):
            fast_json.loads(text)
    else:
        assert same(fast_json.loads(text), theirs)


def test_a_bom_and_white_space_around_the_value_are_ignored() -> None:
    assert fast_json.loads('\ufeff \r\n\t{"a": 1}\n\n') == {"a": 1}


def test_the_last_of_duplicate_keys_wins() -> None:
    assert fast_json.loads('{"a": 1, "a": 2}') == {"a": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": "b', "an unclosed string at character 6"),
        ('{"a\n": 1}', "a control character inside of a string at character 3"),
        ('{"a" 1}', "expecting ':' delimiter at character 5"),
    ],
)
def test_an_error_says_what_is_wrong_and_once_where(text: str, said: str) -> None:
    with pytest.raises(fast_json.JsonError) as caught:
        fast_json.loads(text)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "offset"),
    [
        ("", 0),
        ("   ", 3),
        ('{"a": }', 6),
        ("[1, 2", 5),
        ('{"a": 1} x', 8),
        ("1 2", 1),
        ('  "abc', 2),
        ("\ufeff?", 1),
    ],
)
def test_an_error_names_the_offset(text: str, offset: int) -> None:
    with pytest.raises(fast_json.JsonError, match=f"at character {offset}") as caught:
        fast_json.loads(text)
    assert caught.value.offset == offset


def test_deep_nesting_is_a_value_error_when_read() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        fast_json.loads("[" * 200_000)


def test_a_number_beyond_the_interpreters_limit_is_a_value_error() -> None:
    with pytest.raises(ValueError):
        fast_json.loads("9" * 10_000)


def test_a_circular_value_is_a_value_error_when_written() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(ValueError, match="circular"):
        fast_json.dumps(value)


def test_a_value_that_json_cannot_hold_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="set is not JSON"):
        fast_json.dumps({"a": {1}})


def test_a_key_that_json_cannot_hold_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="keys must be"):
        fast_json.dumps({(1, 2): 1})


def test_lone_surrogates_survive_a_utf8_file() -> None:
    value = {"é\ud800": "😀\udfff"}
    text = fast_json.dumps(value)
    assert fast_json.loads(text.encode().decode()) == value
    assert "😀" in text


def test_nan_and_infinity_are_written_as_the_standard_library_writes_them() -> None:
    assert fast_json.dumps([math.nan, math.inf, -math.inf], None) == "[NaN,Infinity,-Infinity]"


PROBE = """
import sys
{before}
from synapse_ls.text import fast_json as json
assert json.loads(json.dumps({{"é": [1.5, None, "x"]}})) == {{"é": [1.5, None, "x"]}}
try:
    json.loads("[1, ?]")
except ValueError as error:
    assert error.offset == 4, error
print(json.dumps(sorted(m for m in ("re", "json", "typing", "enum") if m in before), None))
"""


def run(before: str, check: str = "") -> str:
    code = PROBE.replace("{before}", before).replace("{{", "{").replace("}}", "}")
    code = code.replace("try:", "before = set(sys.modules)\ntry:", 1)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_neither_re_nor_the_json_package_is_imported_for_good_input() -> None:
    assert run("") == "[]"


def test_the_json_package_does_the_work_where_the_c_functions_are_missing() -> None:
    assert "json" in run("sys.modules['_json'] = None")


def test_an_error_is_told_where_nobody_has_imported_the_json_package() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(Path(fast_json.__file__).parents[2])!r})\n"
        "from synapse_ls.text.fast_json import JsonError, loads\n"
        "try: loads('{\"a\": ')\n"
        "except JsonError as error: print(error.offset)\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "6"
