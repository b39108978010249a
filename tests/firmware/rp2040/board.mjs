// SPDX-License-Identifier: Apache-2.0
// What is soldered to the chip: switches in a matrix, buttons, LEDs, a buzzer and a display.
import { Display } from "./display.mjs";

const LOW = 0, HIGH = 1; // of a pin that is an output
const ONE_NS = 562; // a bit whose pulse is longer is a one
const LATCH_NS = 50_000; // longer low ends an image
const SILENCE_NS = 50e6;

export class Board {
  // `wiring`: see PicoTopology in tests/firmware/pico.py.
  constructor(wiring) {
    this.wiring = wiring;
    this.closed = new Set(); // positions
    this.pressed = new Map(); // level of each pin that is driven from outside
    this.risesNs = Array(wiring.columns).fill(wiring.riseNs);
    this.images = [];
    this.pulses = { zero: [Infinity, 0], one: [Infinity, 0], low: [Infinity, 0] };
    this.display = new Display(wiring.displayAddress);
  }

  // A new chip, after power-up or reset; everything soldered stays as it is.
  attach(chip) {
    this.chip = chip;
    this.gpio = chip.mcu.gpio;
    for (const pin of this.gpio) {
      pin.setInputValue(true); // pulled up
    }
    for (const [pin, level] of this.pressed) {
      this.gpio[pin].setInputValue(level);
    }
    this.columns = this.risesNs.map((_, column) => ({
      isLow: false,
      rising: chip.clock.createAlarm(() => this.risen(column)),
    }));
    if (this.wiring.rowPins.length) {
      this.wiring.rowPins.forEach((pin) => this.gpio[pin].addListener(() => this.settle()));
    } else {
      this.attachRegisters();
    }
    this.bits = [];
    this.riseNs = 0;
    this.fallNs = -Infinity;
    this.gpio[this.wiring.led].addListener((level) => this.ledEdge(level));
    this.toneEdges = [];
    this.gpio[this.wiring.tone].addListener((level) => level === HIGH && this.toneEdges.push(chip.clock.nanos));
    this.display.attach(chip);
    this.settle();
  }

  // --- switches ---

  cell(position, isClosed) {
    if (isClosed) {
      this.closed.add(position);
    } else {
      this.closed.delete(position);
    }
    this.settle();
  }

  pin(number, level) {
    if (level === null) {
      this.pressed.delete(number);
    } else {
      this.pressed.set(number, level === 1);
    }
    this.gpio[number].setInputValue(level === null ? true : level === 1);
    this.settle();
  }

  // True if the row is driven low.
  isSelected(row) {
    return this.wiring.rowPins.length ? this.gpio[this.wiring.rowPins[row]].value === LOW : this.selected[row] === 0;
  }

  // A column is low while a closed switch connects it to a selected row, and for its rise time after that.
  settle() {
    const { rows, columns } = this.wiring;
    const isLow = Array(columns).fill(false);
    for (let row = 0; row < rows; row++) {
      if (this.isSelected(row)) {
        for (let column = 0; column < columns; column++) {
          isLow[column] ||= this.closed.has(row * columns + column);
        }
      }
    }
    isLow.forEach((low, column) => this.drive(column, low));
  }

  drive(column, isLow) {
    const line = this.columns[column];
    if (isLow) {
      line.rising.cancel();
      line.isPulled = true;
      this.level(column, true);
    } else if (line.isPulled) {
      line.isPulled = false;
      line.rising.schedule(this.risesNs[column]);
    }
  }

  risen(column) {
    this.level(column, false);
  }

  level(column, isLow) {
    this.columns[column].isLow = isLow;
    const pin = this.wiring.columnPins[column];
    if (pin !== undefined) {
      this.gpio[pin].setInputValue(!isLow && this.pressed.get(pin) !== false);
    }
  }

  // --- shift registers on SPI 0 ---

  attachRegisters() {
    const { latch, load, rows, columns } = this.wiring;
    this.selected = Array(rows).fill(1);
    this.sent = []; // bytes shifted into the 74HC595, the last one first
    this.loaded = []; // bytes left in the 74HC165
    const spi = this.chip.mcu.spi[0];
    let answer = 0;
    const done = this.chip.clock.createAlarm(() => spi.completeTransmit(answer));
    spi.onTransmit = (byte) => {
      this.sent = [byte, ...this.sent].slice(0, Math.ceil(rows / 8));
      answer = this.loaded.shift() ?? 0; // SER of the last chip is at ground
      done.schedule((8 * 1e9) / spi.clockFrequency);
    };
    this.gpio[latch].addListener((level) => {
      if (level === HIGH) {
        this.selected = this.selected.map((_, row) => ((this.sent[row >> 3] ?? 0xff) >> (row & 7)) & 1);
        this.settle();
      }
    });
    this.gpio[load].addListener((level) => {
      if (level === LOW) {
        this.loaded = Array.from({ length: Math.ceil(columns / 8) }, (_, at) => this.columnByte(at));
      }
    });
  }

  columnByte(at) {
    let byte = 0;
    for (let bit = 0; bit < 8; bit++) {
      byte |= this.columns[at * 8 + bit]?.isLow ? 0 : 1 << bit;
    }
    return byte;
  }

  // --- LEDs and buzzer ---

  ledEdge(level) {
    const now = this.chip.edgeNs;
    if (level === HIGH) {
      const low = now - this.fallNs;
      if (low > LATCH_NS) {
        this.bits = [];
        this.images.push({ begin: now, end: now, bits: this.bits });
      } else {
        widen(this.pulses.low, low);
      }
      this.riseNs = now;
    } else if (level === LOW && this.bits && this.riseNs) {
      const high = now - this.riseNs;
      widen(high > ONE_NS ? this.pulses.one : this.pulses.zero, high);
      this.bits.push(high > ONE_NS ? 1 : 0);
      this.images.at(-1).end = now;
      this.fallNs = now;
    }
  }

  toneHz() {
    const now = this.chip.clock.nanos;
    const recent = this.toneEdges.slice(-50);
    this.toneEdges = recent;
    if (recent.length < 2 || now - recent.at(-1) > SILENCE_NS) {
      return 0;
    }
    return ((recent.length - 1) * 1e9) / (recent.at(-1) - recent[0]);
  }
}

function widen(range, value) {
  range[0] = Math.min(range[0], value);
  range[1] = Math.max(range[1], value);
}

export function bytesOf(bits) {
  const bytes = [];
  for (let at = 0; at + 8 <= bits.length; at += 8) {
    bytes.push(bits.slice(at, at + 8).reduce((byte, bit) => (byte << 1) | bit, 0));
  }
  return bytes;
}
