// SPDX-License-Identifier: Apache-2.0
// The games of the start page: to go on with, to review, to delete; and those of files and texts, to import.

import { choose } from "./ask.js";
import { el, fillList } from "./dom.js";

const byId = (id) => document.getElementById(id);
const FEW = 12; // games that are listed at first
const MOST_MB = 1; // of an import

// *send* asks the program; *goOn* resumes a game at a board that is chosen for it.
export function makeGameList({ send, goOn }) {
  let page = null;
  let say = null;
  let state = { games: [], fault: "" };
  let isWhole = false; // whether all games are listed

  byId("all-kept").addEventListener("click", () => {
    isWhole = true;
    show();
  });
  byId("import").addEventListener("submit", (event) => {
    event.preventDefault();
    read();
  });

  function show() {
    const shown = isWhole ? state.games : state.games.slice(0, FEW);
    const none = () => el("li", { class: "empty" }, state.fault || page.labels["none-kept"]);
    fillList(byId("kept"), shown.length ? shown.map(row) : [none()]);
    byId("all-kept").hidden = isWhole || state.games.length <= FEW;
  }

  function row(game) {
    const { number, journal, title, players, plies, began, result, picture, is_finished: isFinished } = game;
    const names = players.join(" – ");
    const about = `${title}, ${began}`;
    const named = (key) => ({ "aria-label": `${page.labels[key]}: ${about}` });
    const details = [title, result, say("plies", { count: plies }), began].filter(Boolean);
    const said = details.flatMap((each) => [el("span", {}, each), " "]);
    const link = { class: journal ? "button" : "button primary", href: `kept/${number}/`, ...named("watch") };
    const resume = { type: "button", class: "primary", ...named("go-on"), onclick: () => goOn(game) };
    const away = { type: "button", class: "quiet", ...named("delete"), onclick: () => remove(game) };
    return el("li", { class: isFinished ? null : "unfinished" },
      el("img", { src: picture, alt: "", loading: "lazy", width: 64, height: 64 }),
      el("div", { class: "about" }, el("b", {}, names), el("small", {}, ...said)),
      journal ? el("button", resume, page.labels["go-on"]) : null,
      number ? el("a", link, page.labels.watch) : null,
      el("button", away, page.labels.delete));
  }

  async function remove({ number, journal, title, players }) {
    const question = say("delete-really", { game: title, players: players.join(" – ") });
    const answer = await choose(question, [page.labels.delete], page.labels["keep-it"]);
    if (answer === 0) send("Delete", { number, journal });
  }

  function tell(text, leftOut = []) {
    const rows = el("ul", {}, ...leftOut.map((each) => el("li", {}, each)));
    const rest = leftOut.length ? [el("p", {}, page.labels["left-out"]), rows] : [];
    byId("imported").replaceChildren(el("p", {}, text), ...rest);
  }

  // A file goes as it is: the program knows how to read its letters.
  function read() {
    const [file] = byId("import-file").files;
    const text = byId("import-text").value;
    const found = file ?? new Blob([text]);
    if (!found.size) return;
    if (found.size > MOST_MB * 1_000_000) {
      tell(say("import-large", { size: MOST_MB }));
      return;
    }
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const [, content] = reader.result.split(",");
      send("Import", { content, name: file?.name ?? page.labels.text });
      byId("import").reset();
    });
    reader.readAsDataURL(found);
  }

  return {
    words(nextPage, nextSay) {
      [page, say] = [nextPage, nextSay];
    },
    show(next) {
      state = next;
      show();
    },
    imported({ new: count, known, left_out: leftOut }) {
      tell(say("imported", { count, known }), leftOut);
    },
  };
}
