// SPDX-License-Identifier: Apache-2.0
// The parts of a page as tabs: one is shown, and the address names it.

const KEYS = { ArrowRight: 1, ArrowLeft: -1 };

// *list* has the tabs; each controls the part whose id it names.
export function makeTabs(list) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const part = (tab) => document.getElementById(tab.getAttribute("aria-controls"));
  const named = () => tabs.find((tab) => `#${part(tab).id}` === location.hash) ?? tabs[0];

  function show(chosen) {
    tabs.forEach((tab) => {
      tab.setAttribute("aria-selected", tab === chosen);
      tab.tabIndex = tab === chosen ? 0 : -1;
      part(tab).hidden = tab !== chosen;
    });
  }

  function choose(tab) {
    history.replaceState(null, "", `#${part(tab).id}`);
    show(tab);
    scrollTo(0, 0);
  }

  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", ({ key }) => {
      if (!(key in KEYS)) return;
      const next = tabs.at((index + KEYS[key]) % tabs.length);
      choose(next);
      next.focus();
    });
  });
  window.addEventListener("hashchange", () => show(named()));
  show(named());
}
