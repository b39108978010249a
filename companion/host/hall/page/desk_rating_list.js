// SPDX-License-Identifier: Apache-2.0
// A rating list at the desk. The browser reads the file, which may have a million lines, and sends few of them.

import { el } from "../page/dom.js";
import { decoder } from "./decoded.js";

const MOST_FOUND = 12;
const SPLIT = /[^\p{L}\p{N}'’-]+/u;
const wordsOf = (text) => text.toLocaleLowerCase().split(SPLIT).filter(Boolean);

// Columns of the federation's file: where the names are. Other lists are tables, which are sent as they are.
function columnsOf(head) {
  const name = head.indexOf("Name");
  return head.startsWith("ID Number") ? { name, end: head.indexOf("Fed", name) } : null;
}

// The numbered lines of *file* that *isWanted*, after the first one, at most about *most*. In a table a line is
// its own name.
async function linesOf(file, language, isWanted, most = Infinity) {
  const found = [];
  const decode = decoder(language);
  const reader = file.stream().getReader();
  let columns = null;
  let number = 0;
  let rest = "";
  const take = (text) => {
    number += 1;
    if (number === 1) columns = columnsOf(text.replace("\ufeff", ""));
    const id = columns ? text.slice(0, columns.name).trim() : "";
    const name = columns ? text.slice(columns.name, columns.end).trim() : text;
    const line = { number, text, id, name, isTable: !columns };
    if (number === 1 || isWanted(line)) found.push(line);
  };
  for (let part = await reader.read(); !part.done && found.length <= most; part = await reader.read()) {
    const lines = (rest + decode(part.value)).split(/\r?\n/);
    rest = lines.pop();
    lines.forEach(take);
  }
  rest += decode(new Uint8Array(), true);
  if (rest && found.length <= most) rest.replace(/\r?\n$/, "").split(/\r?\n/).forEach(take);
  await reader.cancel();
  return found;
}

const numbered = (lines) => lines.map(({ number, text }) => [number, text]);

export function makeRatingList({ say, language, call }) {
  let chosen = null; // the file, which is kept for all tournaments until another one is chosen

  // The lines about the players of the table *roster*.
  async function about(roster) {
    if (!chosen) return [];
    const there = new Set(wordsOf(roster));
    const isThere = ({ id, name, isTable }) => isTable || there.has(id)
      || wordsOf(name).every((word) => there.has(word));
    return numbered(await linesOf(chosen, language, isThere));
  }

  async function lookUp(of, text, place, done) {
    const wanted = wordsOf(text);
    if (!chosen || !wanted.length) return;
    const isWanted = ({ id, name }) => id === text.trim()
      || wanted.every((word) => wordsOf(name).some((each) => each.startsWith(word)));
    const [head, ...found] = await linesOf(chosen, language, isWanted, MOST_FOUND);
    const completed = (line) => ({
      csv: `name,licence\n"${line.name.replaceAll('"', '""')}",${line.id}\n`, rating_list: numbered([head, line]),
    });
    const enter = (line) => call(`api/tournaments/${of.key}/players`,
      line.isTable ? { csv: `${head.text}\n${line.text}\n` } : completed(line), done);
    const label = ({ name, id }) => [name, id].filter(Boolean).join(" · ");
    const button = (line) => el("button", { type: "button", class: "act", onclick: () => enter(line) }, label(line));
    const lines = found.slice(0, MOST_FOUND).map((line) => el("li", {}, button(line)));
    place.replaceChildren(...(lines.length ? lines : [el("li", {}, say("not_listed"))]));
  }

  // The file, and a search in it whose results are entered by a press.
  function fields(of, done) {
    const file = el("input", { type: "file", accept: ".txt,.csv,text/plain,text/csv" });
    const label = say("look_up");
    const search = el("input", { type: "search", "aria-label": label, placeholder: label, autocomplete: "off" });
    const found = el("ul", { class: "plain" });
    file.addEventListener("change", () => { chosen = file.files[0] ?? null; });
    const look = (event) => {
      event.preventDefault();
      lookUp(of, search.value, found, done);
    };
    const listed = [say("rating_list"), chosen?.name].filter(Boolean).join(" · ");
    return [el("label", {}, listed, file), el("form", { onsubmit: look }, search), found];
  }

  return { about, fields };
}
