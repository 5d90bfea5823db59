"""The main entry point of the command line, which runs a command and reports errors.

Exit codes: 0 done, 1 done and the answer is no, 2 not possible, 130 interrupted. A closed output
pipe is no error and does not change the exit code.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from synapse_ls.cli.command_parser import Parser, create_program_parser, name_program, render_help
from synapse_ls.cli.command_table import ROWS, family_members, match_command
from synapse_ls.cli.console import Console, Part, Styled
from synapse_ls.cli.glossary import ALL_WORDS, MEANINGS, all_words, find_meaning
from synapse_ls.storage.atomic_files import PINS
from synapse_ls.text.lazy_import import register_module
from synapse_ls.text.user_error import UserError
from synapse_ls.version import VERSION
from synapse_ls.workspace import user_folders
from synapse_ls.workspace.naming_conventions import suggest_names

DONE, FAILED, INTERRUPTED = 0, 2, 130
DEBUG = "SYNAPSE_DEBUG"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, its main entry point, with ``arguments`` (default: those of the
    process); return the exit code.
    """
    console = Console()
    for variable in user_folders.forget_foreign_folders():
        console.note(f"{variable} counts for nothing: {user_folders.NOT_OF_USER}.")
    try:
        try:
            code = _run_command(sys.argv[1:] if arguments is None else arguments, console)
            console.raise_for_loss()
        except Exception as error:
            # Tell a person what happened.
            if os.environ.get(DEBUG):
                console.help(traceback.format_exc())
            if sentence := getattr(error, "sentence", ""):
                console.error(name_program(sentence), name_program(getattr(error, "remedy", "")))
            elif isinstance(error, FileNotFoundError) and not _has_working_directory():
                console.error("The working directory does not exist any more.", "Go to another.")
            else:
                failure = f"{type(error).__name__}: {error}".rstrip(": ")
                console.error(
                    f"Synapse LS failed where it should not: {failure}.",
                    f"Report this with the traceback that {DEBUG}=1 shows.",
                )
            code = FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        console.show_progress("")  # it hides the cursor of the terminal
        console.flush()
    return code


def _run_command(arguments: Sequence[str], console: Console) -> int:
    options = create_program_parser().read(arguments)
    words: list[str] = options.words
    console.color = getattr(options, "color", "auto")
    if words[:1] == ["help"]:
        return _explain_words([word for word in words[1:] if not word.startswith("-")], console)
    name = match_command(words)
    rest = words[len(name.split()) :]
    if options.version:
        console.line(f"synapse {VERSION}")
        return DONE
    before = rest[: rest.index("--")] if "--" in rest else rest
    if getattr(options, "help", False) or "-h" in before or "--help" in before:
        if rest and not name and not rest[0].startswith("-"):
            raise _unknown_command("", rest[0])
        _print_help(console, render_help(name))
        return DONE
    if name not in ROWS:
        if rest:
            raise _unknown_command(name, rest[0])
        console.help(render_help(name))
        return FAILED
    parser = Parser(name)
    del options.words, options.version
    options = parser.read(rest, options)
    console.color = getattr(options, "color", "auto")
    console.quiet = getattr(options, "quiet", False)
    register_module(PINS, "synapse_ls.storage.trusted_trees")
    assert parser.command is not None
    code = parser.command.run(options, console) or DONE
    if (root := getattr(options, "tree", "")) and user_folders.has_pins_or_policies():
        from synapse_ls.storage.trusted_trees import change_note

        console.notes(filter(None, [change_note(root)]))
    return code


def _has_working_directory() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _explain_words(words: Sequence[str], console: Console) -> int:
    """Do ``synapse help WORDS``: what they mean that commands print, and the help of a command."""
    if words == [ALL_WORDS]:
        for title, group in MEANINGS.items():
            console.line(Styled(f"{title}:", "title"))
            console.line(f"  {', '.join(group)}")
        return DONE
    name = match_command(words)
    meaning = find_meaning(" ".join(words))
    if words and not name and meaning is None:
        word = " ".join(words)
        raise UserError(
            f"`synapse` has no command and no word {word}.",
            suggest_names(
                word,
                [*(name for name, _ in family_members("")), *all_words()],
                "`synapse --help` lists the commands, and `synapse help words` the words.",
                shown="`synapse help {}`",
            ),
        )
    if meaning is not None:
        names, text, page = meaning
        console.line(Styled(names, "title"), f": {text}")
        if page:
            console.line(Styled(f"more: {page}", "dim"))
    if meaning is not None and name:
        console.line()
    if name or not words:
        _print_help(console, render_help(name))
    return DONE


def _print_help(console: Console, page: str) -> None:
    for line in page.splitlines():
        parts: tuple[Part, ...] = (line,)
        if line.endswith(":") and not line.startswith(" "):
            parts = (Styled(line, "title"),)
        elif line.startswith("  $ "):
            parts = ("  $ ", Styled(line[4:], "name"))
        elif line.startswith("  # "):
            parts = (Styled(line, "dim"),)
        console.line(*parts)


# Words for the same thing, by which people know it from other programs.
_SAME_WORDS = (
    ("new", "add", "create", "make"), ("remove", "forget", "delete", "rm", "drop"), ("list", "ls"),
    ("show", "get", "view", "cat"), ("check", "lint", "validate"), ("fmt", "format"),
    ("serve", "lsp", "server"), ("diff", "compare"),
)  # fmt: skip


def _unknown_command(group: str, word: str) -> UserError:
    last = [name.rpartition(" ")[2] for name, _ in family_members(group)]
    full = f"synapse {group}".rstrip()
    same = next((words for words in _SAME_WORDS if word in words), ())
    if synonym := next(filter(last.__contains__, same), ""):
        return UserError(f"`{full}` has no command {word}.", f"Did you mean `{full} {synonym}`?")
    return UserError(
        f"`{full}` has no command {word}.",
        suggest_names(word, last, f"`{full} --help` lists the commands.", shown=f"`{full} {{}}`"),
    )
