// SPDX-License-Identifier: Apache-2.0
// Status of the two connections: from this browser to the table, and from the table to its board.

import { keepOffline, offlineSentence } from "./offline.js";

const byId = (id) => document.getElementById(id);
const RESTORED_MS = 4000;

export function makeHealth() {
  let labels = null;
  let isOnline = false;
  let wasLost = false;
  let seen = null;
  let alarm = null;

  function show() {
    document.body.classList.toggle("offline", !isOnline);
    if (!labels) return;
    const { link, camera } = isOnline && seen ? seen : { link: { state: "offline", text: "", complaints: [] }, camera: null };
    const names = { connected: labels.connected, silent: labels["silent-panel"], lost: labels["no-panel"], refused: labels["wrong-panel"], absent: "" };
    const parts = [names[link.state] ?? labels.reconnecting, link.text, ...link.complaints, ...(camera?.sentences ?? [])];
    byId("link").dataset.state = trouble(link, camera);
    say("link", parts.filter(Boolean).join(" · "));
  }

  // The overall status: of the panel and of the camera, as far as present.
  function trouble({ state, complaints }, camera) {
    if (camera && !camera.is_well && ["absent", "connected"].includes(state)) return camera.state;
    if (state === "absent") return "connected";
    return state === "connected" && complaints.length ? "troubled" : state;
  }

  function say(id, text) {
    if (byId(id).textContent !== text) byId(id).textContent = text;
  }

  function announce(text, isGood) {
    clearTimeout(alarm);
    byId("banner").classList.toggle("good", isGood);
    say("banner", text);
    if (isGood) alarm = setTimeout(() => say("banner", ""), RESTORED_MS);
  }

  return {
    table(table) {
      labels = table.labels;
      keepOffline(labels.offline);
    },
    draw(picture) {
      seen = picture;
      show();
    },
    online(isOpen) {
      if (!isOpen) announce(offlineSentence(), false);
      if (isOpen && wasLost) announce(labels.restored, true);
      wasLost = !isOpen;
      isOnline = isOpen;
      show();
    },
  };
}
