/** The way to the extension, and what is remembered while there is no page. */

import { type Saved, TABS, type ToExtension, type ToPanel } from "../messages";

interface Host {
  postMessage(message: ToExtension): void;
  getState(): unknown;
  setState(state: Saved): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

/** The state as it is; the extension checks what it gets of it. */
let saved: Saved = { simulation: {}, tab: TABS[0], ...(host.getState() as Partial<Saved>) };

export function state(): Saved {
  return saved;
}

export function remember(next: Saved): void {
  saved = next;
  host.setState(next);
}

/** Remembers, and has the extension ask anew. */
export function tryOut(next: Saved): void {
  remember(next);
  host.postMessage({ type: "ask", saved });
}

export function send(message: ToExtension): void {
  host.postMessage(message);
}

/** Calls `on` for each message, and says that there is somebody to listen. */
export function listen(on: (message: ToPanel) => void): void {
  window.addEventListener("message", ({ data }: MessageEvent<ToPanel>) => on(data));
  const remembered = host.getState() === undefined ? undefined : saved;
  host.postMessage({ type: "ready", saved: remembered });
}
