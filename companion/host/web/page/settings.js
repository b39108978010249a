// SPDX-License-Identifier: Apache-2.0
// The switches: in a dialog, and that of the sound at the top of the page.

const byId = (id) => document.getElementById(id);

export function makeSettings(prefs) {
  const dialog = byId("settings");
  const keys = byId("keys"); // of a table
  const switches = [...document.querySelectorAll("[data-pref]")];

  switches.forEach((each) => {
    const { pref } = each.dataset;
    if (each.tagName === "BUTTON") each.addEventListener("click", () => prefs.toggle(pref));
    else each.addEventListener("change", () => prefs.set(pref, each.type === "checkbox" ? each.checked : each.value));
  });

  function show() {
    switches.forEach((each) => {
      const { pref } = each.dataset;
      const value = prefs.get(pref);
      if (each.tagName === "BUTTON") each.setAttribute("aria-pressed", value);
      else if (each.type === "checkbox") each.checked = value;
      else if (pref !== "language") each.value = value; // that list shows the language in use
    });
  }
  prefs.onChange(show);

  const open = () => dialog.showModal();

  byId("open-settings").addEventListener("click", open);
  if (keys) {
    byId("open-keys").hidden = false;
    byId("open-keys").addEventListener("click", () => (dialog.close(), keys.showModal()));
  }
  show();

  return {
    open,
    table({ labels, language, languages }) {
      byId("language").replaceChildren(...languages.map(({ value, label }) => new Option(label, value)));
      byId("language").value = language;
      document.querySelectorAll("[data-label]").forEach((each) => (each.textContent = labels[each.dataset.label]));
    },
  };
}
