// SPDX-License-Identifier: Apache-2.0
// Light or dark theme before the first drawing: this device's preference, otherwise the system's.

(() => {
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem("companion") ?? "{}").theme;
    } catch {
      return undefined; // a browser without storage
    }
  };
  window.showTheme = (wished = kept()) => {
    document.documentElement.dataset.theme = wished === "light" || wished === "dark" ? wished : isDark.matches ? "dark" : "light";
  };
  isDark.addEventListener("change", () => window.showTheme());
  window.showTheme();
})();
