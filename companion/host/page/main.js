// SPDX-License-Identifier: Apache-2.0
// Joins the rooms of the page: what comes over the wire is drawn, whole, every time; what hands do goes back.
// The page knows no rules and no words: both come with the table and its pictures.

import { makeBoard } from "./board.js";
import { attachHands } from "./hands.js";
import { connect } from "./wire.js";
import { showLamps } from "./lamps.js";
import { makeTalk } from "./talk.js";
import { makeTray } from "./tray.js";

let board = null;
let talk = null;
let tray = null;
let picture = null;

const wire = connect({
  onTable(table) {
    document.title = `${table.title} – Companion`;
    document.documentElement.lang = table.language;
    document.getElementById("title").textContent = table.title;
    board = makeBoard(document.getElementById("board"), table);
    attachHands(board, () => picture, wire.send);
    talk = makeTalk(table, wire.send);
    tray = makeTray(document.getElementById("tray"), table, wire.send);
  },
  onPicture(next) {
    picture = next;
    showLamps(next.lamps.palette);
    board.draw(next);
    talk.draw(next);
    tray.draw(next);
  },
  onState(isOpen) {
    document.body.classList.toggle("offline", !isOpen);
    talk?.online(isOpen);
  },
});
