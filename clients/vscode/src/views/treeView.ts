/** A view of rows about the current tree. It asks for them only while somebody can see it. */

import * as vscode from "vscode";
import type { Connection } from "../connection";
import type { CurrentTree } from "../currentTree";
import { openCommand } from "../places";
import type { Server } from "../server";
import type { Icon, Node, Rows } from "./node";
import { dataUri } from "./sparkline";

/** Asks for the rows of the tree that is rooted at `root`, a URI. */
export type Load = (connection: Connection, root: string) => Promise<Rows>;

const NONE: Rows = { nodes: [] };

export class TreeView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Node>;
  private readonly subscription: vscode.Disposable;
  private rows = NONE;
  private asked = 0;

  constructor(
    id: string,
    private readonly server: Server,
    private readonly tree: CurrentTree,
    private readonly load: Load,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    this.subscription = vscode.Disposable.from(
      this.changed,
      this.view,
      tree.onDidChange(() => this.refresh()),
      this.view.onDidChangeVisibility(() => this.refresh()),
      vscode.window.onDidChangeActiveColorTheme(() => this.refresh()),
    );
    void this.refresh();
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** What is shown stays until the new rows are there, and where they are the same. */
  async refresh(): Promise<void> {
    if (!this.view.visible) {
      return;
    }
    this.asked += 1;
    const turn = this.asked;
    const rows = await this.answer();
    if (turn === this.asked && JSON.stringify(rows) !== JSON.stringify(this.rows)) {
      this.rows = rows;
      this.view.message = rows.message ?? "";
      this.changed.fire();
    }
    this.view.description = this.whose();
  }

  getChildren(node?: Node): Node[] {
    return [...((node ? node.children : this.rows.nodes) ?? [])];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, foldingOf(node));
    item.id = node.id;
    item.description = node.description ?? "";
    if (node.tooltip !== undefined) {
      item.tooltip = new vscode.MarkdownString(node.tooltip);
    }
    if (node.spoken !== undefined) {
      item.accessibilityInformation = { label: node.spoken };
    }
    if (node.icon !== undefined) {
      item.iconPath = pictureOf(node.icon);
    }
    if (node.kind !== undefined) {
      item.contextValue = node.kind;
    }
    if (node.location) {
      item.command = openCommand(node.location);
    }
    return item;
  }

  private async answer(): Promise<Rows> {
    const { connection } = this.server;
    const { root } = this.tree;
    if (connection === undefined || root === undefined) {
      return NONE;
    }
    try {
      return await this.load(connection, root);
    } catch (error) {
      // A tree that is gone, or a server that leaves while it is asked.
      return { nodes: [], message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Which tree it is, where there could be a doubt. */
  private whose(): string {
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    const root = several ? this.tree.root : undefined;
    return root === undefined ? "" : (vscode.Uri.parse(root).path.split("/").at(-1) ?? "");
  }
}

function foldingOf({ children, folded }: Node): vscode.TreeItemCollapsibleState {
  if (children === undefined || children.length === 0) {
    return vscode.TreeItemCollapsibleState.None;
  }
  return folded
    ? vscode.TreeItemCollapsibleState.Collapsed
    : vscode.TreeItemCollapsibleState.Expanded;
}

function pictureOf(icon: Icon): vscode.ThemeIcon | { light: vscode.Uri; dark: vscode.Uri } {
  if ("codicon" in icon) {
    const color = icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color);
    return new vscode.ThemeIcon(icon.codicon, color);
  }
  return {
    light: vscode.Uri.parse(dataUri(icon.light)),
    dark: vscode.Uri.parse(dataUri(icon.dark)),
  };
}
