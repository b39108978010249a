// SPDX-License-Identifier: Apache-2.0
// The picture of the table's camera with the cells that it cannot judge, while something is wrong with it.

const RENEWED_MS = 1000;
const byId = (id) => document.getElementById(id);

export function makeCameraPicture() {
  const dialog = byId("camera-picture");
  const image = byId("camera-picture-image");
  let timer = null;

  function renew() {
    image.src = `camera.jpg?at=${Date.now()}`;
    timer = setTimeout(renew, RENEWED_MS);
  }

  byId("open-picture").addEventListener("click", () => {
    dialog.showModal();
    renew();
  });
  dialog.addEventListener("close", () => clearTimeout(timer));

  return function draw(camera) {
    const hasProblems = Boolean(camera?.has_problems) && document.body.classList.contains("at-home");
    byId("open-picture").hidden = !hasProblems;
    if (!camera) return;
    byId("camera-picture-said").textContent = camera.sentences.join(" ");
    image.hidden = !hasProblems;
  };
}
