// SPDX-License-Identifier: Apache-2.0
// The flash chip (W25Q16JV) behind the SSI, by its commands: rp2040js' own answers a status read and nothing else.
import { Registers } from "./registers.mjs";

const SSI_CTRLR0 = 0x00, SSI_SSIENR = 0x08, SSI_SR = 0x28, SSI_DR0 = 0x60;
const SR_TX_NOT_FULL = 2, SR_TX_EMPTY = 4, SR_RX_NOT_EMPTY = 8;
const EIGHT_BITS_BOTH_WAYS = 7 << 16;
const QSPI_SS_CTRL = 0x0c, LOW = 2;
const SIZE = 2 * 1024 * 1024, SECTOR = 4096, PAGE = 256;
const PROGRAM = 0x02, READ = 0x03, STATUS = 0x05, WRITE_ENABLE = 0x06, ERASE = 0x20, NUMBER = 0x4b;
const NUMBER_AT = 5; // after the command and four bytes
const CHIP_NUMBER = [0xe6, 0x61, 0x38, 0x5a, 0x0c, 0x2b, 0x77, 0x29];
const PROGRAM_NS = 0.4e6, ERASE_NS = 45e6; // typical, by the data sheet

export class FlashChip {
  constructor(memory) {
    this.memory = memory;
    this.wear = new Map(); // erasures of each sector
    this.programs = 0;
    this.busyUntil = 0;
    this.isWritable = false;
    this.received = null; // of the command that is coming in
    this.violations = [];
    this.failing = 0; // programs that leave the memory as it was
  }

  select() {
    this.received = [];
  }

  // One byte each way; `now` in ns.
  exchange(byte, now) {
    if (this.received === null) {
      this.violations.push("a byte without the chip being selected");
      return 0xff;
    }
    this.received.push(byte);
    const [command, high, middle, low] = this.received;
    const at = this.received.length - 1;
    if (command !== STATUS && now < this.busyUntil) {
      this.violations.push(`command 0x${command.toString(16)} while the chip is busy`);
    }
    if (command === STATUS) {
      return (now < this.busyUntil ? 1 : 0) | (this.isWritable ? 2 : 0);
    }
    if (command === NUMBER && at >= NUMBER_AT) {
      return CHIP_NUMBER[at - NUMBER_AT];
    }
    return command === READ && at >= 4 ? this.memory[((high << 16) | (middle << 8) | low) + at - 4] : 0xff;
  }

  deselect(now) {
    const [command, high, middle, low, ...data] = this.received ?? [];
    this.received = null;
    const address = (high << 16) | (middle << 8) | low;
    if (command === WRITE_ENABLE) {
      this.isWritable = true;
    } else if (command === PROGRAM || command === ERASE) {
      this.write(command, address, data, now);
    }
  }

  write(command, address, data, now) {
    if (!this.isWritable || address >= SIZE) {
      this.violations.push(`a write to 0x${address.toString(16)} that the chip ignores`);
      return;
    }
    this.isWritable = false;
    if (command === ERASE) {
      const first = address - (address % SECTOR);
      this.memory.fill(0xff, first, first + SECTOR);
      this.wear.set(first, (this.wear.get(first) ?? 0) + 1);
      this.busyUntil = now + ERASE_NS;
      return;
    }
    if ((address % PAGE) + data.length > PAGE) {
      this.violations.push("a page was written beyond its end");
    }
    this.programs++;
    this.busyUntil = now + PROGRAM_NS;
    if (this.failing > 0) {
      this.failing--;
      return;
    }
    data.forEach((byte, at) => {
      this.memory[address + at] &= byte;
    });
  }
}

export class Ssi extends Registers {
  constructor(chip, flash) {
    super("SSI");
    this.chip = chip;
    this.flash = flash;
    this.answers = [];
  }

  readUint32(offset) {
    if (offset === SSI_SR) {
      return SR_TX_NOT_FULL | SR_TX_EMPTY | (this.answers.length ? SR_RX_NOT_EMPTY : 0);
    }
    return offset === SSI_DR0 ? this.answers.shift() ?? 0 : super.readUint32(offset);
  }

  writeUint32(offset, value) {
    if (offset !== SSI_DR0) {
      super.writeUint32(offset, value);
    } else if (this.readUint32(SSI_SSIENR) === 1 && this.readUint32(SSI_CTRLR0) === EIGHT_BITS_BOTH_WAYS) {
      this.answers.push(this.flash.exchange(value & 0xff, this.chip.clock.nanos));
    } else {
      throw new Error("a command for the flash in another mode than eight bits both ways");
    }
  }
}

// The bank of the flash's own pins: only the override of the select line does something.
export class QspiPins extends Registers {
  constructor(chip, flash) {
    super("IO_QSPI");
    this.chip = chip;
    this.flash = flash;
  }

  writeUint32(offset, value) {
    const was = (this.readUint32(QSPI_SS_CTRL) >> 8) & 3;
    super.writeUint32(offset, value);
    const is = (this.readUint32(QSPI_SS_CTRL) >> 8) & 3;
    if (was !== LOW && is === LOW) {
      this.flash.select();
    } else if (was === LOW && is !== LOW) {
      this.flash.deselect(this.chip.clock.nanos);
    }
  }
}
