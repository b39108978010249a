// SPDX-License-Identifier: Apache-2.0
// Fills the templates of word files in the browser, as `companion/feedback/template.py` does on the server.

const GAP = /\{([a-z_]+)(?:\?([^{}]*)|:(\d))?\}/g;
const FORMS = { one: 0, few: 1 }; // every other category takes the last form

// *template* with every gap filled; a gap without a filling shows its own name.
export function fill(template, gaps, language) {
  return template.replace(GAP, (_, name, choices, digits) => {
    const value = gaps[name] ?? name;
    if (choices !== undefined) return choose(choices.split("|"), value, language);
    return typeof value === "number" ? number(value, digits, language) : value;
  });
}

// A side with the name of its player, if there is one.
export function nameOf({ players, sides }, side) {
  return players?.[side] ? `${players[side]} · ${sides[side].name}` : sides[side].name;
}

// Who plays a side, if that is known: a name, or the level of the computer.
export function playerOf({ players, computers, levels, labels }, side) {
  const level = computers?.[side];
  return players?.[side] || (level ? `${labels.computer} (${levels[level - 1]?.name ?? level})` : "");
}

// The words of a page: `say(key, gaps)` is the text *key* with its gaps filled.
export function makeSay(words, language) {
  return (key, gaps = {}) => fill(words[key], gaps, language);
}

function choose(forms, value, language) {
  if (typeof value !== "number") return forms[0];
  return forms[Math.min(FORMS[new Intl.PluralRules(language).select(value)] ?? forms.length - 1, forms.length - 1)];
}

function number(value, digits, language) {
  const written = digits === undefined ? String(value) : value.toFixed(Number(digits));
  return written.replace(".", (1.5).toLocaleString(language)[1]);
}
