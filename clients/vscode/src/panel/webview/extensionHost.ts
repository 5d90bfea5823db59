/**
 * This module sends messages to the extension and receives its messages; the extension keeps the
 * state while there is no page.
 */

import {
  type MessageToExtension,
  type MessageToPanel,
  type PanelState,
  TABS,
} from "../panelMessages";

interface ExtensionHost {
  postMessage(message: MessageToExtension): void;
}

declare function acquireVsCodeApi(): ExtensionHost;

const host = acquireVsCodeApi();

let currentState: PanelState = { simulation: {}, tab: TABS[0] };

export function panelState(): PanelState {
  return currentState;
}

/** Replaces the state with the one that the extension has sent. */
export function setPanelState(next: PanelState): void {
  currentState = next;
}

/** Stores a state that changes no answer, such as a folded part. */
export function savePanelState(next: PanelState): void {
  currentState = next;
  host.postMessage({ type: "keep", saved: currentState });
}

/** Stores a state and requests a new view. */
export function requestPanelState(next: PanelState): void {
  currentState = next;
  host.postMessage({ type: "ask", saved: currentState });
}

export function sendMessage(message: MessageToExtension): void {
  host.postMessage(message);
}

/** Calls `receive` for each message and reports that the page is ready. */
export function listenForMessages(receive: (message: MessageToPanel) => void): void {
  window.addEventListener("message", ({ data }: MessageEvent<MessageToPanel>) => receive(data));
  host.postMessage({ type: "ready" });
}
