"""Two places ask another percentage of the same agents.

## What it does

Compares the thresholds of quality in the files of Chati.dev. Those that `chati.dev/constitution.md`
asks of every agent are compared with each other. Those of `domains/**.yaml` are compared with what
the constitution says in the same article or, where a rule restates none, of the same agent or
profile.

## Why it matters

An agent that gets both stops at the lower one, or never stops.

## Example

```bad
-- chati.dev/constitution.md --
## Article I: Quality

Every agent must achieve >= 95% before it presents results.
-- chati.dev/domains/constitution.yaml --
rules:
  - id: art-i
    text: "Quality of every agent is >= 90%."
```

```good
-- chati.dev/constitution.md --
## Article I: Quality

Every agent must achieve >= 95% before it presents results.
-- chati.dev/domains/constitution.yaml --
rules:
  - id: art-i
    text: "Quality of every agent is >= 95%."
```

## Evidence

mateusmetzker/Chati.dev: Article II asks 95 % of every agent and Article XVII 90 % of all others; at
v3.2.5 `domains/constitution.yaml` and `domains/global.yaml` say 90 % where the constitution says 95
%."""

import re
from collections.abc import Iterator

from synapse_ls.formats.chati import constitution_file
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.workspace import chati_places

_ARTICLE_NAME = lazy_pattern(r"\bart(?:icle)?-([ivxlcdm]+|\d+)\b", re.IGNORECASE)
_REMEDY = "Decide on one, and write it in both places."


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each threshold, a percentage, that conflicts with the constitution."""
    if isinstance(facts.document, constitution_file.ConstitutionDocument):
        # A finding for each article of the constitution that contradicts an earlier one.
        document = facts.document
        text = facts.text
        asked = [
            (article, threshold)
            for article in document.articles
            for threshold in article.thresholds
            if threshold.subject == constitution_file.EVERYBODY
        ]
        for article, threshold in asked[1:]:
            first = asked[0][1]
            if threshold.percent != first.percent:
                place = Related(chati_places.CONSTITUTION, first.span, f"{first.percent} % here.")
                yield Finding(
                    threshold.span,
                    f"Article {article.numeral} asks {threshold.percent} % of "
                    f"“{constitution_file.everybody_words(text, threshold)}”, "
                    f"and {first.percent} % is asked of "
                    f"“{constitution_file.everybody_words(text, first)}” before, "
                    "so nobody knows which counts.",
                    _REMEDY,
                    related=(place,),
                )
        return
    constitution = tree.snapshot.document(
        chati_places.CONSTITUTION, constitution_file.ConstitutionDocument
    )
    if constitution is not None:
        # A finding for each percentage in another file that contradicts the constitution.
        number = 0
        for start, end in iter_lines(facts.text):
            line = facts.text[start:end]
            if facts.path == chati_places.ARTICLES and (named := _ARTICLE_NAME.search(line)):
                number = constitution_file.parse_numeral(named.group(1))
            for percentage in constitution_file.find_thresholds(line, start):
                if (other := _conflicting_threshold(constitution, number, percentage)) is not None:
                    in_constitution = Related(
                        chati_places.CONSTITUTION, other.span, f"{other.percent} % here."
                    )
                    yield Finding(
                        percentage.span,
                        f"{percentage.percent} % is asked here, and `chati.dev/constitution.md` "
                        f"asks {other.percent} % of the same, so nobody knows which counts.",
                        _REMEDY,
                        related=(in_constitution,),
                    )


def _conflicting_threshold(
    document: constitution_file.ConstitutionDocument,
    number: int,
    threshold: constitution_file.Threshold,
) -> constitution_file.Threshold | None:
    """Return the threshold of the constitution that differs: one of the article that a rule
    restates or, for a rule that restates none, one of the same subject.

    A rule that restates an article and names nobody is about those of whom the article asks it.
    What another article asks of the same subject may be another measure.
    """
    article = document.article(number) if number else None
    subjects = {threshold.subject} if threshold.subject else {"", constitution_file.EVERYBODY}
    thresholds = [t for t in article.thresholds if t.subject in subjects] if article else []
    if article is None and threshold.subject:
        every = (t for article in document.articles for t in article.thresholds)
        thresholds = [t for t in every if t.subject == threshold.subject]
    if not thresholds or any(t.percent == threshold.percent for t in thresholds):
        return None
    return thresholds[0]
