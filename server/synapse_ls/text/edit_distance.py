"""Suggest the word that a misspelt word probably means, by edit distance."""

from collections.abc import Iterable


def edit_distance(a: str, b: str, limit: int) -> int:
    """Return the edit distance: how many typing slips turn ``a`` into ``b``, or ``limit + 1`` if
    there are more than ``limit``.

    A slip is a wrong, missing or extra character, or two neighbours swapped (the optimal string
    alignment distance).
    """
    # A slip changes which characters there are by two at most.
    if abs(len(a) - len(b)) > limit or len(set(a) ^ set(b)) > 2 * limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        two_before, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


def nearest_word(word: str, options: Iterable[str]) -> str:
    """Return the word at the least edit distance, the option that ``word`` most likely misspells,
    or "".

    Case is ignored. One slip is allowed for every four characters of the option, at least one; an
    option that equals ``word`` exactly is no misspelling and gives "".
    """
    best, slips = "", 0
    upper = word.upper()
    for option in options:
        if option == word:
            return ""
        limit = max(len(option) // 4, 1)
        distance = edit_distance(upper, option.upper(), limit)
        if distance <= limit and (not best or distance < slips):
            best, slips = option, distance
    return best


def nearest_choice(word: str, options: Iterable[str]) -> str:
    """Return the one of a few allowed words that ``word`` misspells or cuts short, or ""."""
    allowed = [*options]
    longer = [o for o in allowed if len(word) > 2 and o.casefold().startswith(word.casefold())]
    return nearest_word(word, allowed) or (longer[0] if len(longer) == 1 else "")


def choice_remedy(word: str, options: Iterable[str], quote: str = "") -> str:
    """Return the remedy for a word that is none of ``options``: to write the one that it probably
    misspells, else one of them, in ``quote``s.
    """
    allowed = [option for option in options if option]
    if near := nearest_choice(word, allowed):
        near = f"{quote}{near}{quote}"
        return f"Write `{near}`."
    return f"Write one of {', '.join(f'`{quote}{option}{quote}`' for option in allowed)}."
