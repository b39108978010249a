// SPDX-License-Identifier: Apache-2.0
// A state in parts, as the program tells it: all of it, then what has changed. Nothing is changed in
// place, so that a part that stays is the same object.

// The state after *message*.
export function changed(state, message) {
  const made = message.all ?? { ...state, ...message.changed };
  for (const [name, edit] of Object.entries(message.patched ?? {})) made[name] = edited(made[name], edit);
  for (const name of message.gone ?? []) delete made[name];
  return made;
}

// An edit is a new value in a list, what replaces a stretch of a list, or the edits in an object by key.
function edited(value, edit) {
  if (Array.isArray(edit)) return edit[0];
  if (Array.isArray(value)) return [...value.slice(0, edit.at), ...edit.put, ...value.slice(edit.at + edit.cut)];
  const made = { ...value };
  for (const [key, each] of Object.entries(edit)) made[key] = edited(value[key], each);
  return made;
}
