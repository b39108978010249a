// SPDX-License-Identifier: Apache-2.0
// The live picture with everything that is drawn on it: tags, the grid, the map of sizes, and four handles with a loupe.
// Coordinates are px of the camera's image throughout: the drawing's viewBox is the image.

import { svg } from "../shared/svg.js";

const CORNERS = ["near-left", "near-right", "far-right", "far-left"];
const SENT_EVERY_MS = 90;
const HEARD_WITHIN_MS = 5000;
const ZOOM = 4;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function makePicture(root, say, drag) {
  const live = root.querySelector("#live");
  const over = root.querySelector("#over");
  const loupe = root.querySelector("#loupe");
  const none = root.querySelector("#none");
  const layers = ["map", "grid", "tags", "handles"].map((name) => svg("g", { class: name }));
  const [map, grid, tags, handleLayer] = layers;
  over.replaceChildren(...layers);
  over.setAttribute("aria-label", say("picture"));
  const handles = CORNERS.map(makeHandle);
  handleLayer.append(...handles.map((handle) => handle.group));
  let held = null; // the corner in the hand, which states from the workshop do not move
  let sentAt = 0;
  let showsMap = false;
  let drawn = null;

  function makeHandle(name, corner) {
    const ring = svg("circle", { class: "ring", r: 1 });
    const cross = svg("path", { class: "cross", d: "M-1 0H-.25M.25 0H1M0-1V-.25M0 .25V1" });
    const group = svg("g", { class: "handle", role: "slider", tabindex: 0, "aria-label": say(`corner-${name}`) }, ring, cross);
    group.append(svg("circle", { class: "grip", r: 1.6 }));
    group.addEventListener("pointerdown", (event) => {
      group.setPointerCapture(event.pointerId);
      group.focus();
      held = corner;
      event.preventDefault();
    });
    group.addEventListener("pointermove", (event) => {
      if (held === corner) move(corner, spotOf(event), false);
    });
    for (const end of ["pointerup", "pointercancel"]) {
      group.addEventListener(end, (event) => {
        if (held !== corner) return;
        move(corner, spotOf(event), true);
        held = null;
        loupe.hidden = true;
      });
    }
    group.addEventListener("keydown", (event) => {
      const way = ARROWS[event.key];
      if (!way || !handle.at) return;
      event.preventDefault();
      const far = event.shiftKey ? 10 : 1;
      move(corner, [handle.at[0] + way[0] * far, handle.at[1] + way[1] * far], true);
    });
    group.addEventListener("focus", () => handle.at && look(handle.at));
    group.addEventListener("blur", () => (loupe.hidden = true));
    const handle = { group, at: null, sent: null };
    return handle;
  }

  function spotOf(event) {
    const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(over.getScreenCTM().inverse());
    return [Math.min(Math.max(spot.x, 0), live.width - 1), Math.min(Math.max(spot.y, 0), live.height - 1)];
  }

  function move(corner, spot, isLast) {
    place(corner, spot);
    look(spot);
    const now = performance.now();
    if (!isLast && now - sentAt < SENT_EVERY_MS) return;
    sentAt = now;
    const rounded = spot.map((value) => Math.round(value * 10) / 10);
    handles[corner].sent = { spot: rounded, until: now + HEARD_WITHIN_MS };
    drag(corner, rounded);
  }

  function place(corner, [x, y]) {
    const { group } = handles[corner];
    handles[corner].at = [x, y];
    group.setAttribute("transform", `translate(${x} ${y}) scale(${Math.max(live.width, live.height) / 90})`);
    group.setAttribute("aria-valuenow", Math.round(x));
    group.setAttribute("aria-valuetext", say("spot", { x, y }));
  }

  // The loupe stands in the corner of the picture that is farthest from what it shows.
  function look([x, y]) {
    const pen = loupe.getContext("2d");
    const size = loupe.width / ZOOM;
    pen.imageSmoothingEnabled = false;
    pen.fillRect(0, 0, loupe.width, loupe.height);
    pen.drawImage(live, x - size / 2 + 0.5, y - size / 2 + 0.5, size, size, 0, 0, loupe.width, loupe.height);
    pen.strokeStyle = "#ff2bd6";
    const middle = loupe.width / 2;
    pen.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      pen.moveTo(middle + dx * 6, middle + dy * 6);
      pen.lineTo(middle + dx * 40, middle + dy * 40);
    }
    pen.stroke();
    loupe.hidden = false;
    loupe.classList.toggle("right", x < live.width / 2);
    loupe.classList.toggle("low", y < live.height / 2);
  }

  // A corner in the hand, or one of which the workshop has not heard yet, stays where the person has put it.
  function isOurs(corner, spot) {
    const sent = handles[corner].sent;
    if (sent && (performance.now() > sent.until || sent.spot.every((value, axis) => Math.abs(value - spot[axis]) < 0.06))) {
      handles[corner].sent = null;
    }
    return corner === held || Boolean(handles[corner].sent);
  }

  const path = (points, close = "Z") => `M${points.map((point) => point.join(" ")).join("L")}${close}`;

  function draw(state) {
    drawn = state;
    none.hidden = Boolean(state.size);
    if (!state.size) return;
    over.setAttribute("viewBox", `0 0 ${state.size[0]} ${state.size[1]}`);
    over.classList.toggle("laid", state.stage !== "looking");
    const line = state.size[0] / 900;
    over.style.setProperty("--line", line);
    grid.replaceChildren(svg("path", { d: (state.grid ?? []).map((cell) => path(cell)).join("") }));
    tags.replaceChildren(...state.tags.map(drawTag));
    handleLayer.toggleAttribute("hidden", !state.handles);
    state.handles?.forEach((spot, corner) => isOurs(corner, spot) || place(corner, spot));
    drawMap(state);
  }

  function drawTag(tag) {
    const [x, y] = [0, 1].map((axis) => tag.outline.reduce((sum, point) => sum + point[axis], 0) / 4);
    const size = Math.hypot(tag.outline[0][0] - tag.outline[1][0], tag.outline[0][1] - tag.outline[1][1]);
    const [[x1, y1], [x2, y2]] = tag.outline;
    return svg(
      "g",
      { class: `tag tag-${tag.kind}` },
      svg("title", {}, `${tag.id} ${tag.name}`),
      svg("path", { d: path(tag.outline) }),
      svg("path", { class: "top", d: path([[x1, y1], [x2, y2]], "") }),
      svg("text", { x, y: y + size * 0.16, "font-size": size * 0.45 }, String(tag.id)),
    );
  }

  function drawMap(state) {
    const cells = showsMap && state.map && state.grid ? state.map : [];
    map.replaceChildren(
      ...cells.map(({ px, level }, index) => {
        const outline = state.grid[index];
        const [x, y] = [0, 1].map((axis) => outline.reduce((sum, point) => sum + point[axis], 0) / outline.length);
        const span = Math.sqrt(Math.abs(outline.reduce((sum, [ax, ay], at) => {
          const [bx, by] = outline[(at + 1) % outline.length];
          return sum + ax * by - bx * ay;
        }, 0) / 2));
        return svg(
          "g",
          { class: level },
          svg("path", { d: path(outline) }),
          svg("text", { x, y: y + span * 0.12, "font-size": span * 0.34 }, px),
        );
      }),
    );
  }

  return {
    draw,
    async show(blob) {
      const image = await createImageBitmap(blob);
      if (live.width !== image.width || live.height !== image.height) [live.width, live.height] = [image.width, image.height];
      live.getContext("2d").drawImage(image, 0, 0);
      image.close();
    },
    showMap(isShown) {
      showsMap = isShown;
      if (drawn?.size) drawMap(drawn);
    },
    begin() {
      drag(0, handles[0].at ?? [Math.round(live.width * 0.2), Math.round(live.height * 0.8)]);
      handles[0].group.focus();
    },
  };
}
