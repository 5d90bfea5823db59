"""Tables of command-line programs: options with a value, short options, equivalents, file uses.

Sources: git-scm.com/docs, cli.github.com/manual, and the manual pages of coreutils.
"""

from __future__ import annotations

from synapse_ls.formats.act_commands import act_verbs, equivalent_commands
from synapse_ls.guard.agent_action import DELETE, READ, WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import Final


def split_words(text: str) -> frozenset[str]:
    """Return the words of a row in a table of programs as a set."""
    return frozenset(text.split())


# Programs: the options whose value is the next word. Of others nobody knows.
_VALUE_OPTIONS: Final = """
    git: --attr-source --author -C -c --config --config-env --date --depth --exec -F --file
        --git-dir -m --max-count --message --namespace -o --push-option --receive-pack --repo
        --since --strategy --strategy-option --super-prefix --until --work-tree -X;
    gh: -a --assignee -B -b --base --body --body-file --cache -F -f --field -H --head --header
        --hostname --input --jq --json -L -l --label --limit -m --method --milestone -p --preview
        --project -q -R -r --raw-field --ref --repo --reviewer -S --search -t --template --title -X;
    npm: --access --audit-level --auth-type --before -C --ca --cache --cafile --cert --cpu --depth
        --editor --fetch-retries --fetch-timeout --git --globalconfig --https-proxy --include
        --install-strategy --key -L --libc --location --loglevel --logs-dir --logs-max -m
        --maxsockets --message --node-options --noproxy --omit --only --os --otp --pack-destination
        --prefix --preid --provenance-file --proxy --reg --registry --save-prefix --scope
        --script-shell --shell --tag --tag-version-prefix --umask --user-agent --userconfig --viewer
        -w --workspace;
    pnpm: --access -C --child-concurrency --dir -F --filter --filter-prod --lockfile-dir --loglevel
        --modules-dir --network-concurrency --otp --publish-branch --registry --reporter
        --resume-from --store-dir --tag --test-pattern --virtual-store-dir --workspace-concurrency;
    yarn: --access --cache-folder --cwd --global-folder --https-proxy --link-folder --modules-folder
        --mutex --network-concurrency --network-timeout --otp --preferred-cache-folder --proxy
        --registry --tag --use-yarnrc;
    poetry: -C --cert --client-cert --directory --dist-dir -P -p --password --project -r
        --repository -u --username;
    svn: --config-dir -F --file -m --message --password -r --revision --username;
    scp: -c -D -F -i -J -l -o -P -S -X;
    rsync: -@ --address -B --backup-dir --block-size --bwlimit --chmod --chown --compare-dest
        --compress-choice --compress-level --contimeout --copy-dest --debug -e --exclude
        --exclude-from -f --files-from --filter --groupmap --iconv --include --include-from --info
        --link-dest --log-file --log-file-format -M --max-delete --max-size --min-size
        --modify-window --out-format --partial-dir --password-file --port --protocol --remote-option
        --rsh --rsync-path --skip-compress --sockopts --suffix -T --temp-dir --timeout --usermap
        --write-batch;
    docker: -c --config --context -H --host -l --log-level -o --output --set;
    docker compose, docker-compose: -c --config --context --env-file -f --file -H --host -l
        --log-level -p --profile --progress --project-name;
    buildctl: --addr --frontend --local -o --opt --output --progress --secret;
    gradle: -b -c --console -D --exclude-task -g -I -P -p --project-dir --tests -x;
    mvn: -D --define -f --file -gs -l -P -pl -rf -s --settings -T -t --threads;
    kubectl: --as --as-group --as-uid -c --cache-dir --certificate-authority --client-certificate
        --client-key --cluster --container --context -f --filename --kubeconfig --kuberc -l -n
        --namespace -o --output --password --profile --profile-output --request-timeout -s
        --selector --server --tls-server-name --token --user --username --v -v --vmodule;
    terraform, request, chmod, git-send-pack, mkdir, cat, chown, touch, chgrp, ls, rm, rmdir:;
    cargo: -C --color --config --manifest-path -p --package --target -Z;
    curl: -A -b -C -c --cookie --cookie-jar -D -d --data --data-binary --data-raw -E -e -F --form -H
        -h --header --json -K -m -o --output -P --proxy -Q -r --request -T -t -U -u --upload-file
        --url --user -w -X -x -Y -y -z;
    glab: -d -F -f --field -H --header --input --method -R --raw-field --repo -t -X;
    ansible-playbook: -e --extra-vars -f --forks -i --inventory -l --limit --skip-tags -t --tags -u
        --user;
    ansible: -a --args -e --extra-vars -f --forks -i --inventory -l --limit -m --module-name -u
        --user;
    make: -C --directory -f --file -I -l --makefile -o -W;
    synapse: --agent --client --color --format --root --scope --session;
    cp, mv, ln: -S --suffix -t --target-directory"""
VALUE_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    name.strip(): split_words(options)
    for names, _, options in (row.partition(":") for row in _VALUE_OPTIONS.split(";"))
    for name in names.split(",")
}

# Program -> the letters of short options with a value, of programs that are not in that table.
_VALUE_LETTERS: Final = {
    "env": "uCS", "install": "gmoSt", "less": "bDhjkoOpPtTxyz", "patch": "BdDFgiopVxYz",
    "sort": "koStT", "tree": "HILoPT", "wget": "aABDeiIloOPQRtTUwX",
}  # fmt: skip


def valued_short_options(name: str) -> frozenset[str]:
    """Return the short options of a program that take a value; of others nobody knows."""
    letters = _VALUE_LETTERS.get(name, "")
    return VALUE_OPTIONS.get(name) or frozenset(f"-{letter}" for letter in letters)


def split_short_options(text: str, valued: Container[str]) -> tuple[str, str, str]:
    """Return the letters of a word of short options before the first that takes a value, that
    option ("" where none does), and what the word has of its value: the rest.
    """
    at = next((at for at, letter in enumerate(text) if at and f"-{letter}" in valued), len(text))
    return text[1:at], text[at:] and f"-{text[at]}", text[at + 1 :]


# Command -> option -> what it says in full, and what else it brings about.
OPTION_NAMES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "git push": {
        "-f": ("--force",),
        "--force-with-lease": ("--force",),
        "--force-if-includes": ("--force",),
        "--mirror": ("--force", "--delete"),
        "--prune": ("--delete",),
        "-d": ("--delete",),
        "--follow-tags": ("--tags",),
        "-u": ("--set-upstream",),
    },
    "git branch": {
        "-D": ("--delete", "--force"),
        "-d": ("--delete",),
        "-M": ("--move", "--force"),
        "-m": ("--move",),
        "-f": ("--force",),
    },
    "git tag": {"-d": ("--delete",), "-f": ("--force",)},
    "git clean": {"-f": ("--force",)},
    "git checkout": {"-f": ("--force",)},
    "git switch": {"-f": ("--force",)},
    "git fetch": {"-f": ("--force",), "-p": ("--prune",), "-t": ("--tags",)},
    "git add": {"-f": ("--force",), "-A": ("--all",), "-u": ("--update",)},
    "git rm": {"-f": ("--force",)},
    "git mv": {"-f": ("--force",)},
    "git commit": {"-n": ("--no-verify",), "-a": ("--all",)},
    "gh api": {"-X": ("--method",)},
    "cargo release": {"-x": ("--execute",)},
    "ansible": {"--args": ("-a",), "--module-name": ("-m",)},
    "buildctl build": {"-o": ("--output",)},
    "eas build": {"-s": ("--auto-submit",)},
    "gem bump": {"-p": ("--push",), "-r": ("--release",)},
    "komac update": {"-s": ("--submit",)},
    **{name: {"-d": ("--destination",)} for name in ("executor", "kaniko")},
    "docker compose": (_remote := {"-c": ("--context",), "-H": ("--host",)}),
    "docker-compose": _remote,
    "nx run-many": (_targets := {"-t": ("--target",), "--targets": ("--target",)}),
    "nx affected": _targets,
    "curl": {"-X": ("--request",)},
    "docker rm": {"-f": ("--force",), "-v": ("--volumes",)},
    "docker rmi": {"-f": ("--force",)},
    **{f"docker {name}": {"-o": ("--output",)} for name in ("build", "buildx", "image", "builder")},
    **{name: {"-g": ("--global",), "-f": ("--force",)} for name in ("npm", "pnpm")},
    **{
        name: {"-r": ("--recursive",), "-R": ("--recursive",), "-f": ("--force",)}
        for name in ("rm", "cp")
    },
    **{name: {"-f": ("--force",)} for name in ("mv", "ln")},
    **{name: {"-R": ("--recursive",)} for name in ("chmod", "chown", "chgrp")},
}

# Command -> options that change nothing of what it is about; "": of every command.
IDLE_OPTIONS: Final[Mapping[str, frozenset[str]]] = {
    "": split_words(
        "--quiet --verbose --progress --no-progress --dry-run --color --no-color --no-pager"
    ),
    "git push": split_words("-q -v -n -u --set-upstream --porcelain -C -4 -6 --ipv4 --ipv6"),
    "git fetch": split_words("-q -v -C"),
    "git pull": split_words("-q -v -C"),
    "git commit": split_words("-q -v"),
    "git tag": split_words("--create"),
}

# Programs that take several goals, of which each counts.
GOAL_PROGRAMS: Final = split_words("mvn gradle sbt rake lein mix mill rebar3 steamcmd")
# Program -> what goals of it begin with that take the words behind them.
ARGUMENT_GOALS: Final = {
    "sbt": ("test", "run", "project"),
    **dict.fromkeys(("lein", "mill"), ("test", "run")),
}
# How a goal ends that publishes nothing, and what it begins with, whatever it is of.
LOCAL_GOAL_ENDS: Final = ("ToMavenLocal", "publishLocal", "publishM2Local", ":help")
LOCAL_TASKS: Final = ("test", "compile", "assemble", "lint", "process")

# Program that takes the beginning of a subcommand for it -> how many letters that needs.
BEGINNINGS: Final[Mapping[str, int]] = {"npm": 3, "gem": 2, "gradle": 3}

# Program -> how many of its words say what is done; those that follow say to what.
SUBCOMMANDS: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        split_words(
            "git npm pnpm yarn bun pip uv poetry cargo go docker podman kubectl helm terraform"
            " tofu synapse"
        ),
        1,
    ),
    **dict.fromkeys(split_words("gh glab aws az gcloud"), 2),
}

# The program of a command -> pairs of the command and one that it has the effect of, as patterns.
EQUIVALENTS: Final[dict[str, list[tuple[str, str]]]] = {}
# The program of a command -> those that have a command with its effect.
EQUIVALENT_PROGRAMS: Final[dict[str, set[str]]] = {}
for _command, _effect in (
    *equivalent_commands(),
    ("gh api --method PATCH repos/*/pulls/*", "gh pr edit"),
    ("az repos pr update", "gh pr edit"),
    ("glab mr update", "gh pr edit"),
    ("gh issue new", "gh issue create"),
    ("gh api --method POST repos/*/issues", "gh issue create"),
    ("git checkout -b", "git branch"),
    ("git switch -c", "git branch"),
    ("git restore", "git checkout"),
    ("find -delete", "rm"),
    ("unlink", "rm"),
    ("shred", "rm"),
    ("remove-item", "rm"),
    ("del", "rm"),
    ("rmdir", "rm"),
    ("npm un", "npm uninstall"),
    ("npm rm", "npm uninstall"),
    ("npm remove", "npm uninstall"),
    ("npm i", "npm install"),
    ("npm add", "npm install"),
    ("uv pip install", "pip install"),
    ("uv pip uninstall", "pip uninstall"),
):
    _program = _command.partition(" ")[0]
    EQUIVALENTS.setdefault(_program, []).append((_command, _effect))
    EQUIVALENT_PROGRAMS.setdefault(_effect.partition(" ")[0], set()).add(_program)

# Programs that show their help, and do nothing, where they are asked for it.
ACT_PROGRAMS: Final = frozenset((*EQUIVALENTS, *EQUIVALENT_PROGRAMS)) - split_words(
    "request python python3 rm unlink shred del rmdir find remove-item"
)

# (a mutation of GitHub's GraphQL API, a command that it has the effect of).
GRAPHQL_MUTATIONS: Final = (
    ("createPullRequest", "gh pr create"),
    ("mergePullRequest", "gh pr merge"),
    ("enablePullRequestAutoMerge", "gh pr merge"),
    ("createRef", "git push"),
    ("updateRef", "git push --force"),
    ("deleteRef", "git push --delete"),
    ("createCommitOnBranch", "git push"),
    ("createIssue", "gh issue create"),
)

# git's own commands; what is not among them is an alias of somebody's, or a program ``git-…``.
GIT_COMMANDS: Final = split_words("""
    add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore
    check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone
    column commit commit-graph commit-tree config count-objects credential cvsexportcommit
    describe diff diff-files diff-index diff-tree difftool fast-export fast-import fetch
    fetch-pack filter-branch flow fmt-merge-msg for-each-ref for-each-repo format-patch fsck gc
    get-tar-commit-id grep gui hash-object help hook http-push index-pack init instaweb
    interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge
    merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv
    name-rev notes p4 pack-objects patch-id prune pull push range-diff read-tree rebase reflog
    refs remote repack replace replay request-pull rerere reset restore rev-list rev-parse revert
    rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stash
    status stripspace submodule subtree svn switch symbolic-ref tag unpack-file unpack-objects
    update-index update-ref update-server-info upload-pack var verify-commit verify-pack
    verify-tag version whatchanged worktree write-tree annex""")

# Extensions of git that change and show what is here, and reach no other repository.
LOCAL_EXTENSIONS: Final = split_words(
    "absorb authors cliff crypt delta effort fame filter-repo imerge quick-stats revise secret"
    " secrets sizer standup summary"
)

# Programs that a sentence of an authority boundary may name as its first word.
COMMAND_PROGRAMS: Final = split_words("""
    git gh glab hub jj npm npx pnpm yarn bun deno node python python3 pip pip3 uv poetry cargo
    rustup go make cmake gradle mvn docker docker-compose podman kubectl helm terraform tofu
    ansible ansible-playbook aws az gcloud heroku vercel netlify fly flyctl supabase prisma psql
    mysql sqlite3 mongosh redis-cli curl wget ssh scp rsync rm mv cp chmod chown sudo kill
    pkill systemctl service brew apt apt-get dnf yum pacman twine gem bundle rake rails composer
    php artisan dotnet nuget swift xcodebuild fastlane firebase serverless sls cdk pulumi alembic
    hg svn pdm hatch flit vsce ovsx nx lerna tea oras crane wrangler skaffold goreleaser
    synapse claude codex gemini copilot""")

# What programs do with the files that they name

OUTPUT_PROGRAMS: Final = split_words(
    "echo printf cd pushd popd export set unset alias test [ true false which command kill"
    " sleep date whoami hostname uname env printenv basename dirname"
    " test-path split-path join-path get-command get-help where"
    " write-host write-output write-verbose write-warning write-error"
)
RUNNING_PROGRAMS: Final = split_words("env command")
READ_PROGRAMS: Final = split_words(
    "cat ls dir head tail less more bat grep egrep fgrep rg ag ack find fd fdfind wc stat file diff"
    " cmp comm type gc sls findstr import-csv md5sum sha1sum sha256sum tree sort uniq cut tr jq yq "
    "od xxd hexdump strings nl tac column fold realpath readlink du df source . get-content "
    "select-string get-childitem gci get-item gi resolve-path"
)
# Programs that show names, sizes and times of files, and nothing that is in them.
LISTING_PROGRAMS: Final = split_words(
    "ls dir get-childitem gci get-item gi resolve-path stat realpath readlink du wc find fd fdfind"
)
# Programs that read the files whose names they get from a pipe, where they name none.
PIPED_READERS: Final = split_words("get-content gc")
GIT_LISTING_COMMANDS: Final = split_words("ls-files status check-ignore log")
# What options of `git log` begin with that show no more of files than their names.
LOG_LISTING: Final = (
    "--oneline", "--format", "--pretty", "--name-", "--stat", "--diff-filter", "--follow", "--all",
    "--since", "--until", "--author", "--date", "-n", "--no-pager",
)  # fmt: skip
# Options of any program that say what to leave out, and of a program: letters that may stand before
# one whose value is the next word, and those.
LEAVING_OUT: Final = ("--exclude=", "--exclude-dir=", "--ignore-pattern=")
LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("grep", "egrep", "fgrep"), "-ilnrRvw --exclude --exclude-dir"),
    "rsync": "-ahrtuvz --exclude", "diff": "-abiNqruwy --exclude -x", "tree": "-adf -I",
    "zip": "-rqy --exclude -x", "fd": "-H --exclude -E", "ag": "-l --ignore",
    "eslint": "- --ignore-pattern", "cspell": "- --exclude",
}  # fmt: skip
# What options begin with by which a program that lists files does more with them.
OPENING_OPTIONS: Final = ("-exec", "--exec", "-ok", "-fprint", "-fls", "-delete", "-x", "-X")
FILTER_PROGRAMS: Final = split_words(
    "grep egrep fgrep head tail wc sort uniq cut tr select-object select measure-object measure"
    " format-list fl format-table ft out-null"
)
SEARCH_PROGRAMS: Final = split_words("grep egrep fgrep rg ag ack findstr select-string sls jq")
PATTERN_OPTIONS: Final = ("-e", "-f", "--regexp", "--file", "--from", "-P", "-p", "/c:", "/g:")
# What is done with a file -> the subcommands of git that do it with those they are given.
GIT_USES: Final = {
    READ: split_words(
        "blame describe diff grep log ls-files ls-tree show status cat-file shortlog rev-parse"
        " rev-list hash-object add annotate range-diff diff-index diff-files diff-tree whatchanged"
        " format-patch fast-export difftool interpret-trailers merge-file checkout-index"
    ),
    DELETE: split_words("rm mv clean"),
    WRITE: split_words("checkout restore apply checkout-index merge-file interpret-trailers"),
}
# Those of `git stash` that take no path.
GIT_STASH_ACTIONS: Final = split_words("list show drop pop apply branch clear create store save")
SYNAPSE_READ_COMMANDS: Final = split_words(
    "check context explain why status domains sessions test diff rule schema log replay coverage"
    " guard doctor serve mcp hook"
)
WRITE_PROGRAMS: Final = split_words(
    "tee touch mkdir truncate chmod chown chgrp set-content add-content out-file new-item sc ac ni "
    "md clear-content clc tee-object export-csv set-item rename-item rni mklink attrib icacls"
)
DELETE_PROGRAMS: Final = split_words("rm rmdir unlink shred del erase remove-item ri rd")
MOVE_PROGRAMS: Final = split_words("mv move move-item rename mi ren")
COPY_PROGRAMS: Final = split_words(
    "cp ditto install ln rsync scp copy copy-item cpi xcopy robocopy"
)
# Programs that run nothing, whatever they are given.
INERT_PROGRAMS: Final = (
    OUTPUT_PROGRAMS
    | READ_PROGRAMS
    | WRITE_PROGRAMS
    | DELETE_PROGRAMS
    | MOVE_PROGRAMS
    | COPY_PROGRAMS
) - split_words("env command type find fd fdfind rsync scp less more sort source . alias")

FIND_NAME_OPTIONS: Final = ("-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-wholename")
# With these, what stands behind `!` may be what is looked for.
FIND_OPERATORS: Final = frozenset(("-o", "-or", "(", ",", "-fprintf"))
# Program -> the options that name a file it reads, those where ``@`` stands before one, those that
# name a file it writes, and those that name the folder it writes to.
TRANSFER_OPTIONS: Final = {
    "curl": (
        "-T --upload-file -K --config -E --cert --key --cacert --netrc-file",
        "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header -b "
        "--cookie --url-query --variable -w --write-out",
        "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save"
        " --libcurl --hsts --alt-svc",
        "--output-dir",
    ),
    "wget": (
        "--post-file --body-file -i --input-file",
        "",
        "-O --output-document -o --output-file -a --append-output --rejected-log --hsts-file"
        " --warc-file --save-cookies",
        "-P --directory-prefix",
    ),
    "gh": ("--body-file --notes-file --input -F", "-F --field", "", ""),
    **dict.fromkeys(("http", "https", "xh", "xhs"), ("", "", "-o --output", "")),
}

# What is no beginning of a longer option (`--netrc-file`), but an option of its own.
SHORTER_OPTIONS: Final = ("--head", "--netrc", "--body", "--notes")

# Program that reads its operands -> the options that name a file it writes.
WRITTEN_OPTIONS: Final = {
    "sort": ("-o", "--output"),
    **dict.fromkeys(("git archive", "git format-patch"), ("-o", "--output", "--output-directory")),
    "tree": ("-o",),
    "less": ("-o", "-O", "--log-file", "--LOG-FILE"),
    "find": ("-fprint", "-fprint0", "-fprintf", "-fls"),
    "git": ("--output", "--output-directory", "--export-marks"),
    "git index-pack": ("-o",),
    "synapse": ("--output-file", "--write-baseline", "--out", "--export", "--junit"),
}
PATCH_PROGRAMS: Final = split_words("patch gpatch apply_patch applypatch")
# With these a patch is only looked at.
PATCH_TRIALS: Final = split_words("--check --stat --numstat --summary --dry-run")
SECOND_IS_WRITTEN: Final = split_words("uniq xxd")
GIT_GLOBAL_OPTIONS: Final = ("-C", "-c", "--git-dir", "--work-tree", "--namespace")
# Programs that change or show the files they are given -> the letters of options with a value.
STREAM_EDITORS: Final = {
    **dict.fromkeys(("sed", "gsed"), "efl"), **dict.fromkeys(("perl", "ruby"), "eEMIrC"),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), "fFve"), "yq": "oI",
}  # fmt: skip

# Programs whose words are messages, patterns and questions.
TEXT_PROGRAMS: Final = INERT_PROGRAMS | frozenset(
    (
        "gh", "glab", "man", "tldr", "help", "info", "whatis", "apropos", "sed", "synapse", "curl",
        "wget", "read", "pbcopy", "xclip", "xsel", "clip",
        # Agents, whose words are prompts; what they do then, their own hooks judge.
        "claude", "codex", "gemini", "copilot", "opencode", "cursor-agent", "aider", "goose", "agy",
    )
)  # fmt: skip
# Programs whose other words are names of packages behind these.
PACKAGE_MANAGERS: Final = split_words(
    "npm pnpm yarn bun pip pip3 pipx uv poetry pdm cargo gem bundle brew apt apt-get dnf choco"
    " scoop winget composer conda mise asdf volta corepack"
)
# Those to which `_`, `.` and `-` are the same in a name, as are letters of either case (PEP 503).
PYTHON_INSTALLERS: Final = split_words("pip pipx uv poetry pdm")
PACKAGE_COMMANDS: Final = split_words(
    "install i add remove rm uninstall un update upgrade ls list view info show why outdated search"
)
# Options whose value is a text for people, or a pattern.
MESSAGE_OPTIONS: Final = frozenset(
    ("--grep", "--message", "--title", "--body", "--description", "--name", "--testNamePattern")
)

# Subcommands of git that run what they are given; its other words are messages and patterns.
GIT_RUNNERS: Final = frozenset(
    ("rebase", "bisect", "submodule", "filter-branch", "difftool", "mergetool", "config", "hook")
)

ACT_VERBS: Final[Mapping[str, frozenset[str]]] = act_verbs()
# Programs of which it is known what they do, and those whose words are names of somebody's own.
LISTED_PROGRAMS: Final = (
    TEXT_PROGRAMS
    | COMMAND_PROGRAMS
    | split_words(
        "sh bash zsh fish dash ksh nu perl lua julia rscript r java kotlin scala tsx ts-node time"
        " vi vim nvim nano emacs code cursor zed open xdg-open history whereis wget curl tar zip"
        " unzip gzip touch ssh-add rg make gmake just task mise rake invoke inv nox tox doit gulp"
        " grunt mage ninja bazel pants turbo nx lefthook husky pre-commit direnv act adb lxc incus"
        " vagrant minikube kind k3d yalc arduino-cli rabbitmqadmin tmux screen ghc rustc gcc cc"
        " clang javac pio pytest jest vitest eslint ruff mypy black prettier pylint tsc"
        " createdb dropdb"
    )
)
