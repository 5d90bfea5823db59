/** This module creates DOM elements so that text from a workspace can only ever be text. */

type ChildNode = Node | string | undefined | false;

/** Attributes; a boolean is there or not, an undefined one is not. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly ChildNode[]
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

export function createButton(
  attributes: Attributes,
  onClick: () => void,
  ...children: readonly ChildNode[]
): HTMLButtonElement {
  const element = createElement("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", onClick);
  return element;
}

/**
 * Puts new content in place of what `parent` has. Where somebody is reading stays in sight, and the
 * keyboard stays on the element with the same `data-key`.
 */
export function replaceChildren(parent: HTMLElement, ...children: readonly ChildNode[]): void {
  const { scrollingElement } = document;
  const top = scrollingElement?.scrollTop ?? 0;
  const focusedElement = document.activeElement;
  const key = parent.contains(focusedElement)
    ? (focusedElement as HTMLElement).dataset.key
    : undefined;
  parent.replaceChildren(...children.filter((child) => child !== undefined && child !== false));
  if (key !== undefined) {
    parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }
  if (scrollingElement) {
    scrollingElement.scrollTop = top;
  }
}
