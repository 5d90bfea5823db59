"""The error of the command line: one sentence, and what to do instead.

`UserError`, `EditError` and `StorageError` have the same two fields and are reported the same
way.
"""

from __future__ import annotations


class CliError(Exception):
    """The error of the command line that says that a command cannot be carried out as it was
    given.
    """

    def __init__(self, sentence: str, remedy: str = "") -> None:
        super().__init__(f"{sentence} {remedy}".rstrip())
        self.sentence = sentence
        self.remedy = remedy
