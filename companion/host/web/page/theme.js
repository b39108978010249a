// SPDX-License-Identifier: Apache-2.0
// Light or dark, before anything is drawn: as this person chose on this device, else as the system has it.

(() => {
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem("companion") ?? "{}").theme;
    } catch {
      return undefined; // a browser that keeps nothing
    }
  };
  window.showTheme = (wished = kept()) => {
    document.documentElement.dataset.theme = wished === "light" || wished === "dark" ? wished : isDark.matches ? "dark" : "light";
  };
  isDark.addEventListener("change", () => window.showTheme());
  window.showTheme();
})();
