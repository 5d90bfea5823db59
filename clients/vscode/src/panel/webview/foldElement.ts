/** This module creates foldable parts of the page that stay as the person left them. */

import { createElement } from "./dom";
import { panelState, savePanelState } from "./extensionHost";

export interface FoldOptions {
  /** The key of its stored state. */
  readonly id: string;
  readonly open: boolean;
  readonly className: string;
  readonly title?: string;
}

export function foldElement(
  { id, open, className, title }: FoldOptions,
  summary: readonly (Node | string | undefined | false)[],
  ...content: readonly (Node | undefined | false)[]
): HTMLDetailsElement {
  const isOpen = panelState().folded?.[id] ?? open;
  const head = createElement("summary", { "data-key": `fold:${id}`, title }, ...summary);
  const element = createElement("details", { class: className, open: isOpen }, head, ...content);
  const save = (isOpenNow: boolean): void => {
    const { [id]: _, ...others } = panelState().folded ?? {};
    const folded = isOpenNow === open ? others : { ...others, [id]: isOpenNow };
    savePanelState({ ...panelState(), folded });
  };
  // The page may be drawn anew before the browser says that it was toggled.
  head.addEventListener("click", () => save(!element.open));
  element.addEventListener("toggle", () => save(element.open));
  return element;
}
