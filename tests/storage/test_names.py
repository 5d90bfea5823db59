"""File names of session ids."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synapse_ls.storage.session_store import is_named_after, session_file_stem

session_ids = st.text(st.characters(exclude_categories=()), min_size=1, max_size=300) | st.text(
    "aA.%_/~-", min_size=1, max_size=300
)
DEVICES = {"con", "prn", "aux", "nul", *(f"com{n}" for n in range(10)), "lpt0", "lpt9"}


@pytest.mark.parametrize(
    "session_id", ["3f2504e0-4f89-11d3-9a0c-0305e82c3301", "ex1", "a.b_c-d", "0", "console", "a..b"]
)
def test_the_usual_ids_are_their_own_name(session_id: str) -> None:
    assert session_file_stem(session_id) == session_id


@pytest.mark.parametrize(
    ("session_id", "name"),
    [
        ("../../../evil", "%2e.%2f..%2f..%2fevil"),
        ("..", "%2e%2e"),
        ("a/b", "a%2fb"),
        ("C:\\x", "%43%3a%5cx"),
        ("a\0b", "a%00b"),
        ("a b", "a%20b"),
        ("100%", "100%25"),
        ("_active-agent", "%5factive-agent"),
        (".hidden", "%2ehidden"),
        ("end.", "end%2e"),
        ("Abc", "%41bc"),
        ("nul", "%6eul"),
        ("com1.x", "%63om1.x"),
        ("é", "%c3%a9"),
        ("\udc80", "%ed%b2%80"),
    ],
)
def test_other_ids_are_escaped(session_id: str, name: str) -> None:
    assert session_file_stem(session_id) == name


def test_a_long_id_keeps_its_beginning() -> None:
    name = session_file_stem("x" * 1000)
    assert name.startswith("x" * 80 + "~")
    assert len(name) == 80 + 1 + 32


def test_the_empty_id_has_no_name() -> None:
    assert session_file_stem("") == ""


@given(session_ids)
@example("." * 300)
@example("%" * 43)
def test_a_name_is_safe_on_every_system(session_id: str) -> None:
    name = session_file_stem(session_id)
    assert name.isascii()
    assert name == name.lower()
    assert not set(name) & set('/\\:*?"<>| \0')
    assert name[0] not in "._"
    assert name[-1] not in ". "
    assert name.partition(".")[0] not in DEVICES
    assert len(name) <= 128


@given(session_ids, session_ids)
def test_no_two_ids_have_the_same_name(one: str, other: str) -> None:
    assert (session_file_stem(one) == session_file_stem(other)) == (one == other)


@given(session_ids)
def test_a_name_is_not_the_name_of_another_id(session_id: str) -> None:
    name = session_file_stem(session_id)
    assert name == session_id or session_file_stem(name) != name


@given(session_ids, session_ids)
def test_the_name_of_a_file_says_whose_it_is(one: str, other: str) -> None:
    assert is_named_after(session_file_stem(one), one)
    assert one == other or not is_named_after(session_file_stem(one), other)


def test_a_file_that_another_program_named_after_an_id_is_of_that_id() -> None:
    assert is_named_after("ABC", "ABC")
    assert not is_named_after(session_file_stem("ABC"), session_file_stem("ABC"))
