/**
 * This module knows the folder in which the editor keeps the chats of this workspace: beside the
 * storage of each extension. A prompt there on which no hook was called shows a dead hook.
 */

import * as vscode from "vscode";

/** Milliseconds: the first waits for the rest of a change, the second for a hook that is at work. */
const DELAYS = [500, 12_000] as const;

export class ChatFolder implements vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  /** Fires when a chat has changed, and again when a hook must have been called on it. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly folder: vscode.Uri | undefined;
  private readonly subscriptions: vscode.Disposable[] = [this.changeEmitter];
  private timers: NodeJS.Timeout[] = [];

  /** `storage` is that of this extension in this workspace. */
  constructor(storage: vscode.Uri | undefined) {
    if (storage?.scheme !== "file") {
      return;
    }
    this.folder = vscode.Uri.joinPath(storage, "..", "chatSessions");
    const pattern = new vscode.RelativePattern(this.folder, "*");
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, false, true);
    const report = (): void => this.scheduleReports();
    this.subscriptions.push(watcher, watcher.onDidChange(report), watcher.onDidCreate(report));
  }

  /** The path; undefined where chats may be about several folders. */
  get path(): string | undefined {
    return vscode.workspace.workspaceFolders?.length === 1 ? this.folder?.fsPath : undefined;
  }

  dispose(): void {
    this.cancelReports();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private scheduleReports(): void {
    this.cancelReports();
    this.timers = DELAYS.map((delay) => setTimeout(() => this.changeEmitter.fire(), delay));
  }

  private cancelReports(): void {
    this.timers.forEach(clearTimeout);
    this.timers = [];
  }
}
