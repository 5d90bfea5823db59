/** The session files of the current tree: each prompt of an agent writes one. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";

/** Milliseconds: what the hook writes for one prompt is written by then. */
const PAUSE = 250;

/**
 * Tells of prompts in any session. The server tells only of what changes the block of the session
 * that is followed.
 */
export class SessionFiles implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private watcher: vscode.FileSystemWatcher | undefined;
  private root: string | undefined;
  private pause: NodeJS.Timeout | undefined;

  constructor(private readonly tree: CurrentTree) {
    this.subscription = tree.onDidChange(() => this.follow());
    this.follow();
  }

  dispose(): void {
    clearTimeout(this.pause);
    this.watcher?.dispose();
    this.subscription.dispose();
    this.changed.dispose();
  }

  private follow(): void {
    const { root } = this.tree;
    if (root === undefined || root === this.root) {
      return;
    }
    this.root = root;
    this.watcher?.dispose();
    const files = new vscode.RelativePattern(vscode.Uri.parse(root), ".synapse/sessions/*.json");
    this.watcher = vscode.workspace.createFileSystemWatcher(files);
    this.watcher.onDidCreate(() => this.soon());
    this.watcher.onDidChange(() => this.soon());
    this.watcher.onDidDelete(() => this.soon());
  }

  private soon(): void {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.changed.fire(), PAUSE);
  }
}
