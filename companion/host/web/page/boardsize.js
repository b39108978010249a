// SPDX-License-Identifier: Apache-2.0
// How large the board is shown, as it was laid out last: to ask the browser in the midst of a drawing
// would make it lay out the page twice.

export const FINGER_PX = 44; // least size of what a finger taps

let width = 0;

// Calls *changed* whenever the size of *root* has changed, and for its first size.
export function watchSize(root, changed) {
  new ResizeObserver(([{ contentRect }]) => {
    width = contentRect.width;
    changed();
  }).observe(root);
}

// A pixel in units of the board *root*; 0 before its first layout.
export const pixel = (root) => (width ? root.viewBox.baseVal.width / width : 0);
