"""What a lens is, before and after it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts


@dataclass(frozen=True, slots=True)
class Lens:
    """A place with something to say about it; ``provider`` works it out when the lens is shown.

    ``subject`` is what it is about, in the provider's own words, such as a domain's label.
    """

    span: Span
    provider: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What a lens says. ``command`` is the command that a click runs, "" for none.

    ``arguments`` go with the command: names and strings as the command's own parameters.
    """

    title: str
    command: str = ""
    arguments: dict[str, str] = field(default_factory=dict)


class Provider(NamedTuple):
    """``find`` gives the subjects of a file with their places, cheaply; ``tell`` says it."""

    find: Callable[[View, FileFacts], Iterator[tuple[Span, str]]]
    tell: Callable[[View, FileFacts, str], Told | None]
