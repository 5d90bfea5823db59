/** The Context panel: the view, what it asks, and the commands that act on it. */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { sourceOfRules } from "../adoptable";
import type { CurrentTree } from "../currentTree";
import { SELECTOR } from "../documents";
import { perform } from "../problem";
import { type Choices, choices } from "../protocol";
import type { Server } from "../server";
import { formOf } from "./form";
import type { Action, Place, Saved, ToExtension, ToPanel } from "./messages";
import { Newest } from "./newest";
import { noticeOf, refused } from "./notice";
import { pageOf } from "./page";
import { PendingFocus } from "./pendingFocus";
import { type Asked, ask, refusal, tokenOf } from "./questions";
import { nameIn } from "./rules";
import { isSimulated, NOTHING, savedIn, simulationIn } from "./simulation";
import { words } from "./words";

const VIEW = "synapse.context";
const KEY = "synapse.panel";
/** Milliseconds: shorter than a pause between words, longer than one between letters. */
const PAUSE = 120;

export class ContextPanel implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly newest = new Newest((signal) => this.answer(signal));
  private view: vscode.WebviewView | undefined;
  private asked: Asked | undefined;
  /** What can be chosen; it changes with the tree, and not with what is tried out. */
  private choices: Promise<Choices> | undefined;
  private unsaved = "";
  private readonly pending = new PendingFocus();

  constructor(
    private readonly home: vscode.Uri,
    private readonly memory: vscode.Memento,
    private readonly server: Server,
    private readonly tree: CurrentTree,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider(VIEW, this),
      register("synapse.showContext", (situation?: unknown) => this.show(situation)),
      register("synapse.resetSimulation", () => this.become({ ...this.state, simulation: {} })),
      register("synapse.compareContext", () => this.keep()),
      register("synapse.copyBlock", () => this.copy()),
      tree.onDidChange(() => this.onTree()),
      vscode.window.onDidChangeActiveTextEditor(() => this.pending.drop()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused || this.pending.drop()),
      vscode.workspace.onDidSaveTextDocument(() => this.onEdit()),
      vscode.workspace.onDidChangeTextDocument(() => this.onEdit()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const dist = vscode.Uri.joinPath(this.home, "dist", "panel");
    const uri = (name: string): string =>
      view.webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: ToExtension) => this.onMessage(message));
    view.onDidChangeVisibility(() => view.visible && this.newest.soon(0));
    view.onDidDispose(() => {
      this.view = undefined;
      this.newest.drop();
    });
    view.webview.html = pageOf({
      source: view.webview.cspSource,
      script: uri("panel.js"),
      style: uri("panel.css"),
      nonce: randomBytes(16).toString("base64url"),
      language: vscode.env.language,
    });
  }

  dispose(): void {
    this.newest.drop();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private get state(): Saved {
    return savedIn(this.memory.get(KEY, NOTHING));
  }

  /** A page cannot: what it keeps is lost when the window is loaded anew in a browser. */
  private remember(saved: Saved): void {
    void this.memory.update(KEY, saved);
  }

  /** Shows the panel, with a situation tried out where one is given. */
  private async show(situation: unknown): Promise<void> {
    const simulation = simulationIn(situation);
    const { uri } = (situation ?? {}) as { uri?: unknown };
    if (typeof uri === "string") {
      await this.tree.turnTo(uri);
    }
    if (isSimulated(simulation)) {
      this.become({ ...this.state, simulation, tab: "layers" });
    }
    if (isSimulated(simulation) || this.tree.root === undefined) {
      this.pending.drop();
    } else {
      this.pending.want();
    }
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    this.focus();
  }

  /** Puts the keyboard into the prompt, once there is one. */
  private focus(): void {
    if (this.asked !== undefined && this.view?.visible && this.pending.take()) {
      this.post({ type: "focus" });
    }
  }

  /** What the page shows is to be this, because somebody outside of it says so. */
  private become(saved: Saved): void {
    this.remember(saved);
    this.post({ type: "save", saved });
    this.newest.soon(0);
  }

  private onMessage(message: ToExtension): void {
    switch (message.type) {
      case "ready":
        this.post({ type: "words", words: words() });
        this.post({ type: "save", saved: this.state });
        this.newest.soon(0);
        break;
      case "keep":
        this.remember(savedIn(message.saved));
        break;
      case "ask":
        this.remember(savedIn(message.saved));
        this.newest.soon(PAUSE);
        break;
      case "open":
        void open(message.place);
        break;
      case "act":
        void act(message.action);
        break;
    }
  }

  private async answer(signal: AbortSignal): Promise<void> {
    if (!this.view?.visible) {
      return;
    }
    const saved = this.state;
    void vscode.commands.executeCommand(
      "setContext",
      "synapse.isSimulating",
      isSimulated(saved.simulation),
    );
    const { status, isKnown } = this.tree;
    const source = status === undefined && isKnown ? await sourceOfRules() : "";
    const notice = noticeOf(this.server.state, status !== undefined, isKnown, source);
    const client = this.server.connection;
    if (notice !== undefined || client === undefined || status === undefined) {
      this.asked = undefined;
      this.post({ type: "view", view: notice ?? refused("") });
      return;
    }
    try {
      const unsaved = unsavedIn(status.root);
      this.unsaved = unsaved.join("\n");
      this.choices ??= client.ask(choices, { uri: status.root });
      const given = { unsaved, choices: this.choices };
      const [asked, known] = await Promise.all([
        ask(client, status.root, saved, given, tokenOf(signal)),
        this.choices,
      ]);
      if (!signal.aborted) {
        this.asked = asked;
        this.view.description = severalTrees() ? nameIn(status.root) : "";
        this.post({ type: "form", form: formOf(known, status, saved.simulation) });
        this.post({ type: "view", view: asked.view });
        this.focus();
      }
    } catch (error) {
      this.choices = undefined;
      const reason = refusal(error, signal);
      if (reason !== undefined) {
        this.log.debug(reason);
        this.post({ type: "view", view: refused(reason) });
      }
    }
  }

  /** Keeps the state that is shown; what is tried out from now on is compared with it. */
  private async keep(): Promise<void> {
    if (this.asked === undefined) {
      await this.show(undefined);
    } else {
      const { simulation } = this.state;
      this.become({ ...this.state, kept: { simulation, label: this.asked.label } });
    }
  }

  private async copy(): Promise<void> {
    if (this.asked !== undefined) {
      await vscode.env.clipboard.writeText(this.asked.text);
      vscode.window.setStatusBarMessage(vscode.l10n.t("The block is in the clipboard."), 3000);
    }
  }

  private onTree(): void {
    this.choices = undefined;
    this.newest.soon(0);
  }

  /** Whether all is saved is told by nobody else; what is edited does not count until it is. */
  private onEdit(): void {
    const { root } = this.tree;
    if (root !== undefined && unsavedIn(root).join("\n") !== this.unsaved) {
      this.newest.soon(PAUSE);
    }
  }

  private post(message: ToPanel): void {
    void this.view?.webview.postMessage(message);
  }
}

async function act(action: Action): Promise<void> {
  if (action === "newTree") {
    await vscode.commands.executeCommand("synapse.createTree");
  } else if (action === "adopt") {
    await vscode.commands.executeCommand("synapse.adoptRules");
  } else {
    await perform(action);
  }
}

async function open({ uri, line }: Place): Promise<void> {
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection, preview: true });
}

function unsavedIn(root: string): string[] {
  return vscode.workspace.textDocuments
    .filter((document) => document.isDirty && document.uri.toString().startsWith(`${root}/`))
    .filter((document) => vscode.languages.match(SELECTOR, document) > 0)
    .map((document) => nameIn(document.uri.toString()));
}

function severalTrees(): boolean {
  return (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
}
