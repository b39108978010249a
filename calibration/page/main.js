// SPDX-License-Identifier: Apache-2.0
// Joins the rooms of the workshop's page: pictures and states come over the wire, wishes go back.

import { makeSay } from "../shared/words.js";
import { makePicture } from "./picture.js";
import { makeSteps } from "./steps.js";
import { connect } from "./wire.js";

let say = null;
let picture = null;
let draw = null;

const wire = connect({
  onHello(hello) {
    if (say) return;
    say = makeSay(hello.words, hello.language);
    picture = makePicture(document.getElementById("stage"), say, (corner, [x, y]) => wire.send("Drag", { corner, x, y }));
    draw = makeSteps(hello, say, wire.send, picture);
  },
  onState(state) {
    picture.draw(state);
    draw(state);
  },
  onImage: (blob) => picture.show(blob),
  onLine(isOpen) {
    const link = document.getElementById("link");
    link.dataset.state = isOpen ? "connected" : "lost";
    if (say) link.textContent = say(isOpen ? "connected" : "lost");
    document.body.classList.toggle("offline", !isOpen);
  },
});
