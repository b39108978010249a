// SPDX-License-Identifier: Apache-2.0
// The names of what the menu on the board offers, on its cells.

import { svg } from "./svg.js";

const MENU_LINES = 3; // of a name on a cell
const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uff00-\uff60]/; // letters without blanks between words

export function drawMenu(layer, places, offered) {
  const key = JSON.stringify(offered);
  if (key === (layer.dataset.drawn ?? "[]")) return;
  layer.dataset.drawn = key;
  layer.replaceChildren(...offered.map(({ cell, name }) => {
    const { centre: [x, y], span } = places[cell];
    const words = lines(parts(name));
    const size = Math.min(span * 0.22, (span * 1.3) / Math.max(...words.map(width)));
    const line = (word, index) => svg("tspan", { x, dy: index ? size * 1.05 : 0 }, word);
    const top = y - (size * 1.05 * (words.length - 1)) / 2;
    return svg("text", { x, y: top, "font-size": size }, ...words.map(line));
  }));
}

// Where *name* may be broken: between words, and in Japanese before a word of more than one letter.
function parts(name) {
  const words = name.split(/[ ·:]+/).filter(Boolean);
  if (!WIDE.test(name)) return words;
  const cut = new Intl.Segmenter(document.documentElement.lang, { granularity: "word" });
  return words.flatMap((word) => [...cut.segment(word)].reduce((found, { segment }) => {
    const isPart = found.length && (segment.length === 1 || found.at(-1).length === 1);
    return isPart ? [...found.slice(0, -1), found.at(-1) + segment] : [...found, segment];
  }, []));
}

// In letters of an alphabet.
function width(word) {
  return [...word].reduce((sum, letter) => sum + (WIDE.test(letter) ? 1.5 : 1), 0);
}

// At most MENU_LINES lines of *words*: the shortest neighbours share one.
function lines(words) {
  if (words.length <= MENU_LINES) return words;
  const long = words.slice(1).map((word, index) => width(word) + width(words[index]));
  const at = long.indexOf(Math.min(...long));
  const gap = WIDE.test(words[at]) ? "" : " ";
  return lines([...words.slice(0, at), `${words[at]}${gap}${words[at + 1]}`, ...words.slice(at + 2)]);
}
