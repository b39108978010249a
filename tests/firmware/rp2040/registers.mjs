// SPDX-License-Identifier: Apache-2.0
// A block of registers with the aliases that set, clear and toggle bits.

const NORMAL = 0, XOR = 1, SET = 2;

export class Registers {
  constructor(name) {
    this.name = name;
    this.values = new Map();
  }

  // The value of a register; by default what was written last.
  readUint32(offset) {
    return this.values.get(offset) ?? 0;
  }

  writeUint32(offset, value) {
    this.values.set(offset, value >>> 0);
  }

  writeUint32Atomic(offset, value, kind) {
    if (kind === NORMAL) {
      this.writeUint32(offset, value >>> 0);
    } else {
      const old = this.readUint32(offset);
      this.writeUint32(offset, (kind === XOR ? old ^ value : kind === SET ? old | value : old & ~value) >>> 0);
    }
  }
}
