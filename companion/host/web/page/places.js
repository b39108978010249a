// SPDX-License-Identifier: Apache-2.0
// Where a game can be played: on this screen, or on a device that the program has found.

import { choose } from "./ask.js";

export const VIRTUAL = "virtual";

// The places for a *game*: the screen, and the *devices* that fit.
export function placesFor(game, devices, labels) {
  const fitting = devices.filter(({ games, presence }) => presence !== "gone" && games.includes(game));
  const found = fitting.map(({ key, name }) => ({ value: key, label: name }));
  return [{ value: VIRTUAL, label: labels.screen }, ...found];
}

// The place for a *game*: the only one, or the one that is chosen; null if none is.
export async function choosePlace(game, devices, labels) {
  const places = placesFor(game, devices, labels);
  const ask = () => choose(labels["play-on"], places.map(({ label }) => label), labels.cancel);
  const chosen = places.length === 1 ? 0 : await ask();
  return chosen === null ? null : places[chosen].value;
}

// True if another game would end the *current* one.
export const isUnderWay = (current) => Boolean(current && !current.is_finished && current.plies);
