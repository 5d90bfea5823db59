"""This module packs many small byte strings into one large one, from which a compiled plan cuts out
what it is asked for.

What is not needed is neither copied nor, where the large one is a file in memory (mmap), read. Each
string has a digest of its own, so that what is damaged on the disk is found before it is believed.
"""

from __future__ import annotations

from synapse_ls.text.digest import DIGEST_BYTES, digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    class Data(Protocol):
        """``bytes``, or a file that is mapped into memory."""

        def __getitem__(self, place: slice, /) -> bytes: ...


OFFSET_BYTES = 8  # bytes that tell where a string ends


class DamagedPlanError(ValueError):
    """A DamagedPlanError says that a compiled plan which was stored is not what was written, and
    there is nothing that it could be replaced by.
    """


class Slices:
    """A Slices is the part of a compiled plan in which ``join_slices`` put strings, read by their
    number; ``data`` is the whole of which they are a part.

    spare: returns the same strings from elsewhere, should one of these turn out to be damaged.
    """

    __slots__ = ("_data", "_ends", "spare")

    def __init__(self, data: Data, ends: bytes) -> None:
        self._data = data
        self._ends = ends
        self.spare: Callable[[], Sequence[bytes]] | None = None

    def __len__(self) -> int:
        return len(self._ends) // OFFSET_BYTES - 1

    def __getitem__(self, number: int) -> bytes:
        if not 0 <= number < len(self):
            raise IndexError(number)
        start, end = self._offset(number), self._offset(number + 1) - DIGEST_BYTES
        string = self._data[start:end]
        if digest_of(string) == self._data[end : end + DIGEST_BYTES]:
            return string
        if self.spare is None:
            raise DamagedPlanError("a part of the stored plan is damaged")
        return self.spare()[number]

    def __iter__(self) -> Iterator[bytes]:
        return (self[number] for number in range(len(self)))

    def _offset(self, number: int) -> int:
        start = number * OFFSET_BYTES
        return int.from_bytes(self._ends[start : start + OFFSET_BYTES], "little")


def join_slices(strings: Iterable[bytes], start: int = 0) -> tuple[bytes, bytes]:
    """Returns the strings of a compiled plan, each with its digest, as one that begins at
    ``start``, and where each of them ends.
    """
    parts: list[bytes] = []
    ends = [start.to_bytes(OFFSET_BYTES, "little")]
    for string in strings:
        start += len(string) + DIGEST_BYTES
        parts += (string, digest_of(string))
        ends.append(start.to_bytes(OFFSET_BYTES, "little"))
    return b"".join(parts), b"".join(ends)


def read_slices(read: Callable[[int], bytes], ends: bytes) -> Slices:
    """Returns the strings of a compiled plan that `join_slices` has made a part of a file of, which
    ``read`` is at.
    """
    return Slices(read(int.from_bytes(ends[-OFFSET_BYTES:], "little")), ends)
