// SPDX-License-Identifier: Apache-2.0
// One board over a video stream, `?overlay=BOARD`: names, clocks, the last move and the result, on a transparent page.

import { el } from "../page/dom.js";
import { clockTexts, sentence } from "./shared.js";

export function makeOverlay({ name, looks, language, delayOf, seatedOf }) {
  const sides = el("div", { class: "sides" });
  const text = el("p");
  let board = null;
  document.body.classList.add("overlay");
  document.body.replaceChildren(el("main", {}, sides, text));

  function tick() {
    if (!board) return;
    clockTexts(board, delayOf(board)).forEach((shown, side) => {
      const clock = sides.children[side]?.querySelector(".clock");
      if (clock && clock.textContent !== shown) clock.textContent = shown;
    });
  }
  setInterval(tick, 250);

  return function draw(boards) {
    board = boards.find((one) => one.board === name) ?? null;
    const { glance, set } = board ?? {};
    const seated = seatedOf(name);
    const places = glance?.clocks?.length ? glance.clocks : seated;
    const labels = places.map((_, side) => seated[side] ?? looks[set]?.sides[side]);
    sides.replaceChildren(...labels.map((label, side) => el("div", {
      class: `side-${side}${glance?.turn === side && !glance.outcome ? " turn" : ""}`,
    }, el("span", {}, label ?? ""), " ", el("b", { class: "clock" }))));
    text.textContent = glance ? [glance.move, sentence(glance, "result", language)].filter(Boolean).join(" · ") : "";
    tick();
  };
}
