"""How well memories are found, against plain BM25.

    python -m tests.memory.retrieval [--misses]

For each set and each half of its questions: how often the best note is a right one, how often one is
told, mean reciprocal rank, recall at 10, tokens told of a question, at how many prompts that ask
nothing no more is told than ever, and notes told of a question that none answers.
"""

from __future__ import annotations

import argparse

from tests.memory.retrieval.evaluation import (
    half,
    measure,
    notes_of,
    ours,
    plain_bm25,
    questions_of,
    set_names,
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.memory.retrieval")
    parser.add_argument("--misses", action="store_true", help="questions not answered first (dev)")
    given = parser.parse_args()
    for name in set_names():
        questions = questions_of(name)
        print(f"{name}: {len(notes_of(name))} notes, {len(questions)} questions")
        print("half      search       n  first  told   MRR  recall@10  tokens  quiet  unanswered")
        searches = {"ours": ours(name), "plain BM25": plain_bm25(name)}
        for title, held_out in (("dev", False), ("held out", True)):
            for label, search in searches.items():
                f = measure(name, search, half(questions, held_out=held_out))
                print(
                    f"{title:9} {label:10} {f.questions:3} {f.first:6} {f.told:5} {f.mrr:5.2f} "
                    f"{f.recall:10.2f} {f.tokens:7.0f} {f.quiet:6.0%} {f.unanswered:11.1f}"
                )
        if given.misses:
            for one in half(questions, held_out=False):
                found = searches["ours"](one.text)
                if (one.answers and not {*found[:1]} & {*one.answers}) or (one.kind and found):
                    print(f"{one.kind or ' '} {one.text}\n    {one.answers}\n    {found[:4]}")


if __name__ == "__main__":
    main()
