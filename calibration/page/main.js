// SPDX-License-Identifier: Apache-2.0
// Joins the rooms of the workshop's page: pictures and states come over the wire, wishes go back.

import { makePicture } from "./picture.js";
import { makeSteps } from "./steps.js";
import { connect } from "./wire.js";

let words = null;
let picture = null;
let draw = null;

const wire = connect({
  onHello(hello) {
    if (words) return;
    words = hello.words;
    document.title = words.title;
    picture = makePicture(document.getElementById("stage"), words, (corner, [x, y]) => wire.send("Drag", { corner, x, y }));
    draw = makeSteps(hello, wire.send, picture);
  },
  onState(state) {
    picture.draw(state);
    draw(state);
  },
  onImage: (blob) => picture.show(blob),
  onLine(isOpen) {
    const link = document.getElementById("link");
    link.dataset.state = isOpen ? "connected" : "lost";
    if (words) link.textContent = isOpen ? words.connected : words.lost;
    document.body.classList.toggle("offline", !isOpen);
  },
});
