/** Parts that can be folded, and stay as they were left. */

import { h } from "./dom";
import { remember, state } from "./host";

export interface Fold {
  /** What it is remembered by. */
  readonly id: string;
  readonly open: boolean;
  readonly className: string;
  readonly title?: string;
}

export function fold(
  { id, open, className, title }: Fold,
  summary: readonly (Node | string | undefined | false)[],
  ...content: readonly (Node | undefined | false)[]
): HTMLDetailsElement {
  const isOpen = state().folded?.[id] ?? open;
  const head = h("summary", { "data-key": `fold:${id}`, title }, ...summary);
  const element = h("details", { class: className, open: isOpen }, head, ...content);
  element.addEventListener("toggle", () => {
    const { [id]: _, ...others } = state().folded ?? {};
    const folded = element.open === open ? others : { ...others, [id]: element.open };
    remember({ ...state(), folded });
  });
  return element;
}
