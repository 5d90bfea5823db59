"""Trees made at random of names and slips that meet each other, for what holds of every tree."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from tests.trees import Files

DOMAINS = ("TESTING", "TESTIN", "DOCS", "AGENT_DEV", "AGENT_QA", "WORKFLOW_LOAD")
BUILT_IN = ("GLOBAL", "CONTEXT", "COMMANDS", "CONSTITUTION")
WORDS = (
    *("test", "unit test", "latest", "café", "cafe", "c++", ".git", "repo", "email", "voicemail"),
    *('"unit test"', "test; email", "test*", "[test", "email]", "*", "", "<synapse-rules>"),
)
AGENTS = ("dev", "dve", "qa", "dev-lead", "dev_laed", "aiox-dev", "@qa", "dev,qa", "ghost", "")
WORKFLOWS = (
    *("load-data", "load_data", "laod_data", "story_development", "story_developmnet"),
    *("nightly", "load-data|nightly", "sdc", ""),
)
SWITCHES = ("true", "false", "yes", "of", "")
SETTINGS = {
    "STATE": st.sampled_from(("active", "active", "active", "inactive", "activ", "")),
    "RECALL": st.lists(st.sampled_from(WORDS), max_size=4).map(", ".join),
    "RECAL": st.sampled_from(WORDS),
    "EXCLUDE": st.lists(st.sampled_from(WORDS), max_size=2).map(",".join),
    "AGENT_TRIGGER": st.sampled_from(AGENTS),
    "WORKFLOW_TRIGGER": st.sampled_from(WORKFLOWS),
    "ALWAYS_ON": st.sampled_from(SWITCHES),
    "NON_NEGOTIABLE": st.sampled_from(SWITCHES),
    "PATHS": st.sampled_from(("src/**", "*.py, docs/*", "**/nowhere/*.rs", "")),
    "EVERY_N_TURNS": st.sampled_from(("1", "3", "0", "many")),
    "ON_TOKENS": st.sampled_from(("1000", "0", "x")),
}
RULE_FILES: tuple[Callable[[str], str], ...] = (
    lambda domain: f"{domain}_RULE_0=Say {domain.lower()} once.\n",
    lambda domain: f"{domain}_RULE_0=Say {domain.lower()} once.\n{domain}_RULE_0=Twice.\n",
    lambda domain: f"- Say {domain.lower()} in plain text.\n",
    lambda domain: f"{domain}_RULE_0=Phase fetch: a\n{domain}_RULE_1=Phase fetsh: b\n",
    lambda domain: f"OTHER_RULE_0=Said of {domain}.\nprose\n",
    lambda domain: f"{domain}_AUTH_0=BLOCKED: git push\n{domain}_RULE_1=Long\n" * 3,
    lambda domain: "".join(
        f"{domain}_RULE_{n}=Step {n} {'has a name and a date, ' * 50}and a witness.\n"
        for n in range(9)
    ),
    lambda _: "# Nothing yet.\n",
    lambda _: "",
)
NAMES: tuple[Callable[[str], str], ...] = (
    lambda domain: domain.lower().replace("_", "-"),
    lambda domain: domain.lower(),
    lambda domain: f"{domain.lower().replace('_', '-')}.md",
    lambda domain: f"{domain.lower().replace('_', '-')}s",
)
AROUND: tuple[Files, ...] = (
    {".claude/agents/dev.md": "---\nname: dev\n---\n"},
    {".claude/agents/dev-lead.md": "---\nname: dev-lead\n---\n"},
    {".claude/agents/qa.md": "```yaml\nagent: {id: qa}\ncommands: [brief, review]\n```\n"},
    {
        ".aiox-core/development/workflows/w.yaml": (
            "workflow: {id: load-data, sequence: [{id: fetch, agent: dev}, {id: store, agent: dve}]}\n"
        )
    },
    {".aiox-core/data/workflow-patterns.yaml": "workflows:\n  story_development: {}\n"},
    {
        ".aiox/a-state.yaml": (
            "workflow_id: laod-data\nworkflow_name: n\ninstance_id: a\ntarget_context: core\n"
            "status: active\ncurrent_step_index: 0\nsteps: [{step_index: 0, phase: fetch, agent: dve}]\n"
        )
    },
    {
        "squads/s/squad.yaml": (
            "name: s\nversion: 1.0.0\ncomponents: {agents: [loader.md]}\nconfig: {extends: extend}\n"
        ),
        "squads/s/agents/loader.md": "---\nname: loader\n---\n",
    },
    {"squads/s/squad.yaml": "name: s\nversion: 1.0.0\nconfig: {extends: none}\n"},
    {"squads/s/squad.yaml": "name: s\nversion: 1.0.0\nconfig: {extends: override}\n"},
    {".synapse/config.toml": 'profile = "synapse-live"\n'},
    {".synapse/config.toml": 'profile = "synapse"\nmatching = "substring"\n'},
    {".synapse/config.toml": '[workflow.aliases]\nload_data = "nightly"\n'},
    {".synapse/config.toml": "[prompt]\nmatch_everything = true\n"},
)


@st.composite
def homes(draw: st.DrawFn, folder: str) -> dict[str, str]:
    """The files of one folder of rules: a manifest and what stands beside it."""
    lines, files = [], {}
    for domain in draw(st.lists(st.sampled_from((*DOMAINS, *BUILT_IN)), unique=True, max_size=4)):
        chosen = draw(st.lists(st.sampled_from(tuple(SETTINGS)), unique=True, max_size=4))
        lines += [f"{domain}_{setting}={draw(SETTINGS[setting])}" for setting in chosen]
        name, write = draw(st.sampled_from(NAMES)), draw(st.sampled_from(RULE_FILES))
        if draw(st.integers(0, 4)):
            files[f"{folder}/{name(domain)}"] = write(domain)
    if draw(st.booleans()):
        lines.append(f"GLOBAL_EXCLUDE={draw(SETTINGS['EXCLUDE'])}")
    if draw(st.booleans()):
        lines = draw(st.permutations(lines))
    return {f"{folder}/manifest": "".join(f"{line}\n" for line in lines), **files}


@st.composite
def trees(draw: st.DrawFn) -> Files:
    """The files of a tree: a root, maybe a squad, and some of what may stand around them."""
    files: dict[str, str] = draw(homes(draw(st.sampled_from((".synapse",) * 4 + (".carl",)))))
    if draw(st.booleans()):
        files |= draw(homes("squads/s/.synapse"))
    for more in draw(st.lists(st.sampled_from(AROUND), max_size=5)):
        files |= more
    return files
