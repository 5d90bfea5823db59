/** Elements, made so that text from a workspace can only ever be text. */

type Child = Node | string | undefined | false;

/** Attributes; a boolean is there or not, an undefined one is not. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  for (const child of children) {
    if (child !== undefined && child !== false) {
      element.append(child);
    }
  }
  return element;
}

export function button(
  attributes: Attributes,
  onClick: () => void,
  ...children: readonly Child[]
): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", onClick);
  return element;
}

/**
 * Puts new content in place of what `parent` has. Where somebody is reading stays in sight, and the
 * keyboard stays on the element with the same `data-key`.
 */
export function replace(parent: HTMLElement, ...children: readonly Child[]): void {
  const { scrollingElement } = document;
  const top = scrollingElement?.scrollTop ?? 0;
  const focused = document.activeElement;
  const key = parent.contains(focused) ? (focused as HTMLElement).dataset.key : undefined;
  parent.replaceChildren(...children.filter((child) => child !== undefined && child !== false));
  if (key !== undefined) {
    parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }
  if (scrollingElement) {
    scrollingElement.scrollTop = top;
  }
}
