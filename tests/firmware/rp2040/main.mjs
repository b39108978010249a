// SPDX-License-Identifier: Apache-2.0
// A board with a Pico, driven by lines of JSON on stdin: [name, ...arguments]; each is answered by a line {"value": …} or
// {"error": …}. Arguments of the program: the folder of rp2040js, the flash image, the wiring as JSON.
import { readFileSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Board, bytesOf } from "./board.mjs";
import { Chip, POWER_ON } from "./chip.mjs";
import { UsbHost } from "./usb_host.mjs";

const CELL = 1, PROBE = 2, LINE_IN = 3, LINE_OUT = 4, LED_FIRST = 5, LED_LAST = 6, RESET = 7; // as in simulator.py
const RECORDS_MOST = 1 << 16;

const [folder, image, wiringText] = process.argv.slice(2);
const wiring = JSON.parse(wiringText);
const load = (file) => import(pathToFileURL(`${folder}/dist/esm/${file}`));
const { RP2040 } = await load("index.js");
const { SimulationClock } = await load("clock/simulation-clock.js");

let records = [];
let sent = [];
let lost = 0;
let imagesSeen = 0;
const cycle = (ns) => Math.round((ns * wiring.clockHz) / 1e9);
const record = (kind, value, ns = chip.clock.nanos) => {
  if (records.length < RECORDS_MOST) {
    records.push([cycle(ns), kind, value]);
  }
};

const board = new Board(wiring);
const line = {
  sent: (byte) => {
    sent.push([cycle(chip.clock.nanos), byte]);
    record(LINE_OUT, byte);
  },
  received: (byte) => record(LINE_IN, byte),
};
const chip = new Chip(
  { RP2040, SimulationClock },
  {
    ...line,
    probe: (code) => record(PROBE, code),
    lost: () => lost++,
    started: (mcu) => {
      record(RESET, chip.resets);
      board.attach(chip);
      usb.attach(mcu);
    },
  },
  wiring.lineBaud,
);
const usb = new UsbHost(chip, line);

const commands = {
  run: (cycles) => {
    chip.run((cycles * 1e9) / wiring.clockHz);
    return cycle(chip.clock.nanos);
  },
  feed: (hex) => chip.uart.feed(Buffer.from(hex, "hex")),
  take: () => sent.splice(0),
  usbPlug: () => usb.plug(),
  usbUnplug: () => usb.unplug(),
  usbDevice: () => usb.device,
  usbOpen: (isOpen) => {
    usb.isOpen = isOpen;
  },
  usbRead: (isReading) => {
    usb.isReading = isReading;
  },
  usbFeed: (hex) => {
    usb.toSend.push(...Buffer.from(hex, "hex"));
  },
  usbRequest: (...request) => {
    usb.requests.push(request);
  },
  usbAnswers: () => usb.answers.splice(0),
  usbViolations: () => usb.violations,
  cell: (position, isClosed, cell) => {
    board.cell(position, isClosed);
    record(CELL, cell);
  },
  pin: (number, level) => board.pin(number, level),
  output: (number) => [0, 1][chip.mcu.gpio[number].value] ?? null,
  lengthen: (column, ns) => {
    board.risesNs[column] += ns;
  },
  reset: (cause) => {
    chip.start(cause);
    return cycle(chip.clock.nanos);
  },
  power: (seed) => {
    chip.seed = seed * 1000; // further resets count on from it
    chip.sram.forEach((_, at) => (chip.sram[at] = Math.imul(at + seed, 2654435761) >>> 24));
    chip.start(POWER_ON);
    return cycle(chip.clock.nanos);
  },
  images: (first) =>
    board.images.slice(first).map(({ begin, end, bits }) => [cycle(begin), cycle(end), bytesOf(bits)]),
  imageCount: () => board.images.length,
  pulses: () => board.pulses,
  tone: () => board.toneHz(),
  display: (width) => board.display.text(width),
  plug: (address) => {
    board.display.address = address;
  },
  loseNibble: () => {
    board.display.losesNibble = true;
  },
  records: () => {
    for (const { begin, end } of board.images.slice(imagesSeen)) {
      record(LED_FIRST, 0, begin);
      record(LED_LAST, 0, end);
    }
    imagesSeen = board.images.length;
    return records.splice(0).sort((one, other) => one[0] - other[0]);
  },
  lost: () => lost,
  resets: () => chip.resets,
  readFlash: (address, count) => Buffer.from(chip.memory.slice(address, address + count)).toString("hex"),
  writeFlash: (address, hex) => chip.memory.set(Buffer.from(hex, "hex"), address),
  failPrograms: (count) => {
    chip.flash.failing = count;
  },
  flashWear: () => ({ programs: chip.flash.programs, erasures: [...chip.flash.wear.values()], violations: chip.flash.violations }),
  readRam: (address, count) => Buffer.from(chip.sram.slice(address - 0x20000000, address - 0x20000000 + count)).toString("hex"),
  writeRegister: (address, value) => chip.mcu.writeUint32(address, value),
  warnings: () => [...chip.warnings.keys()],
};

// The next line of stdin; null at its end.
function* lines() {
  const chunk = Buffer.alloc(1 << 16);
  let rest = Buffer.alloc(0);
  for (;;) {
    const end = rest.indexOf(10);
    if (end >= 0) {
      yield rest.subarray(0, end).toString();
      rest = rest.subarray(end + 1);
      continue;
    }
    const count = readSync(0, chunk);
    if (count === 0) {
      return;
    }
    rest = Buffer.concat([rest, chunk.subarray(0, count)]);
  }
}

chip.memory.set(readFileSync(image));
chip.start(POWER_ON);
for (const line of lines()) {
  const [name, ...words] = JSON.parse(line);
  let answer;
  try {
    answer = { value: commands[name](...words) ?? null };
  } catch (error) {
    answer = { error: `${name}: ${error.stack}` };
  }
  writeSync(1, `${JSON.stringify(answer)}\n`);
}
