/**
 * This module holds the HTML page of the Context panel, which its script fills, and its fixed
 * texts. Pure.
 */

import { l10n } from "vscode";
import type { PanelTexts } from "./panelMessages";

export function panelTexts(): PanelTexts {
  return {
    prompt: l10n.t("Prompt"),
    promptHint: l10n.t("Type a prompt to see what it would get"),
    simulate: l10n.t("Try another situation"),
    simulated: l10n.t("Tried out, not as it is now"),
    reset: l10n.t("Reset"),
    remaining: l10n.t("Window left"),
    tabs: {
      layers: l10n.t("Layers"),
      block: l10n.t("Full block"),
      delivery: l10n.t("Sent now"),
    },
    tabList: l10n.t("What is shown"),
    leftOut: l10n.t("Left out"),
    allReasons: l10n.t("all"),
    more: l10n.t("{0} more", "{0}"),
    nothingLeftOut: l10n.t("Every rule of the tree is in the block."),
    comparison: l10n.t("Comparison"),
    endComparison: l10n.t("End comparison"),
    declared: l10n.t("Declaration"),
  };
}

export interface PanelPageOptions {
  /** The origin that the page's files come from, as the webview names it. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  readonly nonce: string;
  readonly language: string;
}

export function panelPage({ source, script, style, nonce, language }: PanelPageOptions): string {
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="${style}">
</head>
<body>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
