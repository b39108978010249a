// SPDX-License-Identifier: Apache-2.0
// Favourite boards and followed players of this browser: they come first on the spectators' page.

const KEPT = "hall-favourites"; // in the browser's storage

export function makeFavourites(onChange) {
  const read = () => {
    try {
      return new Set(JSON.parse(localStorage.getItem(KEPT) ?? "[]"));
    } catch {
      return new Set(); // what another program wrote there
    }
  };
  const names = read();
  const has = (kind, name) => names.has(`${kind} ${name}`);
  return {
    has,
    toggle(kind, name) {
      const key = `${kind} ${name}`;
      if (!names.delete(key)) names.add(key);
      localStorage.setItem(KEPT, JSON.stringify([...names]));
      onChange();
    },
    // True if a board, or somebody who sits there, was chosen.
    at: (board, seated) => has("board", board) || seated.some((name) => has("player", name)),
    isEmpty: () => !names.size,
  };
}
