// SPDX-License-Identifier: Apache-2.0
// Who plays here: the seats of this browser, the answer to another one that asks for a seat, and the
// levels of the computer.

import { el } from "./dom.js";
import { makeSeatNews } from "./seatnews.js";
import { inTab } from "./storage.js";
import { fill, nameOf } from "./words.js";

const kept = inTab("companion-seats"); // the last seats, until the program tells
const byId = (id) => document.getElementById(id);

// *turn* is called with true where the board is to be seen from the other end.
export function makeSeating({ send, turn }) {
  const dialog = byId("seating");
  let table = null;
  let seats = null;
  let isTurned = false; // by hand
  let claimed = "";

  // The sides that people play.
  const all = () => table.sides.map((_, side) => side).filter((side) => !table.computers?.[side]);
  const isAll = () => all().length > 1 && all().every((side) => seats.mine.includes(side));
  const isOpen = () => !seats.mine.length && !seats.taken.length;
  const say = (key, side) => fill(table.labels[key], { side: nameOf(table, side) }, table.language);

  function summary() {
    const { labels } = table;
    if (seats.watches || (!seats.mine.length && seats.taken.length)) return labels["you-watch"];
    if (isOpen()) return labels.seats;
    if (isAll()) return labels["you-all"];
    return `${labels.you}: ${seats.mine.map((side) => table.sides[side].name).join(", ")}`;
  }

  function choice(text, isChosen, note, act) {
    const said = [text, ...(note ? [" ", el("small", {}, note)] : [])];
    const close = () => (act(), dialog.close());
    return el("button", { type: "button", "aria-pressed": String(isChosen), onclick: close }, ...said);
  }

  function note(side) {
    const { labels } = table;
    if (seats.asked.includes(side)) return labels["seat-asked"];
    if (seats.away.includes(side)) return labels["seat-away"];
    return seats.taken.includes(side) ? labels["seat-taken"] : "";
  }

  const sit = (sides) => send("Sit", { sides });
  const news = makeSeatNews({ summary, sit, touch: (cell) => send("Touch", { cell }) });

  function showChoices() {
    const { labels } = table;
    const isOnly = (side) => seats.mine.length === 1 && seats.mine[0] === side;
    byId("seats").replaceChildren(
      ...all().map((side) => choice(say("i-play", side), isOnly(side), note(side), () => sit([side]))),
      ...(all().length > 1 ? [choice(labels["i-play-all"], isAll(), "", () => sit(all()))] : []),
      choice(labels["i-watch"], seats.watches, "", () => sit([])),
      choice(labels["all-may"], !seats.watches && isOpen(), "", () => send("StandUp")));
  }

  // The levels of the sides that the computer plays, for those who play here.
  function showLevels() {
    const { labels, levels, computers = [] } = table;
    const played = table.sides.map((_, side) => side).filter((side) => computers[side] && seats.may.length);
    const rows = played.map((side) => {
      const options = levels.map(({ label }, index) => new Option(label, index + 1));
      const list = el("select", { onchange: () => send("SetLevel", { level: Number(list.value), side }) }, ...options);
      list.value = computers[side];
      const said = labels["computer-level"];
      const label = played.length > 1 ? `${said}: ${table.sides[side].name}` : said;
      return el("label", {}, el("span", {}, label), list);
    });
    const focused = [...byId("levels").children].findIndex((row) => row.contains(document.activeElement));
    byId("levels").replaceChildren(...rows);
    rows[focused]?.querySelector("select").focus();
  }

  // A question of another browser, with yes and no; *usual* is the one that is offered first.
  function claim(text, [yes, no], usual, answer) {
    const choices = [[yes, true], [no, false]];
    const style = (is) => (is === usual ? "primary" : null);
    const button = ([key, is]) =>
      el("button", { type: "button", class: style(is), onclick: () => answer(is) }, table.labels[key]);
    return el("div", { class: "claim" }, el("p", {}, text), ...choices.map(button));
  }

  // Another browser asks for a seat of this one, or wants to begin another game. What is asked already stays.
  function showClaims() {
    const { begins: game, wanted } = seats;
    const key = JSON.stringify([table.language, game, wanted]);
    if (key === claimed) return;
    claimed = key;
    const give = (side) => (gives) => send("GiveSeat", { side, gives });
    const asked = wanted.map((side) => claim(say("seat-wanted", side), ["seat-give", "seat-keep"], true, give(side)));
    const sentence = fill(table.labels["begin-wanted"], { game }, table.language);
    const begin = claim(sentence, ["begin-let", "begin-keep"], false, (lets) => send("LetBegin", { lets }));
    byId("claims").replaceChildren(...asked, ...(game ? [begin] : []));
  }

  function showSeats() {
    if (!table || !seats) return;
    byId("seat").textContent = summary();
    document.body.classList.toggle("seatless", !seats.may.length);
    showChoices();
    showLevels();
    showClaims();
    news.draw(table, seats);
  }

  function show() {
    showSeats();
    if (table && seats) turn(isFlipped());
  }

  // From the seat of this browser; without one, from that of the first person.
  const isFlipped = () => {
    const mine = seats?.mine ?? kept.json([]);
    const near = mine.length ? mine : all();
    return (near.length > 0 && !near.includes(0)) !== isTurned;
  };

  byId("seat").addEventListener("click", () => dialog.showModal());
  byId("flip").addEventListener("click", flip);

  function flip() {
    isTurned = !isTurned;
    show();
  }

  return {
    table(next) {
      table = next;
    },
    redraw: show,
    draw(next) {
      seats = next;
      kept.set(JSON.stringify(seats.mine));
      show();
    },
    follow: news.follow,
    tell: news.tell,
    flip,
    isFlipped,
    // The sides for which this browser may move; without seats, all.
    may: () => seats?.may ?? all(),
    isSeated: () => Boolean(seats?.mine.length),
  };
}
