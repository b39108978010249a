// SPDX-License-Identifier: Apache-2.0
// What people take away from a game: its moves as text, a link to a position, and files.

import { el } from "./dom.js";
import { fill } from "./words.js";

const byId = (id) => document.getElementById(id);

export function makeShare(review, { addressOfGame = "" } = {}) {
  const dialog = byId("sharing");
  let labels = {};

  async function copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      copySelected(text); // a page over plain http has no clipboard
    }
    const { textContent: before } = button;
    button.textContent = `✓ ${labels.copied}`;
    setTimeout(() => (button.textContent = before), 2000);
  }

  function copySelected(text) {
    const holder = el("textarea", { class: "unseen" }, text);
    dialog.append(holder);
    holder.select();
    document.execCommand("copy");
    holder.remove();
  }

  const button = (text, act) => {
    const made = el("button", { type: "button" }, text);
    made.addEventListener("click", () => act(made));
    return made;
  };

  async function copyMoves(pressed) {
    const answer = await fetch(`${addressOfGame}game.${review.game().files.includes("pgn") ? "pgn" : "txt"}`);
    if (answer.ok) await copy(await answer.text(), pressed);
  }

  function file(form, text) {
    const position = review.position() ?? review.game().pictures.length - 1;
    const query = form === "position.svg" ? `?position=${position}` : `?language=${document.documentElement.lang}`;
    const address = form === "position.svg" ? form : `game.${form}`;
    return el("a", { class: "button", href: `${addressOfGame}${address}${query}`, download: true }, text);
  }

  return {
    table(table) {
      labels = table.labels;
    },
    async open() {
      if (!(await review.load())) return;
      const { files, lacking } = review.game();
      const names = { pgn: "PGN", txt: labels.text, pdf: labels["score-sheet"], svg: labels.animation, gif: "GIF" };
      const position = review.position() ?? review.game().pictures.length - 1;
      const link = new URL(`#${position}`, location.href).href;
      byId("sharing-copy").replaceChildren(
        button(labels["copy-moves"], copyMoves),
        button(labels["copy-link"], (pressed) => copy(link, pressed)));
      byId("sharing-files").replaceChildren(
        ...files.map((form) => file(form, names[form])),
        file("position.svg", labels.picture));
      const install = Object.entries(lacking).map(([form, command]) =>
        el("p", {}, fill(labels["not-installed"], { form: names[form], command }, document.documentElement.lang)));
      byId("sharing-lacking").replaceChildren(...install);
      dialog.showModal();
    },
  };
}
