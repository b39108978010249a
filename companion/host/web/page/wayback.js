// SPDX-License-Identifier: Apache-2.0
// The way back from a game that was played on from a kept one, to where its review was left: a link, in this tab,
// until a game begins elsewhere.

const KEY = "review";

export function makeWayBack(link) {
  return {
    leave: (position) => sessionStorage.setItem(KEY, JSON.stringify({ href: location.href, position })),
    draw({ position, record }) {
      const left = JSON.parse(sessionStorage.getItem(KEY));
      const isOther = left && !record.length && left.position !== position;
      if (isOther) sessionStorage.removeItem(KEY);
      link.hidden = !left || isOther;
      if (left) link.href = left.href;
    },
  };
}
