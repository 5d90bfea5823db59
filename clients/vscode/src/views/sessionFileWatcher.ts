/**
 * This module watches the session files of the current tree, since each prompt of an agent writes
 * one.
 */

import * as vscode from "vscode";
import type { CurrentTree } from "../workspace/currentTree";

/** Milliseconds: what the hook writes for one prompt is written by then. */
const WRITE_DELAY = 250;

/**
 * Tells of prompts in any session. The server tells only of what changes the block of the session
 * that is followed.
 */
export class SessionFileWatcher implements vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscription: vscode.Disposable;
  private watcher: vscode.FileSystemWatcher | undefined;
  private root: string | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tree: CurrentTree) {
    this.subscription = tree.onDidChange(() => this.watchTree());
    this.watchTree();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.watcher?.dispose();
    this.subscription.dispose();
    this.changeEmitter.dispose();
  }

  private watchTree(): void {
    const { root } = this.tree;
    if (root === undefined || root === this.root) {
      return;
    }
    this.root = root;
    this.watcher?.dispose();
    const files = new vscode.RelativePattern(vscode.Uri.parse(root), ".synapse/sessions/*.json");
    this.watcher = vscode.workspace.createFileSystemWatcher(files);
    this.watcher.onDidCreate(() => this.scheduleEvent());
    this.watcher.onDidChange(() => this.scheduleEvent());
    this.watcher.onDidDelete(() => this.scheduleEvent());
  }

  private scheduleEvent(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changeEmitter.fire(), WRITE_DELAY);
  }
}
