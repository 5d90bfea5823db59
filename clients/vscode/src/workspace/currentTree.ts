/** This module follows the rule tree of the active editor and holds its status. */

import * as vscode from "vscode";
import { type Status, status } from "../protocol";
import type { Server } from "../server/server";
import type { ChatFolder } from "./chatFolder";

export class CurrentTree implements vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  /** Fires when the tree, its status or the server's state has changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscriptions: vscode.Disposable[];
  /** A file or folder of the followed tree; an editor without a file does not change it. */
  private followedUri: string | undefined;
  private currentStatus: Status | undefined;
  private requestNumber = 0;
  private hasAnswer = false;

  constructor(
    private readonly server: Server,
    private readonly chats: ChatFolder,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = [
      this.changeEmitter,
      server.onDidChangeState(() => this.refresh()),
      server.onDidChangeContext(() => this.refresh()),
      chats.onDidChange(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.followEditor()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.followEditor()),
    ];
    this.followEditor();
  }

  /** The status; undefined without a tree or without a running server. */
  get status(): Status | undefined {
    return this.currentStatus;
  }

  /** Whether the server has answered at least once. */
  get isKnown(): boolean {
    return this.hasAnswer;
  }

  /** The root of the tree, a URI. */
  get root(): string | undefined {
    return this.currentStatus?.root;
  }

  /** Follows the tree of a file or folder that is not being edited. */
  followUri(uri: string): Promise<void> {
    this.followedUri = uri;
    return this.refresh();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private followEditor(): void {
    const editorUri = vscode.window.activeTextEditor?.document.uri;
    const place = editorUri?.scheme === "file" ? editorUri.toString() : this.followedUri;
    this.followedUri = place ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    void this.refresh();
  }

  /** Requests the status again. */
  async refresh(): Promise<void> {
    this.requestNumber += 1;
    const number = this.requestNumber;
    const answer = await this.requestStatus();
    // A later question has a later answer, whichever arrives first.
    if (number === this.requestNumber) {
      this.currentStatus = answer;
      this.hasAnswer = this.server.connection !== undefined;
      this.changeEmitter.fire();
    }
  }

  private async requestStatus(): Promise<Status | undefined> {
    const { path } = this.chats;
    const params = {
      ...(this.followedUri === undefined ? {} : { uri: this.followedUri }),
      ...(path === undefined ? {} : { chats: path }),
    };
    try {
      return await this.server.connection?.request(status, params);
    } catch (error) {
      // A place outside of every tree, or a server that leaves while it is asked.
      this.log.debug(String(error));
      return undefined;
    }
  }
}
