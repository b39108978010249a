// SPDX-License-Identifier: Apache-2.0
// UART 0 (PL011) with its two FIFOs, at the rate of the line: rp2040js' own sends in no time and has no receive timeout.
import { Registers } from "./registers.mjs";

const DR = 0x00, FR = 0x18, IBRD = 0x24, FBRD = 0x28, CR = 0x30, IFLS = 0x34, IMSC = 0x38, RIS = 0x3c, MIS = 0x40, ICR = 0x44;
const ROOM = 32;
const OVERRUN = 1 << 11;
const BUSY = 1 << 3, RX_EMPTY = 1 << 4, TX_FULL = 1 << 5, RX_FULL = 1 << 6, TX_EMPTY = 1 << 7;
const ENABLED = 1;
const RX = 1 << 4, TX = 1 << 5, RX_TIMEOUT = 1 << 6;
const LEVELS = [4, 8, 16, 24, 28]; // of IFLS
const FRAME_BITS = 10, TIMEOUT_BITS = 32;
const IRQ = 20;

export class Uart extends Registers {
  // `line` has sent(byte), received(byte) and lost().
  constructor(chip, line, lineBaud) {
    super("UART0");
    this.chip = chip;
    this.line = line;
    this.frameNs = (FRAME_BITS * 1e9) / lineBaud;
    this.status = 0;
    this.input = [];
    this.output = [];
    this.shifting = null;
    this.isOverrun = false;
    this.arrivals = [];
    this.sending = chip.clock.createAlarm(() => this.shifted());
    this.arriving = chip.clock.createAlarm(() => this.arrive());
    this.silence = chip.clock.createAlarm(() => this.raise(RX_TIMEOUT));
    this.isArriving = false;
  }

  bitNs() {
    const divider = this.readUint32(IBRD) + this.readUint32(FBRD) / 64;
    return (16 * divider * 1e9) / this.chip.mcu.clkPeri;
  }

  // Bytes that the host puts on the line, one after the other.
  feed(bytes) {
    this.arrivals.push(...bytes);
    if (!this.isArriving && this.arrivals.length) {
      this.isArriving = true;
      this.arriving.schedule(this.frameNs);
    }
  }

  arrive() {
    const byte = this.arrivals.shift();
    this.line.received(byte);
    if ((this.readUint32(CR) & ENABLED) === 0) {
      // not listening yet
    } else if (this.input.length === ROOM) {
      this.isOverrun = true;
      this.line.lost();
    } else {
      this.input.push(byte | (this.isOverrun ? OVERRUN : 0));
      this.isOverrun = false;
    }
    if (this.input.length >= LEVELS[(this.readUint32(IFLS) >> 3) & 7]) {
      this.raise(RX);
    }
    this.silence.schedule(TIMEOUT_BITS * this.bitNs());
    this.isArriving = this.arrivals.length > 0;
    if (this.isArriving) {
      this.arriving.schedule(this.frameNs);
    }
  }

  raise(bits) {
    this.status |= bits;
    this.update();
  }

  lower(bits) {
    this.status &= ~bits;
    this.update();
  }

  update() {
    this.chip.mcu.setInterrupt(IRQ, (this.status & this.readUint32(IMSC)) !== 0);
  }

  shift() {
    if (this.shifting === null && this.output.length) {
      this.shifting = this.output.shift();
      this.sending.schedule(FRAME_BITS * this.bitNs());
      if (this.output.length <= LEVELS[this.readUint32(IFLS) & 7]) {
        this.raise(TX);
      }
    }
  }

  shifted() {
    const byte = this.shifting;
    this.shifting = null;
    this.line.sent(byte);
    this.shift();
  }

  readUint32(offset) {
    switch (offset) {
      case DR: {
        const word = this.input.shift() ?? 0;
        if (this.input.length < LEVELS[(this.readUint32(IFLS) >> 3) & 7]) {
          this.lower(RX);
        }
        if (!this.input.length) {
          this.silence.cancel();
          this.lower(RX_TIMEOUT);
        }
        return word;
      }
      case FR:
        return (
          (this.shifting !== null || this.output.length ? BUSY : 0) | (this.input.length ? 0 : RX_EMPTY) |
          (this.output.length >= ROOM ? TX_FULL : 0) | (this.input.length >= ROOM ? RX_FULL : 0) |
          (this.output.length ? 0 : TX_EMPTY)
        );
      case RIS:
        return this.status;
      case MIS:
        return this.status & this.readUint32(IMSC);
      default:
        return super.readUint32(offset);
    }
  }

  writeUint32(offset, value) {
    if (offset === DR) {
      if (this.output.length >= ROOM) {
        throw new Error("a byte was written to a full transmit FIFO");
      }
      this.output.push(value & 0xff);
      if (this.output.length > LEVELS[this.readUint32(IFLS) & 7]) {
        this.lower(TX);
      }
      this.shift();
    } else if (offset === ICR) {
      this.lower(value);
    } else {
      super.writeUint32(offset, value);
      this.update();
    }
  }
}
