/** The way to the extension, which remembers what is tried out while there is no page. */

import { type Saved, TABS, type ToExtension, type ToPanel } from "../messages";

interface Host {
  postMessage(message: ToExtension): void;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

let saved: Saved = { simulation: {}, tab: TABS[0] };

export function state(): Saved {
  return saved;
}

/** The extension says what it is. */
export function take(next: Saved): void {
  saved = next;
}

/** Something that changes no answer, such as a part that is folded. */
export function remember(next: Saved): void {
  saved = next;
  host.postMessage({ type: "keep", saved });
}

/** Remembers, and has the extension ask anew. */
export function tryOut(next: Saved): void {
  saved = next;
  host.postMessage({ type: "ask", saved });
}

export function send(message: ToExtension): void {
  host.postMessage(message);
}

/** Calls `on` for each message, and says that there is somebody to listen. */
export function listen(on: (message: ToPanel) => void): void {
  window.addEventListener("message", ({ data }: MessageEvent<ToPanel>) => on(data));
  host.postMessage({ type: "ready" });
}
