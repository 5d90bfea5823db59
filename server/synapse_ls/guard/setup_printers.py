"""This module lists the programs that print what sets up a shell, so that ``eval "$(…)"`` and
``source <(…)`` run nothing that anybody else has written.

Sources: the installation pages of the tools named.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from synapse_ls.guard.shell_parser import SimpleCommand

_COMPLETION: Final = ("completion", "completions", "--completion", "generate-completion")

SETUP_PRINTERS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            "argocd", "chezmoi", "deno", "docker", "flux", "gh", "glab", "golangci-lint", "helm", "just",
            "k3d", "k9s", "kind", "kubectl", "npm", "oc", "pdm", "poetry", "pnpm", "rustup",
            "task", "volta", "yq",
        ),
        _COMPLETION,
    ),
    "asdf": _COMPLETION,
    "atuin": ("init",),
    "aws-vault": ("--completion-script-bash", "--completion-script-zsh"),
    "brew": ("shellenv",),
    "conda": tuple(f"shell.{name} {what}" for name in ("bash", "zsh", "posix", "fish", "powershell")
                   for what in ("hook", "activate")),
    "devbox": ("global shellenv", "shellenv"),
    "direnv": ("hook", "export"),
    "dircolors": ("-",),
    "fnm": ("env", "completions"),
    "fzf": ("--bash", "--zsh", "--fish"),
    "gcloud": ("completion",),
    "goenv": ("init",),
    "gpgconf": ("--list-dirs",),
    "jenv": ("init",),
    "keychain": ("--eval",),
    "lesspipe": ("",),
    "lesspipe.sh": ("",),
    "luarocks": ("path",),
    "mamba": ("shell hook",),
    "mcfly": ("init",),
    "micromamba": ("shell hook",),
    "minikube": ("docker-env", "podman-env", *_COMPLETION),
    "mise": ("activate", "hook-env", "env", *_COMPLETION),
    "navi": ("widget",),
    "nodenv": ("init",),
    "oh-my-posh": ("init",),
    "opam": ("env", "config env"),
    "phpenv": ("init",),
    "pip": ("completion",),
    "pip3": ("completion",),
    "pipx": ("completions",),
    "plenv": ("init",),
    "podman": _COMPLETION,
    "pyenv": ("init", "virtualenv-init"),
    "rbenv": ("init",),
    "register-python-argcomplete": ("",),
    "resize": ("-",),
    "rtx": ("activate", "env"),
    "ssh-agent": ("-",),
    "starship": ("init", *_COMPLETION),
    "synapse": _COMPLETION,
    "tfenv": ("init",),
    "thefuck": ("--alias",),
    "tmuxifier": ("init",),
    "uv": ("generate-shell-completion",),
    "uvx": ("--generate-shell-completion",),
    "vfox": ("activate",),
    "zoxide": ("init",),
}  # fmt: skip
"""Program -> how its words begin where it prints a set-up; "" for any words, "-" for no
operand."""


def prints_setup(command: SimpleCommand) -> bool:
    """Returns whether a command is a program known for printing what sets a shell up, and nothing
    else: ``direnv hook bash``, ``ssh-agent -s``.
    """
    words = command.words
    if not words or command.feeder is not None or not all(word.is_known for word in words):
        return False
    folder, _, name = words[0].text.replace("\\", "/").rpartition("/")
    starts = SETUP_PRINTERS.get(name.removesuffix(".exe"), ())
    # One below the project may print anything.
    own = not folder or folder.startswith("/") or folder[1:2] == ":"
    said = " ".join(word.text for word in words[1:])
    is_plain = all(word.text.startswith("-") for word in words[1:])
    return own and any(
        is_plain if start == "-" else not start or f"{said} ".startswith(f"{start} ")
        for start in starts
    )
