"""This module is ``synapse completion``: it prints what makes a shell complete commands, options and
names of the tree.

The scripts hold no list of their own: they ask ``synapse completion candidates``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from synapse_ls.cli.command_parser import ChoiceType
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import escape_controls
from synapse_ls.cli.word_completion import complete_words

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console

_BASH = r"""# Completion of synapse for bash
_synapse() {
    local current=${COMP_WORDS[COMP_CWORD]} line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        :files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "$current")) ;;
        :folders) compopt -o dirnames 2>/dev/null || COMPREPLY=($(compgen -d -- "$current")) ;;
        *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <("${COMP_WORDS[0]}" completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _synapse synapse synapse-ls
"""

_ZSH = r"""#compdef synapse synapse-ls
# Completion of synapse for zsh
_synapse() {
    local line
    local -a described
    while IFS= read -r line; do
        case $line in
        :files) _files; return ;;
        :folders) _files -/; return ;;
        esac
        described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done < <("${words[1]}" completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)
    _describe -V synapse described
}
if [ "$funcstack[1]" = "_synapse" ]; then
    _synapse "$@"
else
    compdef _synapse synapse synapse-ls
fi
"""

_FISH = r"""# Completion of synapse for fish
function __synapse_candidates
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l found ($words[1] completion candidates -- $words[2..-1] "$typed" 2>/dev/null)
    switch "$found[1]"
        case ':files'
            __fish_complete_path "$typed"
        case ':folders'
            __fish_complete_directories "$typed"
        case '*'
            printf '%s\n' $found
    end
end
complete -c synapse -f -a '(__synapse_candidates)'
complete -c synapse-ls -f -a '(__synapse_candidates)'
"""

_POWERSHELL = r"""# Completion of synapse for PowerShell
Register-ArgumentCompleter -Native -CommandName synapse, synapse-ls -ScriptBlock {
    param($typed, $line, $cursor)
    $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($typed -eq '') { $words += '""' }
    & "$($line.CommandElements[0])" completion candidates -- @words 2>$null | ForEach-Object {
        $word, $summary = $_ -split "`t", 2
        if (-not $word.StartsWith(':')) {
            if (-not $summary) { $summary = $word }
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $summary)
        }
    }
}
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}


def _add_shell_argument(parser: Parser) -> None:
    parser.add_argument(
        "shell", metavar="SHELL", type=ChoiceType(_SCRIPTS), help="bash, zsh, fish or powershell"
    )


def _print_script(options: Namespace, console: Console) -> int:
    console.write(_SCRIPTS[options.shell])
    return 0


def _add_words_argument(parser: Parser) -> None:
    parser.add_argument(
        "words",
        metavar="WORDS",
        nargs="...",
        help="what stands behind `synapse`, up to the word that is being typed, which may be empty",
    )


def _print_candidates(options: Namespace, console: Console) -> int:
    words = options.words
    with suppress(Exception):  # somebody is typing: a broken tree is not what this is about
        for one in complete_words(words[1:] if words[:1] == ["--"] else words):
            summary = escape_controls(" ".join(one.summary.split()))
            console.write(f"{one.word}\t{summary}\n" if summary else f"{one.word}\n")
    return 0


COMPLETION = Command(
    description="""\
Prints a script that makes a shell complete commands, options, rules of the linter, and the names that
the tree of the working directory has: agents, workflows, domains, rules, sessions. What it offers is
found anew each time, so the script stays as it is when Synapse LS gets newer.""",
    examples=(
        ("bash: now, and in each new shell", "synapse completion bash >> ~/.bashrc"),
        ("zsh", 'synapse completion zsh > "${fpath[1]}/_synapse"'),
        ("fish", "synapse completion fish > ~/.config/fish/completions/synapse.fish"),
        ("PowerShell", "synapse completion powershell >> $PROFILE"),
    ),
    arguments=_add_shell_argument,
    run=_print_script,
)  # fmt: skip

CANDIDATES = Command(
    description="""\
Prints a line for each way in which the last word can go on: the word, a tab, and what it is. A line
":files" or ":folders" leaves it to the shell. Names that would mean something to a shell are left out.""",
    examples=(
        ("Which options begin like this?", "synapse completion candidates -- context --ag"),
        ("Which agents are there?", 'synapse completion candidates -- context --agent ""'),
    ),
    arguments=_add_words_argument,
    run=_print_candidates,
)  # fmt: skip
