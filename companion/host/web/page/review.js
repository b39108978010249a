// SPDX-License-Identifier: Apache-2.0
// The review of a game: any position of it, as the board was, with its clocks and the referee's remarks.
// The same for the game on the table and for a kept one. Buttons, keys, wheel, swipes and the list of
// moves select a position; the address of the page names it.

const byId = (id) => document.getElementById(id);
const WHEEL_STEP = 60; // px of the wheel, for those that send many small steps
const SWIPE = 40; // px
const PLAY_MS = [3000, 1500, 750, 300];

// *fetchGame* gets the positions of the game, *show* draws one or, without one, the game itself.
// *judged* shows the analysis of a game that is over.
export function makeReview({ fetchGame, show, isKept, judged }) {
  let game = null;
  let labels = {};
  let at = null; // the number of the position; null for the game itself
  let aside = null; // positions beside those of the game, and where it was left for them
  let moves = ""; // of the game on the table, to see whether *game* is up to date
  let clock = null;
  let turned = 0; // by the wheel, since the last step
  let finger = null;

  const pictures = () => aside?.pictures ?? game.pictures;
  const last = () => pictures().length - 1;

  // The positions of the game as it is now; false if there are none.
  async function load() {
    if (!game) {
      const known = moves;
      const found = await fetchGame();
      if (known === moves) game = found;
    }
    return Boolean(game);
  }

  async function goTo(number) {
    if (!(await load())) return;
    if (number > last() && !isKept && !aside) {
      leave();
      return;
    }
    at = Math.min(Math.max(number, 0), last());
    draw();
  }

  function draw() {
    const picture = pictures()[at];
    document.body.classList.add("reviewing");
    byId("slider").max = last();
    byId("slider").value = at;
    byId("slider").setAttribute("aria-valuetext", picture.caption);
    byId("review-move").textContent = picture.caption;
    const isEnd = { first: at === 0, back: at === 0, next: at === last() && (isKept || aside), final: at === last() };
    for (const [id, isThere] of Object.entries(isEnd)) byId(`review-${id}`).disabled = isThere;
    if (!aside) history.replaceState(null, "", `${location.pathname}${location.search}#${at}`);
    if (at === last()) stop();
    if (!aside && (isKept || game.has_ended)) judged().show(at);
    show(picture);
  }

  // Shows *positions* instead of those of the game, from number *first* on, until `comeBack`.
  function goAside(positions, first, plays = false) {
    stop();
    aside = { pictures: positions, left: aside?.left ?? at };
    at = first;
    draw();
    if (plays) play();
  }

  function comeBack() {
    stop();
    at = aside.left;
    aside = null;
    draw();
  }

  function leave() {
    stop();
    if (aside) {
      judged().comeBack();
      return;
    }
    if (at === null || isKept) return;
    at = null;
    judged().leave();
    document.body.classList.remove("reviewing");
    history.replaceState(null, "", `${location.pathname}${location.search}`);
    show(null);
  }

  // From the game itself, one step back is the position before its last move.
  async function step(by) {
    if (!(await load())) return;
    stop();
    await goTo((at ?? last()) + by);
  }

  function stop() {
    clearInterval(clock);
    clock = null;
    name("play", "▶", labels["replay-play"]);
  }

  async function play() {
    if (!(await load())) return;
    if (at === null || at === last()) await goTo(0);
    clearInterval(clock);
    clock = setInterval(() => goTo(at + 1), PLAY_MS[byId("speed").selectedIndex]);
    name("play", "❚❚", labels.pause);
  }

  const toggle = () => (clock === null ? play() : stop());

  function faster(by) {
    const speed = byId("speed");
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + by, 0), PLAY_MS.length - 1);
    if (clock !== null) play();
  }

  function name(id, text, label) {
    const button = byId(`review-${id}`);
    if (text) button.textContent = text;
    button.setAttribute("aria-label", label);
    button.title = label;
  }

  const KEYS = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => at !== null && step(1),
    Home: () => goTo(0),
    End: () => (isKept || aside ? goTo(Infinity) : leave()),
    Escape: leave,
    m: () => at !== null && judged().next(),
    " ": () => at !== null && toggle(),
    "+": () => faster(1),
    "-": () => faster(-1),
  };

  document.addEventListener("keydown", (event) => {
    const isOther = event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey;
    const taken = at === null ? "input, select, textarea, dialog, #board" : "input, select, textarea, dialog";
    const isTaken = event.target.closest?.(taken) || (event.key === " " && event.target.tagName === "BUTTON");
    const isIdle = at === null && !["ArrowLeft", "Home"].includes(event.key);
    if (isOther || isTaken || isIdle || !(event.key in KEYS) || !moves) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  byId("board").addEventListener("wheel", (event) => {
    if (event.ctrlKey || !moves || (at === null && event.deltaY > 0)) return;
    event.preventDefault();
    turned += event.deltaY;
    if (Math.abs(turned) < WHEEL_STEP) return;
    step(Math.sign(turned));
    turned = 0;
  }, { passive: false });

  // On the board only while a position is shown, and as a whole: otherwise fingers carry pieces, or move the board.
  for (const id of ["board", "record", "said"]) {
    byId(id).addEventListener("touchstart", ({ touches }) => {
      const isFree = id !== "board" || !document.body.classList.contains("zoomed");
      const isMine = touches.length === 1 && moves && isFree && (at !== null || id === "said");
      finger = isMine ? touches[0].clientX : null;
    }, { passive: true });
    byId(id).addEventListener("touchend", ({ changedTouches }) => {
      const moved = finger === null ? 0 : changedTouches[0].clientX - finger;
      finger = null;
      if (Math.abs(moved) > SWIPE) step(moved > 0 ? -1 : 1);
    }, { passive: true });
  }

  byId("review-first").onclick = () => goTo(0);
  byId("review-back").onclick = () => step(-1);
  byId("review-play").onclick = toggle;
  byId("review-next").onclick = () => step(1);
  byId("review-final").onclick = () => goTo(last());
  byId("review-leave").onclick = leave;
  byId("slider").oninput = (event) => (stop(), goTo(Number(event.target.value)));
  byId("speed").onchange = () => faster(0);

  return {
    table(table) {
      labels = table.labels;
      const names = { first: "replay-first", back: "replay-back", next: "replay-next", final: "replay-last" };
      for (const [id, key] of Object.entries(names)) name(id, "", labels[key]);
      byId("slider").setAttribute("aria-label", labels["replay-move"]);
      byId("playback").setAttribute("aria-label", labels.review);
      stop();
    },
    // The moves of the game on the table: what was loaded before they changed is not shown any more.
    update(record) {
      const now = record.filter(({ stage }) => stage !== "provisional").map(({ ply, text }) => `${ply} ${text}`).join();
      if (now === moves) return;
      const isOther = !now.startsWith(moves);
      moves = now;
      game = null;
      if (at !== null && isOther) {
        aside = null;
        leave();
      }
    },
    isOn: () => at !== null,
    ply: () => (at === null ? null : game?.pictures[aside?.left ?? at].view.ply - 1),
    position: () => aside?.left ?? at,
    picture: () => pictures()[at],
    isAside: () => Boolean(aside),
    goAside,
    comeBack,
    // The position after a line of the record.
    async pick(ply) {
      stop();
      if (!(await load())) return;
      if (aside) judged().comeBack();
      const after = game.pictures.findLastIndex(({ view }) => view.ply === ply + 1);
      await goTo(after < 0 ? Infinity : after);
    },
    open: goTo,
    caption: (number) => game.pictures[number].caption,
    load,
    game: () => game,
    leave,
  };
}
