"""Lists of what secrets look like, and of what only looks like them. No secret is real: each is put
together at run time from a marked shape and characters of a seeded generator, so that no scanner
takes this file for one with secrets.
"""

from __future__ import annotations

import random
import string
from base64 import b64encode

CHANCE = random.Random(20)
_WORD = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def draw(size: int, alphabet: str = _WORD) -> str:
    """Returns random characters, among them one of each kind that the alphabet has."""
    while True:
        drawn = "".join(CHANCE.choices(alphabet, k=size))
        if any(map(str.isdigit, drawn)) and any(map(str.isalpha, drawn)):
            return drawn


def _password() -> str:
    return draw(8) + "7x"


def _uuid() -> str:
    return "-".join(draw(size, _HEX) for size in (8, 4, 4, 4, 12))


def _basic(password: str) -> str:
    return b64encode(f"deploy:{password}".encode()).decode()


# What terminals obey and do not show (ECMA-48), each kind in its forms of seven and eight bits.
TERMINAL_SEQUENCES = (
    *(
        "\x1b[1m",
        "\x1b[01;31m\x1b[K",
        "\x1b[?25l",
        "\x9b31m",
        "\x1b(B\x1b[m",
        "\x1b%G",
        "\x1b#8",
        "\x1b7",
    ),
    *(
        "\x1b=",
        "\x1bc",
        "\x1bM",
        "\x1b]0;x\x07",
        "\x1b]8;;https://a.example\x1b\\",
        "\x9d0;x\x9c",
        "\x1bkx\x1b\\",
    ),
    *(
        "\x1bP1$r0m\x1b\\",
        "\x90q\x9c",
        "\x1b_x\x1b\\",
        "\x1b^x\x1b\\",
        "\x1bXx\x1b\\",
        "\x0e",
        "\x0f",
        "\x08",
    ),
    # In a row, as `tput sgr0; tput bold` has them for screen, and in each other, as for tmux.
    *("\x1b[m\x0f\x1b[1m", "\u200b\x1b[1m", "\x1b\x1b[1m", "\0\x9b1m", "\x08\x1b(B"),
    *("\x1bPtmux;\x1b\x1b]8;;x\x07\x1b\\", "\x1b[3\x001m"),
    # Cut off by the next one, or given up.
    *("\x1b[31\x1b[1m", "\x1b[31\x18"),
)
UNSEEN_CHARACTERS = (
    *(
        "\0",
        "\x01",
        "\x1c",
        "\x1e",
        "\x1f",
        "\x7f",
        "\x85",
        "\u00ad",
        "\u200b",
        "\u2028",
        "\u2060",
        "\u2800",
    ),
    *(
        "\U0001bca0",
        "\U00013430",
        "\U00016fe4",
        "\U0001d159",
        "\ufdd0",
        "\uffff",
        "\U0001fffe",
        "\U000e1000",
    ),
    *("\u0378", "\u2d2e", "\ud800"),
)


def make_secrets() -> dict[str, tuple[str, str]]:
    """Returns a text for each shape of a secret, and the part of it that may not be stored."""
    shapes = {
        # {} is where the random part stands; what comes before is cut in two by a space.
        "AWS key id": ("AK IA{}", draw(16, _UPPER)),
        "AWS secret": ("aws_secret_ access_key = {}", draw(40)),
        "AWS session": ("AWS_SESSION_ TOKEN={}", draw(200)),
        "GitHub classic": ("gh p_{}", draw(36)),
        "GitHub fine": ("github_ pat_{}", f"{draw(22)}_{draw(59)}"),
        "GitHub server": ("gh s_{}", draw(36)),
        "GitLab personal": ("gl pat-{}", draw(20)),
        "GitLab deploy": ("gl dt-{}", draw(20)),
        "GitLab runner": ("gl rt-{}", draw(20)),
        "Slack bot": ("xo xb-2839471650-9182736450-{}", draw(24)),
        "Slack app": ("xa pp-1-A04BCDEFGH7-5839471650912-{}", draw(64, _HEX)),
        "Slack webhook": ("https://hooks.slack. com/services/T04QKDRT/B05WNVHX/{}", draw(24)),
        "Discord bot": ("MT{}", f"{draw(24)}.G{draw(5)}.{draw(38)}"),
        "Discord webhook": ("https://discord.com/api/ webhooks/119283746510293847/{}", draw(68)),
        "Telegram": ("61928 37465:AA{}", draw(33)),
        "Stripe live": ("sk_l ive_{}", draw(24)),
        "Stripe test": ("sk_t est_{}", draw(24)),
        "Stripe restricted": ("rk_l ive_{}", draw(24)),
        "Stripe webhook": ("whs ec_{}", draw(32)),
        "Anthropic": ("sk-a nt-api03-{}", draw(93)),
        "OpenAI project": ("sk-p roj-{}", draw(64)),
        "OpenAI old": ("sk -{}", draw(48)),
        "OpenRouter": ("sk-o r-v1-{}", draw(64, _HEX)),
        "Groq": ("gs k_{}", draw(52)),
        "xAI": ("xa i-{}", draw(80)),
        "Perplexity": ("pp lx-{}", draw(48)),
        "Replicate": ("r 8_{}", draw(37)),
        "Hugging Face": ("h f_{}", draw(34)),
        "Google API": ("AI za{}", draw(35)),
        "Google client": ("GOC SPX-{}", draw(28)),
        "Google OAuth": ("ya 29.{}", draw(60)),
        "npm": ("np m_{}", draw(36)),
        "npmrc": ("//registry.npmjs.org/:_auth Token={}", _uuid()),
        "npmrc basic": ("_au th={}", _basic(_password())),
        "PyPI": ("py pi-AgEIcHlwaS5vcmc{}", draw(100)),
        "RubyGems": ("ruby gems_{}", draw(48, _HEX)),
        "crates.io": ("ci o{}", draw(32)),
        "NuGet": ("oy 2{}", draw(43, string.ascii_lowercase + string.digits)),
        "SendGrid": ("S G.{}", f"{draw(22)}.{draw(43)}"),
        "Mailgun": ("ke y-{}", draw(32, _HEX)),
        "Mailchimp": ("MC: {}", f"{draw(32, _HEX)}-us14"),
        "Brevo": ("xkey sib-{}", f"{draw(64, _HEX)}-{draw(16)}"),
        "DigitalOcean": ("do p_v1_{}", draw(64, _HEX)),
        "Databricks": ("da pi{}", draw(32, _HEX)),
        "Twilio key": ("S K{}", draw(32, _HEX)),
        "Twilio token": ("TWILIO_AUTH_ TOKEN={}", draw(32, _HEX)),
        "Vault": ("hv s.{}", draw(90)),
        "Terraform": ("x {}", f"{draw(14)}.atlasv1.{draw(67)}"),
        "Doppler": ("dp .pt.{}", draw(43)),
        "Grafana": ("gl sa_{}", f"{draw(32)}_{draw(8, _HEX)}"),
        "New Relic": ("NR AK-{}", draw(27, _UPPER)),
        "Postman": ("PM AK-{}", f"{draw(24, _HEX)}-{draw(34, _HEX)}"),
        "Linear": ("lin_ api_{}", draw(40)),
        "Notion": ("nt n_{}", draw(46)),
        "Airtable": ("pa t{}", f"{draw(14)}.{draw(64, _HEX)}"),
        "Shopify": ("shp at_{}", draw(32, _HEX)),
        "Square": ("sq0 atp-{}", draw(22)),
        "PlanetScale": ("psc ale_tkn_{}", draw(43)),
        "Figma": ("fi gd_{}", draw(40)),
        "Docker": ("dck r_pat_{}", draw(27)),
        "Atlassian": ("ATA TT3xFfGF0{}", draw(160)),
        "Sentry token": ("snt rys_{}", draw(90)),
        "Pulumi": ("pu l-{}", draw(40, _HEX)),
        "Netlify": ("nf p_{}", draw(36)),
        "Supabase": ("sb p_{}", draw(40, _HEX)),
        "Heroku": ("HEROKU_API_ KEY={}", _uuid()),
        "Azure secret": ("tenant {}", f"{draw(3)}8Q~{draw(34)}"),
        "Azure storage": ("AccountName=shop;Account Key={}", draw(86) + "=="),
        "Azure signature": (
            "https://a.blob.core.windows.net/b?sv=2024-01-01&si g={}",
            draw(43) + "%3D",
        ),
        "Tailscale": ("ts key-auth-{}", f"{draw(12)}-{draw(32)}"),
        "age": ("AGE-SEC RET-KEY-1{}", draw(58, _UPPER)),
        "JWT": ("ey J{}", f"{draw(34)}.eyJ{draw(60)}.{draw(43)}"),
        "api_key": ("api_ key={}", draw(32)),
        "apiKey": ('"api Key": "{}"', draw(32)),
        "client_secret": ("client_ secret: {}", draw(32)),
        "API_TOKEN": ("export API_ TOKEN={}", draw(40)),
        "SECRET_KEY_BASE": ("SECRET_KEY_ BASE={}", draw(128, _HEX)),
        "x-api-key": ("x-api -key: {}", draw(40)),
        "django": ("SECRET_ KEY = '{}'", draw(24) + "!x&k#9"),
        "signing key": ("JWT_SIGNING_ KEY={}", draw(32)),
        "private token": ("PRIVATE- TOKEN: {}", draw(20)),
        "escaped JSON": ('{{\\"to ken\\": \\"{}\\"}}', draw(32)),
        "bearer": ("Authorization: Bea rer {}", draw(40)),
        "basic": ("Authorization: Ba sic {}", _basic(_password())),
        "curl -u": ("curl - u deploy:{} https://ci.internal/", _password()),
        "redis": ("red is://:{}@cache.internal:6379/0", _password()),
        "postgres": ("postgres:// app:{}@db.internal/orders", _password()),
        "token address": ("https:// {}@git.internal/a/b", draw(40)),
        "password": ("DB_PASS WORD={}", _password()),
        "pwd": ("Server=db;Uid=app;P wd={};", _password()),
        "PGPASSWORD": ("PGPASS WORD={} psql", _password()),
        "said": ("the pass word is {}", _password()),
        "said token": ("use the to ken {} for it", draw(32)),
        "option": ("login --to ken {}", draw(32)),
        "netrc": ("machine ci.internal login deploy pass word {}", _password()),
        "sshpass": ("ssh pass -p {} ssh a@b", _password()),
        "cookie": ("Cookie: session id={}", draw(32)),
        "no name": ("put {} there", draw(48)),
        "odd blank": ("api_ key\u00a0= {}", draw(32)),
        "element": ("<pass word>{}</pass word>", _password()),
        "next line": ("pass word:\n  {}", _password()),
        "block scalar": ("to ken: |\n  {}\n", draw(32)),
        **{
            f"private key after {start!r}": (
                f"{start}-----BEGIN PRIV ATE KEY-----\n{{}}\n{start}-----END PRIV ATE KEY-----",
                f"{start}{draw(64)}\n{start}{draw(64)}",
            )
            for start in ("> ", "key.pem:", "12:", ' * "', "# ")
        },
        "Teams webhook": (
            f"https://shop.webhook.office.com/webhookb2/{_uuid()}@{_uuid()}/Incoming Webhook/{{}}",
            f"{draw(32, _HEX)}/{_uuid()}",
        ),
        "LangSmith": ("lsv 2_pt_{}", f"{draw(32, _HEX)}_{draw(10, _HEX)}"),
        "Firebase": (f"AA AA{draw(7)}:APA91b{{}}", draw(134)),
        "Artifactory reference": ("cmVm dGtu{}", draw(56)),
        "Mapbox": ("s k.eyJ{}", f"{draw(70)}.{draw(22)}"),
        "Twitter": ("A" * 18 + " AAAA{}", f"{draw(25)}%3D{draw(50)}"),
        "PuTTY": (
            "Private- Lines: 2\n{}\nPrivate-MAC: 0",
            f"{draw(64)}\n{draw(40)}",
        ),
        "docker login": ("docker lo gin -u deploy -p {} ci.internal", _password()),
        "htpasswd": ("htpass wd -nb deploy {}", _password()),
        "openssl": ("openssl enc -aes-256-cbc -pass pa ss:{}", _password()),
        "said of something": ("the pass word for the staging database is {}", _password()),
        "said in Portuguese": ("a sen ha do banco é {}", _password()),
        "GitHub app": ("gh s_{}", f"1234567_eyJ{draw(40)}.eyJ{draw(280)}.{draw(160)}"),
        "AWS session, long": ("AWS_SESSION_ TOKEN={}", f"IQoJb3JpZ2luX2VjE{draw(700)}=="),
        "AWS session alone": ("we have FwoGZXIv YXdz{}", draw(600)),
        "1Password": ("op s_eyJ{}", draw(700)),
        "Gemini": ("A Q.Ab8RN6{}", draw(44)),
        "Cerebras": ("cs k-{}", draw(48, string.ascii_lowercase + string.digits)),
        "Neon": ("nap i_{}", draw(64, string.ascii_lowercase + string.digits)),
        "Neon password": ("postgresql://neondb_owner:np g_{}@ep-x.neon.tech/db", draw(12)),
        "ElevenLabs": ("s k_{}", draw(48, _HEX)),
        "Langfuse": ("sk-l f-{}", _uuid()),
        "Firecrawl": ("f c-{}", draw(32, _HEX)),
        "Fireworks": ("f w_{}", draw(22)),
        "Datadog": ("dda pp_{}", draw(34)),
        "Open VSX": ("ovsx at_{}", _uuid()),
        "Cloudflare Origin CA": ("v1. 0-{}", f"{draw(24, _HEX)}-{draw(146, _HEX)}"),
        "long without a name": ("put {} there", draw(400)),
        "dotted without a name": ("put {} there", f"{draw(40)}.{draw(30)}"),
        "lower case without a name": (
            "put {} there",
            draw(40, string.ascii_lowercase + string.digits),
        ),
        "private key": (
            "-----BEGIN RSA PRIV ATE KEY-----\n{}\n-----END RSA PRIV ATE KEY-----",
            draw(64) + "\n" + draw(64),
        ),
    }
    shapes |= {
        "Twilio call without a name": (f"Client('AC{draw(32, _HEX)}', '{{}}')", draw(32, _HEX)),
        "Razorpay call without a name": (f"Api('rzp_live_{draw(14)}', '{{}}');", draw(24)),
        "Adyen": ("{}", f"AQE{draw(80)}=-{draw(60)}=-{draw(16)}"),
        "wireless network without a name": ("WIFI:S:my home;T:WPA;P:{};;", _password()),
        "id that is a secret without a name": ("Secret ID = {}", _uuid()),
        "Ably without a name": (f"{draw(6)}.{draw(6)}:{{}}", draw(43)),
        "wallet without a name": ('new ethers.Wallet("0x{}", provider)', draw(64, _HEX)),
        "accounts without a name": ('accounts: ["0x{}"]', draw(64, _HEX)),
        "short key of an address without a name": ("https://x.io/run?id=7&sig={}", "Kcl3ItUVWJm"),
    }
    return {name: _join(shape, body) for name, (shape, body) in shapes.items()}


def make_plain_secrets() -> tuple[tuple[str, str], ...]:
    """Returns texts with a secret that looks like a word, and the secret."""
    return (
        ("pass" + "word=Sommer2026!", "Sommer2026!"),
        ("DB_PASS" + "WORD=sunshine", "sunshine"),
        ("db:\n  pass" + "word: hunterhunter\n", "hunterhunter"),
        ('{"pass' + 'word": "letmeinplease"}', "letmeinplease"),
        ("pass" + "word: 'correct horse'", "correct horse"),
        ("client_" + "secret=monkeybusiness", "monkeybusiness"),
        ("postgres" + "://app:sommer@db.internal/orders", "sommer"),
        ("postgres" + "://app:Sommer2026!@localhost:5432/orders", "Sommer2026!"),
        ("mysql" + "://app:p@ss!w0rd@db.internal/orders", "p@ss!w0rd"),
        ("a sen" + "ha do banco agora é Girassol.Abacaxi9295", "Girassol.Abacaxi9295"),
        ("A sen" + "ha do roteador novo ficou Jacar4nda!Sul91 - anota", "Jacar4nda!Sul91"),
        ("A sen" + "ha do banco mudou para Cobxxfjiskv@2x ontem.", "Cobxxfjiskv@2x"),
        ("the pass" + "word is now Kirsche-Baum-91x, tell nobody", "Kirsche-Baum-91x"),
        ('psk="pap' + 'rika-turnip-juniper"', "paprika-turnip-juniper"),
        ("sendemail.smtpP" + "ass 'xmts lbqv suaf uiys'", "xmts lbqv suaf uiys"),
        ("2FA se" + "cret: uwjr 6vxs 3mbp feiy dcbq", "uwjr 6vxs 3mbp feiy dcbq"),
        ("Recovery codes:\nfb413-25506\n2c921-ec983\nUsed: none", "fb413-25506\n2c921-ec983"),
    )


def _join(shape: str, body: str) -> tuple[str, str]:
    """Returns the text with its random part; the space that cuts a mark in two is taken out."""
    head, _, tail = shape.partition("{}")
    for cut in _CUTS:
        head = head.replace(cut, cut.replace(" ", ""))
        tail = tail.replace(cut, cut.replace(" ", ""))
    return f"{head}{body}{tail}", body


# fmt: off
_CUTS = (
    "AK IA", "secret_ access", "SESSION_ TOKEN", "gh p_", "github_ pat", "gh s_", "gl pat", "gl dt",
    "gl rt", "xo xb", "xa pp", "slack. com", "api/ webhooks", "61928 37465", "sk_l ive", "sk_t est",
    "rk_l ive", "whs ec", "sk-a nt", "sk-p roj", "sk -", "sk-o r", "gs k_", "xa i-", "pp lx", "r 8_",
    "h f_", "AI za", "GOC SPX", "ya 29", "np m_", "_auth Token", "_au th", "py pi-", "ruby gems", "ci o",
    "oy 2", "S G.", "ke y-", "xkey sib", "do p_v1", "da pi", "S K", "AUTH_ TOKEN", "hv s.", "dp .pt",
    "gl sa_", "NR AK", "PM AK", "lin_ api", "nt n_", "pa t", "shp at", "sq0 atp", "psc ale", "fi gd",
    "dck r_", "ATA TT3", "snt rys", "https:// ", "pu l-", "nf p_", "sb p_", "API_ KEY", "Account Key",
    "si g=", "ts key", "SEC RET", "ey J", "api_ key", "api Key", "client_ secret", "API_ TOKEN",
    "KEY_ BASE", "x-api -key", "SECRET_ KEY", "SIGNING_ KEY", "PRIVATE- TOKEN", "to ken", "Bea rer",
    "Ba sic", "- u", "red is", "postgres:// ", "PASS WORD", "P wd", "pass word", "ssh pass",
    "session id", "PRIV ATE", "Incoming Webhook", "lsv 2_", "AA AA", "cmVm dGtu", "s k.eyJ", " AAAA",
    "FwoGZXIv YXdz", "op s_", "A Q.", "cs k-", "nap i_", "np g_", "s k_", "sk-l f-", "f c-", "f w_",
    "dda pp_", "ovsx at_", "v1. 0-", "Private- Lines", "lo gin", "htpass wd", "pa ss:", "sen ha",
)
# fmt: on


def make_harmless() -> tuple[str, ...]:
    """Returns texts that hold no secret."""
    return (
        f"commit {draw(40, _HEX)}",
        f"script-src 'self' 'nonce-{draw(22)}=='",
        f"Accessor ID = {_uuid()}",
        f"secret_id_accessor   {_uuid()}",
        f"sq0idp-{draw(22)}",
        "WIFI:T:nopass;S:guest;;",
        "NAME                                READY\nauth-service-wklfdjh96k-k8lqw       1/1",
        "kubectl logs token-service-5d8f9c7b6f-x2k4q",
        "API_KEY=${API_KEY:?must be set}",
        'export TOKEN="${TOKEN:?set TOKEN first}"',
        "password: ${DB_PASSWORD:-postgres}",
        f"SLACK_BOT_TOKEN=xoxb-{'x' * 12}-{'x' * 13}-{'x' * 24}",
        f"Password: {'*' * 20}\nToken: ghp_{'*' * 36}",
        "api_key: sk-ant-api03-XXXXXXXX",
        "the password for the staging server is in the vault",
        "the password policy for new users is documented2",
        "the primary key for the table is order_id2",
        "la contraseña del servidor está en el gestor",
        "| Key | Action |\n|---|---|\n| Ctrl+Shift+F12 | go to definition |",
        "| Token | Value |\n|---|---|\n| --color-bg-100 | #f5f5f5 |",
        "| Model | Tokens |\n|---|---|\n| gpt-4o | 128000 |",
        "token,count\nthe,1203\nof2,994",
        "https://shop.io/issues?key=SHOP-1234&dir=desc",
        f'transaction 0x{draw(64, _HEX)} of Contract("0x{draw(40, _HEX)}", abi)',
        f"sha256:{draw(64, _HEX)}",
        f'"integrity": "sha512-{draw(86)}=="',
        f"golang.org/x/net v0.17.0 h1:{draw(43)}=",
        f"request_id={_uuid()}",
        f"trace {_uuid()} was slow",
        f"data:image/png;base64,{draw(120)}",
        f"image: app@sha256:{draw(64, _HEX)}",
        f"/assets/index-{draw(8)}.js",
        f".css-{draw(7)}{{color:red}}",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{draw(43)} me@host",
        f'etag: W/"{draw(32, _HEX)}"',
        f"https://example.com/a/{draw(40)}",
        f'checksum = "{draw(64, _HEX)}"',
        f"public_key: {draw(43)}",
        f"next_page_token: {draw(24)}",
        f"sha1 {draw(40, _HEX)} of the archive",
        'password: ""',
        "password=",
        "token = os.environ['API_TOKEN']",
        'api_key = os.getenv("OPENAI_API_KEY")',
        "const token = process.env.GITHUB_TOKEN1",
        "token: ${GITHUB_TOKEN}",
        "PASSWORD=$DB_PASSWORD_2",
        "password: ${{ secrets.DB_PASSWORD_2 }}",
        "API_KEY=<your-api-key-here-123>",
        "api_key: YOUR_API_KEY_1234567890",
        "token=xxxxxxxxxxxxxxxxxxxx1",
        "secret: changeme123",
        "SECRET_KEY=replace-me-with-50-characters",
        "the secret is to test early",
        "The secret is in the vault of every environment",
        "a token is a piece of text, about 4 characters",
        "max_tokens: 4096",
        "token_limit=200000",
        "tokens: 1234567890123",
        "password_hash: bcrypt",
        "token_type: bearer",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <token>",
        "password = get_password(user1, realm2)",
        "token = tokens[index1]",
        "self.token = self._next_token2()",
        "secretName: db-credentials-v2",
        "key: value1",
        "cache-key: v1-deps-ubuntu-22.04-python-3.12",
        "key: build/linux-x86_64/release-1.2.3",
        "version 12.4.1-beta.20240117+build.5531",
        "postgres://user:password@localhost/db",
        "postgres://app:${DB_PASSWORD}@db.internal/orders",
        "docker run -u 1000:1000 image",
        "git@github.com:team/repository.git",
        "ssh://git@host:22/a/b",
        "src/components/authentication/TokenProviderFactory2.tsx",
        "/home/me/.config/app/secrets/token-v2.json",
        "the password is base64-encoded",
        "Passwords have at least 12 characters",
        "credentials: include",
        "auth: oauth2-client-credentials",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A",
        "AKIAIOSFODNN7EXAMPLE",
        "sk-proj-your-key-here",
        "getUserAuthenticationTokenFromRequestHeaderV2AndValidate",
        "TEST_MODULE_NAME_WITH_A_LONG_CONSTANT_2024_V1",
        "2026-03-02T09:30:00.123456+00:00",
        'class="mt-4 px-2 md:grid-cols-12 w-1/2 text-2xl"',
        "--color-token: #a1b2c3d4",
        "use the token bucket algorithm v2",
        f"public key: {draw(64, _HEX)}",
        "the password for the database is asked for at 10:30",
        "the key to the whole thing is step2-validation",
        "docker run -p 8080:8080/tcp api",
        "docker login -u deploy -p $DOCKER_PASSWORD2 ci.internal",
        "https://shop.webhook.office.com/webhookb2/ID@ID/IncomingWebhook/KEY/ID",
        f"req_011CS{draw(19)}",
        f"price_1MoBy5Lk{draw(16)}",
        f"toolu_{draw(24)}",
        f"chatcmpl-{draw(29)}",
        "token: string",
        "password: str = ''",
        "password: required",
        "The secret: nobody knows what it is",
        "password=args.password",
        "token = settings.api_token",
        "password: z.string().min(8)",
        "passwordInput: HTMLInputElement",
        "private readonly token: AccessToken;",
        "def f(password: SecretStr, token: Token) -> None:",
        "token=$(cat token.txt)",
        "password=%PASSWORD%",
        "secret: vault/path/to/it",
        "AGENT_DEV_AUTH_0=ALLOWED: git add, git commit",
        "pass_action: approve and finish",
        "the action needs no token: `persist-credentials: false` leaves none in it",
        'token = "What models read and charge for."',
        "https://cdn.jsdelivr.net/npm/vue@3.4.21/dist/vue.global.prod.js",
    )
