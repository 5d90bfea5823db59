/** The page of the playground: files, an editor, findings, and what an agent gets. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { Engine, type Files, type Finding, type Question, type State } from "./engine";
import { readFolder } from "./folder";
import { fromLink, toLink } from "./link";

interface Example {
  title: string;
  files: Files;
  /** The file that is shown first. */
  shown: string;
  question: Question;
  day: { prompt: string; used: number }[];
}

const WINDOW = 200_000;
const STEP = 25_000;
const OWN_DAY = ["go on", "what is left?", "go on", "sum it up", "go on", "is it done?"].map((prompt, number) => ({
  prompt,
  used: Math.min(STEP * (number + 1), 190_000),
}));

function part<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  text = "",
  className = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

const engine = new Engine();
const progress = part("progress");
let files: Files = {};
let findings: Finding[] = [];
let path = "";
let day: Example["day"] = [];
let turn = 0;

/** Offsets of the engine count code points, those of the page UTF-16 units. */
function toUnits(text: string, points: number): number {
  return [...text].slice(0, points).join("").length;
}

const view = new EditorView({ parent: part("editor") });

function editorState(text: string): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      history(),
      highlightActiveLine(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": `Text of ${path}` }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          void textChanged(update.state.doc.toString());
        }
      }),
    ],
  });
}

async function textChanged(text: string): Promise<void> {
  const edited = path;
  files[edited] = text;
  const state = await engine.edit(edited, text);
  if (files[edited] === text) {
    takeFindings(state);
    await showAnswer();
  }
}

function takeFindings(state: State): void {
  findings = state.findings;
  const shown = files[path] ?? "";
  view.dispatch(
    setDiagnostics(
      view.state,
      findings.filter((one) => one.path === path).map((one) => toDiagnostic(one, shown)),
    ),
  );
  showFiles();
  showFindings();
}

function toDiagnostic(one: Finding, text: string): Diagnostic {
  const start = Math.min(toUnits(text, one.start), view.state.doc.length);
  const end = Math.min(toUnits(text, one.end), view.state.doc.length);
  return {
    from: start,
    to: Math.max(start, end),
    severity: one.severity,
    source: `${one.code} (${one.name})`,
    message: `${one.message} ${one.remedy}`.trim(),
  };
}

function takeState(state: State, shown = path): void {
  files = state.files;
  findings = state.findings;
  showFile(shown in files ? shown : (Object.keys(files).sort(byPlace)[0] ?? ""));
}

function showFile(wanted: string): void {
  path = wanted;
  part("path").textContent = path;
  view.setState(editorState(files[path] ?? ""));
  takeFindings({ files, findings });
}

/** The files of the tree itself come first. */
function byPlace(one: string, other: string): number {
  const rank = (name: string) => (name.startsWith(".synapse/") ? 0 : name.startsWith("squads/") ? 1 : 2);
  return rank(one) - rank(other) || (one < other ? -1 : 1);
}

function showFiles(): void {
  const counts = new Map<string, { all: number; isError: boolean }>();
  for (const one of findings) {
    const known = counts.get(one.path) ?? { all: 0, isError: false };
    counts.set(one.path, { all: known.all + 1, isError: known.isError || one.severity === "error" });
  }
  part("files").replaceChildren(
    ...Object.keys(files).sort(byPlace).map((name) => {
      const entry = element("button");
      entry.type = "button";
      entry.append(element("span", name));
      const count = counts.get(name);
      if (count) {
        entry.append(element("span", String(count.all), count.isError ? "badge error" : "badge"));
      }
      entry.setAttribute("aria-current", String(name === path));
      entry.onclick = () => showFile(name);
      return entry;
    }),
  );
}

function showFindings(): void {
  part("count").textContent =
    findings.length === 0 ? "No findings" : `${findings.length} ${findings.length === 1 ? "finding" : "findings"}`;
  part("fix-all").hidden = findings.length === 0;
  part("findings").replaceChildren(...findings.map(findingEntry));
}

function findingEntry(one: Finding): HTMLLIElement {
  const entry = element("li");
  const head = element("p");
  const place = element("button", `${one.path}:${one.line}`, "place");
  place.type = "button";
  place.onclick = () => goTo(one);
  head.append(element("span", one.severity, `severity-${one.severity}`), " ", place, ` ${one.code} (${one.name})`);
  const fixes = element("span");
  const offer = element("button", "Fixes …");
  offer.type = "button";
  offer.onclick = () => void offerFixes(one, fixes, offer);
  const remedy = element("p", one.remedy, "remedy");
  entry.append(head, element("p", one.message), remedy, offer, fixes);
  return entry;
}

function goTo(one: Finding): void {
  if (one.path !== path) {
    showFile(one.path);
  }
  const start = toUnits(files[path] ?? "", one.start);
  view.dispatch({ selection: { anchor: start }, effects: EditorView.scrollIntoView(start, { y: "center" }) });
  view.focus();
}

async function offerFixes(one: Finding, into: HTMLElement, offer: HTMLButtonElement): Promise<void> {
  const titles = await engine.fixes(one);
  offer.remove();
  into.replaceChildren(
    ...(titles.length === 0 ? [element("span", "There is no fix; the remedy says what to do.", "remedy")] : []),
    ...titles.map((title, number) => {
      const fix = element("button", title);
      fix.type = "button";
      fix.onclick = async () => {
        // Another finding may have been asked about since.
        await engine.fixes(one);
        await applied(await engine.fix(number));
      };
      return fix;
    }),
  );
}

async function applied(state: State): Promise<void> {
  takeState(state, state.changed?.includes(path) ? path : (state.changed?.[0] ?? path));
  await showAnswer();
}

function question(): Question {
  const agent = part<HTMLSelectElement>("agent").value;
  return {
    prompt: part<HTMLInputElement>("prompt").value,
    ...(agent && { agent }),
    remaining: Number(part<HTMLInputElement>("remaining").value),
  };
}

async function showAnswer(): Promise<void> {
  const { context, explanation, choices } = await engine.question(question());
  showAgents(choices.agents);
  part("bracket").textContent = `${part<HTMLInputElement>("remaining").value} % · ${context.bracket}`;
  const limit = context.unbounded ? "tokens (no limit)" : `of ${context.budget} tokens`;
  part("cost").textContent = [`${context.tokens} ${limit}`, ...context.notes].join(" · ");
  part("block").textContent = context.block || "The agent gets nothing in this situation.";
  part("pane-reasons").replaceChildren(
    ...explanation.domains.map((domain) => {
      const entry = element("details");
      const inside = domain.rules.filter((rule) => rule.rendered).length;
      const head = element("summary");
      head.append(
        element("strong", domain.label, inside ? "in" : ""),
        ` · ${inside} of ${domain.rules.length} rules · `,
        element("span", [domain.reason, domain.remedy].filter(Boolean).join(" "), "reason"),
      );
      const rules = element("ul");
      for (const rule of domain.rules) {
        const line = element("li");
        line.append(
          element("strong", rule.rendered ? "in " : "out ", rule.rendered ? "in" : ""),
          `${rule.key}: ${rule.text} (${rule.tokens} tokens) `,
          element("span", [rule.reason, rule.remedy].filter(Boolean).join(" "), "reason"),
        );
        rules.append(line);
      }
      entry.append(head, rules);
      return entry;
    }),
  );
}

function showAgents(agents: { id: string; title: string }[]): void {
  const select = part<HTMLSelectElement>("agent");
  const wanted = ["", ...agents.map((agent) => agent.id)];
  if (wanted.join("\n") !== [...select.options].map((option) => option.value).join("\n")) {
    const chosen = select.value || select.dataset.wanted || "";
    select.replaceChildren(...wanted.map((id) => new Option(id ? `@${id}` : "none", id)));
    select.value = wanted.includes(chosen) ? chosen : "";
  }
}

async function nextTurn(): Promise<void> {
  const next = day[turn % day.length] ?? { prompt: "go on", used: STEP };
  const used = Math.min(next.used + Math.floor(turn / day.length) * STEP, WINDOW - STEP / 5);
  turn += 1;
  const { text, bracket } = await engine.send(next.prompt, used);
  const entry = element("li");
  entry.append(
    element("strong", next.prompt),
    ` · ${Math.round(100 - (100 * used) / WINDOW)} % of the window left · ${bracket}`,
    element("pre", text || "Nothing: the agent has everything that applies."),
  );
  part("turns").append(entry);
  entry.scrollIntoView({ block: "nearest" });
}

async function beginDay(): Promise<void> {
  turn = 0;
  part("turns").replaceChildren();
  await engine.beginSession();
}

async function openTree(opened: Files, asked: Question, planned: Example["day"], shown = ""): Promise<void> {
  day = planned;
  turn = 0;
  part("turns").replaceChildren();
  part<HTMLInputElement>("prompt").value = asked.prompt;
  part<HTMLInputElement>("remaining").value = String(asked.remaining);
  const agent = part<HTMLSelectElement>("agent");
  agent.replaceChildren();
  agent.dataset.wanted = asked.agent ?? "";
  takeState(await engine.open(opened), shown);
  await showAnswer();
  // The list of agents is known only now.
  if (asked.agent) {
    await showAnswer();
  }
}

async function openExample(example: Example): Promise<void> {
  await openTree(example.files, example.question, example.day, example.shown);
}

function say(text: string): void {
  progress.textContent = text;
}

function showTab(name: string): void {
  for (const other of ["block", "reasons", "day"]) {
    part(`tab-${other}`).setAttribute("aria-selected", String(other === name));
    part(`pane-${other}`).hidden = other !== name;
  }
}

async function openFolder(list: FileList): Promise<void> {
  const read = await readFolder(list);
  if (Object.keys(read).length === 0) {
    say("That folder holds no rule tree: there is no .synapse, .carl, chati.dev or squads in it.");
    return;
  }
  await openTree(read, { prompt: "", remaining: 80 }, OWN_DAY);
  say(`${Object.keys(read).length} files opened`);
}

async function share(): Promise<void> {
  replaceHash(await toLink({ files, shown: path, question: question() }));
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is in the clipboard; it holds the whole tree");
  } catch {
    say("The link is in the address bar; it holds the whole tree");
  }
}

function replaceHash(hash: string): void {
  window.history.replaceState(null, "", hash);
}

async function start(): Promise<void> {
  const examples = (await (await fetch("examples.json")).json()) as Example[];
  const select = part<HTMLSelectElement>("example");
  select.replaceChildren(...examples.map((example, number) => new Option(example.title, String(number))));
  select.onchange = () => {
    const chosen = examples[Number(select.value)];
    replaceHash(" ");
    void (chosen && openExample(chosen));
  };
  for (const name of ["block", "reasons", "day"]) {
    part(`tab-${name}`).onclick = () => showTab(name);
  }
  part("question").oninput = () => void showAnswer();
  part("question").onsubmit = (event) => event.preventDefault();
  part("fix-all").onclick = async () => applied(await engine.fixAll());
  part("next").onclick = () => void nextTurn();
  part("restart").onclick = () => void beginDay();
  part("share").onclick = () => void share();
  const folder = part<HTMLInputElement>("folder");
  folder.onchange = () => void (folder.files && openFolder(folder.files));
  const shared = await fromLink(location.hash).catch(() => {
    say("The link is damaged: an example is shown in its place.");
    return undefined;
  });
  const first = examples[0];
  if (shared) {
    await openTree(shared.files, shared.question, OWN_DAY, shared.shown);
  } else if (first) {
    await openExample(first);
  }
  if (progress.textContent?.startsWith("Loading")) {
    say("Ready");
  }
}

start().catch((error: unknown) => say(`The playground cannot start: ${String(error)}`));
