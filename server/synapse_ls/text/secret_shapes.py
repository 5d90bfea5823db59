"""The shapes of access tokens and keys as their issuers publish them, and the words in names of
settings whose values are secrets.

Every repetition in a pattern has an upper bound, so that a search takes time in proportion to the
text.
"""

from __future__ import annotations

from typing import Final

TOKEN_SHAPES: Final[tuple[tuple[str, str, str], ...]] = (
    # what it is, a part that it always contains, its shape with the random part as group 1
    ("AWS access key", "IA", r"(?:AKIA|ASIA)([A-Z2-7]{16})"),
    ("AWS Bedrock key", "ABSK", r"ABSK([A-Za-z0-9+/]{60,269}={0,2})"),
    ("GitHub token", "gh", r"gh[pousr]_([A-Za-z0-9]{36,255})"),
    ("GitHub token", "github_pat_", r"github_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    (
        "GitLab token",
        "gl",
        r"gl(?:pat|dt|rt|rtr|ptt|ft|imt|agent|oas|soat|cbt|ffct)-([A-Za-z0-9_.=-]{20,300})",
    ),
    ("GitLab token", "GR1348941", r"GR1348941([A-Za-z0-9_-]{20,64})"),
    ("Slack token", "xox", r"xox[abeoprs]-((?:[0-9]{1,14}-){1,6}[A-Za-z0-9-]{16,120})"),
    ("Slack token", "xox", r"xox[cd]-([A-Za-z0-9%-]{30,400})"),
    ("Slack token", "xoxe", r"xoxe(?:\.xox[bp])?-1-([A-Za-z0-9-]{40,250})"),
    ("Slack token", "xapp-", r"xapp-[0-9]-(?:[A-Z0-9]{8,14}-)?([0-9]{8,16}-[A-Za-z0-9]{32,80})"),
    (
        "Slack webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows)/T[A-Z0-9]{6,14}/[AB][A-Z0-9]{6,14}/"
        r"(?:[0-9]{10,20}/)?([A-Za-z0-9]{20,32})",
    ),
    ("Anthropic key", "sk-ant-", r"sk-ant-[a-z]{2,8}[0-9]{2}-([A-Za-z0-9_-]{80,120})"),
    ("OpenRouter key", "sk-or-", r"sk-or-v1-([a-f0-9]{64})"),
    ("OpenAI key", "sk-", r"sk-(?:proj|svcacct|admin|None)-([A-Za-z0-9_-]{40,200})"),
    ("OpenAI key", "T3BlbkFJ", r"sk-([A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})"),
    ("API key", "sk-", r"sk-([A-Za-z0-9]{32,64})"),
    ("Groq key", "gsk_", r"gsk_([A-Za-z0-9]{48,60})"),
    ("xAI key", "xai-", r"xai-([A-Za-z0-9]{70,90})"),
    ("Perplexity key", "pplx-", r"pplx-([A-Za-z0-9]{40,64})"),
    ("Replicate token", "r8_", r"r8_([A-Za-z0-9]{36,40})"),
    ("Google API key", "AIza", r"AIza([A-Za-z0-9_-]{35})"),
    ("Google client secret", "GOCSPX-", r"GOCSPX-([A-Za-z0-9_-]{28})"),
    ("Google token", "ya29.", r"ya29\.([A-Za-z0-9_-]{30,1000})"),
    ("Google token", "1//0", r"1//0([A-Za-z0-9_-]{40,200})"),
    ("Stripe key", "k_", r"[sr]k_(?:live|test|prod)_([A-Za-z0-9]{16,247})"),
    ("webhook secret", "whsec_", r"whsec_([A-Za-z0-9+/]{24,90}={0,2})"),
    ("npm token", "npm_", r"npm_([A-Za-z0-9]{36})"),
    ("PyPI token", "pypi-AgE", r"pypi-AgE([A-Za-z0-9_-]{50,250})"),
    ("RubyGems key", "rubygems_", r"rubygems_([a-f0-9]{48})"),
    ("crates.io token", "cio", r"cio([A-Za-z0-9]{32})"),
    ("NuGet key", "oy2", r"oy2([a-z0-9]{43})"),
    ("SendGrid key", "SG.", r"SG\.([A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"),
    ("Mailgun key", "key-", r"key-([a-f0-9]{32})"),
    ("Mailchimp key", "-us", r"([a-f0-9]{32})-us[0-9]{1,2}"),
    ("Brevo key", "xkeysib-", r"xkeysib-([a-f0-9]{64}-[A-Za-z0-9]{16})"),
    ("Resend key", "re_", r"re_([A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,28})"),
    ("Hugging Face token", "hf_", r"hf_([A-Za-z0-9]{34,40})"),
    ("DigitalOcean token", "_v1_", r"do[opr]_v1_([a-f0-9]{64})"),
    ("Databricks token", "dapi", r"dapi([a-f0-9]{32})(?:-[0-9])?"),
    ("Twilio key", "SK", r"SK([0-9a-f]{32})"),
    ("Vault token", "hv", r"hv[sbr]\.([A-Za-z0-9_-]{24,300})"),
    ("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.([A-Za-z0-9_=-]{60,80})"),
    (
        "Doppler token",
        "dp.",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?([A-Za-z0-9]{40,44})",
    ),
    ("Grafana token", "glsa_", r"glsa_([A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    ("Grafana token", "glc_", r"glc_([A-Za-z0-9+/]{32,400}={0,2})"),
    ("New Relic key", "NR", r"NR(?:AK|AA|II|IQ|RA)-([A-Za-z0-9_-]{27,42})"),
    ("Postman key", "PMAK-", r"PMAK-([a-f0-9]{24}-[a-f0-9]{34})"),
    ("Linear key", "lin_", r"lin_(?:api|oauth)_([A-Za-z0-9]{40,64})"),
    ("Notion token", "secret_", r"secret_([A-Za-z0-9]{43})"),
    ("Notion token", "ntn_", r"ntn_([A-Za-z0-9]{40,50})"),
    ("Airtable token", "pat", r"pat[A-Za-z0-9]{14}\.([a-f0-9]{64})"),
    ("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_([A-Fa-f0-9]{32})"),
    ("Square token", "sq0", r"sq0[a-z]{3}-([A-Za-z0-9_-]{22,43})"),
    ("Square token", "EAAA", r"EAAA([A-Za-z0-9_-]{56,64})"),
    ("Facebook token", "EAA", r"EAA([A-Za-z0-9]{80,400})"),
    ("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_([A-Za-z0-9_.=-]{32,64})"),
    ("Figma token", "fig", r"fig[dou]_([A-Za-z0-9_-]{40,48})"),
    ("Docker token", "dckr_", r"dckr_(?:pat|oat)_([A-Za-z0-9_-]{27,36})"),
    ("Atlassian token", "AT", r"AT(?:ATT|CTT)3([A-Za-z0-9_=-]{60,240})"),
    ("Bitbucket token", "ATBB", r"ATBB([A-Za-z0-9]{24,36})"),
    ("Dropbox token", "sl.", r"sl\.(?:u\.)?([A-Za-z0-9_-]{100,1300})"),
    ("Sentry token", "sntry", r"sntry[su]_([A-Za-z0-9+/=_-]{40,400})"),
    ("Buildkite token", "bk", r"bk(?:ua|ct|aj)_([a-f0-9]{40})"),
    ("CircleCI token", "CCIPAT_", r"CCIPAT_([A-Za-z0-9]{20,24}_[a-f0-9]{40})"),
    ("Pulumi token", "pul-", r"pul-([a-f0-9]{40})"),
    ("Fly token", "fm", r"fm[12][ar]?_([A-Za-z0-9+/=_-]{60,1500})"),
    ("Netlify token", "nfp_", r"nfp_([A-Za-z0-9]{36,40})"),
    ("Supabase token", "sb", r"sb(?:p|_secret)_([A-Za-z0-9_-]{30,64})"),
    ("Heroku key", "HRKU-", r"HRKU-([A-Za-z0-9_-]{36,64})"),
    ("Okta token", "SSWS ", r"SSWS (00[A-Za-z0-9_-]{40})"),
    ("Azure client secret", "Q~", r"([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})"),
    ("Azure DevOps token", "AZDO", r"([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})"),
    ("Azure signature", "sig=", r"sig=([A-Za-z0-9%+/_-]{40,90}={0,2})"),
    ("signed address", "-Signature=", r"X-(?:Amz|Goog)-Signature=([a-f0-9]{64,1024})"),
    ("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1([A-Z0-9]{58})"),
    ("Artifactory key", "AKCp", r"AKCp([A-Za-z0-9]{60,72})"),
    ("SonarQube token", "sq", r"sq[pua]_([a-f0-9]{40})"),
    ("Tailscale key", "tskey-", r"tskey-(?:[a-z]{2,10}-)?([A-Za-z0-9]{10,20}-[A-Za-z0-9]{20,40})"),
    ("Dynatrace token", "dt0", r"dt0[a-z][0-9]{2}\.[A-Z2-7]{24}\.([A-Z2-7]{64})"),
    ("Alibaba key", "LTAI", r"LTAI([A-Za-z0-9]{16,20})"),
    ("LaunchDarkly key", "-", r"(?:sdk|api)-([a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12})"),
    ("Discord token", ".", r"([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})"),
    (
        "Discord webhook",
        "/api/webhooks/",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([A-Za-z0-9_-]{60,80})",
    ),
    ("Telegram token", ":A", r"(?:bot)?[0-9]{8,10}:(A[A-Za-z0-9_-]{34})"),
    (
        "Sentry address",
        "sentry",
        r"https?://([a-f0-9]{32})(?::[a-f0-9]{32})?@[a-z0-9.-]{0,60}sentry",
    ),
    (
        "Teams webhook",
        "/IncomingWebhook/",
        r"webhookb?2?/[a-f0-9@-]{36,73}/IncomingWebhook/([a-f0-9]{32}/[a-f0-9-]{36}(?:/[A-Za-z0-9_-]{20,60})?)",
    ),
    ("LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_([a-f0-9]{32}_[a-f0-9]{10})"),
    ("Firebase key", ":APA91b", r"[A-Za-z0-9_-]{11}:APA91b([A-Za-z0-9_-]{120,160})"),
    ("Artifactory token", "cmVmdGtu", r"cmVmdGtu([A-Za-z0-9]{56})"),
    ("Mapbox token", "sk.eyJ", r"sk\.eyJ([A-Za-z0-9_-]{40,200}\.[A-Za-z0-9_-]{20,40})"),
    ("Twitter token", "AAAAAAAAAA", r"A{18,24}([A-Za-z0-9]{20,40}%[23][BDF][A-Za-z0-9%]{30,80})"),
    (
        "JSON web token",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,4000}\.([A-Za-z0-9_-]{27,700})",
    ),
)

PASSWORD_WORDS: Final = frozenset(
    ("password", "passwd", "passphrase", "passwort", "pwd", "senha", "contraseña", "pass", "pw")
)
SECRET_WORDS: Final[dict[str, str]] = {
    "secret": "secret",
    "secrets": "secret",
    "token": "access token",
    "apikey": "API key",
    "authtoken": "access token",
    "accesskey": "API key",
    "accountkey": "API key",
    "secretkey": "secret",
    "privatekey": "private key",
    "credential": "secret",
    "credentials": "secret",
    "sessionid": "session cookie",
    "phpsessid": "session cookie",
    "jsessionid": "session cookie",
    "auth": "secret",
    "bearer": "access token",
    "pat": "access token",
    "jwt": "access token",
}
# Words before "key" in the name of a setting whose value is a secret.
KEY_WORDS: Final = frozenset(
    (
        *("api", "access", "account", "app", "application", "auth", "client", "consumer", "crypt"),
        *("decryption", "deploy", "encryption", "hmac", "integration", "jwt", "license", "master"),
        *("personal", "private", "secret", "server", "service", "session", "shared", "signing"),
        *("storage", "subscription", "write", "admin", "cookie", "webhook", "bot"),
    )
)
# Words in a name that make it speak about a secret, and not hold one.
HARMLESS_WORDS: Final = frozenset(
    (
        *("id", "ids", "name", "names", "path", "file", "files", "dir", "folder", "url", "uri"),
        *("type", "length", "limit", "size", "count", "ttl", "expiry", "expires", "expiration"),
        *("header", "field", "policy", "arn", "ref", "env", "var", "variable", "manager", "hint"),
        *(
            "kind",
            "scope",
            "scopes",
            "version",
            "endpoint",
            "algorithm",
            "hash",
            "hashes",
            "digest",
        ),
        *("public", "page", "cursor", "next", "prefix", "pattern", "at", "label", "color", "style"),
    )
)
