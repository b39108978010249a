// SPDX-License-Identifier: Apache-2.0
// The way back from a game that was played on from a kept one, to where its review was left: a link, in this tab,
// until a game begins elsewhere.

import { inTab } from "./storage.js";

const kept = inTab("review");

export function makeWayBack(link) {
  return {
    leave: (position) => kept.set(JSON.stringify({ href: location.href, position })),
    draw({ position, record }) {
      const left = kept.json(null);
      const isOther = left && !record.length && left.position !== position;
      if (isOther) kept.set(null);
      link.hidden = !left || isOther;
      if (left) link.href = left.href;
    },
  };
}
