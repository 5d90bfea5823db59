"""The shapes of access tokens and keys as their issuers publish them, and of their places.

Every repetition in a pattern is bounded, so that a search takes linear time.
"""

from typing import Final


def split_words(text: str) -> frozenset[str]:
    """Return the words of a list in a text."""
    return frozenset(text.split())


TOKEN_SHAPES: Final[tuple[tuple[str, str, str], ...]] = (
    # what it is, a part that it always contains, its shape with the random part as group 1
    ("AWS access key", "IA", r"(?:AKIA|ASIA)([A-Z2-7]{16})"),
    ("AWS Bedrock key", "ABSK", r"ABSK([A-Za-z0-9+/]{60,269}={0,2})"),
    # A token of an app is a JSON web token since 2026.
    ("GitHub token", "gh", r"gh[pousr]_([A-Za-z0-9_.-]{35,2000}[A-Za-z0-9_-])"),
    ("GitHub token", "github_pat_", r"github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    (
        "GitLab token",
        "gl",
        r"gl(?:pat|dt|rt|rtr|ptt|ft|imt|agent|oas|soat|cbt|ffct|wt)-([A-Za-z0-9_.=-]{20,300})",
    ),
    ("GitLab token", "GR1348941", r"GR1348941([A-Za-z0-9_-]{20,64})"),
    ("Slack token", "xox", r"xox[abeoprs]-((?:[0-9]{1,14}-){1,6}[A-Za-z0-9-]{16,120})"),
    ("Slack token", "xox", r"xox[cd]-([A-Za-z0-9%-]{30,400})"),
    ("Slack token", "xoxe", r"xoxe(?:\.xox[bp])?-1-([A-Za-z0-9-]{40,250})"),
    ("Slack token", "xapp-", r"xapp-[0-9]-(?:[A-Z0-9]{8,14}-)?([0-9]{8,16}-[A-Za-z0-9]{32,80})"),
    (
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/T[A-Z0-9]{6,14}/[AB0-9][A-Z0-9]{6,14}/"
        r"(?:[0-9]{10,20}/)?([A-Za-z0-9]{20,32})",
    ),
    ("Anthropic key", "sk-ant-", r"sk-ant-[a-z]{2,8}[0-9]{2}-([A-Za-z0-9_-]{80,120})"),
    ("OpenRouter key", "sk-or-", r"sk-or-v1-([a-f0-9]{64})"),
    ("OpenAI key", "sk-", r"sk-(?:proj|svcacct|admin|None)-([A-Za-z0-9_-]{40,200})"),
    ("OpenAI key", "T3BlbkFJ", r"sk-([A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})"),
    ("Google API key", "AIza", r"AIza([A-Za-z0-9_-]{35})"),
    ("Google API key", "AQ.", r"AQ\.(Ab8RN6[A-Za-z0-9_-]{40,60})"),
    ("Google client secret", "GOCSPX-", r"GOCSPX-([A-Za-z0-9_-]{28})"),
    ("Google token", "1//0", r"1//0([A-Za-z0-9_-]{40,200})"),
    ("Stripe key", "k_", r"[sr]k_(?:live|test|prod)_([A-Za-z0-9]{16,247})"),
    ("Fireworks key", "fw_", r"fw_([A-Za-z0-9]{22,32})"),
    ("npm token", "npm_", r"npm_([A-Za-z0-9]{36})"),
    ("PyPI token", "pypi-AgE", r"pypi-AgE([A-Za-z0-9_-]{50,250})"),
    ("crates.io token", "cio", r"cio([A-Za-z0-9]{32})"),
    ("NuGet key", "oy2", r"oy2([a-z0-9]{43})"),
    ("SendGrid key", "SG.", r"SG\.([A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"),
    ("Mailchimp key", "-us", r"([a-f0-9]{32})-us[0-9]{1,2}"),
    ("Hugging Face token", "hf_", r"hf_([A-Za-z0-9]{34,40})"),
    ("DigitalOcean token", "_v1_", r"do[opr]_v1_([a-f0-9]{64})"),
    ("Twilio key", "SK", r"SK([0-9a-f]{32})"),
    ("Vault token", "hv", r"hv[sbr]\.([A-Za-z0-9_-]{24,300})"),
    ("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.([A-Za-z0-9_=-]{60,80})"),
    ("Grafana token", "glsa_", r"glsa_([A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    ("Grafana token", "glc_", r"glc_([A-Za-z0-9+/]{32,400}={0,2})"),
    ("Notion token", "secret_", r"secret_([A-Za-z0-9]{43})"),
    ("Notion token", "ntn_", r"ntn_([A-Za-z0-9]{40,50})"),
    ("Resend key", "re_", r"re_([A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,28})"),
    ("Databricks token", "d", r"(?:dapi|dose)([a-f0-9]{32})(?:-[0-9])?"),
    ("Neon password", "npg_", r"npg_([A-Za-z0-9]{12,40})"),
    ("DevCycle key", "dvc_", r"dvc_(?:server|client|mobile)_([A-Za-z0-9_-]{8,40})"),
    ("Lichess token", "lip_", r"lip_([A-Za-z0-9_]{16,60})"),
    ("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.([a-f0-9]{64})"),
    ("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_([A-Fa-f0-9]{32})"),
    ("Square token", "EAAA", r"EAAA([A-Za-z0-9_-]{56,64})"),
    ("Square token", "sq0", r"sq0(?:atp|csp)-([A-Za-z0-9_-]{22,60})"),
    ("Docker token", "dckr_", r"dckr_(?:pat|oat)_([A-Za-z0-9_-]{27,36})"),
    ("Atlassian token", "AT", r"AT(?:ATT|CTT)3([A-Za-z0-9_=-]{60,240})"),
    ("Bitbucket token", "ATBB", r"ATBB([A-Za-z0-9]{24,36})"),
    ("Dropbox token", "sl.", r"sl\.(?:u\.)?([A-Za-z0-9_-]{100,1300})"),
    ("CircleCI token", "CCIPAT_", r"CCIPAT_([A-Za-z0-9]{20,24}_[a-f0-9]{40})"),
    ("Okta token", "SSWS ", r"SSWS (00[A-Za-z0-9_-]{40})"),
    ("Azure client secret", "Q~", r"([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})"),
    ("Azure DevOps token", "AZDO", r"([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})"),
    ("Azure signature", "sig=", r"sig=([A-Za-z0-9%+/_-]{40,90}={0,2})"),
    ("signed address", "-Signature=", r"X-(?:Amz|Goog)-Signature=([a-f0-9]{64,1024})"),
    ("Artifactory key", "AKCp", r"AKCp([A-Za-z0-9]{60,72})"),
    ("Alibaba key", "LTAI", r"LTAI([A-Za-z0-9]{16,20})"),
    ("Discord token", ".", r"([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})"),
    (
        "Discord webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})",
    ),
    ("Telegram token", ":A", r"(?:bot)?[0-9]{8,10}:(A[A-Za-z0-9_-]{34})"),
    (
        "Teams webhook",
        "/IncomingWebhook/",
        r"webhookb?2?/[a-f0-9@-]{36,73}/IncomingWebhook/([a-f0-9]{32}/[a-f0-9-]{36}"
        r"(?:/[A-Za-z0-9_-]{20,60})?)",
    ),
    ("Firebase key", ":APA91b", r"[A-Za-z0-9_-]{11}:APA91b([A-Za-z0-9_-]{120,160})"),
    ("Artifactory token", "cmVmdGtu", r"cmVmdGtu([A-Za-z0-9]{56})"),
    ("Twitter token", "AAAAAAAAAA", r"A{18,24}([A-Za-z0-9]{20,40}%[23][BDF][A-Za-z0-9%]{30,80})"),
    ("AWS session token", "FwoGZXIvYXdz", r"FwoGZXIvYXdz([A-Za-z0-9+/]{80,4000}={0,2})"),
    ("AWS Bedrock key", "bedrock-api-key-", r"bedrock-api-key-([A-Za-z0-9+/]{40,4000}={0,2})"),
    ("Firecrawl key", "fc-", r"fc-([a-f0-9]{32})"),
    ("Asana token", "/", r"[12]/[0-9]{12,20}(?:/[0-9]{12,20})?:([a-f0-9]{32})"),
    ("Courier key", "pk_prod_", r"pk_prod_([A-Z0-9]{28})"),
    ("Helicone key", "sk-helicone-", r"sk-helicone-([a-z0-9]{7}(?:-[a-z0-9]{7}){3})"),
    ("Klaviyo key", "pk_", r"pk_(?:[A-Za-z0-9]{6}_)?([a-f0-9]{34})"),
    ("New Relic key", "NRAL", r"([a-f0-9]{36}FFFFNRAL)"),
    ("New Relic key", "NRAK-", r"NRAK-([A-Z0-9]{27})"),
    ("Adyen key", "AQE", r"AQE([\w+/]{40,300}={0,2}-[\w+/]{40,300}={0,2}-[^\s\"']{8,32})"),
    (
        "JSON web token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,4000}\.([A-Za-z0-9_-]{27,700})",
    ),
)

# Places in commands, headers and files where a secret stands without a name of its own.
_LEAD: Final = r"[ \t](?:[^\n|;&]{0,200}?[ \t])??"  # from a program to its first such option
_BODY: Final = r"(?P<body>[^\s\"'$<>{}-][^\s\"'$<>{}]{5,128})"
_FLAGS: Final = (  # programs, and the option behind which they want a password
    rf"(?:(?:mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump|7za?|rar|unrar){_LEAD}-p"
    r"|(?:docker|podman|helm|oras|skopeo|buildah|crane|az|oc)[ \t](?:[a-z]{1,10}[ \t]){0,2}login"
    rf"{_LEAD}-p[ \t=]{{1,4}}|(?:sshpass|mongo[a-z]{{0,8}}){_LEAD}-p[ \t]{{0,4}}"
    rf"|(?:zip|unzip|sqlcmd|bcp){_LEAD}-P[ \t]{{0,4}}"
    rf"|(?:redis-cli|https?|xhs?){_LEAD}(?P<sure>-a[ \t]{{1,4}}|--(?:auth|pass)[ \t=]{{1,4}})"
    rf"|ldap[a-z]{{3,8}}{_LEAD}-w[ \t]{{1,4}}|smbclient{_LEAD}-U[ \t]{{0,4}}[^\s%\"']{{1,64}}%)"
)
_BEHIND_FLAG: Final = rf"(?<![\w.-]){_FLAGS}[\"']?(?:[^\s:\"'$]{{1,64}}:)?{_BODY}"
_PAIR: Final = (  # a user and a password as arguments
    r"(?:auth|cred[a-z]{0,10})(?:[=:][ \t]{0,4})?[(\[][ \t]{0,4}[\"'][^\"'\n]{1,64}[\"'],[ \t]{0,4}"
    rf"[\"']{_BODY}[\"']"
)
_ACCOUNT: Final = rf"(?:thin:|sqlplus{_LEAD})[\w.$#]{{1,64}}/{_BODY}@"  # of Oracle
# What stands behind the public id of an account, as the argument of a call that is its secret.
_BEHIND_ID: Final = (
    r"(?-i:(?<![\w-])(?:AC[0-9a-f]{32}|A(?:KIA|SIA)[A-Z2-7]{16}|rzp_(?:live|test)_\w{14}"
    r"|algoliasearch\([\"'][A-Z0-9]{10})"
    r"[\"']?[ \t]{0,4}[,:/|]?[ \t]{0,4}[\"']?(?!(?:AC|MG|VA|PN|SM)[0-9a-f]{32})"
    r"(?P<body>[A-Za-z0-9+/_-]{16,64})(?![A-Za-z0-9+/_-]))"
)
_MNEMONIC: Final = (
    r"(?:mnemonic|(?:seed|recovery)[ _-]?phrase)[\"']?[ \t]{0,4}(?:[:=(]|is)[ \t:]{0,4}[\"']?"
    r"(?P<body>[a-z]{3,8}(?: [a-z0-9]{3,8}){11,23})"
)
_WALLET: Final = (
    r"(?:(?:wallet|account|from_?key)\w{0,20}\(|accounts[\"']?[ \t]{0,4}[:=][ \t]{0,4}\[)"
    r"[ \t]{0,4}[\"'](?:0x)?(?P<body>[0-9a-f]{64})[\"']"
)
# What is shown in groups of four, as the password of an application and the key of a second factor.
_GROUPS: Final = (
    r"(?:pass|secret|key)[^\n:=\"']{0,40}(?:[\"']?[ \t]?[:=][ \t]?[\"']?|[ \t][\"'])"
    r"(?P<body>[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?! ?\w)"
)
# What has the characters of a password and stands behind a user, and before a host or a stroke.
_STRONG: Final = r"(?-i:(?=\S{0,63}[0-9])(?=\S{0,63}[A-Z!#$%&?])(?=\S{0,63}[a-z]))"
_BEFORE_HOST: Final = (
    rf"(?<![\w:/.@+-])[\w.-]{{2,32}}:{_STRONG}(?P<body>[^\s:@/\"'<>]{{8,64}})"
    r"@(?:[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}|(?:tcp|unix)\()"
)
_BESIDE_USER: Final = (
    r"(?:(?<![\w.+-])[\w.+-]{1,64}@[\w.-]{1,100}"
    r"|(?:log ?in|cred|acce|access?o|user|account|zugang|anmeld)"
    r"[^\n/]{0,40}[ \t][\w.-]{2,64})[ \t]{1,2}/[ \t]{1,2}"
    rf"{_STRONG}(?P<body>[^\s\"'<>]{{8,64}})"
)
# What is random behind an id, as the last argument of what makes a client.
_LAST_ARGUMENT: Final = (
    r"(?:client|gateway|api|config(?:uration)?)\((?:\s{0,40}[\"']?[\w.:-]{1,64}[\"']?,){0,3}"
    r"\s{0,40}[\"']?[\w-]{4,64}[\"']?,\s{0,40}[\"'](?P<body>[\w-]{20,128})[\"']\s{0,40}\)"
)
# The argument of a call that makes a key of it, or signs with it.
_KEY_CALL: Final = (
    r"(?<!public)(?:key|secret|keyspec|hmac(?:\.new)?)\([ \t]{0,4}"
    r"(?:[\"'][\w-]{2,12}[\"'],[ \t]{0,4})?"
    r"(?:[\w.]{1,24}[(:=][ \t]{0,4}){0,4}b?[\"'](?P<body>[\w+/=.-]{16,256})[\"']"
)
PASSWORD: Final = "password"
# An id by which Consul, Nomad and Vault let somebody in.
_SECRET_ID: Final = r"secret[ _-]?id(?P<sure>[\"' \t:=]{1,18})(?P<body>[0-9a-f-]{36})(?![\w-])"
# What a code for a wireless network holds.
_WIFI: Final = r"wifi:(?:[a-z]:[^;\n]{0,99};){0,5}(?P<sure>p:)(?P<body>(?:\\;|[^;\n]){8,63})"
PLACED_SHAPES: Final[tuple[tuple[str, str, str], ...]] = (
    # what it is, what has to stand in the text, in lower case, and the shape
    (
        "bearer token",
        "authorization",
        r"authorization[\"']?[ \t]{0,8}[:=,][ \t]{0,8}[\"']?(?:"
        r"[a-z][a-z-]{1,20}[ \t=]{1,8}[\"']?){0,2}(?P<body>[A-Za-z0-9._~+/=:*-]{16,1000})",
    ),
    ("bearer token", "bearer ", r"\bbearer[ \t]{1,8}(?P<body>[A-Za-z0-9._~+/=-]{20,1000})"),
    (PASSWORD, "basic ", r"\bbasic[ \t]{1,8}(?P<body>[A-Za-z0-9+/]{10,300}={0,2})(?![A-Za-z0-9])"),
    (
        PASSWORD,
        "-u",
        r"(?<![A-Za-z0-9_-])(?:-u|--(?:proxy-)?user(?!-))[ \t=]{0,4}[\"']?[^\s:\"'/]{0,64}:"
        r"(?P<body>[^\s\"'$<>{}]{6,128})",
    ),
    (
        "access token",
        "-u",
        r"(?<![A-Za-z0-9_-])(?:-u|--user)[ \t=]{0,4}[\"']?"
        r"(?P<body>[^\s:\"'/]{16,128}):[^\s\"']{0,12}(?![^\s\"'])",
    ),
    (
        PASSWORD,
        "://",
        r"(?<![A-Za-z0-9+.-])[a-z][a-z0-9+.-]{1,20}://[^\s:/@?#\"'<>]{0,64}:"
        r"(?P<body>(?![0-9]{1,5}/)[^\s\"'<>`]{1,256})@(?=(?P<host>[\w.-]{1,100}))",
    ),
    (
        "access token",
        "://",
        r"://(?P<body>[A-Za-z0-9_-]{20,128}):?@(?![\w.-]{0,80}sentry)[A-Za-z0-9]",
    ),
    *(
        (PASSWORD, program, _BEHIND_FLAG)
        for program in ("mysql", "mariadb", " login ", "sshpass", "mongo")
    ),
    (
        PASSWORD,
        "htpasswd",
        # With `-n` the name alone comes before the password, else a file and the name.
        rf"htpasswd{_LEAD}-(?=[a-zA-Z]{{0,6}}b)"
        r"(?:[a-zA-Z]{0,6}n[a-zA-Z]{0,6}|(?![a-zA-Z]{0,6}n)[a-zA-Z]{1,7}[ \t]{1,4}\S{1,100})"
        r"[ \t]{1,4}\S{1,100}[ \t]{1,4}[\"']?(?P<body>[^\s\"'$<>{}]{6,128})",
    ),
    (
        "private key",
        "private-lines:",
        r"private-lines:[ \t]{1,4}[0-9]{1,3}\r?\n(?P<body>(?:[A-Za-z0-9+/=]{20,64}\r?\n){1,99})",
    ),
    (
        PASSWORD,
        "machine ",
        r"machine[ \t]{1,4}\S{1,100}\s{1,4}login[ \t]{1,4}\S{1,100}\s{1,4}password[ \t]{1,4}"
        r"(?P<body>\S{6,128})",
    ),
    (PASSWORD, "identified by", r"identified by[ \t]{1,4}[\"'](?P<body>[^\s\"'$<>{}]{6,128})"),
)
# … and those that are looked for where text is masked, as more of what stands there is none.
MASKED_SHAPES: Final[tuple[tuple[str, str, str], ...]] = (
    *(
        (PASSWORD, program, _BEHIND_FLAG)
        for program in ("7z", "rar ", "zip ", "sqlcmd", "bcp", "redis-", "http ", "https ", "xh ")
    ),
    *((PASSWORD, program, _BEHIND_FLAG) for program in ("ldap", "smbclient", "xhs ")),
    (  # a variable of an environment
        "secret",
        "=",
        r"(?-i:(?<![\w.=&?-])(?P<name>[A-Z][A-Z0-9_]{2,63}))=[\"']?"
        r"(?P<body>[\w+/.-]{20,256}={0,2})[\"']?(?![^\s;])",
    ),
    (
        PASSWORD,
        "://",
        r"://(?P<body>[A-Za-z0-9_-]{8,128})(?::|:x-oauth-basic)?@(?![\w.-]{0,80}sentry)[A-Za-z0-9]",
    ),
    (  # a key in the path of an address: of an interface, or of a node of a chain
        "access token",
        "://",
        r"://(?:[\w.-]{1,100}/(?:[\w-]{1,30}/){0,3}"
        r"(?:(?:api|rpc|eth|key|token|v[0-9]{1,2})/|bot[0-9]{6,12}:)"
        r"|[\w.-]{0,80}(?:rpc|node|mainnet)[\w.-]{0,80}/)(?P<body>[\w-]{20,128})(?![\w.-])",
    ),
    (  # the hash of a password
        "secret",
        "$",
        r"\$(?:apr1|[1256y]|2[aby]|argon2[id]{1,2}|scrypt)\$(?P<body>[\w$./+=,-]{20,256})",
    ),
    (  # what is random behind an option of one letter, which many programs take a password with
        "access token",
        " ",
        r"(?-i:[ \t][-/][A-Za-z][ \t]{1,4}[\"']?(?=\S{0,63}[a-z])(?=\S{0,63}[A-Z])"
        r"(?P<body>[\w!@#%^*+=.~-]{12,64})[\"']?(?!\S))",
    ),
    (  # codes with which somebody gets in who has lost the second factor
        PASSWORD,
        " code",
        r"(?:recovery|backup|scratch|emergency)[ _-]codes?\b(?P<sure>[^\w\n]{0,8}\s{1,8})"
        r"(?P<body>(?=[^\n]{0,30}[0-9])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){0,5}"
        r"(?:[\s,]{1,8}(?=[^\n]{0,30}[0-9])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{4,12}){0,5}){0,19})",
    ),
    *(
        ("secret", mark, _KEY_CALL)
        for mark in ("key(", "secret(", "keyspec(", "hmac(", "hmac.new(")
    ),
    *((PASSWORD, mark, _MNEMONIC) for mark in ("mnemonic", "phrase")),
    (PASSWORD, ":", r":(?P<body>(?=[^\n]{0,28}[0-9])[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5})(?!\w)"),
    (  # an address that opens a door by itself
        "access token",
        "://",
        r"(?-i:://[\w.-]{1,100}/(?:[\w-]{1,40}/){0,6}(?=[\w-]{0,40}[A-Z])(?=[\w-]{0,40}[0-9])"
        r"(?=[\w-]{0,40}[a-z])(?![\w-]{1,200}-[0-9a-f]{32}(?!\w))(?P<body>[\w-]{48,256})(?![\w.]))",
    ),
    *((PASSWORD, mark, _GROUPS) for mark in ("pass", "secret", "key")),
    (
        "session cookie",
        "cookie",
        r"(?:cookie[\"']?[:=][ \t]{0,4}[\"']?|;[ \t]?)[\w.-]{1,64}=(?P<body>[\w%.~+/=-]{16,4096})",
    ),
    (
        "access token",
        "hook",
        r"hooks?(?:\.[\w.-]{1,60})?/(?:[\w-]{1,12}/){0,2}?"
        r"(?P<body>[A-Za-z0-9_/-]{20,200})(?![A-Za-z0-9_/.-])",
    ),
    ("access token", "login ", r"\blogin[ \t]{1,4}(?P<body>[A-Za-z0-9_.-]{20,400})(?![^\s\"'])"),
    (
        "access token",
        ":",  # an id and its secret
        r"(?<![\w:/.+-])(?:[\w.]{1,12}:){0,2}(?!(?:[0-9a-f-]{36}:?){2})"
        r"(?P<body>[A-Za-z0-9_-]{20,128}:[A-Za-z0-9_-]{20,128})(?![\w:/+=-])",
    ),
    *(("access token", mark, _BEHIND_ID) for mark in ("akia", "asia", "ac", "rzp_", "algolia")),
    (
        "access token",
        "=",
        r"[?&](?:key|token|auth|code|sig|signature|secret)=(?P<body>[\w%+/.~-]{10,512})",
    ),
    *(("private key", mark, _WALLET) for mark in ("wallet", "accounts", "toaccount", "from_key")),
    (
        PASSWORD,
        "pin",
        r"(?-i:\bPIN\b)(?:[ \t]{1,4}[^\s:=]{1,24}){0,7}?(?:[ \t]{1,4}(?:is|es|é|è|est|ist|lautet)"
        r"|[ \t]{0,4}[:=])(?P<sure>[ \t:]{1,8})(?P<body>[0-9]{4,8})(?![\w.-])",
    ),
    (PASSWORD, " / ", _BESIDE_USER),
    (PASSWORD, "@", _BEFORE_HOST),
    *(("secret", mark, _LAST_ARGUMENT) for mark in ("client(", "gateway(", "api(", "config")),
    (
        "API key",
        "api=",
        r"(?<![\w.?&-])api=(?P<body>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![\w-])",
    ),
    (PASSWORD, "auth", _PAIR),
    (PASSWORD, "cred", _PAIR),
    (PASSWORD, "thin:", _ACCOUNT),
    (PASSWORD, "sqlplus", _ACCOUNT),
    (
        PASSWORD,
        "|",
        rf"(?:echo|printf)[ \t]{{1,4}}(?:-[a-z]{{1,3}}[ \t]{{1,4}})?[\"']?"
        rf"(?:[\w.-]{{1,64}}:)?{_BODY}[\"']?"
        r"[ \t]{0,4}\|[^|\n]{0,120}(?:-stdin(?![\w-])|sudo[ \t]{1,4}-S|login|passwd|secret|token"
        r"|password)",
    ),
    (PASSWORD, "chpasswd", rf"chpasswd[ \t]{{0,4}}<<<[ \t]{{0,4}}[\"']?[\w.-]{{1,64}}:{_BODY}"),
    (
        PASSWORD,
        "net use",
        rf"\bnet[ \t]user?[ \t](?:\S{{1,100}}[ \t]{{1,4}}){{1,2}}{_BODY}[ \t]{{1,4}}/(?:add|user)",
    ),
    (
        PASSWORD,
        "securestring",
        rf"ConvertTo-SecureString[ \t]{{1,4}}(?:-String[ \t]{{1,4}})?[\"']{_BODY}",
    ),
    (
        PASSWORD,
        ":",  # a line of PostgreSQL's file of passwords
        rf"(?<![^\n])[\w.*-]{{1,100}}:(?:[0-9]{{4,5}}|\*):[\w.*-]{{1,64}}:[\w.*-]{{1,64}}:{_BODY}"
        r"(?![^\r\n])",
    ),
    (PASSWORD, "wifi:", _WIFI),
    ("access token", "secret", _SECRET_ID),
    # The name of a key, and its secret.
    ("access token", ":", r"(?<![\w./-])[\w-]{6}\.[\w-]{6}:(?P<body>[\w-]{43})(?!\.?[\w-])"),
    (
        PASSWORD,
        "set password",
        r"set password[ \t]{1,4}for[ \t]{1,4}\S{1,64}[ \t]{0,4}=[ \t]{0,4}[\"']"
        r"(?P<body>[^\s\"'$<>{}]{6,128})",
    ),
)

# A key of web push and one of minisign, of which somebody else has the private part, and the head
# of a JSON web token without the rest.
PUBLIC_KEY: Final = (
    r"(?-i:B[\w-]{86}(?![\w-])|RW[Q-T][A-Za-z0-9+/]{53}(?![\w+/=])"
    r"|eyJhbGciOi[\w-]{1,80}(?![\w-]|\.[\w-]))"
)
TAG_START: Final = (
    r"<(?!licen)[A-Za-z][\w.-]{0,40}\s[^<>]{0,60}(?:key=[\"']?)?$"  # of an element, which has a key
)
ANY_HASH: Final = r"[0-9a-fA-F-]{16,128}"
PUBLIC_STARTS: Final = (
    *("mcp__", "nonce-", "AAAA", "MII", "Qm", "sha1-", "sha256-", "sha384-", "sha512-", "iVBOR"),
    *("MIGfMA0", "/", "./", "../", "_Z", "_R"),  # public keys, paths, names that compilers make
    # addresses that are told to everybody
    *("bc1", "age1", "z6Mk", "12D3KooW", "npub1", "sq0idp-", "bafy", "bafk", "lnbc", "addr1"),
)
LONGEST_MATCH: Final = 5_000  # characters from a name to the end of its value, and more

# How ids begin that their issuers show to everybody, as "req_011CSHo…", and that are random.
PUBLIC_IDS: Final = split_words(
    """
    pvc bc k8s amq inbox req request price prod cus cust sub evt event pi ch in si acct acc seti msg
    msgbatch run thread asst file call toolu chatcmpl cmpl resp step org user usr wrkspc batch ftjob
    vs gen rs fc ws proj team pm src txn tx po re py cs plink whk we pk pub dpl prj order inv sess
    ses job task build node image img layer snap vol i trace span corr conv chat room doc page block
    item list card board note email blob model ft ds data eval agent grp group role inst pod dep rel
    rev sha sha1 md5 hash cache tmp temp log id uid gid obj row tbl idx dir path url link ref tag
    lib pkg mod fn ctx cfg env cmd css js ts go sql exp art ckpt epoch kb vec emb mem diff plan pip
    npm yarn cargo srv ins svc exec op ops dag ray kid zone host ip dns cert acl lb tg eni rtb igw
    eip bank pay promo tax ship addr loc geo cat sku opt attr
    """
)
# Words in the mark of a token that say that it is a secret …
SECRET_MARKS: Final = split_words(
    """
    key keys apikey token tok tkn secret sec sk rk pat api auth oauth access refresh private priv
    admin pwd glpat signkey whsec svcacct sat uat oat cred creds bearer jwt
    """
)
# … and that do so behind another one.
STAGES: Final = frozenset(
    ("live", "prod", "production", "test", "sandbox", "staging", "stg", "dev")
)
# How the keys begin that are made to be shown, in a page that everybody loads.
PUBLIC_MARKS: Final = frozenset(("pub", "public", "publishable", "phc"))
