// SPDX-License-Identifier: Apache-2.0
// The curve of values of a game: a line for each side that has one, marks for moves, numbers of rounds. The
// pointer looks at a position, a click goes there.

import { svg } from "./svg.js";

const PAD = 8; // px
const AXIS = 16;
const ROUND_PX = 34; // least distance of two numbers
const SIZE = { best: 2, only: 4, mistake: 4.5, blunder: 5.5 };

// *look* gets the number of a position below the pointer, or null; *goTo* that of one that is clicked.
export function makeCurve(root, { look, goTo }) {
  let data = null;
  let here = 0;

  const width = () => root.clientWidth;
  const bottom = () => root.clientHeight - AXIS;
  const x = (number) => PAD + ((width() - 2 * PAD) * number) / Math.max(data.total - 1, 1);
  const y = (value) => bottom() / 2 - value * (bottom() / 2 - PAD);

  // *curves* of values from -1 to 1, *marks* with grade, number and name, *rounds* with number and text.
  function draw(next) {
    data = next;
    if (!data || !width()) return;
    root.setAttribute("viewBox", `0 0 ${width()} ${root.clientHeight}`);
    const middle = svg("line", { class: "middle", x1: 0, y1: y(0), x2: width(), y2: y(0) });
    root.replaceChildren(...area(), middle, ...axis(), ...data.curves.map(line), ...data.marks.flatMap(mark),
      svg("line", { id: "curve-here", y1: 0, y2: bottom() }));
    put(here);
  }

  // With one curve the share of its side is light, that of the other dark.
  function area() {
    if (data.curves.length > 1) return [];
    const [{ points }] = data.curves;
    if (!points.length) return [];
    const top = points.map(([number, value]) => `L${x(number)} ${y(value)}`).join("");
    const end = x(points.at(-1)[0]);
    return [
      svg("rect", { class: "other", x: PAD, y: 0, width: end - PAD, height: bottom() }),
      svg("path", { class: "share", d: `M${PAD} ${bottom()}${top}L${end} ${bottom()}Z` }),
    ];
  }

  const line = ({ points }, index) => svg("polyline", {
    class: `line-${index}`,
    points: points.map(([number, value]) => `${x(number)},${y(value)}`).join(" "),
  });

  function mark({ number, grade, side, name }) {
    const curve = data.curves[data.curves.length > 1 ? side : 0];
    const at = curve.points.find(([known]) => known >= number);
    if (!at) return [];
    const [cx, cy] = [x(number), y(at[1])];
    const r = SIZE[grade];
    const title = svg("title", {}, name);
    if (grade === "only") {
      return [svg("rect", { class: grade, x: cx - r, y: cy - r, width: 2 * r, height: 2 * r }, title)];
    }
    return [svg("circle", { class: grade, cx, cy, r }, title)];
  }

  function axis() {
    let last = -ROUND_PX;
    return data.rounds.flatMap(({ number, text }) => {
      if (x(number) - last < ROUND_PX || x(number) > width() - PAD) return [];
      last = x(number);
      return [svg("text", { class: "round", x: x(number), y: root.clientHeight - 4 }, text)];
    });
  }

  // Shows which position is on the board.
  function put(number) {
    here = number;
    for (const end of ["x1", "x2"]) root.querySelector("#curve-here")?.setAttribute(end, x(number));
  }

  function below({ clientX }) {
    const share = (clientX - root.getBoundingClientRect().left - PAD) / (width() - 2 * PAD);
    return Math.round(Math.min(Math.max(share, 0), 1) * (data.total - 1));
  }

  root.addEventListener("pointermove", (event) => data && look(below(event)));
  root.addEventListener("pointerleave", () => data && look(null));
  root.addEventListener("click", (event) => data && goTo(below(event)));
  new ResizeObserver(() => draw(data)).observe(root);

  return { draw, put };
}
