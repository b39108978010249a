// SPDX-License-Identifier: Apache-2.0
// The WebSocket to the table. It is opened again by itself when it closes, or when nothing comes through any more.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;
const PING_MS = 2500;
const SILENCE_MS = 7000; // two pings and a half without an answer: the line is dead, whatever the browser thinks

export function connect({ onTable, onPicture, onRefused, onState, asked }) {
  let socket = null;
  let wait = FIRST_WAIT_MS;
  let heard = 0;
  let isWanted = true;

  function open() {
    const address = new URL("ws", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = new URLSearchParams(asked());
    const mine = new WebSocket(address);
    socket = mine;
    heard = performance.now();
    mine.addEventListener("message", ({ data }) => {
      if (mine !== socket) return;
      heard = performance.now();
      wait = FIRST_WAIT_MS;
      if (data !== "pong") take(JSON.parse(data));
    });
    mine.addEventListener("close", () => mine === socket && lose());
  }

  function take(message) {
    if (message.table) {
      onTable(message.table);
      onState(true);
    } else if (message.refused) {
      onRefused(message.refused);
    } else {
      onPicture(message);
    }
  }

  // The farther the attempts lie apart, the more they are spread: two hundred browsers do not knock at once.
  function lose() {
    socket = null;
    if (isWanted) onState(false);
    setTimeout(open, isWanted ? wait * (0.75 + Math.random() / 2) : 0);
    isWanted = true;
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }

  setInterval(() => {
    if (!socket || socket.readyState > WebSocket.OPEN) return;
    if (performance.now() - heard > SILENCE_MS) {
      socket.close();
      lose(); // its own farewell may take a minute, and is not waited for
    } else if (socket.readyState === WebSocket.OPEN) {
      socket.send("ping");
    }
  }, PING_MS);

  open();
  return {
    send(kind, fields = {}) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ is: kind, ...fields }));
    },
    // Ask again, with what is asked now: another language, for instance.
    reopen() {
      if (!socket) return; // it is lost, and opened again in a moment
      isWanted = false;
      socket.close();
      lose(); // its own farewell is not waited for
    },
  };
}
