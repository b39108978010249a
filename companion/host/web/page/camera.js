// SPDX-License-Identifier: Apache-2.0
// A phone as the camera of the table: its images go to the program one by one, each after the answer to the last.

import { makeAwake } from "./awake.js";
import { el } from "./dom.js";
import { offlineSentence } from "./offline.js";
import { makePrefs } from "./prefs.js";
import { connect } from "./wire.js";

const QUALITY = 0.85; // of JPEG
const FRAMES = 30; // per second
const ANSWER_MS = 2000; // after which the next image is sent without an answer
const byId = (id) => document.getElementById(id);
const prefs = makePrefs();
const keepAwake = makeAwake();
const video = byId("video");
const canvas = el("canvas", {});
let labels = {};
let size = [];
let stream = null;
let isEncoding = false;
let sent = null; // when the unanswered image was sent

const wire = connect({
  path: "camera/ws",
  asked: () => (prefs.get("language") ? { language: prefs.get("language") } : {}),
  onMessage(message) {
    if (message.labels) showLabels(message);
    if (message.next) sent = null;
    if (message.said && stream) say(message.said.join(" "));
    if (message.fault) halt(message.fault);
  },
  onState(isOpen) {
    byId("banner").textContent = isOpen ? "" : offlineSentence();
    sent = null;
  },
});

function showLabels(message) {
  labels = message.labels;
  size = message.size;
  document.documentElement.lang = message.language;
  document.title = labels.title;
  for (const each of document.querySelectorAll("[data-text]")) each.textContent = labels[each.dataset.text];
  byId("start").disabled = Boolean(message.fault);
}

function say(text, isBad = false) {
  byId("said").textContent = text;
  byId("said").classList.toggle("bad", isBad);
}

function showRunning() {
  byId("start").hidden = Boolean(stream);
  byId("stop").hidden = !stream;
  video.toggleAttribute("data-on", Boolean(stream));
  keepAwake(Boolean(stream));
}

async function start() {
  if (!navigator.mediaDevices) { // browsers hide it over plain http
    say(labels.insecure, true);
    return;
  }
  const [width, height] = size.map((ideal) => ({ ideal }));
  const wanted = { facingMode: { ideal: "environment" }, frameRate: { ideal: FRAMES }, width, height };
  try {
    stream = await navigator.mediaDevices.getUserMedia({ audio: false, video: wanted });
  } catch (fault) {
    say(fault.name === "NotAllowedError" ? labels.denied : labels.none, true);
    return;
  }
  say("");
  video.srcObject = stream;
  stream.getVideoTracks()[0].addEventListener("ended", () => halt("none"));
  await video.play();
  showRunning();
  follow();
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  video.srcObject = null;
  showRunning();
  say("");
}

function halt(fault) {
  stop();
  say(labels[fault], true);
}

// Calls `send` for each new image of the camera.
function follow() {
  if (!stream) return;
  send();
  if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(follow);
  else setTimeout(follow, 1000 / FRAMES);
}

function send() {
  const isAnswered = sent === null || performance.now() - sent > ANSWER_MS;
  if (isEncoding || !isAnswered || !video.videoWidth) return;
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d", { alpha: false }).drawImage(video, 0, 0);
  isEncoding = true;
  canvas.toBlob((packed) => {
    isEncoding = false;
    if (packed && stream && wire.put(packed)) sent = performance.now();
  }, "image/jpeg", QUALITY);
}

byId("start").addEventListener("click", start);
byId("stop").addEventListener("click", stop);
