"""This module joins paragraphs of a text, with an empty line between them."""

from __future__ import annotations


def join_paragraphs(*paragraphs: str) -> str:
    """Joins the paragraphs that are not empty, with a blank line between them."""
    return "\n\n".join(one for one in paragraphs if one)
