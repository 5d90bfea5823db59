/**
 * This module shows rows about the current tree in a side-bar view and loads them only while it is
 * visible.
 */

import * as vscode from "vscode";
import type { Connection } from "../connection";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import { openLocationCommand } from "../workspace/editorLocations";
import { pictureDataUri } from "./usageCharts";
import type { NodeIcon, ViewNode, ViewRows } from "./viewNode";

/** Loads the rows of the tree at `root`, a URI. */
export type LoadRows = (connection: Connection, root: string) => Promise<ViewRows>;

const NO_ROWS: ViewRows = { nodes: [] };

export class RowsView implements vscode.TreeDataProvider<ViewNode>, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<ViewNode>;
  private readonly subscription: vscode.Disposable;
  private rows = NO_ROWS;
  private requestNumber = 0;

  constructor(
    id: string,
    private readonly server: Server,
    private readonly tree: CurrentTree,
    private readonly load: LoadRows,
  ) {
    this.view = vscode.window.createTreeView(id, { treeDataProvider: this, showCollapseAll: true });
    this.subscription = vscode.Disposable.from(
      this.changeEmitter,
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

  /** Loads the rows; the shown ones stay until the new ones have come and differ. */
  async refresh(): Promise<void> {
    if (!this.view.visible) {
      return;
    }
    this.requestNumber += 1;
    const number = this.requestNumber;
    const rows = await this.loadRows();
    if (number === this.requestNumber && JSON.stringify(rows) !== JSON.stringify(this.rows)) {
      this.rows = rows;
      this.view.message = rows.message ?? "";
      this.changeEmitter.fire();
    }
    this.view.description = this.treeName();
  }

  getChildren(node?: ViewNode): ViewNode[] {
    return [...((node ? node.children : this.rows.nodes) ?? [])];
  }

  getTreeItem(node: ViewNode): vscode.TreeItem {
    const item = new vscode.TreeItem(node.label, collapsibleState(node));
    item.id = node.id;
    item.description = node.description ?? "";
    if (node.tooltip !== undefined) {
      item.tooltip = new vscode.MarkdownString(node.tooltip);
    }
    if (node.spoken !== undefined) {
      item.accessibilityInformation = { label: node.spoken };
    }
    if (node.icon !== undefined) {
      item.iconPath = iconPath(node.icon);
    }
    if (node.kind !== undefined) {
      item.contextValue = node.kind;
    }
    if (node.location) {
      item.command = openLocationCommand(node.location);
    }
    return item;
  }

  private async loadRows(): Promise<ViewRows> {
    const { connection } = this.server;
    const { root } = this.tree;
    if (connection === undefined || root === undefined) {
      return NO_ROWS;
    }
    try {
      return await this.load(connection, root);
    } catch (error) {
      // A tree that is gone, or a server that leaves while it is asked.
      return { nodes: [], message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Returns the name of the tree where several folders are open. */
  private treeName(): string {
    const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1;
    const root = several ? this.tree.root : undefined;
    return root === undefined ? "" : (vscode.Uri.parse(root).path.split("/").at(-1) ?? "");
  }
}

function collapsibleState({ children, folded }: ViewNode): vscode.TreeItemCollapsibleState {
  if (children === undefined || children.length === 0) {
    return vscode.TreeItemCollapsibleState.None;
  }
  return folded
    ? vscode.TreeItemCollapsibleState.Collapsed
    : vscode.TreeItemCollapsibleState.Expanded;
}

function iconPath(icon: NodeIcon): vscode.ThemeIcon | { light: vscode.Uri; dark: vscode.Uri } {
  if ("codicon" in icon) {
    const color = icon.color === undefined ? undefined : new vscode.ThemeColor(icon.color);
    return new vscode.ThemeIcon(icon.codicon, color);
  }
  return {
    light: vscode.Uri.parse(pictureDataUri(icon.light)),
    dark: vscode.Uri.parse(pictureDataUri(icon.dark)),
  };
}
