// SPDX-License-Identifier: Apache-2.0
// Photographs of score sheets at the desk: taken with a phone, made smaller, added to the book, and opened from there.

import { el } from "../page/dom.js";

const LONGEST_PX = 2400; // enough to read handwriting
const QUALITY = 0.85;

// A large photograph as a smaller JPEG; drawn again, it holds nothing but the picture.
async function smaller(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_PX / Math.max(bitmap.width, bitmap.height));
  const [width, height] = [bitmap.width, bitmap.height].map((px) => Math.round(px * scale));
  const canvas = el("canvas", { width, height });
  canvas.getContext("2d").drawImage(bitmap, 0, 0, width, height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", QUALITY));
}

export function makePhotographs({ say, send, fetchBlob }) {
  async function add({ of, round, table }, file) {
    const content = await smaller(file).catch(() => file); // the hall says why it cannot be read
    const where = `api/tournaments/${of.key}/rounds/${round.number}/tables/${table.table}`;
    send(`${where}/photograph`, content, say("photographed"));
  }

  return {
    // The field by which a photograph of the score sheet of a table is chosen, or taken on a phone.
    field(place) {
      const kinds = { accept: "image/jpeg,image/png", capture: "environment" };
      const file = el("input", { type: "file", class: "unseen", ...kinds });
      file.addEventListener("change", () => file.files[0] && add(place, file.files[0]));
      return el("label", { class: "act photograph" }, say("photograph"), file);
    },
    // A link in the book to a photograph; it needs the token, so it is fetched first.
    link(name) {
      const open = async (event) => {
        event.preventDefault();
        const view = window.open(""); // at once: browsers block windows that open later
        const blob = await fetchBlob(`api/desk/photographs/${name}`);
        if (blob && view) view.location.href = URL.createObjectURL(blob);
        else view?.close();
      };
      return el("a", { href: "#", onclick: open }, say("show_photograph"));
    },
  };
}
