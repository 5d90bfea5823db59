"""Which domains come in, against a model of CARL v1 that is written down here from its description.

An empty keyword is left out of the comparison: it is the one thing about matching that is not imitated.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request, resolve_situation
from tests.engine.blocks import block
from tests.support import examples
from tests.trees import plan_of

NAMES = ("GLOBAL", "ALPHA", "BETA_2", "gamma", "CONSTITUTION", "AGENT_DEV")
WORDS = ("ship", "shipping", "rest api", "C++", "x", "über", "deploy")
STATES = ("active", "Active", "true", "YES", "1", "on", "inactive", "no", "", "0", "enabled")
FLAGS = ("true", "yes", "1", "on", "false", "TRUE", "")

words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(", ".join)
domain = st.fixed_dictionaries(
    {},
    optional={
        "STATE": st.sampled_from(STATES),
        "ALWAYS_ON": st.sampled_from(FLAGS),
        "RECALL": words,
        "EXCLUDE": words,
    },
)
prompts = st.lists(st.sampled_from((*WORDS, "SHIP", "flagship", "and")), max_size=5).map(" ".join)


def carl(manifest: dict[str, dict[str, str]], stops: str, prompt: str) -> set[str]:
    """The domains that CARL v1 loads."""
    said = prompt.lower()

    def has(listed: str) -> bool:
        return any(word.strip().lower() in said for word in listed.split(",") if word.strip())

    loaded = set()
    for name, keys in manifest.items():
        always = name == "GLOBAL" or keys.get("ALWAYS_ON", "").lower() in ("true", "yes", "1")
        state = keys.get("STATE")
        on = always if state is None else state.lower() in ("active", "true", "yes", "1")
        if not on:
            continue
        excluded = has(keys.get("EXCLUDE", "")) or has(stops)
        if always or (said and not excluded and has(keys.get("RECALL", ""))):
            loaded.add(name)
    return loaded


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.sampled_from(NAMES), domain), st.one_of(st.just(""), words), prompts)
def test_the_domains_are_those_that_carl_loads(
    manifest: dict[str, dict[str, str]], stops: str, prompt: str
) -> None:
    # A domain that no key mentions is none; GLOBAL_EXCLUDE is the list of the whole tree.
    manifest = {name: keys for name, keys in manifest.items() if keys}
    manifest.get("GLOBAL", {}).pop("EXCLUDE", None)
    manifest = {name: keys for name, keys in manifest.items() if keys}
    lines = [
        f"{name}_{key}={value}" for name, keys in manifest.items() for key, value in keys.items()
    ]
    lines += [f"GLOBAL_EXCLUDE={stops}"] if stops else []
    files = {".carl/manifest": "\n".join(lines) + "\n"}
    files |= {f".carl/{name.lower()}": f"{name}_RULE_0=Rule of {name}\n" for name in manifest}
    plan = plan_of(files)
    made = block(plan, prompt)
    told = {
        e.domain for s in made.sent_sections for e in s.entries if e.text.startswith("Rule of ")
    }
    assert told == carl(manifest, stops, prompt)


@given(prompts, st.integers(0, 200_000))
def test_the_bracket_is_that_of_carls_arithmetic(prompt: str, used: int) -> None:
    remaining = max(0, 100 - used * 100 // 200_000)
    expected = (
        "FRESH"
        if remaining >= 60
        else "MODERATE"
        if remaining >= 40
        else "DEPLETED"
        if remaining >= 25
        else "CRITICAL"
    )
    plan = plan_of({".carl/manifest": "GLOBAL_STATE=active\n"})
    found = resolve_situation(plan, Request(prompt), measure_usage(reported=remaining))
    assert found.bracket.name == expected
