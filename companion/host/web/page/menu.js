// SPDX-License-Identifier: Apache-2.0
// The names of what the menu on the board offers, on its cells.

import { svg } from "./svg.js";

const MENU_LINES = 3; // of a name on a cell

export function drawMenu(layer, places, offered) {
  const key = JSON.stringify(offered);
  if (key === (layer.dataset.drawn ?? "[]")) return;
  layer.dataset.drawn = key;
  layer.replaceChildren(...offered.map(({ cell, name }) => {
    const { centre: [x, y], span } = places[cell];
    const words = lines(name.split(/[ ·:]+/).filter(Boolean));
    const size = Math.min(span * 0.22, (span * 1.3) / Math.max(...words.map((word) => word.length)));
    const line = (word, index) => svg("tspan", { x, dy: index ? size * 1.05 : 0 }, word);
    const top = y - (size * 1.05 * (words.length - 1)) / 2;
    return svg("text", { x, y: top, "font-size": size }, ...words.map(line));
  }));
}

// At most MENU_LINES lines of *words*: the shortest neighbours share one.
function lines(words) {
  if (words.length <= MENU_LINES) return words;
  const long = words.slice(1).map((word, index) => word.length + words[index].length);
  const at = long.indexOf(Math.min(...long));
  return lines([...words.slice(0, at), `${words[at]} ${words[at + 1]}`, ...words.slice(at + 2)]);
}
