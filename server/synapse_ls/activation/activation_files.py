"""Read and cache the files that an activation needs, and quote text from them for a greeting.

Only regular files of bounded size are read, and none whose real path leaves the root or, in a
squad, the squad's folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from synapse_ls.activation.loader_runner import UnavailableError
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.storage import plan_cache
from synapse_ls.text.phrases import shorten_text
from synapse_ls.workspace import activation_folders, regular_files
from synapse_ls.workspace.file_reader import RefusedError, read_file

T = TypeVar("T")


def quote_line(text: str, most: int = 200) -> str:
    """Quote ``text``, for a greeting, as one harmless line of at most so many characters."""
    return shorten_text(neutralise_text(text), most)


def inline_code(text: str) -> str:
    """Quote somebody's words in a greeting as Markdown code on one line, which nothing in it can
    end.
    """
    return f"`{text.replace('`', '´')}`"


MEMO_FORMAT = 7  # counted up whenever what is remembered has another shape
# The name of the memory in the user's cache.
MEMO_KIND = f"activation-{MEMO_FORMAT}"

MOST_REMEMBERED = 200  # files that are remembered
_CLOCK_TICK = 20_000_000  # nanoseconds in which two changes may carry one time


class TreeFiles(activation_folders.WorkFolders):
    """The files of one tree that an activation needs. places: folders by sort, as the plan has
    them. memo: what an earlier activation has made of files, by path and sort, with the file's
    stamp.
    """

    def __init__(self, root: str, places: dict[str, Sequence[str]], memo: dict[str, Any]) -> None:
        super().__init__(root, places)
        self.memo = memo
        self.is_changed = False

    @classmethod
    def of_plan(cls, plan: Plan) -> TreeFiles:
        """Return the files of the tree of a plan, with what is remembered of them."""
        places = plan.settings.get("places", {})
        return cls(plan.root, places, plan_cache.read_memo(plan.root, MEMO_KIND))

    def save_memo(self) -> None:
        """Remember what was made of files, of the latest ones only."""
        if self.is_changed:
            memo = dict(list(self.memo.items())[-MOST_REMEMBERED:])
            plan_cache.write_memo(self.root, MEMO_KIND, memo)

    def read_text(self, path: str) -> str | None:
        """Return the text of a file, None where there is none; UnavailableError where it is not
        read.
        """
        if not regular_files.is_possible(path):  # a value of a file may name it
            return None
        if not (real := self.real_path(path)):
            raise UnavailableError(
                f"{path} leads out of the workspace, or to secrets, and was not read"
            )
        try:
            content = read_file(real, within=os.sep)
        except RefusedError as error:
            reason = error.sentence.rstrip(".")
            raise UnavailableError(f"{path}: {reason[:1].lower()}{reason[1:]}") from error
        return content.decoded.text if content else None

    def parse_file(
        self, sort: str, path: str, parse_text: Callable[[str], T], kind: type[T]
    ) -> T | None:
        """Return what ``parse_text`` makes of a file's text, a value of ``kind``; None where there
        is no file.

        A file that has not changed since an earlier activation is not read again, and then there
        are no syntax nodes in the value.
        """
        key = f"{sort}:{path}"
        if (stamp := regular_files.take_stamp(self.full_path(path))) is None:
            return None
        if (memo_entry := self.memo.get(key)) is not None and tuple(memo_entry[0]) == stamp:
            restore: Callable[[Any], T] = _restorer(cast("Any", kind))
            return restore(memo_entry[1])
        if (text := self.read_text(path)) is None:
            return None
        value = parse_text(text)
        if stamp[0] < time.time_ns() - _CLOCK_TICK:
            self.memo.pop(key, None)
            self.memo[key] = (stamp, _plain_value(value))
            self.is_changed = True
        return value


def _plain_value(value: Any) -> Any:
    """Return a value with tuples of their fields in the place of objects, without syntax nodes."""
    if isinstance(value, YamlNode):
        return None
    if is_dataclass(value):
        value = tuple(getattr(value, name) for name in value.__dataclass_fields__)
    return tuple(map(_plain_value, value)) if isinstance(value, tuple) else value


@cache
def _restorer(kind: Any) -> Callable[[Any], Any]:
    """Return what makes a value of a type, or None, from what `_plain_value` has made of it."""
    if _is_plain(kind):
        return lambda value: value
    if get_origin(kind) in (Union, UnionType):
        (kind,) = (member for member in get_args(kind) if member is not NoneType)
    build: Callable[[Iterable[Any]], Any] = tuple
    kinds = get_args(kind)
    if kinds[1:] == (...,):
        part = kinds[0]
        return lambda value: None if value is None else tuple(map(_restorer(part), value))
    if get_origin(kind) is not tuple:
        build, kinds = lambda values: kind(*values), tuple(get_type_hints(kind).values())
    nested = [index for index, part in enumerate(kinds) if not _is_plain(part)]

    def restore(value: Any) -> Any:
        if value is None:
            return None
        values = list(value)
        for index in nested:  # asked for only now: a type may have itself among its parts
            values[index] = _restorer(kinds[index])(values[index])
        return build(values)

    return restore


def _is_plain(kind: Any) -> bool:
    """Check whether a value of a type is kept as it is."""
    if get_origin(kind) in (Union, UnionType, tuple):
        return all(map(_is_plain, get_args(kind)))
    return not (is_dataclass(kind) or hasattr(kind, "_fields"))
