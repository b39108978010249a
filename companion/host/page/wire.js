// SPDX-License-Identifier: Apache-2.0
// The WebSocket to the table; opened again by itself when it closes.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4000;

export function connect({ onTable, onPicture, onState }) {
  let socket = null;
  let wait = FIRST_WAIT_MS;

  function open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}/ws`);
    socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      wait = FIRST_WAIT_MS;
      if (message.table) {
        onTable(message.table);
        onState(true);
      } else {
        onPicture(message);
      }
    });
    socket.addEventListener("close", () => {
      onState(false);
      setTimeout(open, wait);
      wait = Math.min(2 * wait, LONGEST_WAIT_MS);
    });
  }

  function send(kind, fields = {}) {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ is: kind, ...fields }));
  }

  open();
  return { send };
}
