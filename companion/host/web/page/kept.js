// SPDX-License-Identifier: Apache-2.0
// A game that begins from the page of a kept one: the start page's part of the program begins it.

import { choose } from "./ask.js";
import { choosePlace, isUnderWay } from "./places.js";
import { connect } from "./wire.js";

const HOME = "../../"; // from kept/NUMBER/

// Returns a function that begins the game of a wish, which lacks its device.
export function makeBegin() {
  let wire = null;
  let page = null;
  let state = null;
  let wish = null;

  async function begin() {
    if (!wish || !page || !state) return; // the program has not said yet where games can be played
    const { labels } = page;
    const mine = wish;
    wish = null;
    const drops = isUnderWay(state.current);
    if (drops && (await choose(labels["drop-game"], [labels.begin], labels.cancel)) === null) return;
    const device = await choosePlace(mine.game, state.devices, labels);
    if (device) wire.send("Play", { ...mine, device });
  }

  const open = () => connect({
    path: `${HOME}start/ws`,
    asked: () => ({ language: document.documentElement.lang }),
    onMessage(message) {
      page = message.page ?? page;
      state = message.state ?? state;
      if (message.refused || message.told) choose(message.refused ?? message.told, [], page.labels.close);
      if (message.go) location.assign(new URL(message.go, new URL(HOME, location.href)));
      begin();
    },
    onState() {}, // the page of a kept game works without the program
  });

  return (next) => {
    wish = next;
    wire ??= open();
    begin();
  };
}
