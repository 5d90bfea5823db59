"""What the command line refuses: one sentence, and what to do instead.

`ServiceError`, `ManageError` and `SessionError` have the same two fields and are told the same way.
"""

from __future__ import annotations


class CliError(Exception):
    """A command that cannot be carried out as it was given."""

    def __init__(self, sentence: str, remedy: str = "") -> None:
        super().__init__(f"{sentence} {remedy}".rstrip())
        self.sentence = sentence
        self.remedy = remedy
