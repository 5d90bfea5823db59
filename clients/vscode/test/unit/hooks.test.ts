import assert from "node:assert/strict";
import { test } from "node:test";
import {
  doctorPage,
  healthRemedies,
  healthVerdict,
  servedClients,
} from "../../src/hooks/doctorPage.ts";
import {
  type HookInstallation,
  outdatedInstallations,
  withInstallation,
  withoutInstallations,
} from "../../src/hooks/hookInstallations.ts";
import type {
  ChangedFile,
  ClientHealth,
  HealthReport,
  HealthTrouble,
} from "../../src/hooks/hookReports.ts";
import { clientChoices, scopeChoices } from "../../src/hooks/installChoices.ts";
import { changedFiles, settingsPreview } from "../../src/hooks/settingsPreview.ts";

// What is chosen

test("the agents that are in use here come first and are chosen", () => {
  const detected = [{ client: "gemini", because: "the project has .gemini" }];
  const [first, ...others] = clientChoices(detected, "vscode");
  assert.equal(first?.label, "Gemini CLI");
  assert.equal(first?.description, "the project has .gemini");
  assert.equal(first?.picked, true);
  assert.equal(others.filter(({ picked }) => picked).length, 0);
  assert.equal(others.length, clientChoices([], "vscode").length - 1);
});

test("agents that share a settings file are labelled so", () => {
  const description = (client: string) =>
    clientChoices([], "cursor").find((choice) => choice.client === client)?.description;
  assert.equal(description("copilot"), "in one file with VS Code Copilot Chat");
  assert.equal(description("vscode"), "in one file with GitHub Copilot CLI");
  assert.equal(description("claude"), "");
});

test("where none is found the agent of the editor is proposed", () => {
  const [first] = clientChoices([], "cursor");
  assert.deepEqual([first?.client, first?.picked], ["cursor", true]);
});

test("the agent that is installed in the editor is in use, too", () => {
  const detected = [{ client: "gemini", because: "the project has .gemini" }];
  const picked = clientChoices(detected, "vscode", true).filter((choice) => choice.picked);
  assert.deepEqual(picked.map(({ client }) => client).sort(), ["gemini", "vscode"]);
});

const scopes = (clients: readonly string[], bundled: boolean) =>
  scopeChoices(clients, bundled).map(({ scope }) => scope);

test("what works without an installation comes first where the extension brings the server", () => {
  assert.deepEqual(scopes(["claude"], true), ["local", "user", "project"]);
  assert.deepEqual(scopes(["claude"], false), ["project", "local", "user"]);
});

test("settings of one person in a project are offered where all chosen agents have them", () => {
  assert.deepEqual(scopes(["claude", "gemini"], true), ["user", "project"]);
});

test("where one of the agents has settings of its user alone, no others are offered", () => {
  assert.deepEqual(scopes(["claude", "kimi"], false), ["user"]);
});

test("settings that are shared say what they need", () => {
  assert.match(
    scopeChoices(["claude"], true).at(-1)?.detail ?? "",
    /synapse-ls on each machine: pip install/,
  );
});

// What would be written

const file = (given: Partial<ChangedFile>): ChangedFile => ({
  path: ".claude/settings.json",
  clients: ["claude"],
  action: "change",
  diff: "--- a\n+++ b\n",
  backup: "",
  ...given,
});

test("a change is shown with its files, its agents and notes", () => {
  const files = [
    file({ action: "create", diff: "--- a\n+++ b\n@@ -0,0 +1 @@\n+{}\n" }),
    file({ path: "b.json", action: "none" }),
  ];
  const { before, after } = settingsPreview({
    root: "/ws",
    files,
    notes: ["Claude Code asks for trust"],
  });
  const head = "# .claude/settings.json, for Claude Code: a new file";
  assert.equal(before, `${head}\n\n\n# Claude Code asks for trust`);
  assert.equal(after, `${head}\n{}\n\n# Claude Code asks for trust`);
});

test("a file that is up to date is no change", () => {
  assert.deepEqual(changedFiles({ root: "/ws", files: [file({ action: "none" })] }), []);
});

// The doctor

const claude: ClientHealth = {
  client: "claude",
  detected: true,
  registrations: ["SessionStart", "UserPromptSubmit"].map((event) => ({
    scope: "local",
    path: ".claude/settings.local.json",
    event,
    command: "python hook.py",
    current: true,
  })),
  canary: {
    scope: "local",
    event: "UserPromptSubmit",
    ok: true,
    tokens: 730,
    text: "<synapse-rules>\n```\n</synapse-rules>\n",
    error: "",
  },
  latency: { median_ms: 21.4, verdict: "fast" },
  rivals: [],
};
const trouble: HealthTrouble = {
  severity: "error",
  client: "claude",
  sentence: "The hook did not answer.",
  remedy: "Install it anew.",
  path: ".claude/settings.json",
  line: 5,
};
const health = (given: Partial<HealthReport> = {}): HealthReport => ({
  root: "/ws",
  tree: true,
  trusted: false,
  ok: true,
  interpreter: { path: "/usr/bin/python3", version: "3.11.7" },
  clients: [claude],
  troubles: [],
  ...given,
});

test("a healthy hook is shown with its answer, its latency and its text", () => {
  const page = doctorPage(health());
  assert.match(page, /All is well: the hook answers Claude Code\./);
  assert.match(
    page,
    /registered in `\.claude\/settings\.local\.json`; the hook answers with 730 tokens in 21 ms/,
  );
  assert.match(page, /````text\n<synapse-rules>\n```\n<\/synapse-rules>\n````/);
});

test("trouble comes with its remedy and its place", () => {
  const page = doctorPage(health({ ok: false, troubles: [trouble] }));
  assert.match(page, /One thing keeps rules from an agent/);
  assert.match(page, /Claude Code: The hook did not answer\. Install it anew\. \(`.*json:5`\)/);
});

test("a folder without a tree is reported with a remedy in the editor", () => {
  const idle = { ...claude, registrations: [], canary: null, latency: null };
  const none = { severity: "error", client: "", path: "", line: null } as const;
  const troubles: HealthTrouble[] = [
    { ...none, code: "no-tree", sentence: "/ws has no tree", remedy: "Run `synapse init`." },
    { ...none, code: "not-registered", sentence: "no client calls it", remedy: "`x`" },
    { ...none, code: "other", sentence: "it is old", remedy: "Run `pip install -U x`" },
  ];
  const bare = health({ ok: false, tree: false, clients: [idle], troubles });
  const page = doctorPage(bare);
  assert.match(page, /\/ws has no tree\. Run “Synapse: Create Rule Tree”\.$/m);
  assert.match(page, /no client calls it\. Run “Synapse: Install Hook…”\.$/m);
  assert.match(page, /it is old\. Run `pip install -U x`\.$/m);
  assert.deepEqual(healthRemedies(bare), ["createTree", "installHook"]);
  assert.deepEqual(healthRemedies(health()), []);
});

test("a folder in which no agent calls the hook says so", () => {
  const idle = { ...claude, registrations: [], canary: null, latency: null };
  assert.match(healthVerdict(health({ clients: [idle] })), /No agent calls the hook yet/);
  assert.deepEqual(servedClients(health({ clients: [idle] })), []);
});

test("an agent whose hook fails is not served", () => {
  const canary = { ...claude.canary, ok: false, error: "no such file" } as ClientHealth["canary"];
  const page = doctorPage(health({ clients: [{ ...claude, canary }] }));
  assert.match(page, /; no such file/);
  assert.deepEqual(servedClients(health({ clients: [{ ...claude, canary }] })), []);
});

test("an agent that reads all rules by itself is served", () => {
  const canary = { ...claude.canary, ok: false, tokens: 0, text: "" } as ClientHealth["canary"];
  const report = health({ clients: [{ ...claude, canary, reads_all: true }] });
  assert.match(healthVerdict(report), /All is well: the hook answers Claude Code/);
  assert.match(
    doctorPage(report),
    /the hook answers in 21 ms; the client reads its rules by itself, and nothing is injected twice/,
  );
});

test("an agent that is not in use here is left out", () => {
  const other = { ...claude, client: "codex", detected: false, registrations: [] };
  assert.doesNotMatch(doctorPage(health({ clients: [claude, other] })), /Codex/);
});

test("another hook of an agent is shown with its effect", () => {
  const rivals = [
    { path: "a.json", line: 3, event: "Stop", command: "`x` | y", effect: "runs beside ours" },
  ];
  const page = doctorPage(health({ clients: [{ ...claude, rivals }] }));
  assert.match(page, /`a\.json:3`: `` `x` \| y ``, runs beside ours/);
});

// After an update of the extension

const here: HookInstallation = { root: "/ws", clients: ["claude"], scope: "local", home: "/ext-1" };

test("a hook that calls the server of an earlier version is written anew", () => {
  assert.deepEqual(outdatedInstallations([here], "/ws", "/ext-2"), [here]);
  assert.deepEqual(outdatedInstallations([here], "/ws", "/ext-1"), []);
});

test("only hooks of this project or in user settings are outdated here", () => {
  assert.deepEqual(outdatedInstallations([here], "/other", "/ext-2"), []);
  assert.equal(outdatedInstallations([{ ...here, scope: "user" }], "/other", "/ext-2").length, 1);
});

test("a repeated installation replaces the earlier one and keeps its other agents", () => {
  const added = { ...here, clients: ["copilot"], home: "/ext-2" };
  assert.deepEqual(withInstallation([here], added), [{ ...added, clients: ["claude", "copilot"] }]);
});

test("an uninstallation removes only the entries of its project", () => {
  const other = { ...here, root: "/other" };
  assert.deepEqual(withoutInstallations([here, { ...here, scope: "user" }, other], "/ws"), [other]);
});

test("no line break of a repository ends inline code of the doctor's page", () => {
  const sentence = "There is no profile `a\n\n# x ![i](https://a.b/c)\n\nb`";
  const trouble: HealthTrouble = {
    severity: "error",
    code: "other",
    client: "",
    sentence,
    remedy: "",
    path: "",
    line: null,
  };
  const page = doctorPage(health({ ok: false, troubles: [trouble] }));
  assert.ok(page.includes("There is no profile `a # x ![i](https://a.b/c) b`"));
});
