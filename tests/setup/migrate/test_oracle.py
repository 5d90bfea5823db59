"""A migrated tree against CARL v1 itself, as it is documented: written here a second time, from its
grammar alone, so that neither the readers nor the engine can be wrong in both places."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.setup.migrate import migration_run
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.setup.migrate.trees import write
from tests.support import examples

BRACKETS = ("FRESH", "MODERATE", "DEPLETED", "CRITICAL")
TRUE = ("true", "yes", "1")


def pairs(text: str) -> list[tuple[str, str]]:
    """The lines with a key: trimmed, no comments, split at the first ``=``."""
    lines = (line.strip() for line in text.splitlines())
    cut = (line.partition("=") for line in lines if line and line[0] != "#" and "=" in line)
    return [(key.strip(), value.strip()) for key, _, value in cut]


def words(value: str) -> list[str]:
    return [item.strip().lower() for item in value.split(",") if item.strip()]


def carl(files: dict[str, str], prompt: str, bracket: str) -> set[str]:
    """The texts that CARL v1 tells."""
    manifest = dict(pairs(files["manifest"]))
    domains = dict.fromkeys(key.rpartition("_STATE")[0] or key.rpartition("_RECALL")[0]
                            or key.rpartition("_ALWAYS_ON")[0] for key in manifest)  # fmt: skip
    said = prompt.lower()
    stopped = any(word in said for word in words(manifest.get("GLOBAL_EXCLUDE", "")))
    told: set[str] = set()
    for domain in filter(None, domains):
        always = domain == "GLOBAL" or manifest.get(f"{domain}_ALWAYS_ON", "").lower() in TRUE
        state = manifest.get(f"{domain}_STATE")
        if not (always if state is None else state.lower() in (*TRUE, "active")):
            continue
        recall = words(manifest.get(f"{domain}_RECALL", ""))
        excluded = any(w in said for w in words(manifest.get(f"{domain}_EXCLUDE", "")))
        if always or (not stopped and not excluded and any(word in said for word in recall)):
            rules = pairs(files.get(domain.lower(), ""))
            told |= {value for key, value in rules if key.startswith(f"{domain}_RULE_") and value}
    context = pairs(files.get("context", ""))
    used = "DEPLETED" if bracket == "CRITICAL" else bracket
    if dict(context).get(f"{used}_RULES", "true").lower() in TRUE:
        told |= {v for k, v in context if k.startswith(f"{used}_RULE_") and v}
    for command in (word[1:] for word in prompt.split() if word[:1] == "*"):
        rules = pairs(files.get("commands", ""))
        told |= {v for k, v in rules if k.startswith(f"{command.upper()}_RULE_") and v}
    return told


def told(root: Path, prompt: str, bracket: str) -> set[str]:
    """The texts that the migrated tree tells."""
    plan = compile_plan(Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot()), str(root))
    made = assemble_block(
        plan, resolve_situation(plan, Request(prompt, bracket=bracket), measure_usage())
    )
    return {
        entry.text for section in made.wanted_sections for entry in section.entries if entry.file
    }


_DOMAINS = ("API", "WEB_UI", "ops")
_KEYWORDS = st.lists(st.sampled_from(["api", "test", "rest api", "UI"]), min_size=1, max_size=3)
_STATES = st.sampled_from(["active", "inactive", "TRUE", "1", "on", "no", "whatever"])


@st.composite
def trees(draw: st.DrawFn) -> dict[str, str]:
    lines = ["GLOBAL_STATE=" + draw(st.sampled_from(["active", "yes"]))]
    files = {"global": "GLOBAL_RULE_0=global\n"}
    if draw(st.booleans()):
        lines.append("GLOBAL_EXCLUDE=" + ", ".join(draw(_KEYWORDS)))
    for domain in _DOMAINS:
        own = [f"{domain}_RECALL=" + ",".join(draw(_KEYWORDS))]
        for suffix, values in (
            ("STATE", _STATES),
            ("ALWAYS_ON", st.sampled_from(["true", "on", "0", "Yes"])),
            ("EXCLUDE", _KEYWORDS.map(",".join)),
        ):
            if draw(st.booleans()):
                own.append(f"{domain}_{suffix}={draw(values)}")
        lines += draw(st.permutations(own))
        prefixes = [domain, domain.lower(), f"{domain}_X", "OTHER"]
        keys = draw(st.lists(st.sampled_from(prefixes), max_size=4))
        tails = ["RULE_0", "RULE_9", "RULE_AUTH_1", "RULE_x", "AUTH_0"]
        files[domain.lower()] = "".join(
            f"{key}_{draw(st.sampled_from(tails))} = {domain} {n}=a\n" for n, key in enumerate(keys)
        )
    switches = draw(
        st.lists(st.sampled_from(["FRESH_RULES=false", "DEPLETED_RULES=no", "FRESH_ENABLED=no"]))
    )
    files["context"] = "\n".join(
        [
            *switches,
            *(f"{bracket}_RULE_{n}=in {bracket} {n}" for n in (3, 1) for bracket in BRACKETS),
        ]
    )
    files["commands"] = "BRIEF_RULE_0=brief\nbrief_RULE_1=not read\nDEV_RULE_5=dev\nDEV_AUTH_0=no\n"
    return {**files, "manifest": "\n".join(lines)}


@settings(deadline=None, max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(
    files=trees(),
    prompt=st.lists(
        st.sampled_from(["latest", "api", "rest", "build", "hello", "*brief", "*Dev", "*x"]), max_size=5
    ).map(" ".join),
)  # fmt: skip
def test_every_prompt_is_told_what_carl_would_tell(files: dict[str, str], prompt: str) -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder, "shop")
        for name, text in files.items():
            write(root, f".carl/{name}", text.encode())
        migration_run.migrate_tree(root, 1_795_000_000.0)
        for bracket in BRACKETS:
            assert told(root, prompt, bracket) == carl(files, prompt, bracket)
