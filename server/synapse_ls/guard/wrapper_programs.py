"""Programs that run another command (``sudo``, ``env``, ``xargs`` …), and where it begins.

Also programs whose output sets up a shell, which are safe in ``eval "$(…)"`` and ``source <(…)``.
Sources: the manual pages of coreutils, util-linux, sudo, findutils, OpenSSH and the tools named,
and their installation pages.
"""

from __future__ import annotations

from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from synapse_ls.guard.shell_parser import SimpleCommand


class Wrapper(Record):
    """How a program runs another command.

    values: options with a value in the next word. texts: options whose value is a command line.
    operands: words before the command. assigns: whether ``NAME=value`` may come before it.
    joined: whether the command's words are one command line. feeds: whether words that nobody
    knows are added to it. start: the words that must come first (``exec`` of ``docker exec``).
    mark: the word after which the command begins, "" where none is needed. packages: whether the
    command may carry a version, as a package's name does (``npm@latest``).
    """

    values: str = ""
    texts: str = ""
    operands: int = 0
    assigns: bool = False
    joined: bool = False
    feeds: bool = False
    start: str = ""
    mark: str = ""
    packages: bool = False


ONLY_OPERANDS: Final = 99  # `operands` of a program that runs what its options say, and no more

SHELLS: Final = frozenset((
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "xonsh",
    "nu", "elvish",
))  # fmt: skip
SHELL_VALUE_OPTIONS: Final = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
SHELL_COMMAND_OPTIONS: Final = frozenset(("--command",))
STDIN: Final = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")

# A value of one of these variables is a command line that some program runs.
RUN_VARIABLES: Final = frozenset(
    (
        "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "PROMPT_COMMAND", "LESSOPEN",
        "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_SSH", "GIT_SSH_COMMAND",
        "GIT_ASKPASS",
        "GIT_EXTERNAL_DIFF", "GIT_PROXY_COMMAND", "SSH_ASKPASS",
    )
)  # fmt: skip

# A value of one of these settings is a command line that git runs, and so is every ``….cmd``.
RUN_SETTINGS: Final = frozenset(
    (
        "core.editor", "core.pager", "core.sshcommand", "core.askpass", "core.fsmonitor",
        "core.gitproxy", "sequence.editor", "diff.external", "gpg.program", "credential.helper",
    )
)  # fmt: skip
RUN_SETTING_ENDS: Final = (
    ".cmd", ".command", ".textconv", ".clean", ".smudge", ".process", ".driver",
)  # fmt: skip

# How the variables begin that give git settings: all of them, or the name of one each.
GIT_SETTINGS: Final = ("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_KEY_")
GIT_SETTING_VALUE: Final = "GIT_CONFIG_VALUE_"

# Programs with ``alias set NAME EXPANSION``.
ALIASING_PROGRAMS: Final = ("gh", "glab")

# Programs that run what they are fed, later.
DEFERRED_PROGRAMS: Final = ("at", "batch")

# Programs that have a second name -> the first one.
PROGRAM_NAMES: Final = {
    "synapse-ls": "synapse", "synapse_ls": "synapse", "synapse_ls.__main__": "synapse",
    "gradlew": "gradle", "mvnw": "mvn", "mvnd": "mvn", "flyctl": "fly",
    "gcp": "cp", "gmv": "mv", "gln": "ln", "grm": "rm", "ginstall": "install", "gdd": "dd",
    "gtee": "tee", "vc": "vercel", "now": "vercel", "ntl": "netlify", "platformio": "pio",
    "eas-cli": "eas", "salt-ssh": "salt", "ghp_import": "ghp-import",
    "semantic_release": "semantic-release", "sfdx": "sf", "huggingface-cli": "hf",
    "firebase-tools": "firebase", "netlify-cli": "netlify",
}  # fmt: skip

# Modules that ``python -m`` runs -> the words that do the same; others have the program's name.
PYTHON_MODULES: Final = {
    "synapse_ls": ("synapse",), "synapse_ls.__main__": ("synapse",),
    "synapse_ls.hook": ("synapse", "hook"),
    "synapse_ls.hooks.hook_command": ("synapse", "hook"),
}  # fmt: skip
HOOK_SCRIPTS: Final = ("hook.py", "./hook.py")
# How the path of a script of ours ends -> the module that does the same.
SCRIPT_ENDS: Final = {
    "synapse_ls/hook.py": "synapse_ls.hook", "synapse_ls/__main__.py": "synapse_ls",
    "synapse_ls": "synapse_ls", "synapse_ls/": "synapse_ls",
    # of the extension for VS Code
    "dist/server": "synapse_ls", "dist/server/": "synapse_ls",
    "dist/server/__main__.py": "synapse_ls",
}  # fmt: skip

# Interpreters that take their program as a word -> the options before it.
INTERPRETERS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(("python", "pypy", "py", "guile"), frozenset(("-c",))),
    "node": frozenset(("-e", "--eval", "-p", "--print", "-pe")),
    **dict.fromkeys(("bun", "tsx", "ts-node"), frozenset(("-e", "--eval", "-p", "--print"))),
    **dict.fromkeys(("deno", "crystal"), frozenset(("eval",))),
    "perl": frozenset(("-e", "-E", "-ne", "-pe")),
    **dict.fromkeys(
        ("ruby", "lua", "osascript", "r", "rscript", "groovy", "scala", "raku", "luajit", "swift"),
        frozenset(("-e",)),
    ),
    "php": frozenset(("-r",)),
    "julia": frozenset(("-e", "-E", "--eval", "--print")),
    **dict.fromkeys(
        ("elixir", "clojure", "bb", "racket", "emacsclient"), frozenset(("-e", "--eval"))
    ),
    "erl": frozenset(("-eval",)),
    "sbcl": frozenset(("--eval",)),
    "emacs": frozenset(("--eval", "-eval")),
}

POWERSHELLS: Final = ("pwsh", "powershell")

# Interpreters whose first operand is the program.
CODE_PROGRAMS: Final = ("awk", "gawk", "mawk", "nawk")

# Editors whose first operand is a script.
SCRIPT_EDITORS: Final = ("sed", "gsed")

# Editors whose commands may name files -> the options before a command.
EDITORS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(SCRIPT_EDITORS, frozenset(("-e", "--expression"))),
    **dict.fromkeys(("vi", "vim", "nvim", "ex", "view"), frozenset(("-c", "--cmd"))),
    "ed": frozenset(),
}

_DOCKER_RUN: Final = (
    "-e --env -v --volume -w --workdir -u --user --name --network --net --entrypoint -p --publish"
    " --mount --env-file -l --label --platform --pull -m --memory --cpus -h --hostname --add-host"
)
_DOCKER_EXEC: Final = "-e --env -w --workdir -u --user --env-file --detach-keys --index"

# Program -> the ways in which it runs a command; the first whose ``start`` is there counts.
WRAPPERS: Final[Mapping[str, tuple[Wrapper, ...]]] = {
    **dict.fromkeys(
        [
            "builtin",
            "busybox",
            "chronic",
            "command",
            "eatmydata",
            "firejail",
            "linux32",
            "linux64",
            "nohup",
            "rtk",
            "setsid",
            "torify",
            "torsocks",
            "toybox",
            "tsocks",
            "unbuffer",
            "valgrind",
            "winpty",
        ],
        (Wrapper(),),
    ),
    "arch": (Wrapper("-d -e"),),
    "asdf": (Wrapper(start="exec", operands=0),),
    "bundle": (Wrapper("--gemfile", start="exec"),),
    "bunx": (Wrapper("-p --package", packages=True),),
    "caffeinate": (Wrapper("-t -w"),),
    "chpst": (Wrapper("-u -U -b -d -e -l -m -n -o -p"),),
    "chroot": (Wrapper("--userspec --groups", operands=1),),
    "chrt": (Wrapper("-T -P -D", operands=1),),
    "conda": (Wrapper("-n --name -p --prefix --cwd", start="run"),),
    "cpulimit": (Wrapper("-l -p -e --limit"),),
    "dbus-run-session": (Wrapper("--config-file --dbus-daemon"),),
    "direnv": (Wrapper(start="exec", operands=1),),
    "doas": (Wrapper("-u -C -a"),),
    "docker": (
        Wrapper(_DOCKER_EXEC, start="exec", operands=1),
        Wrapper(_DOCKER_RUN, start="run", operands=1),
        Wrapper(_DOCKER_EXEC, start="compose exec", operands=1),
        Wrapper(_DOCKER_RUN, start="compose run", operands=1),
    ),
    "docker-compose": (
        Wrapper(_DOCKER_EXEC, start="exec", operands=1),
        Wrapper(_DOCKER_RUN, start="run", operands=1),
    ),
    "doppler": (Wrapper(start="run", mark="--"),),
    "dotenv": (Wrapper("-e -f -c --env --file", start="run"), Wrapper("-e -f -c")),
    "dotenvx": (Wrapper("-f --env-file -e --env", start="run"),),
    "dumb-init": (Wrapper("-r --rewrite"),),
    "env": (Wrapper("-u --unset -C --chdir -a --argv0", texts="-S --split-string", assigns=True),),
    "exec": (Wrapper("-a"),),
    "fakeroot": (Wrapper("-l -s -i -b"),),
    "faketime": (Wrapper("-f", operands=1),),
    "flock": (Wrapper("-w --timeout -E", texts="-c --command", operands=1),),
    "gdb": (Wrapper("-ex -x", mark="--args"),),
    "gh": tuple(
        Wrapper("-c --codespace -R --repo", start=f"{name} ssh", joined=True)
        for name in ("codespace", "cs")
    ),
    "git": (
        Wrapper(start="submodule foreach", joined=True),
        Wrapper(start="bisect run"),
        Wrapper("-s -X --onto", texts="-x --exec", start="rebase", operands=ONLY_OPERANDS),
        Wrapper(
            texts="--tree-filter --index-filter --msg-filter --env-filter --commit-filter",
            start="filter-branch",
            operands=ONLY_OPERANDS,
        ),
    ),
    "gosu": (Wrapper(operands=1),),
    "hatch": (Wrapper("-e --env", start="run"),),
    "ionice": (Wrapper("-c -n -p --class --classdata"),),
    "kubectl": (Wrapper(start="exec", mark="--"),),
    "ltrace": (Wrapper("-e -o -p -n -s -u -l -a"),),
    "mise": (Wrapper(start="exec", mark="--"), Wrapper(start="x", mark="--")),
    "nerdctl": (Wrapper(_DOCKER_EXEC, start="exec", operands=1),),
    "nice": (Wrapper("-n --adjustment"),),
    "nix": (Wrapper(start="develop", mark="-c"), Wrapper(start="shell", mark="-c")),
    "nix-shell": (Wrapper(texts="--run --command"),),
    "npm": (
        Wrapper("-p --package", texts="-c --call", start="exec", packages=True),
        Wrapper("-p --package", texts="-c --call", start="x", packages=True),
    ),
    "npx": (Wrapper("-p --package", texts="-c --call", packages=True),),
    "nsenter": (Wrapper("-t -S -G --target"),),
    "numactl": (Wrapper("-N -m -C -i -p"),),
    "oc": (Wrapper(start="exec", mark="--"),),
    "op": (Wrapper("--env-file --account", start="run", mark="--"),),
    "parallel": (Wrapper("-j --jobs -S --sshlogin -a --arg-file -N -n", joined=True, feeds=True),),
    "pdm": (Wrapper("-p", start="run"),),
    "perf": (Wrapper("-e -o -p -F", start="record"), Wrapper("-e -o -p -r", start="stat")),
    "pipenv": (Wrapper(start="run"),),
    "pipx": (Wrapper("--spec --python --index-url -i --pip-args", start="run", packages=True),),
    "pixi": (
        Wrapper("-e --environment --manifest-path", start="run"),
        Wrapper("-c --channel -s --spec -p --platform", start="exec"),
    ),
    "pkexec": (Wrapper("--user"),),
    "pnpm": (
        Wrapper("--package", start="dlx", packages=True),
        Wrapper("-C --filter", start="exec"),
    ),
    "podman": (
        Wrapper(_DOCKER_EXEC, start="exec", operands=1),
        Wrapper(_DOCKER_RUN, start="run", operands=1),
    ),
    "poetry": (Wrapper("-C -P", start="run"),),
    "proxychains": (Wrapper("-f"),),
    "proxychains4": (Wrapper("-f"),),
    "rlwrap": (Wrapper("-f -H -s -S -p -C"),),
    "rsync": (Wrapper(texts="-e --rsh", operands=ONLY_OPERANDS),),
    "runuser": (Wrapper("-u -g -G -s", texts="-c --command --session-command"),),
    "rye": (Wrapper(start="run"), Wrapper(start="exec")),
    "screen": (Wrapper("-c -e -h -p -s -S -t -T"),),
    "script": (Wrapper("-T -I -O -B -E -o", texts="-c --command", operands=1),),
    "setarch": (Wrapper(operands=1),),
    "setpriv": (Wrapper("--reuid --regid --groups --inh-caps"),),
    "setuidgid": (Wrapper(operands=1),),
    "sg": (Wrapper(texts="-c", operands=1, joined=True),),
    "ssh": (
        Wrapper(
            "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B",
            operands=1,
            joined=True,
        ),
    ),
    "start-process": (Wrapper("-WorkingDirectory -FilePath"),),
    "stdbuf": (Wrapper("-i -o -e --input --output --error"),),
    "strace": (Wrapper("-e -o -p -s -u -E -P -a -O -S -I -b -X"),),
    "su": (Wrapper("-s -g -G -w", texts="-c --command", operands=ONLY_OPERANDS),),
    "su-exec": (Wrapper(operands=1),),
    "sudo": (
        Wrapper("-u -g -h -p -C -r -t -T -U -D -R -c --user --group --host --chdir", assigns=True),
    ),
    "systemd-run": (Wrapper("-p --property -u --unit -E --setenv --uid --gid --slice -M -H"),),
    "tar": (
        Wrapper(
            "-f --file -C --directory",
            texts="--to-command -I --use-compress-program --rmt-command --rsh-command",
            operands=ONLY_OPERANDS,
        ),
    ),
    "taskset": (Wrapper("-p", operands=1),),
    "time": (Wrapper("-f --format -o --output"),),
    "timeout": (Wrapper("-k --kill-after -s --signal", operands=1),),
    "tini": (Wrapper("-p -e"),),
    "tmux": (
        Wrapper("-c -e -n -t -F -s -x -y", start="new-session", joined=True),
        Wrapper("-c -e -n -t -F -s -x -y", start="new", joined=True),
        Wrapper("-c -e -n -t -F", start="new-window", joined=True),
    ),
    "tox": (Wrapper("-e --workdir --root --conf", start="exec", mark="--"),),
    "unshare": (Wrapper("-S -G -R -w"),),
    "uv": (
        Wrapper("-p --python --with --with-requirements --directory --project", start="run"),
        Wrapper("-p --python --with --from", start="tool run", packages=True),
    ),
    "uvx": (Wrapper("-p --python --with --from", packages=True),),
    "watch": (Wrapper("-n --interval -q", joined=True),),
    "wsl": (Wrapper("-d -u --cd --distribution --user --shell-type"),),
    "xargs": (
        Wrapper(
            "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --replace",
            feeds=True,
        ),
    ),
    "synapse": (
        Wrapper(texts="--summarizer", start="compact", operands=ONLY_OPERANDS),
        Wrapper(texts="--then", start="statusline", operands=ONLY_OPERANDS),
    ),
    "xvfb-run": (Wrapper("-e -f -n -p -s --server-args --server-num"),),
    "yarn": (Wrapper("-p", start="dlx", packages=True), Wrapper(start="exec")),
}


_COMPLETION: Final = ("completion", "completions", "--completion", "generate-completion")

# Program -> how its words begin where it prints a set-up; "" for any words, "-" for no operand.
SETUP_PRINTERS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            "argocd", "chezmoi", "deno", "docker", "flux", "gh", "glab", "golangci-lint", "helm",
            "just", "k3d", "k9s", "kind", "kubectl", "npm", "oc", "pdm", "poetry", "pnpm", "rustup",
            "task", "volta", "yq",
        ),
        _COMPLETION,
    ),
    "aws-vault": ("--completion-script-bash", "--completion-script-zsh"),
    "brew": ("shellenv",),
    "conda": tuple(f"shell.{name} {what}" for name in ("bash", "zsh", "posix", "fish", "powershell")
                   for what in ("hook", "activate")),
    "devbox": ("global shellenv", "shellenv"),
    "direnv": ("hook", "export"),
    "fnm": ("env", "completions"),
    "fzf": ("--bash", "--zsh", "--fish"),
    "gpgconf": ("--list-dirs",),
    "keychain": ("--eval",),
    "luarocks": ("path",),
    "minikube": ("docker-env", "podman-env", *_COMPLETION),
    "mise": ("activate", "hook-env", "env", *_COMPLETION),
    "navi": ("widget",),
    "opam": ("env", "config env"),
    "pipx": ("completions",),
    "pyenv": ("init", "virtualenv-init"),
    "rtx": ("activate", "env"),
    "starship": ("init", *_COMPLETION),
    "thefuck": ("--alias",),
    "uv": ("generate-shell-completion",),
    "uvx": ("--generate-shell-completion",),
    "vfox": ("activate",),
    **dict.fromkeys(("asdf", "podman", "synapse"), _COMPLETION),
    **dict.fromkeys(
        ("atuin", "goenv", "jenv", "mcfly", "nodenv", "oh-my-posh", "phpenv", "plenv", "rbenv",
         "tfenv", "tmuxifier", "zoxide"),
        ("init",),
    ),
    **dict.fromkeys(("dircolors", "resize", "ssh-agent"), ("-",)),
    **dict.fromkeys(("gcloud", "pip", "pip3"), ("completion",)),
    **dict.fromkeys(("lesspipe", "lesspipe.sh", "register-python-argcomplete"), ("",)),
    **dict.fromkeys(("mamba", "micromamba"), ("shell hook",)),
}  # fmt: skip


def prints_setup(command: SimpleCommand) -> bool:
    """Return whether a command is a program known for printing what sets a shell up, and nothing
    else: ``direnv hook bash``, ``ssh-agent -s``.
    """
    words = command.words
    if not words or command.feeder is not None or not all(word.is_known for word in words):
        return False
    folder, _, name = words[0].text.replace("\\", "/").rpartition("/")
    starts = SETUP_PRINTERS.get(name.removesuffix(".exe"), ())
    # One below the project may print anything.
    own = not folder or folder.startswith("/") or folder[1:2] == ":"
    operands = " ".join(word.text for word in words[1:])
    is_plain = all(word.text.startswith("-") for word in words[1:])
    return own and any(
        is_plain if start == "-" else not start or f"{operands} ".startswith(f"{start} ")
        for start in starts
    )
