// SPDX-License-Identifier: Apache-2.0
// Theme and board before the first drawing: the preferences of this device, otherwise the theme of the
// system and the first board.

(() => {
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => {
    try {
      return JSON.parse(localStorage.getItem("companion") ?? "{}");
    } catch {
      return {}; // a browser without storage
    }
  };
  window.showTheme = ({ theme, board } = kept()) => {
    const { dataset } = document.documentElement;
    dataset.theme = theme === "light" || theme === "dark" ? theme : isDark.matches ? "dark" : "light";
    dataset.board = board ?? "wood";
  };
  isDark.addEventListener("change", () => window.showTheme());
  window.showTheme();
})();
