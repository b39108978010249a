// SPDX-License-Identifier: Apache-2.0
// Elements of HTML, for all pages: of a table, a hall and the workshop. `svg.js` makes those of drawings.

// An element with *attributes* and *children*, which may be texts.
// An attribute `on…` is a listener; null and false leave an attribute out, true sets it empty. Children that are null are left out.
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// Fill *list* with *rows*, unless it has them: a list that is not changed keeps its focus.
export function fillList(list, rows) {
  const texts = (all) => [...all].map((row) => row.outerHTML).join();
  if (texts(rows) !== texts(list.children)) list.replaceChildren(...rows);
}
