/** The tree that one is working in, and what its next prompt would meet. */

import * as vscode from "vscode";
import { type Status, status } from "./protocol";
import type { Server } from "./server";

export class CurrentTree implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** The tree, its status or the server's state is another. */
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  /** A file or folder of the tree; an editor without a file leaves it as it is. */
  private place: string | undefined;
  private known: Status | undefined;
  private asked = 0;
  private answered = false;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      this.changed,
      server.onDidChangeState(() => this.refresh()),
      server.onDidChangeContext(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.follow()),
    ];
    this.follow();
  }

  /** Undefined where there is no tree, or no server to tell of it. */
  get status(): Status | undefined {
    return this.known;
  }

  /** Whether the server has said what there is; until then nobody knows. */
  get isKnown(): boolean {
    return this.answered;
  }

  /** The root of the tree, a URI. */
  get root(): string | undefined {
    return this.known?.root;
  }

  /** Turns to the tree that a file or folder belongs to, without its being edited. */
  turnTo(uri: string): Promise<void> {
    this.place = uri;
    return this.refresh();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private follow(): void {
    const edited = vscode.window.activeTextEditor?.document.uri;
    const place = edited?.scheme === "file" ? edited.toString() : this.place;
    this.place = place ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    void this.refresh();
  }

  /** Asks again, after something that the server does not tell of. */
  async refresh(): Promise<void> {
    this.asked += 1;
    const turn = this.asked;
    const answer = await this.answer();
    // A later question has a later answer, whichever arrives first.
    if (turn === this.asked) {
      this.known = answer;
      this.answered = this.server.connection !== undefined;
      this.changed.fire();
    }
  }

  private async answer(): Promise<Status | undefined> {
    const params = this.place === undefined ? {} : { uri: this.place };
    try {
      return await this.server.connection?.ask(status, params);
    } catch (error) {
      // A place outside of every tree, or a server that leaves while it is asked.
      this.log.debug(String(error));
      return undefined;
    }
  }
}
