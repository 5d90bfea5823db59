"""The words in names of secret settings, and the secrets behind, below or beside such names."""

import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from synapse_ls.text.secret_likelihood import (
    compiled,
    has_all_kinds,
    has_marks,
    is_key,
    is_mixed,
    is_password,
    is_random,
    is_setting,
    may_be_secret,
    randomness,
)
from synapse_ls.text.secret_shapes import (
    ANY_HASH,
    LONGEST_MATCH,
    PASSWORD,
    PUBLIC_KEY,
    PUBLIC_STARTS,
    TAG_START,
    split_words,
)
from synapse_ls.text.span import Span

PASSWORD_WORDS: Final = split_words(
    """
    password passwd passphrase passwort pwd senha contraseña pass pw passcode kennwort passe
    wachtwoord hasło lösenord adgangskode salasana parola şifre heslo пароль 密码 密碼 パスワード 비밀번호
    """
)
# How a word ends that says password, as "dbpass" does.
PASSWORD_ENDS: Final = (
    *("password", "passwd", "passphrase", "pass", "пароль", "密码", "密碼", "パスワード"),
    "비밀번호",
)
SECRET_WORDS: Final[dict[str, str]] = {
    **dict.fromkeys(("secret", "secrets", "secretkey", "auth"), "secret"),
    **dict.fromkeys(("credential", "credentials", "creds"), "secret"),
    **dict.fromkeys(("token", "authtoken", "bearer", "pat", "jwt"), "access token"),
    **dict.fromkeys(("apikey", "accesskey", "accountkey"), "API key"),
    "privatekey": "private key",
    **dict.fromkeys(("sessionid", "phpsessid", "jsessionid"), "session cookie"),
    **dict.fromkeys(("appid", "login", "licence", "license", "psk", "dsn", "salt"), "secret"),
    **dict.fromkeys(("geheimnis", "segredo", "secreto", "segreto", "zugangsdaten"), "secret"),
}
# A key in other languages.
KEY_NOUNS: Final = ("clave", "chave", "chiave", "clé", "schlüssel", "jeton")
# Words before "key" in the name of a setting whose value is a secret.
KEY_WORDS: Final = split_words(
    """
    api access account app application auth client consumer crypt decryption deploy encryption
    hmac integration jwt license master personal private secret server service session shared
    signing storage subscription write admin cookie webhook bot
    """
)
# Words before "key" in the names of what is no secret.
PUBLIC_KEYS: Final = split_words(
    """
    public publishable site cache primary foreign sort partition group object s3 map dict json
    row hot short idempotency unique composite natural surrogate index lookup hash range cluster
    registry host known ssh gpg pgp storage i18n translation translate message label locale
    state query rsa dsa redis verifying verification
    """
)
# What may stand behind the name of a secret and is none: types, literals, words of settings.
PLAIN_VALUES: Final = split_words(
    """
    string number boolean integer bytes bool float object optional optional[str] secretstr char
    varchar text true false null none undefined void required unset empty hidden masked disabled
    enabled include omit inherit write read read-only same-origin expired invalid missing unknown
    wrong incorrect denied valid bearer basic bcrypt password secret token passwd prompt vault
    stdin file opcional obligatorio obligatoria requerido obrigatório facultatif optionnel requis
    erforderlich pflicht hashed encrypted cached async await new function lambda
    """
)
# Words in the name of what is done with a secret, or said of one.
ACTION_WORDS: Final = split_words(
    """
    forgot forgotten show hide toggle reset change enter repeat handle invalid wrong missing all on
    """
)
# Words in a name that make it speak about a secret, and not hold one: before what says secret …
PUBLIC_WORDS: Final = split_words(
    """
    public page cursor next sync continuation color css design path id name hash type
    """
)
# … or behind it.
HARMLESS_WORDS: Final = split_words(
    """
    id ids hasher name names path file files dir folder url uri type length limit size count ttl
    expiry expires expiration header field policy arn ref env var variable manager hint kind
    scope scopes identifier version endpoint algorithm hash hashes digest public page cursor
    next prefix pattern at label color style fingerprint checksum combination input form error
    reset rules strength box button element provider help placeholder title message description
    expired invalid wrong missing required mismatch weak incorrect mode
    """
)

_FORMAT: Final = r"%(?:[A-Za-z]\b|[A-Za-z_]{{0,60}}[%({{])"  # what stands for a value
_VALUE: Final = rf"(?P<body>(?!<|{_FORMAT})" r"[^\s\"'`<>,;()\[\]{{}}]{{{least},4096}})"
_BLANKS: Final = r"[^\S\r\n]{0,8}"  # of whatever sort, within a line
_LINE_END: Final = r"[|>]?[+-]?[ \t]{0,8}\r?\n"  # behind which YAML may have the value
_SIGN: Final = (
    rf"[\\]?[\"']?\]?{_BLANKS}(?:=>|:=|\|=|[:=：]){_BLANKS}"  # between a name and its value
)
# How a name begins: with a letter, an underscore or another sign, named by what it is not, because
# `re` looks at each letter of a wide range where case is ignored.
_NO_LETTER: Final = r"\x00-,/-@\[-\^`{-\xb4\xb6-\xbf"
_ASSIGNMENT: Final = (
    rf"(?<![\w.-])(?P<name>[^.{_NO_LETTER}][\w.-]{{1,63}}){_SIGN}(?:{_LINE_END}[ \t]{{1,40}})?"
    # … an anchor of YAML, the sign of a string
    r"(?:&[\w-]{1,40}[ \t]{1,4})?(?:(?:[bfru]{1,2}|\$)(?=[\"']))?"
    r"(?P<quote>[\\]?[\"'`]|)" + _VALUE.format(least=4)
)
_ENCODED: Final = (  # as an address has it
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{1,63})(?:%22)?%3[AD](?:%22)?" + _VALUE.format(least=4)
)
_ELEMENT: Final = (
    r"<(?P<name>[A-Za-z_][A-Za-z0-9_.:-]{1,63})(?:\s[^<>]{0,80})?>\s{0,8}" + _VALUE.format(least=6)
)
# A password or key, what it is for, and its value, as sentences of several languages have them.
_COPULA: Final = (
    r"(?:(?:is|was|will be|became|es|era|será|é|è|sarà|est|ist|war|wird|wurde|lautet|heißt)"
    r"(?:[ \t]{1,4}(?:now|ahora|agora|ora|maintenant|jetzt|nun))?|quedó|queda|ficou|fica"
    r"|changed to|cambió a|mudou para)"
)
_SAID: Final = (
    r"(?<![A-Za-z0-9])"
    r"(?P<name>(?:(?:api|access|secret|private|auth) )?(?:password|token|key|secret)"
    r"|passwd|passwort|passphrase|passcode|pwd?|kennwort|senha|contraseña|clave|chave|chiave|clé"
    r"|jeton|(?:api-)?schlüssel|mot de passe|parola d['’]ordine)(?:[ \t]{1,4}to(?=[ \t]))?"
    rf"(?:(?P<for>(?:[ \t]{{1,4}}[^\s:=]{{1,24}}){{0,9}}?)"
    rf"(?:[ \t]{{1,4}}{_COPULA}[ \t]{{0,4}}:?|[ \t]{{0,4}}(?:[:=]|[-=]>)))?"
    r"[ \t]{1,8}(?P<quote>[\"'`]|)" + _VALUE.format(least=8)
)
_OPTION: Final = (
    r"(?<![A-Za-z0-9_-])--?(?P<name>[A-Za-z][A-Za-z0-9-]{0,40})[ \t]{1,8}(?P<quote>[\"'`]|)"
    + _VALUE.format(least=8)
)
# Between a name and its value, where they stand beside or below each other, as `name` and `value`.
_GAP: Final = r"(?:[^\w\r\n$%]{1,12}|[^\w\r\n$%),;]{0,8}(?:\r?\n){1,2}[^\w\r\n$%]{0,40})"
_FILLERS: Final = (
    r"(?:value|default|content|type|string|str|text|sensitive|slotsetting|true|false|const|static"
    r"|body|b|to|is|as|production|staging|prod|test|live)"
)
_BESIDE: Final = (
    rf"(?<![\w-])(?P<name>[^{_NO_LETTER}-][\w.-]{{1,63}})(?![\w./-])"
    rf"(?!\?\w){_GAP}(?:{_FILLERS}{_GAP}){{0,6}}"
    r"(?<![@#/])(?![\w.-]{1,64}:\s)(?P<body>[^\W_][^\s\"'`<>,;()\[\]{}|\\]{7,4096})"
)
_NAMED: Final = (
    # what has to stand in the text, in lower case, and the shape
    ("=", _ASSIGNMENT),
    (":", _ASSIGNMENT),
    ("%3", _ENCODED),
    ("：", _ASSIGNMENT),
    ("</", _ELEMENT),
    (" ", _SAID),
    (" -", _OPTION),
)
# A name that is said of secrets alone.
_PLAIN_NAME: Final = (
    r"(?:passw(?:or)?d|passwort|passphrase|pwd|psk|senha|contraseña|secret|token"
    r"|(?:api|secret|access|private|signing|encryption)[_.-]?key)"
    r"(?:[_-]?(?:[0-9]{1,2}|prod|dev|test|staging|live|old|new))?$"
)
_CAMEL: Final = r"(?<=[a-z0-9])(?=[A-Z])|[_.\s-]"
# What is public by nature though its name says key, which is how it ends before an equals sign:
_PUBLIC_IDS_OF_KEYS: Final = (
    # the client id of an application, as DocuSign calls it, and the id of a key of OpenPGP.
    r"integrat(?:ion|or)[ _.-]?key=[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    r"|(?:recv|sign(?:ing)?)[_.-]?keys?=(?-i:[0-9A-F]{16}|[0-9A-F]{40})$"
)
# What is no secret whatever its name: the address of a wallet, a declaration of a style sheet, a
# tag of YAML, the name of an option or constant, rules for a field.
_NO_SECRET: Final = (
    rf"{PUBLIC_KEY}|0x[0-9a-f]{{40}}(?!\w)|![a-z]{{2,20}}[ \t]{{1,4}}\S|--[a-z]"
    r"|[a-z-]{2,40}:(?:#[0-9a-f]{3,8}|[0-9.]{1,6}(?:%|[a-z]{1,4})?)(?![^;,}\s])"
    r"|(?-i:[A-Z]{1,20}(?:_[A-Z]{1,20}){1,6})(?!\w)|(?:required|nullable|string)\|"
)
# Another setting, which is below a name without a value, or a part of an expression.
_NEXT_SETTING: Final = r"[A-Za-z_][\w.-]{0,63}(?::(?!\S)|=[^=])"
_OPERATOR: Final = r" (?:&&|\|\||[(?+.=])"
_LONGEST_START: Final = 500  # characters from a name to where its value surely is one
_MOST_JUDGED: Final = 512  # characters of a value by which it is judged
_MOST_INNER: Final = 20  # names of secrets in one value that is none, as in "key=key=…"
# Words of a form or a message, and how many characters they may have.
_LONGEST_LABEL: Final = 600
_LABEL: Final = r"[¿¡]?[^\W\d_]{1,40}(?:[ '’/-]{1,3}[^\W\d_]{1,40}){0,12} ?[?!.:…*]{0,3}"
_WORD_MARGIN: Final = "¿¡?*_`"
# What is called a key where things are kept under it: words, and a hash at the end.
_CACHE_KEY: Final = r"[A-Za-z]{2,20}[0-9]{0,3}-(?:[\w.]{1,20}-){0,12}(?:[0-9a-f]{40}|[0-9a-f]{64})"
_COLUMN_SIGNS: Final = "|│┃║\t;,"  # between the cells of a table, else some blanks
_LONGEST_HEAD: Final = 300  # characters of the line that names the columns
_CELL_MARGIN: Final = " \t\r|\"'`*"
_OPEN_ENDS: Final = (":", "=", "|", ">", "+", "-")  # of a line whose value is in the next
_PLAIN_WORDS: Final = r"[a-z]{1,40}(?:[_-][a-z]{1,40}){1,6}"
_EXPRESSION: Final = r"!?[\w.:>?\\-]{1,200}|[A-Za-z]{1,2}"  # before a bracket


def find_named_secrets(
    text: str, lines: Sequence[tuple[int, int]], masking: bool
) -> Iterator[tuple[Span, str]]:
    """Yield the values whose name, in one of the ``lines``, makes a secret of them, and the kinds
    of secret. ``masking``: to be masked, so that in doubt it is one.
    """
    low = text.lower()
    shapes = [shape for mark, shape in _NAMED if lines and mark in low]
    for shape in dict.fromkeys([*shapes, _BESIDE] if masking and lines else shapes):
        yield from _find_assigned_secrets(text, shape, lines, masking)
    table_end = 0
    for start, end in lines if masking else ():
        if start >= table_end:
            table_end = yield from _find_column_secrets(text, start, end)


def _find_assigned_secrets(
    text: str, shape: str, lines: Iterable[tuple[int, int]], masking: bool
) -> Iterator[tuple[Span, str]]:
    """Yield the values whose name, in one of the ``lines``, makes a secret of them."""
    pattern = compiled(shape, re.IGNORECASE)
    at = value_end = inner = 0
    for start, end in lines:
        at = max(at, start)
        goes_on = text[start:end].rstrip().endswith(_OPEN_ENDS)  # the value is in the next line
        limit = end + LONGEST_MATCH if goes_on or shape == _BESIDE else end
        while at < end:
            match = pattern.search(text, at, limit)
            if match is None or match.start() >= end:  # none begins before
                at = match.start() if match else max(end, limit - _LONGEST_START)
                break
            name = match["name"]
            if shape == _BESIDE:
                name = name.rpartition(".")[2]  # of a file the ending, which says nothing
            kind = _named_kind(name, masking)
            before = compiled(r"[\s_.:-]{1,24}").split(
                text[max(0, match.start() - 24) : match.start()].lower().rstrip(" \t_.:-")
            )
            name = match["name"].strip("-.").lower()
            public = {"key": PUBLIC_KEYS, "token": PUBLIC_WORDS}.get(name, frozenset())
            behind = (match.groupdict().get("for") or "").lower().split()
            if before[-1] in public or (behind and behind[0] in HARMLESS_WORDS - {"at"}):
                kind = ""  # "cache key …", "page token …", "password policy for …"
            gap = text[match.end("name") : match.start("body")]
            if behind and not masking and gap.rstrip(" \t\"'`").endswith((":", "=", ">")):
                kind = ""  # "a password in code: …" heads a sentence
            if match.start() >= value_end:
                value_end, inner = match.end("body"), 0
            inner += bool(kind)
            span = _named_value(text, match, kind, masking) if kind else None
            if inner > _MOST_INNER:
                span = Span(*match.span("body"))
            at = span.end if span else match.end("name")
            if span and (masking or inner <= _MOST_INNER):
                yield span, kind


def _find_column_secrets(text: str, start: int, end: int) -> Generator[tuple[Span, str], None, int]:
    """Yield the values of the columns that are named as secrets are, if a line heads a table;
    return where it ends.
    """
    head = text[start:end].strip()
    sign = next((sign for sign in _COLUMN_SIGNS if sign in head), "  ")
    if len(head) > _LONGEST_HEAD or sign not in head:
        return end
    cells = compiled(r"[^\S\n]{2,}" if sign == "  " else re.escape(sign))
    names = [name.strip(_CELL_MARGIN) for name in cells.split(head)]
    plain = compiled(r"[\w .-]{0,30}")
    if not all(map(plain.fullmatch, names)) or (sign in ",;" and not all(names)):
        return end
    kinds = [_named_kind(name, masking=True) for name in names]
    while any(kinds) and end + 1 < len(text):
        start, end = end + 1, line_end(text, end + 1)
        row = cells.split(text[start:end].strip())
        if not any(map(str.isalnum, text[start:end])) and end > start:
            continue  # a rule
        if len(row) != len(names):
            return start
        for kind, cell in zip(kinds, row, strict=True):
            body = cell.strip(_CELL_MARGIN)
            start = text.index(body, start) + len(body)
            if kind and _is_column_secret(kind, body):
                yield Span(start - len(body), start), kind
    return end


def _is_column_secret(kind: str, body: str) -> bool:
    """Return whether a cell below the name of a secret holds one, and no word of a manual."""
    if len(body) < 6 or " " in body or is_setting(body):
        return False
    if kind == PASSWORD:
        return is_mixed(body)
    return is_key(body) or (len(body) >= 10 and is_mixed(body) and is_random(body, least=4))


def _named_value(text: str, match: re.Match[str], kind: str, masking: bool) -> Span | None:
    """Return the value behind a name, None where it is no secret."""
    start, end = match.span("body")
    is_bold = "*" in text[max(0, match.start() - 2) : start].rpartition("\n")[2]
    margin = ".:!?\\" if not masking else ".:*\\" if is_bold else ".:\\"
    if text.startswith("${", max(0, match.start() - 2)) and match["body"][0] in "-=?+":
        start += 1  # what a shell puts in for a variable that is not set
        if text[start - 1] in "?+":
            return None
    if text.startswith(("?", "&"), max(0, match.start() - 1)):
        end = start + len(text[start:end].partition("&")[0])  # of an address
    end = start + len(text[start:end].rstrip(margin))
    body = text[start : min(end, start + _MOST_JUDGED)]
    is_cut = text.startswith(("...", "…"), end)
    name = text[max(0, match.start() - 16) : match.end("name")]
    image = rf"(?<=\w)/[\w.-]{{1,64}}:{ANY_HASH}"  # with its tag
    if (
        len(body) < 4
        or (is_cut and (len(body) < 12 or not masking))
        or compiled(_NO_SECRET, re.IGNORECASE).match(text, start)
        or _is_label(text, start)
        or compiled(_PUBLIC_IDS_OF_KEYS, re.IGNORECASE).search(f"{name}={body}")
        or (
            "\n" in text[match.end("name") : start] and compiled(_NEXT_SETTING).match(match["body"])
        )
        or compiled(image).match(text, max(0, match.start() - 1), end)
        or body.startswith("$")  # a variable
    ):
        return None
    if match["name"].strip("-.").lower() in ("key", "data-key", "_key") and (
        match["name"][0] == "_"
        or body.startswith(PUBLIC_STARTS)
        or compiled(_CACHE_KEY).fullmatch(body)
        or compiled(TAG_START).search(text[max(0, match.start() - 100) : match.start()])
    ):
        return None
    quote = match.groupdict().get("quote", "")
    if text[match.end() : match.end() + 1] in ("(", "[", "{"):
        whole = text[start : text.find(quote, start, line_end(text, start))] if quote else ""
        is_quoted = whole and not whole.endswith(")") and not compiled(r"\s").search(whole)
        if compiled(_EXPRESSION).fullmatch(body) and not is_quoted:
            return None  # a call or an index
        if masking and not quote and (rest := compiled(r"[^\s\"'`]{1,256}").match(text, end)):
            end = rest.end()
    if text.startswith("<", match.end()) and not text.startswith("</", match.end()):
        return None  # a type or a placeholder
    is_secret = is_password(body) if kind == PASSWORD else is_key(body)
    if masking and not is_secret:
        is_secret = may_be_secret(body) or _is_plain_secret(text, match, body)
    if masking and is_secret and quote:
        end = max(end, text.find(quote, end, line_end(text, end)))  # whatever stands in it
    return Span(start, end) if is_secret else None


def _is_label(text: str, start: int) -> bool:
    """Return whether what begins at ``start`` are words that name a secret, as a form has them."""
    mark = {">": "<"}.get(text[start - 1], text[start - 1])
    if mark not in "\"'`<":
        mark = "`"
    value = text[start : start + _LONGEST_LABEL].partition("\n")[0].partition(mark)[0].rstrip()
    if not compiled(_LABEL).fullmatch(value) or (value.islower() and value.isalpha()):
        return False
    words = compiled(r"[\W_]").split(value.lower())
    return any(_word_kind(word) or word.endswith(("key", *KEY_NOUNS)) for word in words)


def _is_plain_secret(text: str, match: re.Match[str], body: str) -> bool:
    """Return whether what stands behind the name of a secret has to be masked though it looks like
    a word: it is assigned, is no word of settings, no variable and no part of a sentence.
    """
    name, is_for = match["name"], bool(match.groupdict().get("for"))
    is_password = _named_kind(name) == PASSWORD
    if (is_for and not is_password) or (
        not compiled(_PLAIN_NAME, re.IGNORECASE).search(name)
        and (not is_password or name.lower() in ("pass", "passe", "pw"))
    ):
        return False
    word = body.strip(_WORD_MARGIN)
    is_word = word.rstrip("!").lower() in {*PLAIN_VALUES, *PASSWORD_WORDS, name.lower()}
    words = [word.lower() for word in compiled(_CAMEL).split(name)]
    if words[-1] not in PASSWORD_WORDS and compiled(_PLAIN_WORDS).fullmatch(body):
        is_word = is_word or bool(_named_kind(body, masking=True))  # under which it is kept
    if is_word or is_setting(body) or not any(map(str.isalnum, body)):
        return False
    gap = text[match.end("name") : match.start("body")]
    sign = gap.strip(" \t\r\n\\\"']")
    quote = before if (before := text[match.start("body") - 1]) in "\"'`" else ""
    behind = text[match.end("body") : line_end(text, match.end("body"))]
    if quote:
        is_sentence = behind.partition(quote)[0].count(" ") > 1
    else:
        is_sentence = sign == ":" and behind.strip(" .,;\r") != ""
        is_sentence |= gap.endswith("= ") and compiled(_OPERATOR).match(behind) is not None
    is_action = not ACTION_WORDS.isdisjoint(words)
    if sign in ("=", ":", "=>", ":=", "|=", ">", "：") and not is_sentence and not is_action:
        is_key_name = _named_kind(name) in ("API key", "access token")  # which are long
        return not is_key_name or len(word) > 7 or is_mixed(word)
    # Beside its name, or behind it in a sentence, words and names of variables are more likely.
    quoted = gap.endswith(("'", '"', "`")) and behind.startswith(gap[-1])
    is_said = is_for or compiled(rf"(?:(?<!\S){_COPULA}|->)$").search(sign.rstrip(" :"))
    word = word if is_said else word.rstrip("!")
    if not is_mixed(word):
        return False
    is_coined = "-" not in body or (len(body) >= 10 and has_all_kinds(body))
    return quoted or has_marks(word) or bool(is_said and is_coined)


def line_end(text: str, at: int) -> int:
    """Return where the line ends that the offset ``at`` is in."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _named_kind(name: str, masking: bool = False) -> str:
    """Return what the value of a setting is by its name, "" where it is no secret."""
    if len(name) > 24 and randomness(name) > 8:
        return ""  # part of an encoded text
    words = [word.lower() for word in compiled(_CAMEL).split(name) if word]
    kinds = [_word_kind(word) for word in words]
    for at in range(len(words) - 1):
        if words[at] in ("pass", "pw"):
            kinds[at] = ""  # as in "pass_rate"
    if words and words[-1] in KEY_NOUNS:
        kinds[-1] = "API key"
    if words and words[-1] == "key":
        any_key = masking and words[-2:-1] and words[-2] not in PUBLIC_KEYS
        if any_key or words == ["key"] or not KEY_WORDS.isdisjoint(words):
            kinds[-1] = "API key"
    if masking and words and words[-1].endswith("key") and len(words[-1]) > 7 and not kinds[-1]:
        kinds[-1] = "API key"
    last = max((at for at, kind in enumerate(kinds) if kind), default=-1)
    if (
        last < 0
        or not HARMLESS_WORDS.isdisjoint(words[last + 1 :])
        or not {"public", "only"}.isdisjoint(words[:last])
        or (last and words[last - 1] in PUBLIC_WORDS)
    ):
        return ""
    if "".join(words).endswith("secretaccesskey"):
        return "AWS secret key" if "aws" in words else "secret"
    # In "api_secret_key" the secret says more than the key.
    named_kinds = [kind for word, kind in zip(words, kinds, strict=True) if kind and word != "key"]
    return PASSWORD if PASSWORD in named_kinds else (named_kinds or kinds[last:])[-1]


@lru_cache(maxsize=4_096)
def _word_kind(word: str) -> str:
    """Return the kind of secret that a word of a name stands for, or "" ."""
    if word in PASSWORD_WORDS or (
        word.endswith(PASSWORD_ENDS) and not word.endswith(("bypass", "compass", "surpass"))
    ):
        return PASSWORD
    if word in SECRET_WORDS:
        return SECRET_WORDS[word]
    if word.endswith(("apikey", "secretkey", "accesskey", "keydata")):
        return "API key"
    is_library = word in ("tiktoken", "jsonwebtoken")
    return "secret" if word.endswith(("token", "secret")) and not is_library else ""
