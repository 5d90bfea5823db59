/** Lines of a block as rows of the panel. Pure. */

import { l10n } from "vscode";
import type { Location } from "vscode-languageclient";
import type { Place, RuleView } from "./messages";

/** What entries of a block and accounts of rules have in common. */
interface Line {
  readonly text: string;
  readonly key: string;
  readonly tokens: number;
  readonly location: Location | null;
}

export function ruleView(line: Line): RuleView {
  const place = placeOf(line.location);
  const tokens = l10n.t("{0} tokens", line.tokens);
  const where = place === undefined ? "" : `${nameIn(place.uri)}:${place.line + 1}`;
  return {
    text: line.text,
    title: [line.key, tokens, where].filter(Boolean).join(" · "),
    tokens: line.tokens,
    place,
  };
}

export function placeOf(location: Location | null): Place | undefined {
  return location === null ? undefined : { uri: location.uri, line: location.range.start.line };
}

/** The name of the file of a URI, for people. */
export function nameIn(uri: string): string {
  const name = uri.split("/").at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
