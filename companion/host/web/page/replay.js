// SPDX-License-Identifier: Apache-2.0
// Replay of a stored game: all positions are loaded at once; slider, buttons, keys and moves select
// one.

import { makeBoard } from "./board.js";
import { el } from "./dom.js";
import { showLamps } from "./lamps.js";
import { usePieces } from "./pieces.js";
import { makePrefs } from "./prefs.js";
import { makeSeats } from "./seats.js";

const byId = (id) => document.getElementById(id);
const replay = await (await fetch("replay.json")).json();
const { table, pictures } = replay;
const { labels } = table;
const prefs = makePrefs();
usePieces(prefs.get("pieces"));
const board = makeBoard(byId("board"), table, prefs.get("coordinates"));
const seats = makeSeats(table);
const last = pictures.length - 1;
let at = 0;
let clock = null;

function label(id, text) {
  byId(id).setAttribute("aria-label", text);
  byId(id).title = text;
}

// The text for each position and its place: a row per round and a column per side; other entries
// have rows of their own.
function laidOut() {
  let [row, round, before, isOpen] = [0, 0, table.sides.length, false];
  return pictures.map(({ view }, number) => {
    const move = view.record[0];
    if (!move) {
      row += 1;
      isOpen = false;
      const text = number ? labels.stood : labels["replay-start"];
      return { row, column: "2 / -1", text, caption: text };
    }
    const isFirst = move.side <= before;
    if (isFirst) round += 1;
    if (isFirst || !isOpen) row += 1;
    const place = { row, column: move.side + 2, text: move.move, caption: `${round}${move.side ? "…" : "."} ${move.move}` };
    if (isFirst || !isOpen) place.round = `${round}.`;
    before = move.side;
    isOpen = true;
    return place;
  });
}

function goTo(number) {
  at = Math.min(Math.max(number, 0), last);
  const { view, lamps } = pictures[at];
  showLamps(replay.palette, lamps.cells);
  board.draw(pictures[at]);
  seats.draw(pictures[at]);
  byId("slider").value = at;
  byId("slider").setAttribute("aria-valuetext", places[at].caption);
  byId("cry").textContent = view.announcements.map((cry) => `${cry.word} ${cry.sentence}`).join(" ");
  byId("prompt").textContent = view.prompt;
  byId("polite").textContent = [places[at].caption, view.outcome?.sentence].filter(Boolean).join(" · ");
  moves.forEach((button, index) => {
    if (index === at) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  });
  const list = byId("moves");
  const item = moves[at].parentElement;
  const [left, top] = [item.offsetLeft - list.offsetLeft, item.offsetTop - list.offsetTop];
  list.scrollTo(left - list.clientWidth / 2, top - list.clientHeight / 2); // scrolls the list, not the page
  if (at === last) stop();
}

function stop() {
  clearInterval(clock);
  clock = null;
  byId("play").textContent = "▶";
  label("play", labels["replay-play"]);
}

function play() {
  if (at === last) goTo(0);
  clearInterval(clock);
  clock = setInterval(() => goTo(at + 1), Number(byId("speed").value));
  byId("play").textContent = "❚❚";
  label("play", labels.pause);
}

const toggle = () => (clock === null ? play() : stop());
const step = (by) => {
  stop();
  goTo(at + by);
};

function faster(by) {
  const speed = byId("speed");
  speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), speed.options.length - 1);
  if (clock !== null) play();
}

const keys = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Home: () => step(-last),
  End: () => step(last),
  " ": toggle,
  "+": () => faster(1),
  "-": () => faster(-1),
};

document.title = `${table.title} – Companion`;
document.documentElement.lang = table.language;
byId("title").textContent = table.title;
byId("moves-title").textContent = labels.moves;
byId("speed-label").textContent = labels["replay-speed"];
byId("playback").setAttribute("aria-label", labels.replay);
byId("slider").max = last;
label("slider", labels["replay-move"]);
for (const [id, key] of [["first", "replay-first"], ["back", "replay-back"], ["next", "replay-next"], ["last", "replay-last"]]) label(id, labels[key]);

const places = laidOut();
byId("moves").style.setProperty("--sides", table.sides.length);
const moves = places.map(({ row, column, round, text, caption }, number) => {
  const button = el("button", { type: "button", "aria-label": caption, onclick: () => step(number - at) }, text);
  const item = el("li", { "data-round": round }, button);
  item.style.gridRow = row;
  item.style.gridColumn = column;
  byId("moves").append(item);
  return button;
});

byId("first").onclick = () => step(-last);
byId("back").onclick = () => step(-1);
byId("play").onclick = toggle;
byId("next").onclick = () => step(1);
byId("last").onclick = () => step(last);
byId("slider").oninput = (event) => step(Number(event.target.value) - at);
byId("speed").onchange = () => faster(0);
document.onkeydown = (event) => {
  const isTaken = ["INPUT", "SELECT"].includes(event.target.tagName) || (event.key === " " && event.target.tagName === "BUTTON");
  if (isTaken || event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
};

stop();
goTo(0);
