"""The persistent map against a dictionary."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.workspace.persistent_map import PersistentMap


class Colliding:
    """A key whose hash has few values."""

    def __init__(self, name: int) -> None:
        self.name = name

    def __hash__(self) -> int:
        return self.name % 3

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Colliding) and other.name == self.name


KEYS = st.integers(-(2**70), 2**70) | st.integers(0, 200) | st.text(max_size=3)
STEPS = st.lists(st.tuples(KEYS, st.none() | st.integers()), max_size=300)


@settings(deadline=None)
@given(STEPS)
def test_it_holds_what_a_dictionary_holds(steps: list[tuple[int | str, int | None]]) -> None:
    expected: dict[int | str, int] = {}
    actual: PersistentMap[int | str, int] = PersistentMap()
    for key, value in steps:
        if value is None:
            expected.pop(key, None)
            actual = actual.discard(key)
        else:
            expected[key] = value
            actual = actual.set(key, value)
    assert dict(actual) == expected
    assert len(actual) == len(expected)
    assert all(key in actual and actual.get(key) == value for key, value in expected.items())


@settings(deadline=None)
@given(STEPS)
def test_an_older_version_never_changes(steps: list[tuple[int | str, int | None]]) -> None:
    versions: list[tuple[PersistentMap[int | str, int], dict[int | str, int]]] = []
    current: PersistentMap[int | str, int] = PersistentMap()
    for key, value in steps:
        versions.append((current, dict(current)))
        current = current.discard(key) if value is None else current.set(key, value)
    assert all(dict(version) == content for version, content in versions)


def test_colliding_keys_are_kept_apart() -> None:
    keys = [Colliding(n) for n in range(200)]
    full: PersistentMap[Colliding, int] = PersistentMap()
    for key in keys:
        full = full.set(key, key.name)
    half = full
    for key in keys[::2]:
        half = half.discard(key)
    assert [full[key] for key in keys] == list(range(200))
    assert [key.name for key in keys if key in half] == list(range(1, 200, 2))


def test_a_map_that_shrinks_gives_its_branches_back() -> None:
    numbers: PersistentMap[int, int] = PersistentMap()
    for n in range(5_000):
        numbers = numbers.set(n, n)
    for n in range(4_990):
        numbers = numbers.discard(n)
    assert dict(numbers) == {n: n for n in range(4_990, 5_000)}
    assert type(numbers._root) is dict


def test_a_missing_key_is_no_change() -> None:
    one = PersistentMap[str, int]().set("a", 1)
    assert one.discard("b") is one
