"""This module lists the output formats of ``synapse check``: a new one is a module here with
``write``, and a line below.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.check_report import Report


class Format(NamedTuple):
    """A Format is an output format in the registry. ``name`` calls it; ``description`` says in a
    few words what it is for.
    """

    name: str
    module: str
    description: str

    def load(self) -> Callable[[Report, Console], None]:
        """Imports the format and returns what writes a report to a console."""
        found: Any = import_module(f"synapse_ls.cli.formats.{self.module}")
        write: Callable[[Report, Console], None] = found.write
        return write


FORMATS = (
    Format("full", "full", "for people, with the source"),
    Format("concise", "concise", "a line for each finding"),
    Format("json", "json", "one list"),
    Format("json-lines", "json_lines", "an object a line"),
    Format("sarif", "sarif", "SARIF 2.1.0, for code scanning"),
    Format("github", "github", "annotations of GitHub Actions"),
    Format("gitlab", "gitlab", "GitLab's code quality report"),
    Format("junit", "junit", "JUnit XML, for test reports"),
)

BY_NAME = {form.name: form for form in FORMATS}
"""The formats by name; the first one is the default."""

ALIASES = {"text": "full"}
"""What other commands call a format, and its name here."""

HUMAN_FORMATS = ("full", "concise")
"""Formats that are read by people: remarks may stand beside them."""
