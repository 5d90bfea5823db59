"""The configuration or a comment names a rule that does not exist.

## What it does

Reports codes, beginnings of codes and names, under `[lint]` and in the brackets of `synapse:
ignore` comments, that no rule of this version has.

## Why it matters

The entry has no effect: a finding that was to be silent is reported, or one that was asked for is
not.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[lint]
ignore = ["SYN999"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[lint]
ignore = ["SYN105"]
```

## Evidence

The index of the rules.

## Fix

An item of a list that is like no code and no name is deleted from it.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from synapse_ls.formats.config_settings import Config
from synapse_ls.formats.toml_document import TomlPath, key_positions
from synapse_ls.lint.comment_syntax import file_directives
from synapse_ls.lint.fixes import item_deletion_span, single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import is_known_selector
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_CODE = lazy_pattern(r"(?i:syn)\d*")


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each selector that means no rule, at the selector."""
    for directive in file_directives(facts):
        for named in directive.selectors:
            if not is_known_selector(named.value):
                yield _selector_finding(named.value, named.span)
    if not isinstance(facts.document, Config):
        return
    lint = facts.document.lint
    lists: dict[TomlPath, Sequence[str]] = {("select",): lint.select, ("ignore",): lint.ignore}
    lists |= {("per_path", pattern): selectors for pattern, selectors in lint.per_path.items()}
    names = [name for name in lint.severity if not is_known_selector(name)]
    is_all_known = not names and all(map(is_known_selector, chain(*lists.values())))
    places = {} if is_all_known else key_positions(facts.text)
    for name in names:
        yield _selector_finding(name, places["lint", "severity", name].key)
    for table, selectors in lists.items():
        for number, selector in enumerate(selectors):
            if is_known_selector(selector):
                continue
            items = [
                Text(word, places["lint", *table, place].key)
                for place, word in enumerate(selectors)
            ]
            finding = _selector_finding(selector, items[number].span)
            if not _meant_selector(selector):
                place = item_deletion_span(items, number)
                title = f"Delete `{selector}`"
                finding = finding._replace(fix=single_edit_fix(facts, title, place, ""))
            yield finding


def _selector_finding(selector: str, span: Span) -> Finding:
    """Return the finding for a selector that means no rule."""
    return Finding(
        span,
        f"The linter has no check `{selector}`, so this has no effect.",
        f"Write `{near_selector}`."
        if (near_selector := _meant_selector(selector))
        else "Write a code that `synapse rule` lists, or delete it.",
    )


@lru_cache(maxsize=1024)
def _meant_selector(selector: str) -> str:
    """Return the code, the beginning of codes or the rule name that was probably meant, else "".

    Of a code that only has another number nobody can tell which one that should be.
    """
    if is_known_selector(selector.upper()):
        return selector.upper()
    if _CODE.fullmatch(selector):
        return ""
    families = (rule.code[:4] for rule in all_rules())
    return nearest_word(
        selector, dict.fromkeys((*families, *(n for r in all_rules() for n in (r.code, r.name))))
    )
