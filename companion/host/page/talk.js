// SPDX-License-Identifier: Apache-2.0
// What the companion says and what people ask of it: prompt, reasons, cries, moves, commands, health of the link.

const byId = (id) => document.getElementById(id);

export function makeTalk(table, send) {
  const { labels, sides } = table;
  let online = true;
  let last = null;
  byId("moves-title").textContent = labels.moves;
  byId("moves").style.setProperty("--sides", sides.length);

  // What each command asks, for which side, and whether it is asked twice.
  const COMMANDS = {
    resign: (view) => ({ kind: "Resign", fields: { side: view.turn }, sure: `${sides[view.turn].name}: ${labels.resign}?` }),
    draw: (view) =>
      view.draw_offered_by === null
        ? { kind: "OfferDraw", fields: { side: view.turn } }
        : { kind: "OfferDraw", fields: { side: (view.draw_offered_by + 1) % sides.length }, label: labels.agree },
    pause: () => ({ kind: "Pause" }),
    resume: () => ({ kind: "Resume" }),
    "take-back": () => ({ kind: "TakeBack" }),
    "let-stand": (view) => ({ kind: "LetStand", fields: { turn: (view.turn + 1) % sides.length } }),
    "new-game": (view) => ({ kind: "NewGame", sure: view.outcome || !view.record.length ? null : `${labels["new-game"]}: ${labels.confirm}` }),
  };

  function confirm(question) {
    const dialog = byId("confirm");
    dialog.querySelector("p").textContent = question;
    const [yes, no] = dialog.querySelectorAll("button");
    [yes.textContent, no.textContent] = [labels.yes, labels.no];
    dialog.returnValue = "no";
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
    });
  }

  function commandButton(name, view) {
    const { kind, fields, sure, label } = COMMANDS[name](view);
    const made = document.createElement("button");
    made.type = "button";
    made.dataset.command = name;
    made.textContent = label ?? labels[name];
    made.addEventListener("click", async () => {
      if (!sure || (await confirm(sure))) send(kind, fields);
    });
    return made;
  }

  function moveItem(move) {
    const item = document.createElement("li");
    item.className = move.stage;
    item.classList.toggle("opens", move.ply % sides.length === 0);
    item.textContent = move.move;
    item.setAttribute("aria-label", `${sides[move.side].name}: ${move.move}`);
    return item;
  }

  function listItem(text) {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  }

  function choiceButton(choice, index, ply) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = choice.label;
    made.addEventListener("click", () => send("Answer", { ply, choice: index }));
    return made;
  }

  function ask(question) {
    byId("question").replaceChildren(...(question?.choices ?? []).map((choice, index) => choiceButton(choice, index, question.ply)));
  }

  // Live regions speak when their text changes: what stays the same is left alone.
  function say(id, text) {
    const element = byId(id);
    if (element.textContent !== text) element.textContent = text;
  }

  function draw(picture) {
    const { view, link, camera, lines } = picture;
    const offered = `${view.commands} ${view.turn} ${view.draw_offered_by} ${view.record.length}`;
    document.body.dataset.phase = view.phase;
    document.body.classList.toggle("wrong", Boolean(view.fault));
    say("prompt", view.prompt);
    say("notices", view.notices.join(" "));
    say("offer", view.offer ?? "");
    say("cry", view.announcements.map((each) => `${each.word} ${each.sentence}`).join(" "));
    byId("guides").replaceChildren(...view.guides.map((guide) => listItem(guide.sentence)));
    if (last?.offered !== offered) {
      // Buttons are made anew only when they mean something else: the one that has the focus keeps it.
      const names = view.commands.filter((name) => name in COMMANDS);
      byId("commands").replaceChildren(...names.map((name) => commandButton(name, view)));
    }
    ask(view.question);
    byId("moves").replaceChildren(...view.record.map(moveItem));
    byId("moves").lastElementChild?.scrollIntoView({ block: "nearest" });
    byId("display").querySelectorAll("pre").forEach((line, index) => (line.textContent = lines[index] ?? ""));
    last = { link, camera, offered };
    showLink();
  }

  function showLink() {
    const { state, text } = online && last ? last.link : { state: "offline", text: "" };
    const name = { connected: labels.connected, lost: labels["no-panel"], refused: "" }[state] ?? labels.reconnecting;
    const camera = (online && last?.camera) || null;
    const panel = state === "absent" ? [] : [name, text];
    byId("link").dataset.state = camera && ["absent", "connected"].includes(state) ? (camera.is_well ? "connected" : camera.state) : state;
    say("link", [...panel, ...(camera?.sentences ?? [])].filter(Boolean).join(" · "));
  }

  return {
    draw,
    online(isOpen) {
      online = isOpen;
      showLink();
    },
  };
}
