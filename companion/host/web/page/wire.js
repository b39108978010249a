// SPDX-License-Identifier: Apache-2.0
// The WebSocket to the program. It reconnects when it closes, or when nothing arrives any more.

import { onDevice } from "./storage.js";

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;
const PING_MS = 2500;
const SILENCE_MS = 7000; // two and a half pings without an answer: the connection is dead
const kept = onDevice("companion-browser");

// The name by which the program knows this browser, for as long as the browser keeps it.
function browserName() {
  const bytes = [...crypto.getRandomValues(new Uint8Array(12))];
  const name = kept.get() ?? bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  kept.set(name);
  return name;
}

// *path* is relative to the page; *onMessage* gets each message, *onState* whether there is a connection.
export function connect({ path = "ws", onMessage, onState, asked }) {
  let socket = null;
  let wait = FIRST_WAIT_MS;
  let heard = 0;
  let isWanted = true;
  let isOpen = false;
  const name = browserName();

  function open() {
    const address = new URL(path, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = new URLSearchParams({ name, ...asked() });
    const mine = new WebSocket(address);
    socket = mine;
    heard = performance.now();
    mine.addEventListener("message", ({ data }) => {
      if (mine !== socket) return;
      heard = performance.now();
      wait = FIRST_WAIT_MS;
      if (data === "pong") return;
      onMessage(JSON.parse(data));
      if (!isOpen) onState((isOpen = true));
    });
    mine.addEventListener("close", () => mine === socket && lose());
  }

  // Longer delays are spread more, so that two hundred browsers do not reconnect at once.
  function lose() {
    socket = null;
    isOpen = false;
    if (isWanted) onState(false);
    setTimeout(open, isWanted ? wait * (0.75 + Math.random() / 2) : 0);
    isWanted = true;
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }

  setInterval(() => {
    if (!socket || socket.readyState > WebSocket.OPEN) return;
    if (performance.now() - heard > SILENCE_MS) {
      socket.close();
      lose(); // its closing handshake may take a minute
    } else if (socket.readyState === WebSocket.OPEN) {
      socket.send("ping");
    }
  }, PING_MS);

  open();
  return {
    send(kind, fields = {}) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ is: kind, ...fields }));
    },
    // Sends binary *data*; false without a connection.
    put(data) {
      const isUp = socket?.readyState === WebSocket.OPEN;
      if (isUp) socket.send(data);
      return isUp;
    },
    // Reconnects with the present parameters, for instance another language.
    reopen() {
      if (!socket) return; // lost, and about to be reopened
      isWanted = false;
      socket.close();
      lose(); // does not wait for the closing handshake
    },
  };
}
