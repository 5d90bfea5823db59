/**
 * This module implements the Context panel: its webview, its requests to the server and its
 * commands.
 */

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { type Choices, choices } from "../protocol";
import { performAction } from "../server/failureNotice";
import { LatestRequest } from "../server/latestRequest";
import type { Server } from "../server/server";
import { deliveryTrouble, lastDelivery } from "../text/deliveryTexts";
import type { CurrentTree } from "../workspace/currentTree";
import { DOCUMENT_SELECTOR } from "../workspace/documentSelector";
import { findAdoptableRuleFile } from "../workspace/treeFiles";
import type {
  MessageToExtension,
  MessageToPanel,
  PanelAction,
  PanelState,
  Simulation,
  SourceLine,
} from "./panelMessages";
import { panelNotice, refusalNotice } from "./panelNotice";
import { panelPage, panelTexts } from "./panelPage";
import {
  cancellationToken,
  type PanelAnswer,
  refusalReason,
  requestPanelAnswer,
} from "./panelRequests";
import { INITIAL_STATE, isSimulated, parsePanelState, parseSimulation } from "./panelState";
import { PendingFocus } from "./pendingFocus";
import { fileName } from "./ruleViews";
import { simulationFields } from "./simulationFields";

const VIEW_ID = "synapse.context";
const STATE_KEY = "synapse.panel";
/** Milliseconds: shorter than a pause between words, longer than one between letters. */
const TYPING_DELAY = 120;

export class ContextPanel implements vscode.WebviewViewProvider, vscode.Disposable {
  private readonly subscriptions: vscode.Disposable[];
  private readonly latest = new LatestRequest((signal) => this.updateView(signal));
  private view: vscode.WebviewView | undefined;
  private shownAnswer: PanelAnswer | undefined;
  /** The choices of the form; they change with the tree, not with the simulation. */
  private choices: Promise<Choices> | undefined;
  private unsavedText = "";
  private readonly pendingFocus = new PendingFocus();

  constructor(
    private readonly home: vscode.Uri,
    private readonly memory: vscode.Memento,
    private readonly server: Server,
    private readonly tree: CurrentTree,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const register = vscode.commands.registerCommand;
    this.subscriptions = [
      vscode.window.registerWebviewViewProvider(VIEW_ID, this),
      register("synapse.showContext", (situation?: unknown) => this.showSituation(situation)),
      register("synapse.resetSimulation", () => this.setState({ ...this.state, simulation: {} })),
      register("synapse.compareContext", () => this.startComparison()),
      register("synapse.copyBlock", () => this.copyBlock()),
      tree.onDidChange(() => this.followTree()),
      vscode.window.onDidChangeActiveTextEditor(() => this.pendingFocus.cancel()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused || this.pendingFocus.cancel()),
      vscode.workspace.onDidSaveTextDocument(() => this.followEdit()),
      vscode.workspace.onDidChangeTextDocument(() => this.followEdit()),
    ];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const dist = vscode.Uri.joinPath(this.home, "dist", "panel");
    const uri = (name: string): string =>
      view.webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: MessageToExtension) => this.receiveMessage(message));
    view.onDidChangeVisibility(() => view.visible && this.latest.schedule(0));
    view.onDidDispose(() => {
      this.view = undefined;
      this.latest.cancel();
    });
    view.webview.html = panelPage({
      source: view.webview.cspSource,
      script: uri("panel.js"),
      style: uri("panel.css"),
      nonce: randomBytes(16).toString("base64url"),
      language: vscode.env.language,
    });
  }

  /** What the panel tries out; {} where it is not in sight, or shows the situation of now. */
  get shownSimulation(): Simulation {
    return this.view?.visible ? this.state.simulation : {};
  }

  dispose(): void {
    this.latest.cancel();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private get state(): PanelState {
    return parsePanelState(this.memory.get(STATE_KEY, INITIAL_STATE));
  }

  /**
   * Stores the state here, since the page's own is lost when the window is reloaded in a browser.
   */
  private saveState(state: PanelState): void {
    void this.memory.update(STATE_KEY, state);
  }

  /** Shows the panel; an argument is the situation to simulate. */
  private async showSituation(situation: unknown): Promise<void> {
    const simulation = parseSimulation(situation);
    const { uri } = (situation ?? {}) as { uri?: unknown };
    if (typeof uri === "string") {
      await this.tree.followUri(uri);
    }
    if (isSimulated(simulation)) {
      this.setState({ ...this.state, simulation, tab: "layers" });
    }
    if (isSimulated(simulation) || this.tree.root === undefined) {
      this.pendingFocus.cancel();
    } else {
      this.pendingFocus.request();
    }
    await vscode.commands.executeCommand(`${VIEW_ID}.focus`);
    this.focusPrompt();
  }

  /** Focuses the prompt field, once the page shows it. */
  private focusPrompt(): void {
    if (this.shownAnswer !== undefined && this.view?.visible && this.pendingFocus.consume()) {
      this.postMessage({ type: "focus" });
    }
  }

  /** Sets the state of the page from outside of it. */
  private setState(state: PanelState): void {
    this.saveState(state);
    this.postMessage({ type: "save", saved: state });
    this.latest.schedule(0);
  }

  private receiveMessage(message: MessageToExtension): void {
    switch (message.type) {
      case "ready":
        this.postMessage({ type: "words", words: panelTexts() });
        this.postMessage({ type: "save", saved: this.state });
        this.latest.schedule(0);
        break;
      case "keep":
        this.saveState(parsePanelState(message.saved));
        break;
      case "ask":
        this.saveState(parsePanelState(message.saved));
        this.latest.schedule(TYPING_DELAY);
        break;
      case "open":
        void openSourceLine(message.place);
        break;
      case "act":
        void performPanelAction(message.action);
        break;
    }
  }

  private async updateView(signal: AbortSignal): Promise<void> {
    if (!this.view?.visible) {
      return;
    }
    const state = this.state;
    void vscode.commands.executeCommand(
      "setContext",
      "synapse.isSimulating",
      isSimulated(state.simulation),
    );
    const { status, isKnown } = this.tree;
    const source = status === undefined && isKnown ? await findAdoptableRuleFile() : "";
    const notice = panelNotice(this.server.state, status !== undefined, isKnown, source);
    const client = this.server.connection;
    if (notice !== undefined || client === undefined || status === undefined) {
      this.shownAnswer = undefined;
      this.postMessage({ type: "view", view: notice ?? refusalNotice("") });
      return;
    }
    try {
      const fileNames = unsavedFiles(status.root);
      this.unsavedText = fileNames.join("\n");
      this.choices ??= client.request(choices, { uri: status.root });
      const delivered = {
        last: lastDelivery(status.delivery, Date.now(), vscode.env.language),
        trouble: deliveryTrouble(status.delivery),
      };
      const treeFacts = { unsaved: fileNames, choices: this.choices, delivered };
      const [answer, treeChoices] = await Promise.all([
        requestPanelAnswer(client, status.root, state, treeFacts, cancellationToken(signal)),
        this.choices,
      ]);
      if (!signal.aborted) {
        this.shownAnswer = answer;
        this.view.description = hasSeveralFolders() ? fileName(status.root) : "";
        this.postMessage({
          type: "form",
          form: simulationFields(treeChoices, status, state.simulation),
        });
        this.postMessage({ type: "view", view: answer.view });
        this.focusPrompt();
      }
    } catch (error) {
      this.choices = undefined;
      const reason = refusalReason(error, signal);
      if (reason !== undefined) {
        this.log.debug(reason);
        this.postMessage({ type: "view", view: refusalNotice(reason) });
      }
    }
  }

  /** Makes the shown state the base that later simulations are compared with. */
  private async startComparison(): Promise<void> {
    if (this.shownAnswer === undefined) {
      await this.showSituation(undefined);
    } else {
      const { simulation } = this.state;
      this.setState({ ...this.state, kept: { simulation, label: this.shownAnswer.label } });
    }
  }

  private async copyBlock(): Promise<void> {
    if (this.shownAnswer !== undefined) {
      await vscode.env.clipboard.writeText(this.shownAnswer.text);
      vscode.window.setStatusBarMessage(vscode.l10n.t("The block is in the clipboard."), 3000);
    }
  }

  private followTree(): void {
    this.choices = undefined;
    this.latest.schedule(0);
  }

  /**
   * Updates the view when the set of unsaved files has changed; unsaved text itself does not count.
   */
  private followEdit(): void {
    const { root } = this.tree;
    if (root !== undefined && unsavedFiles(root).join("\n") !== this.unsavedText) {
      this.latest.schedule(TYPING_DELAY);
    }
  }

  private postMessage(message: MessageToPanel): void {
    void this.view?.webview.postMessage(message);
  }
}

async function performPanelAction(action: PanelAction): Promise<void> {
  if (action === "newTree") {
    await vscode.commands.executeCommand("synapse.createTree");
  } else if (action === "adopt") {
    await vscode.commands.executeCommand("synapse.adoptRules");
  } else {
    await performAction(action);
  }
}

async function openSourceLine({ uri, line }: SourceLine): Promise<void> {
  const selection = new vscode.Range(line, 0, line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection, preview: true });
}

function unsavedFiles(root: string): string[] {
  return vscode.workspace.textDocuments
    .filter((document) => document.isDirty && document.uri.toString().startsWith(`${root}/`))
    .filter((document) => vscode.languages.match(DOCUMENT_SELECTOR, document) > 0)
    .map((document) => fileName(document.uri.toString()));
}

function hasSeveralFolders(): boolean {
  return (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
}
