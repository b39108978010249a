// SPDX-License-Identifier: Apache-2.0
// The WebSocket to the workshop; opened again by itself when it closes. Text is state, bytes are a picture.

const WAIT_MS = 1000;

export function connect({ onHello, onState, onImage, onLine }) {
  let socket = null;

  function open() {
    socket = new WebSocket(`ws://${location.host}/ws?language=${document.documentElement.lang}`);
    socket.binaryType = "blob";
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") {
        onImage(data);
        return;
      }
      const message = JSON.parse(data);
      if (message.hello) {
        onHello(message.hello);
        onLine(true);
      } else {
        onState(message);
      }
    });
    socket.addEventListener("close", () => {
      onLine(false);
      setTimeout(open, WAIT_MS);
    });
  }

  open();
  return {
    send(kind, fields = {}) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ is: kind, ...fields }));
    },
  };
}
