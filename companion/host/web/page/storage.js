// SPDX-License-Identifier: Apache-2.0
// Texts that the browser keeps. One that denies its storage keeps them until the page is closed.

export const onDevice = (place) => keeper(() => localStorage, place);
export const inTab = (place) => keeper(() => sessionStorage, place);

function keeper(store, place) {
  let own = null;

  function get() {
    try {
      return store().getItem(place);
    } catch {
      return own;
    }
  }

  return {
    get,
    // What the text says as JSON; *usual* without a text, or if it is not JSON.
    json(usual) {
      try {
        return JSON.parse(get()) ?? usual;
      } catch {
        return usual;
      }
    },
    // Null removes it.
    set(text) {
      own = text;
      try {
        if (text === null) store().removeItem(place);
        else store().setItem(place, text);
      } catch {
        // denied, or full
      }
    },
  };
}
