/**
 * This module creates the tabs as ARIA requires: one tab stop, arrow keys within (WAI-ARIA, "Tabs
 * Pattern").
 */

import { type PanelTexts, TABS, type Tab } from "../panelMessages";
import { createButton, createElement } from "./dom";

export function tabListElement(
  words: PanelTexts,
  shownTab: Tab,
  onChoose: (tab: Tab) => void,
): HTMLElement {
  const tabs = TABS.map((tab) =>
    createButton(
      {
        class: "tab",
        role: "tab",
        id: `tab-${tab}`,
        "data-key": `tab:${tab}`,
        "aria-selected": String(tab === shownTab),
        "aria-controls": "shown",
        tabindex: tab === shownTab ? 0 : -1,
      },
      () => onChoose(tab),
      words.tabs[tab],
    ),
  );
  const list = createElement(
    "div",
    { class: "tabs", role: "tablist", "aria-label": words.tabList },
    ...tabs,
  );
  list.addEventListener("keydown", (event) => {
    const index = TABS.indexOf(shownTab);
    const last = TABS.length - 1;
    const to = { ArrowRight: index + 1, ArrowLeft: index + last, Home: 0, End: last }[event.key];
    const next = to === undefined ? undefined : TABS[to % TABS.length];
    if (next) {
      event.preventDefault();
      // Focus first: the list is made anew, and the keyboard stays on the tab of this name.
      tabs[TABS.indexOf(next)]?.focus();
      onChoose(next);
    }
  });
  return list;
}
