"""This module lists the programs whose output sets up a shell, so that ``eval "$(…)"`` and
``source <(…)`` run nothing that anybody else has written.

Sources: the installation pages of the tools named.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

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
