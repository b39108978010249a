// SPDX-License-Identifier: Apache-2.0
// Joins the parts of the page: every page state is drawn as a whole, and hand motions are sent. The
// page knows no rules and no words; both come with the table.

import { attachBig } from "./big.js";
import { makeBoard } from "./board.js";
import { attachHands } from "./hands.js";
import { makeHealth } from "./health.js";
import { makeKeys } from "./keys.js";
import { showLamps } from "./lamps.js";
import { makeMoves } from "./moves.js";
import { makeNewGame } from "./newgame.js";
import { usePieces } from "./pieces.js";
import { makePrefs } from "./prefs.js";
import { makePutRight } from "./putright.js";
import { makeSeats } from "./seats.js";
import { makeSettings } from "./settings.js";
import { makeSound } from "./sound.js";
import { makeTalk } from "./talk.js";
import { makeTray } from "./tray.js";
import { connect } from "./wire.js";

const byId = (id) => document.getElementById(id);
const prefs = makePrefs();
const isWatching = prefs.get("watch");
let rooms = null;
let board = null;
let picture = null;
let refusal = "";

const health = makeHealth();
const hear = makeSound(prefs);
const settings = makeSettings(prefs);
const newGame = makeNewGame({ send, offers });
const putRight = makePutRight(send);
const listKeys = makeKeys(prefs, {
  command: (name) => picture && !isWatching && rooms.talk.command(name),
  begin,
  focusBoard: () => document.querySelector('[data-cell][tabindex="0"]')?.focus(),
  settings: settings.open,
});
document.body.classList.toggle("watch", isWatching);
attachBig(prefs);

const wire = connect({
  asked: () => ({
    ...(prefs.get("language") ? { language: prefs.get("language") } : {}),
    ...(isWatching ? { watch: true } : {}),
  }),
  onTable(table) {
    document.title = `${table.title} – Companion`;
    document.documentElement.lang = table.language;
    byId("title").textContent = table.title;
    refusal = table.labels.refused;
    usePieces(prefs.get("pieces"));
    board = makeBoard(byId("board"), table, prefs.get("coordinates"));
    const grab = attachHands(board, () => picture, send);
    rooms = {
      talk: makeTalk(table, { send, begin, point: board.point, putRight }),
      moves: makeMoves(table),
      tray: makeTray(byId("tray"), table, send),
      seats: makeSeats(table, send, grab),
    };
    health.table(table);
    settings.table(table);
    newGame.table(table);
    putRight.table(table);
    listKeys(table);
  },
  onPicture(next) {
    picture = isWatching ? { ...next, virtual: null } : next; // a watcher has no hands
    showLamps(next.lamps.palette, next.lamps.cells);
    board.draw(picture);
    putRight.draw(picture);
    rooms.talk.draw(picture);
    rooms.moves.draw(picture.view);
    rooms.tray.draw(picture);
    rooms.seats.draw(picture);
    health.draw(picture);
    hear(picture);
  },
  onRefused(reason) {
    byId("refused").textContent = `${refusal}: ${reason}`;
    byId("new-game").showModal();
  },
  onState: health.online,
});

function send(kind, fields) {
  byId("refused").textContent = "";
  wire.send(kind, fields);
}

function begin() {
  if (picture && !isWatching) newGame.open(picture.view);
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
  if (["language", "pieces", "coordinates"].includes(name)) wire.reopen();
  if (name === "display") showDisplay();
});

function showDisplay() {
  document.body.classList.toggle("display", prefs.get("display"));
}
showDisplay();

// The clocks run between two page states.
const FACE_MS = 100;
setInterval(() => rooms?.seats.tell(), FACE_MS);
