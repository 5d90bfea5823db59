/** This module turns lines of a block into rule rows of the panel. Pure. */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient";
import type { RuleView, SourceLine } from "./panelMessages";

/** The fields that block entries and rule accounts share. */
interface RuleLine {
  readonly text: string;
  readonly key: string;
  readonly tokens: number;
  readonly location: Location | null;
}

export function ruleView(line: RuleLine): RuleView {
  const place = sourceLine(line.location);
  const tokens = l10n.t("{0} tokens", line.tokens);
  const where = place === undefined ? "" : `${fileName(place.uri)}:${place.line + 1}`;
  return {
    text: line.text,
    title: [line.key, tokens, where].filter(Boolean).join(" · "),
    tokens: line.tokens,
    place,
  };
}

export function sourceLine(location: Location | null): SourceLine | undefined {
  return location === null ? undefined : { uri: location.uri, line: location.range.start.line };
}

/** Returns the decoded file name of a URI. */
export function fileName(uri: string): string {
  const name = uri.split("/").at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
