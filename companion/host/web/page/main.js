// SPDX-License-Identifier: Apache-2.0
// Joins the parts of the page: every page state is drawn as a whole, and hand motions are sent. The
// page knows no rules and no words; both come with the table.

import { makeAwake } from "./awake.js";
import { attachBig } from "./big.js";
import { makeBoard } from "./board.js";
import { makeCameraPicture } from "./camerapicture.js";
import { changed } from "./changes.js";
import { attachHands } from "./hands.js";
import { makeHealth } from "./health.js";
import { makeJudged } from "./judged.js";
import { makeBegin } from "./kept.js";
import { makeKeys } from "./keys.js";
import { attachJoin } from "./join.js";
import { knownTable } from "./knowntable.js";
import { showLamps } from "./lamps.js";
import { makeMoves } from "./moves.js";
import { makeNewGame } from "./newgame.js";
import { usePieces } from "./pieces.js";
import { makePrefs } from "./prefs.js";
import { makePutRight } from "./putright.js";
import { makeResults } from "./results.js";
import { makeReview } from "./review.js";
import { makeSeating } from "./seating.js";
import { makeSeats } from "./seats.js";
import { makeSettings } from "./settings.js";
import { makeShare } from "./share.js";
import { makeSound } from "./sound.js";
import { makeTalk } from "./talk.js";
import { makeTray } from "./tray.js";
import { makeWayBack } from "./wayback.js";
import { connect } from "./wire.js";
import { makeZoom } from "./zoom.js";

const byId = (id) => document.getElementById(id);
const prefs = makePrefs();
const isWatching = prefs.get("watch");
const isKept = document.body.classList.contains("kept"); // a game of the store, without a table
let state = {}; // as the program has told it, with the table
let described = null; // the table with its words
let known = null; // the table of the document, until the program answers
let told = null; // the table with whose words dialogs and tools are labelled
let rooms = null;
let board = null;
let hands = null;
let picture = null;
let refusal = "";

const health = makeHealth();
const drawCameraPicture = makeCameraPicture();
const hear = makeSound(prefs);
const settings = makeSettings(prefs);
const newGame = makeNewGame({
  prefs,
  begin: (wish) => send("Begin", wish),
  invite: (wish) => send("Invitation", wish),
  offers,
  clear: () => send("Clear", {}),
});
const putRight = makePutRight(send);
const results = makeResults(prefs, () => wire?.send("WantResult"));
const review = makeReview({ fetchGame, show: showPosition, isKept, judged: () => judged });
const isAtHome = document.body.classList.contains("at-home"); // the program has a start page
const beginGame = isKept ? makeBegin() : (wish) => send("Begin", wish);
const mayPlayOn = !isWatching && (!isKept || isAtHome);
const judged = makeJudged({ review, playOn: mayPlayOn ? playOn : null, redraw });
const openReview = () => judged.open(Infinity, true);
const share = makeShare(review);
const keepAwake = makeAwake();
const wayBack = makeWayBack(byId("way-back"));
const seating = makeSeating({ send, turn: turnBoard });
const listKeys = makeKeys(prefs, {
  command: (name) => picture && !isWatching && rooms.talk.command(name),
  begin,
  focusBoard: () => document.querySelector('[data-cell][tabindex="0"]')?.focus(),
  settings: settings.open,
});
document.body.classList.toggle("watch", isWatching);
attachBig(prefs);
attachJoin();
const zoom = makeZoom(byId("board"), [byId("zoom"), byId("unzoom")], {
  hands: () => hands,
  changed: () => board.askAgain(),
});

// A watcher has no virtual table.
const seenOf = (next) => (isWatching ? { ...next, virtual: null, beside: next.virtual?.box } : next);

const wire = isKept ? null : connect({
  asked: () => ({
    ...(prefs.get("language") ? { language: prefs.get("language") } : {}),
    ...(isWatching ? { watch: true } : {}),
  }),
  onMessage(message) {
    if (message.refused) showRefusal(message.refused);
    else if (message.told) seating.tell(message.told);
    else if (message.seats) seating.draw(message.seats);
    else take(message);
  },
  onState: health.online,
});
if (isKept) showKept();
else showKnown();

// Draws the board as the document has it; nothing can be done with it until the table answers.
async function showKnown() {
  const found = await knownTable(prefs.get("language"));
  if (!found || described) return;
  known = found.table;
  document.body.classList.add("waiting");
  showTable(known);
  drawBoard(seenOf(found.picture));
}

// A *message* with all of the state, or with what has changed of it.
function take(message) {
  state = changed(state, message);
  // what the document has is not built again
  if (known && JSON.stringify(known) === JSON.stringify(state.table)) state = { ...state, table: known };
  known = null;
  const { table, ...next } = state;
  if (table !== described) showTable(table);
  if (table !== told) tellTable(table);
  show({ ...next, now_ms: message.now_ms });
}

function showTable(table) {
  document.title = `${table.title} – Companion`;
  document.documentElement.lang = table.language;
  byId("title").textContent = table.title;
  refusal = table.labels.refused;
  usePieces(prefs.get("pieces"));
  seating.table(table);
  described = table;
  build();
  seating.redraw();
}

// What is not needed for the board.
function tellTable(table) {
  told = table;
  health.table(table);
  settings.table(table);
  newGame.table(table);
  putRight.table(table);
  review.table(table);
  judged.table(table);
  share.table(table);
  listKeys(table);
  results.ask();
}

let isFlipped = false;

function build() {
  isFlipped = seating.isFlipped();
  board = makeBoard(byId("board"), described, prefs.get("coordinates"), isFlipped);
  const ownPicture = () => (review.isOn() || !seating.may().length ? null : picture);
  hands = attachHands(board, () => judged.forHands() ?? ownPicture(), send);
  zoom.fit(board.span);
  const ends = { share: share.open, review: openReview };
  const parts = { send, begin, point: board.point, pick: board.ask, putRight, may: seating.may, ...ends };
  rooms = {
    talk: makeTalk(described, parts),
    moves: makeMoves(described, review.pick),
    tray: makeTray(byId("tray"), described, send),
    seats: makeSeats(described, send, hands.grab, isFlipped),
  };
}

// The board is seen from the seat of this browser.
function turnBoard(flipped) {
  if (!described || flipped === isFlipped) return;
  build();
  if (review.isOn()) redraw();
  else if (picture?.of === described) drawTable(); // otherwise that of another game follows
}

function show(next) {
  const isFirst = picture === null;
  const isAsked = !isFirst && next.reviews > picture.reviews; // at the board
  if (isFirst) document.body.classList.remove("waiting");
  picture = { ...seenOf(next), analysis: results.of(next), known: next, of: described };
  if (next.link.has_display !== null) prefs.suggest("lines", next.link.has_display);
  review.update(picture.view.record);
  wayBack.draw(picture.view);
  seating.follow(picture);
  showAwake();
  putRight.draw(picture);
  health.draw(picture);
  drawCameraPicture(picture.camera);
  hear(picture);
  if (review.isOn()) rooms.moves.draw(picture.view, review.ply(), judged.grades());
  else drawTable();
  if (isFirst && location.hash.length > 1) review.open(Number(location.hash.slice(1)));
  if (isAsked) review.open(0);
}

function drawTable() {
  drawBoard(picture);
  rooms.talk.draw(picture);
  rooms.moves.draw(picture.view);
  rooms.tray.draw(picture);
}

function drawBoard(shown) {
  showLamps(shown.lamps.palette, shown.lamps.cells);
  board.draw(shown);
  rooms.seats.draw(shown);
}

// A position of the review; without one, the game itself.
function showPosition(shown) {
  if (!shown) {
    drawTable();
    return;
  }
  const position = judged.tried() ?? shown;
  const { record, start, palette } = review.game();
  const notices = [...judged.remarks(review.position()), ...position.remarks];
  const prompt = judged.prompt() ?? position.view.prompt;
  const view = { ...position.view, prompt, notices, commands: [], pressers: [] };
  const analysis = review.isAside() ? "" : review.game().results[review.position()] ?? "";
  const unsaid = { lines: [], reply: { text: "" }, analysis, now_ms: 0 };
  const drawn = { ...position, ...unsaid, view };
  showLamps(palette, position.lamps.cells);
  board.draw(drawn);
  rooms.talk.draw(drawn);
  rooms.moves.draw(picture?.view ?? { record, start }, review.ply(), judged.grades());
  rooms.tray.draw(drawn);
  rooms.seats.draw(drawn);
}

// The position that the review shows, with what is known of it now.
function redraw() {
  if (review.isOn()) showPosition(review.picture());
}

const reviewed = (number) => review.game().pictures[number].view;

// Begins a game from position *number*: the side to move is played here, the others by the computer.
function playOn(number) {
  const { turn: side, position } = reviewed(number);
  const view = reviewed(0);
  const sides = described.sides.map((_, each) => each);
  const level = Math.max(0, ...(described.computers ?? [])) || described.usual_level; // that of the game, if known
  if (isKept) wayBack.leave(position);
  review.leave();
  beginGame({
    game: view.game,
    options: Object.entries(view.options),
    position,
    played_by: sides.map((each) => (each === side ? "table" : "computer")),
    levels: sides.map((each) => (each === side ? 0 : level)),
    control: "none",
    language: document.documentElement.lang,
  });
}

async function fetchGame() {
  const language = document.documentElement.lang && rooms ? document.documentElement.lang : prefs.get("language");
  try {
    const answer = await fetch(`review.json?language=${language}`);
    return answer.ok ? { ...(await answer.json()), results: await results.all() } : null;
  } catch {
    return null; // the connection is down, which the page shows already
  }
}

async function showKept() {
  const game = await fetchGame();
  if (!game) return;
  showTable(game.table);
  tellTable(game.table);
  review.update(game.record);
  if (location.hash.length > 1) await review.open(Number(location.hash.slice(1)));
  else await judged.open(0, false);
}

function showRefusal(reason) {
  byId("refused").textContent = `${refusal}: ${reason}`;
  byId("new-game").showModal();
}

function send(kind, fields) {
  if (judged.act(kind, fields ?? {})) return;
  byId("refused").textContent = "";
  wire.send(kind, fields);
}

function begin() {
  if (picture && !isWatching) newGame.open(picture.view, { isVirtual: Boolean(picture.virtual) });
}

async function offers() {
  try {
    const answer = await fetch(`games.json?language=${document.documentElement.lang}`);
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // the connection is down, which the page shows already
  }
}

prefs.onChange((name) => {
  if (name === "theme" || name === "board") window.showTheme({ theme: prefs.get("theme"), board: prefs.get("board") });
  if (["language", "pieces", "coordinates"].includes(name)) isKept ? location.reload() : wire.reopen();
  if (name === "lines") showDisplay();
  if (name === "result") showResult();
  if (name === "big") showAwake();
});

async function showResult() {
  results.ask();
  if (picture) show(picture.known);
  if (!review.isOn()) return;
  review.game().results = await results.all();
  redraw();
}

// While a game is on, and while the big screen is shown.
function showAwake() {
  const { record, outcome, phase } = picture?.view ?? { record: [] };
  const isOn = record.length > 0 && !outcome && phase !== "paused";
  keepAwake(isOn || prefs.get("big"));
}

function showDisplay() {
  document.body.classList.toggle("display", prefs.get("lines"));
}
showDisplay();

byId("review-share").addEventListener("click", share.open);

// The clocks run between two page states.
const FACE_MS = 100;
setInterval(() => rooms?.seats.tell(), FACE_MS);
