// SPDX-License-Identifier: Apache-2.0
// One RP2040 on rp2040js, from its boot ROM's work on, with what rp2040js lacks: line, flash, oscillator, reset causes.
import { FlashChip, QspiPins, Ssi } from "./flash.mjs";
import { Registers } from "./registers.mjs";
import { Uart } from "./uart.mjs";

const BOOT_STAGE_AT = 0x41f00, BOOT_STAGE_BYTES = 256;
const SCRATCH = 8, PROBE_OFFSET = 0x28; // the watchdog's last scratch register
const RANDOMBIT = 0x1c, CHIP_RESET = 0x08;
const HAD_POR = 1 << 8, HAD_RUN = 1 << 16;

// Causes of a reset, as Python names them.
export const POWER_ON = 1, RUN_PIN = 2, BROWN_OUT = 4, WATCHDOG = 8;

function bootCrc(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
    }
  }
  return crc >>> 0;
}

class Oscillator extends Registers {
  constructor(seed) {
    super("ROSC");
    this.state = seed * 2654435761 + 1;
  }

  readUint32(offset) {
    if (offset !== RANDOMBIT) {
      return super.readUint32(offset);
    }
    this.state = (Math.imul(this.state, 1664525) + 1013904223) | 0;
    return (this.state >>> 24) & 1;
  }
}

class ResetCauses extends Registers {
  constructor(bits) {
    super("VREG_AND_CHIP_RESET");
    this.bits = bits;
  }

  readUint32(offset) {
    return offset === CHIP_RESET ? this.bits : super.readUint32(offset);
  }
}

export class Chip {
  // `simulator` is { RP2040, SimulationClock }; `events` has probe(code), sent(byte), received(byte), lost() and started().
  constructor(simulator, events, lineBaud) {
    this.simulator = simulator;
    this.events = events;
    this.lineBaud = lineBaud;
    this.memory = new Uint8Array(16 * 1024 * 1024).fill(0xff);
    this.flash = new FlashChip(this.memory);
    this.sram = new Uint8Array(264 * 1024);
    this.scratch = new Uint32Array(SCRATCH);
    this.warnings = new Map();
    this.seed = 1;
    this.resets = 0;
    this.clock = new simulator.SimulationClock();
  }

  // Power up, or reset with RAM and flash kept. `reason` is the watchdog's: 1 its timer, 2 a command, 0 none.
  start(cause, reason = 0) {
    const { RP2040, SimulationClock } = this.simulator;
    const now = this.clock.nanos;
    const unheard = this.uart?.arrivals ?? [];
    this.clock = new SimulationClock();
    this.clock.nanosCounter = now;
    const mcu = new RP2040(this.clock);
    this.mcu = mcu;
    mcu.logger = this.collector();
    mcu.flash = this.memory;
    mcu.flash16 = new Uint16Array(this.memory.buffer);
    mcu.flashView = new DataView(this.memory.buffer);
    mcu.sram = this.sram;
    mcu.sramView = new DataView(this.sram.buffer);
    this.pendingReason = 0;
    this.chipBits = cause === WATCHDOG ? this.chipBits : cause === RUN_PIN ? HAD_RUN : HAD_POR;
    this.uart = new Uart(this, this.events, this.lineBaud);
    this.uart.feed(unheard);
    Object.assign(mcu.peripherals, {
      0x18000: new Ssi(this, this.flash),
      0x40018: new QspiPins(this, this.flash),
      0x40034: this.uart,
      0x40060: new Oscillator(this.seed++),
      0x40064: new ResetCauses(this.chipBits),
    });
    this.flash.received = null;
    this.startWatchdog(cause, reason);
    this.startPio();
    this.events.started(mcu);
    this.boot();
  }

  startWatchdog(cause, reason) {
    const watchdog = this.mcu.peripherals[0x40058];
    if (cause === WATCHDOG) {
      watchdog.scratchData.set(this.scratch);
      watchdog.reason = reason;
    }
    this.scratch = watchdog.scratchData;
    watchdog.onWatchdogTrigger = () => {
      this.pendingReason = watchdog.reason;
      watchdog.alarm.enable = false; // rp2040js' would fire again and again in the same moment
    };
    const write = watchdog.writeUint32.bind(watchdog);
    watchdog.writeUint32 = (offset, value) => {
      write(offset, value);
      if (offset === PROBE_OFFSET) {
        this.events.probe(value);
      }
    };
  }

  // The state machine runs at its divided clock, and not from setTimeout; it starts with an empty shift register.
  startPio() {
    for (const pio of this.mcu.pio) {
      pio.run = () => {};
    }
    this.machine = this.mcu.pio[0].machines[0];
    this.machine.outputShiftCount = 32;
    this.pioNs = this.clock.nanos;
    this.isStalled = false;
  }

  // What the boot ROM does: the first 256 bytes of the flash go to RAM, and are called if their CRC is right.
  boot() {
    const stage = this.memory.slice(0, BOOT_STAGE_BYTES);
    const crc = new DataView(stage.buffer).getUint32(BOOT_STAGE_BYTES - 4, true);
    if (bootCrc(stage.subarray(0, BOOT_STAGE_BYTES - 4)) !== crc) {
      throw new Error("the boot ROM finds no boot stage in the flash");
    }
    this.sram.set(stage, BOOT_STAGE_AT);
    this.mcu.core.SP = 0x20042000;
    this.mcu.core.PC = 0x20000000 + BOOT_STAGE_AT;
  }

  collector() {
    const note = (name, message) => {
      const text = `${name}: ${message}`;
      this.warnings.set(text, (this.warnings.get(text) ?? 0) + 1);
    };
    return { debug() {}, info() {}, warn: note, error: note };
  }

  // Let so many ns pass, and up to an instruction more.
  run(ns) {
    const until = this.clock.nanos + ns;
    while (this.clock.nanos < until) {
      const { mcu, clock } = this;
      if (mcu.core.waiting) {
        clock.tick(this.sleepNs(until));
      } else {
        clock.tick((mcu.core.executeInstruction() * 1e9) / mcu.clkSys);
        if (mcu.core.waiting && mcu.core.checkForInterrupts()) {
          mcu.core.waiting = false; // an interrupt that pends already lets nothing sleep; rp2040js waits for a new one
        }
      }
      if (this.machine.enabled) {
        this.runPio();
      }
      if (this.pendingReason) {
        this.resets++;
        this.start(WATCHDOG, this.pendingReason);
      }
    }
  }

  sleepNs(until) {
    const { clock, machine } = this;
    let ns = until - clock.nanos;
    if (clock.nextAlarm) {
      ns = Math.min(ns, Math.max(clock.nanosToNextAlarm, 0));
    }
    if (machine.enabled && !machine.waiting) {
      ns = Math.min(ns, Math.max(this.pioNs - clock.nanos, 0));
    }
    return ns;
  }

  // Instructions of the state machine that begin by now; an edge has the time at which its instruction begins.
  runPio() {
    const { machine, clock } = this;
    const stepNs = ((machine.clockDivInt || 65536) * 1e9) / this.mcu.clkSys;
    if (this.isStalled && !machine.waiting) {
      this.pioNs = clock.nanos + (machine.waitDelay + 1) * stepNs; // a word has come, and was taken at once
    }
    while (!machine.waiting && this.pioNs <= clock.nanos) {
      const before = machine.cycles;
      this.edgeNs = this.pioNs;
      machine.step();
      this.mcu.pio[0].checkChangedPins();
      this.pioNs += (machine.cycles - before) * stepNs;
    }
    this.isStalled = machine.waiting;
  }
}
