/** Tabs, as ARIA wants them: one stop for the keyboard, arrows within (WAI-ARIA, "Tabs Pattern"). */

import { TABS, type Tab, type Words } from "../messages";
import { button, h } from "./dom";

export function tabList(words: Words, shown: Tab, choose: (tab: Tab) => void): HTMLElement {
  const tabs = TABS.map((tab) =>
    button(
      {
        class: "tab",
        role: "tab",
        id: `tab-${tab}`,
        "data-key": `tab:${tab}`,
        "aria-selected": String(tab === shown),
        "aria-controls": "shown",
        tabindex: tab === shown ? 0 : -1,
      },
      () => choose(tab),
      words.tabs[tab],
    ),
  );
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": words.tabList }, ...tabs);
  list.addEventListener("keydown", (event) => {
    const at = TABS.indexOf(shown);
    const last = TABS.length - 1;
    const to = { ArrowRight: at + 1, ArrowLeft: at + last, Home: 0, End: last }[event.key];
    const next = to === undefined ? undefined : TABS[to % TABS.length];
    if (next) {
      event.preventDefault();
      // Focus first: the list is made anew, and the keyboard stays on the tab of this name.
      tabs[TABS.indexOf(next)]?.focus();
      choose(next);
    }
  });
  return list;
}
