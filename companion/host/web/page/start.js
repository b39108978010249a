// SPDX-License-Identifier: Apache-2.0
// The start page: games and the ways into them, kept games, lessons and puzzles, and the boards of this
// machine. All words and lists come from the program.

import { el, fillList } from "./dom.js";
import { makeGameList } from "./gamelist.js";
import { attachJoin } from "./join.js";
import { makeNewGame } from "./newgame.js";
import { keepOffline, offlineSentence } from "./offline.js";
import { VIRTUAL, choosePlace, isUnderWay, placesFor } from "./places.js";
import { makePrefs } from "./prefs.js";
import { makeSettings } from "./settings.js";
import { makeTabs } from "./tabs.js";
import { COMPUTER, FRIEND, WAYS } from "./ways.js";
import { connect } from "./wire.js";
import { makeSay } from "./words.js";

const byId = (id) => document.getElementById(id);
const HELP = ["help-begin", "help-move", "help-aid"];
// The picture of a game is a way in for the mouse; the keyboard has the button beside it.
const PICTURE = { type: "button", class: "picture", tabindex: -1, "aria-hidden": "true" };
const prefs = makePrefs();
const settings = makeSettings(prefs);
attachJoin();
makeTabs(byId("tabs"));
let page = null;
let say = null;
let state = { current: null, devices: [] };
const wanted = { game: "", moves: 0 }; // of another puzzle; "" and 0 for any

const newGame = makeNewGame({ prefs, begin: (wish) => send("Play", wish), offers, places });

const gameList = makeGameList({
  send,
  goOn: ({ game, journal }) => request("GoOn", game, { journal }),
});

const wire = connect({
  path: "start/ws",
  asked: () => (prefs.get("language") ? { language: prefs.get("language") } : {}),
  onMessage(message) {
    if (message.page) showPage(message.page);
    if (message.state) showState(message.state);
    if (message.refused) byId("refused-start").textContent = message.refused;
    if (message.imported) gameList.imported(message.imported);
    if (message.told) byId("refused-start").textContent = message.told;
    if (message.go) location.assign(new URL(message.go, location.href));
  },
  onState(isOpen) {
    document.body.classList.toggle("offline", !isOpen);
    byId("banner").textContent = isOpen ? "" : offlineSentence();
  },
});

function send(kind, fields) {
  byId("refused-start").textContent = "";
  wire.send(kind, fields);
}

async function offers() {
  try {
    const answer = await fetch(`all-games.json?language=${page.language}`);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // the banner says so
  }
}

function places(game) {
  return placesFor(game, state.devices, page.labels);
}

function place(game) {
  return choosePlace(game, state.devices, page.labels);
}

function open(game, way, device = VIRTUAL) {
  const view = { game, options: {}, outcome: null, record: isUnderWay(state.current) ? [true] : [] };
  newGame.open(view, { way, device });
}

function showPage(next) {
  page = next;
  keepOffline(page.labels.offline);
  say = makeSay(page.labels, page.language);
  document.documentElement.lang = page.language;
  settings.table(page);
  gameList.words(page, say);
  newGame.table({ ...page, players: [], computers: [], warned: [], control: "none" });
  byId("cards").replaceChildren(...page.cards.map(card));
  byId("taught").replaceChildren(...page.cards.map(taught));
  showHelp(page.labels);
  showPuzzle();
}

// A button whose name says what it is about.
function button(key, about, onclick, style = null) {
  const label = page.labels[key];
  return el("button", { type: "button", class: style, "aria-label": `${label}: ${about}`, onclick }, label);
}

function about(title, ...details) {
  return el("div", { class: "about" }, el("b", {}, title), el("small", {}, ...details));
}

function picture(slug) {
  return el("img", { src: `boards/${slug}.svg`, alt: "", loading: "lazy" });
}

function card({ slug, title, facts }) {
  const start = () => open(slug, COMPUTER);
  const ways = WAYS.map((way) => button(`way-${way}`, title, () => open(slug, way), `way ${way}`));
  return el("li", { class: "card" },
    el("button", { ...PICTURE, onclick: start }, picture(slug)),
    el("h3", {}, title),
    el("p", { class: "facts" }, ...facts.flatMap((fact) => [el("span", {}, fact), " "])),
    el("div", { class: "ways" }, ...ways));
}

function taught({ slug, title, lessons }) {
  return el("li", {},
    picture(slug),
    about(title),
    lessons.length ? button("lessons", title, () => showLessons(slug, title)) : null,
    button("learn", title, () => learn(slug, title)));
}

function showHelp({ begin, hint, why, ...labels }) {
  const gaps = { begin, hint, back: labels["take-back"], why };
  byId("help").replaceChildren(...HELP.map((key) => el("li", {}, say(key, gaps))));
}

async function learn(slug, title) {
  const answer = await fetch(`rules.json?game=${slug}&language=${page.language}`);
  if (!answer.ok) return;
  const MAKES = {
    heading: (text) => el("h3", {}, text),
    text: (text) => el("p", {}, text),
    picture: (position) => el("img", { src: `boards/${slug}.svg?${new URLSearchParams({ position })}`, alt: position }),
  };
  const { parts } = await answer.json();
  showText(title, parts.map(({ kind, text }) => MAKES[kind](text)));
}

// The lessons of a game; those that are done have a tick, and the first that is not is offered.
async function showLessons(game, title) {
  const answer = await fetch(`lessons.json?game=${game}&language=${page.language}`);
  if (!answer.ok) return;
  const { lessons, progress } = await answer.json();
  const next = lessons.find(({ done }) => !done) ?? lessons[0];
  const tick = () => el("i", { "aria-label": page.labels.done }, "✓");
  const rows = lessons.map((lesson, number) => el("li", {},
    el("button", {
      type: "button",
      class: lesson === next ? "primary" : null,
      onclick: () => teach(game, lesson.slug),
    }, el("span", {}, `${number + 1}`), lesson.title, lesson.done ? tick() : null)));
  showText(`${title}: ${page.labels.lessons}`, [el("p", {}, progress), el("ol", { class: "lessons" }, ...rows)]);
}

function showText(title, content) {
  byId("learn-title").textContent = title;
  byId("learn-text").replaceChildren(...content);
  byId("learn").showModal();
  byId("learn-text").scrollTo(0, 0);
}

// A lesson, a puzzle or an unfinished game, at the board that is chosen for it.
async function request(kind, game, fields) {
  const device = await place(game);
  if (device) send(kind, { ...fields, device, language: page.language });
}

function teach(game, lesson) {
  byId("learn").close();
  request("Exercise", game, { game, lesson });
}

// The puzzle of the day, or *another* one of those that are *wanted*.
async function showPuzzle(another = false) {
  const query = new URLSearchParams({ language: page.language, ...(another ? { another, ...wanted } : {}) });
  const answer = await fetch(`puzzle.json?${query}`);
  if (!answer.ok) return;
  const { game, number, title, task, lengths } = await answer.json();
  const focused = document.activeElement?.dataset.wanted;
  byId("puzzle-title").textContent = page.labels[another ? "puzzle" : "puzzle-of-day"];
  byId("puzzle-card").replaceChildren(
    el("img", { src: `puzzles/${game}/${number}.svg`, alt: "" }),
    about(title, task),
    button("solve", title, () => request("Exercise", game, { game, puzzle: number }), "primary"),
    el("button", { type: "button", onclick: () => showPuzzle(true) }, page.labels["another-puzzle"]),
    el("div", { class: "wanted" }, ...wishes(lengths)));
  byId("puzzle-card").querySelector(`[data-wanted="${focused}"]`)?.focus();
  byId("puzzle").hidden = false;
}

// The lists of games and of lengths from which another puzzle comes.
function wishes(lengths) {
  const { labels } = page;
  const offered = wanted.game ? lengths[wanted.game] : [...new Set(Object.values(lengths).flat())].sort();
  const titled = page.cards.filter(({ slug }) => slug in lengths).map(({ slug, title }) => [slug, title]);
  const counted = offered.map((count) => [count, say("plies", { count })]);
  const list = (name, label, choices) => {
    const options = choices.map(([value, text]) => el("option", { value }, text));
    const onchange = () => want(name, made.value);
    const made = el("select", { "aria-label": label, "data-wanted": name, onchange }, ...options);
    made.value = wanted[name];
    return made;
  };
  const want = (name, value) => {
    wanted[name] = value;
    if (wanted.game && !lengths[wanted.game].includes(Number(wanted.moves))) wanted.moves = 0;
    showPuzzle(true);
  };
  return [
    list("game", labels["choose-game"], [["", labels["any-game"]], ...titled]),
    list("moves", labels["puzzle-length"], [[0, labels["any-length"]], ...counted]),
  ];
}

function showState(next) {
  state = next;
  showCurrent(state.current);
  const none = () => el("li", { class: "empty" }, page.labels["no-boards"]);
  fillList(byId("devices"), state.devices.length ? state.devices.map(device) : [none()]);
  gameList.show(state);
  newGame.refresh();
}

function showCurrent(current) {
  byId("current").hidden = !current;
  if (!current) return;
  const { title, game, players, plies, is_finished: isFinished, result } = current;
  const act = isFinished ? page.labels.look : page.labels["go-on"];
  byId("on-table").replaceChildren(
    el("img", { src: `boards/${game}.svg`, alt: "" }),
    about(title, [players.join(" – "), result || say("plies", { count: plies })].filter(Boolean).join(" · ")),
    el("a", { class: "button primary", href: "./" }, act));
}

function link(address, label, about) {
  return el("a", { class: "button", href: address, "aria-label": `${label}: ${about}` }, label);
}

function device({ key, name, presence, text, titles, games, test }) {
  const status = el("span", { class: "presence", "data-presence": presence }, text);
  const said = about(name, status, ` · ${titles.join(", ") || page.labels["no-game"]}`);
  const isFree = presence === "ready" && games.length;
  const address = `sensors?${new URLSearchParams({ device: key })}`;
  return el("li", { "data-device": key }, said,
    isFree ? button("play", name, () => open(games[0], FRIEND, key)) : null,
    test && presence === "ready" ? link(address, test, name) : null);
}

prefs.onChange((name) => {
  if (name === "theme" || name === "board") window.showTheme({ theme: prefs.get("theme"), board: prefs.get("board") });
  if (name === "language") wire.reopen();
});
