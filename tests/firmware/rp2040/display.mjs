// SPDX-License-Identifier: Apache-2.0
// An HD44780 behind a PCF8574 on I2C 0, at 100 kHz.

const RS = 1, ENABLE = 4;
const BYTE_NS = 90_000;
const SECOND_LINE = 0x40;

export class Display {
  constructor(address) {
    this.address = address;
    this.memory = Array(128).fill(0x20);
    this.cursor = 0;
    this.isFourBit = false;
    this.upper = null; // half of a byte
    this.lines = 0;
    this.losesNibble = false;
  }

  attach(chip) {
    const bus = chip.mcu.i2c[0];
    const after = (call) => {
      const alarm = chip.clock.createAlarm(call);
      return () => alarm.schedule(BYTE_NS);
    };
    let isHere = false;
    bus.onConnect = (address) => {
      isHere = address === this.address;
      connected();
    };
    bus.onWriteByte = (byte) => {
      this.port(byte);
      written();
    };
    const connected = after(() => bus.completeConnect(isHere));
    const written = after(() => bus.completeWrite(isHere));
  }

  // The eight lines of the PCF8574; the display takes its half byte when E falls.
  port(lines) {
    if ((this.lines & ENABLE) !== 0 && (lines & ENABLE) === 0) {
      this.nibble(lines >> 4, (lines & RS) !== 0);
    }
    this.lines = lines;
  }

  nibble(half, isData) {
    if (this.losesNibble) {
      this.losesNibble = false;
      return;
    }
    if (!this.isFourBit) {
      this.command(half << 4);
    } else if (this.upper === null) {
      this.upper = half;
    } else {
      const byte = (this.upper << 4) | half;
      this.upper = null;
      if (isData) {
        this.memory[this.cursor] = byte;
        this.cursor = (this.cursor + 1) % 128;
      } else {
        this.command(byte);
      }
    }
  }

  command(byte) {
    if (byte & 0x80) {
      this.cursor = byte & 0x7f;
    } else if (byte & 0x40) {
      // address of the character generator: not used
    } else if (byte & 0x20) {
      this.isFourBit = (byte & 0x10) === 0;
      this.upper = null;
    } else if (byte === 0x01) {
      this.memory.fill(0x20);
      this.cursor = 0;
    } else if (byte === 0x02 || byte === 0x03) {
      this.cursor = 0;
    }
  }

  text(width) {
    return [0, SECOND_LINE].map((begin) => this.memory.slice(begin, begin + width));
  }
}
