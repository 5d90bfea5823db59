"""This module keeps many small byte strings in one large one, and cuts them out when they are
asked for.

A prompt looks at a few domains and keywords of thousands: those it does not need are
neither copied nor, where the large one is a file in memory (mmap), read.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Final, Protocol

    class Data(Protocol):
        """``bytes``, or a file that is mapped into memory."""

        def __getitem__(self, place: slice, /) -> bytes: ...


_OFFSET_BYTES: Final = 8  # bytes that tell where a string ends


def join_slices(strings: Iterable[bytes], start: int = 0) -> tuple[bytes, bytes]:
    """Returns all ``strings`` as one that begins at ``start``, and where each of them ends."""
    parts, ends = [], [start.to_bytes(_OFFSET_BYTES, "little")]
    for string in strings:
        start += len(string)
        parts.append(string)
        ends.append(start.to_bytes(_OFFSET_BYTES, "little"))
    return b"".join(parts), b"".join(ends)


class Slices:
    """A Slices has the strings of ``join_slices`` by their number; ``data`` is the whole of which
    they are a part.
    """

    __slots__ = ("_data", "_ends")

    def __init__(self, data: Data, ends: bytes) -> None:
        self._data = data
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends) // _OFFSET_BYTES - 1

    def __getitem__(self, number: int) -> bytes:
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._data[self._offset(number) : self._offset(number + 1)]

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def _offset(self, number: int) -> int:
        start = number * _OFFSET_BYTES
        return int.from_bytes(self._ends[start : start + _OFFSET_BYTES], "little")


class NamedSlices:
    """A NamedSlices has the same strings by name."""

    __slots__ = ("_numbers", "_slices")

    def __init__(self, names: Iterable[str], slices: Slices) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self._slices = slices

    def __getitem__(self, name: str) -> bytes:
        return self._slices[self._numbers[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._numbers
