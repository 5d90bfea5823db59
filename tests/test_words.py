"""The words and the length of sentences: of the program, and of the pages about it."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

import synapse_ls
from tests.lsp.sentences import read_literals

ROOT = Path(__file__).parents[1]
SERVER = Path(synapse_ls.__file__).parent

_PROSE = json.loads((ROOT / "scripts/prose/.textlintrc.json").read_text("utf-8"))
_TERMS = [pattern for pattern, _ in _PROSE["rules"]["terminology"]["terms"]]

OLD_WORDS = re.compile(rf"\b(?:{'|'.join(_TERMS)})\b", re.IGNORECASE)
"""What is called inject, in context, deferred, revoked, active, inactive and activate. textlint
looks for the same words in pages, generated ones too.
"""

SENTENCE_END = re.compile(r"(?<=[.!?])[\"”)*]*\s+|\s*\n\s*\n\s*|\n(?=\s*[-#$*|>]|\s*\d+\.)")

NOT_SAID = {
    "cli/command_table.py": "a table of commands",
    "edits/domain_suggestions.py": "words that are looked for",
    "engine/text_search.py": "words that are looked for",
    "formats/act_commands.py": "commands that are looked for",
    "formats/instruction_rules.py": "names of tags",
    "guard/program_options.py": "names of programs",
    "memory/remark_patterns.py": "words of people that are looked for",
    "lint/rules/safety/instruction_override.py": "words of people that are looked for",
    "text/secret_names.py": "words that are looked for",
    "text/secret_shapes.py": "words that are looked for",
}
"""Modules whose texts are no sentences."""

EXCEPTIONS = {
    "Little of the context window is left: bring the current step to a safe point, record open "
    "work where the next session will find it, and continue in a new session.": "of 31 words, and "
    "a part of recorded blocks",
    "to from in into on onto for with without of at by directly only when unless if before after "
    "and or any all via a an the ever command commands operations": "words that are looked for",
}

GENERATED = (
    "docs/acts.md",
    "docs/agents",
    "docs/options.md",
    "docs/protocol.md",
    "docs/rules",
    "docs/schema",
)
"""Pages that are made of the sentences of the code, which are looked at there."""

MAX_PROGRAM_WORDS = 30
MAX_PAGE_WORDS = 35


def sentences(text: str) -> Iterator[str]:
    yield from filter(None, map(str.strip, SENTENCE_END.split(text)))


def help_texts(code: str) -> Iterator[str]:
    """The docstrings of commands and tools, which are their help."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
            yield ast.get_docstring(node) or ""


def program_sentences() -> Iterator[tuple[str, str]]:
    """Each sentence of the server, with the module that has it."""
    for path in sorted(SERVER.rglob("*.py")):
        module = path.relative_to(SERVER).as_posix()
        if module in NOT_SAID:
            continue
        code = path.read_text("utf-8")
        texts = [text for text, is_sought in read_literals(code) if " " in text and not is_sought]
        if module.startswith(("cli/", "mcp/")):
            texts.extend(help_texts(code))
        for text in texts:
            for sentence in sentences(text):
                yield module, re.sub(r"`[^`]*`", "`x`", sentence)


def pages() -> Iterator[Path]:
    yield from (ROOT / f"{name}.md" for name in ("README", "SECURITY", "CONTRIBUTING"))
    for path in sorted((ROOT / "docs").rglob("*.md")):
        if not path.relative_to(ROOT).as_posix().startswith(GENERATED):
            yield path


def page_sentences(page: Path) -> Iterator[str]:
    """The sentences of a page without its code; each cell of a table is one or several."""
    for token in MarkdownIt().enable("table").parse(page.read_text("utf-8")):
        if token.type == "inline":
            parts = token.children or ()
            yield from sentences("".join(map(_visible_text, parts)))


def _visible_text(part: Token) -> str:
    if part.type == "text":
        return part.content
    return {"code_inline": "x", "softbreak": " ", "hardbreak": "\n\n"}.get(part.type, "")


def test_the_program_speaks_in_the_words_of_the_field() -> None:
    wrong = [f"{module}: {text}" for module, text in program_sentences() if OLD_WORDS.search(text)]
    assert not wrong, "\n".join(wrong)


def test_a_sentence_of_the_program_is_short() -> None:
    wrong = [
        f"{module}: {len(text.split())} words: {text}"
        for module, text in program_sentences()
        if len(text.split()) > MAX_PROGRAM_WORDS and " ".join(text.split()) not in EXCEPTIONS
    ]
    assert not wrong, "\n".join(wrong)


def test_pages_speak_in_the_words_of_the_field() -> None:
    wrong = [
        f"{page.relative_to(ROOT)}: {text}"
        for page in pages()
        for text in page_sentences(page)
        if OLD_WORDS.search(text)
    ]
    assert not wrong, "\n".join(wrong)


def test_a_sentence_of_a_page_is_short() -> None:
    wrong = [
        f"{page.relative_to(ROOT)}: {len(text.split())} words: {text}"
        for page in pages()
        for text in page_sentences(page)
        if len(text.replace(" x", "").split()) > MAX_PAGE_WORDS and not text.startswith("nunca")
    ]
    assert not wrong, "\n".join(wrong)
