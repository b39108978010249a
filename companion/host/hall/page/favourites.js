// SPDX-License-Identifier: Apache-2.0
// Favourite boards and followed players of this browser: they come first on the spectators' page.

import { onDevice } from "../page/storage.js";

const kept = onDevice("hall-favourites");

export function makeFavourites(onChange) {
  const names = new Set(kept.json([]));
  const has = (kind, name) => names.has(`${kind} ${name}`);
  return {
    has,
    toggle(kind, name) {
      const key = `${kind} ${name}`;
      if (!names.delete(key)) names.add(key);
      kept.set(JSON.stringify([...names]));
      onChange();
    },
    // True if a board, or somebody who sits there, was chosen.
    at: (board, seated) => has("board", board) || seated.some((name) => has("player", name)),
    isEmpty: () => !names.size,
  };
}
