// SPDX-License-Identifier: Apache-2.0
// The other end of the chip's USB: a full-speed host with a driver for serial ports, by USB 2.0 and CDC 1.2.
//
// rp2040js calls a buffer taken as soon as the program offers it, whoever reads, and knows no packet numbers and no stall.
// Here a buffer waits for a transaction of the host; what a real host would not put up with is a violation.

const FULL = 1 << 15, DATA1 = 1 << 13, STALL = 1 << 11, AVAILABLE = 1 << 10, LENGTH = 0x3ff;
const SIE_STATUS = 0x50, RESET = 1 << 19, SUSPENDED = 1 << 4, ADDRESS_MASK = 0x7f;
const PULL_UP = 1 << 16, CONTROLLER = 1;
const PACKET = 64, ENDPOINT_ENABLED = 1 << 31;
const BIT_NS = 1e9 / 12e6, OVERHEAD_BITS = 120; // tokens, handshake and gaps of a transaction
const NAK_NS = 20e3, FRAME_NS = 1e6, ATTACH_NS = 20e6, RESET_NS = 10e6, SUSPEND_NS = 3e6, PATIENCE_NS = 500e6;
const DTR = 1;

export class UsbHost {
  // `events` has received(byte), of the chip, and sent(byte).
  constructor(chip, events) {
    this.chip = chip;
    this.events = events;
    this.violations = [];
    this.isPlugged = false;
    this.isOpen = false; // a program has the port open
    this.isReading = true; // and takes what comes
    this.coding = [0x00, 0xc2, 0x01, 0x00, 0, 0, 8];
    this.toSend = [];
    this.requests = []; // of tests: {setup, data}
    this.answers = [];
    this.unplug();
  }

  // A new chip, after power-up or reset.
  attach(mcu) {
    this.usb = mcu.usbCtrl;
    this.memory = mcu.usbDPRAM;
    this.view = mcu.usbDPRAMView;
    this.usb.DPRAMUpdated = () => {};
    const write = this.usb.writeUint32.bind(this.usb);
    this.usb.writeUint32 = (offset, value) => {
      if (offset === SIE_STATUS) {
        this.usb.sieStatus &= ~(this.usb.rawWriteValue & SUSPENDED); // rp2040js leaves it set
      }
      write(offset, value);
    };
    this.alarm = this.chip.clock.createAlarm(() => this.goOn());
    if (this.isPlugged) {
      this.plug();
    }
  }

  plug() {
    this.isPlugged = true;
    this.device = null;
    this.course = this.life();
    this.goOn();
  }

  unplug() {
    this.isPlugged = false;
    this.device = null;
    this.course = this.silence();
    if (this.usb) {
      this.goOn();
    }
  }

  goOn() {
    const { value: pauseNs, done } = this.course.next();
    if (done) {
      this.alarm.cancel();
    } else {
      this.alarm.schedule(pauseNs);
    }
  }

  // --- transactions ---

  control(endpoint, isOut) {
    return 0x80 + endpoint * 8 + (isOut ? 4 : 0);
  }

  bufferAt(endpoint, isOut) {
    if (endpoint === 0) {
      return 0x100;
    }
    const control = this.view.getUint32(8 * endpoint + (isOut ? 4 : 0), true);
    this.expect((control & ENDPOINT_ENABLED) !== 0, `endpoint ${endpoint} is not enabled`);
    return control & 0xffc0;
  }

  expect(isRight, violation) {
    if (!isRight) {
      this.violations.push(violation);
    }
  }

  listens() {
    return (this.usb.mainCtrl & CONTROLLER) !== 0 && (this.usb.sieCtrl & PULL_UP) !== 0;
  }

  *transaction(bytes) {
    yield (bytes * 8 + OVERHEAD_BITS) * BIT_NS;
    this.expect((this.usb.addrEndp & ADDRESS_MASK) === this.address, `the address is ${this.usb.addrEndp}, not ${this.address}`);
  }

  // The data of a packet from the chip; null for "not yet", "stall" for a refusal.
  *in(endpoint) {
    yield* this.transaction(0);
    const at = this.control(endpoint, false);
    const control = this.view.getUint32(at, true);
    if (endpoint === 0 && control & STALL && this.usb.epStallArm & 1) {
      return "stall";
    }
    if (!(control & AVAILABLE)) {
      return null;
    }
    this.expect((control & FULL) !== 0, `endpoint ${endpoint} offers an empty buffer`);
    this.expect(((control & DATA1) !== 0) === this.inData1[endpoint], `endpoint ${endpoint} sends a packet of the wrong number`);
    this.inData1[endpoint] = !this.inData1[endpoint];
    const length = control & LENGTH;
    this.expect(length <= PACKET, `endpoint ${endpoint} sends ${length} bytes at once`);
    const from = this.bufferAt(endpoint, false);
    const data = [...this.memory.slice(from, from + length)];
    yield length * 8 * BIT_NS;
    this.view.setUint32(at, control & ~(AVAILABLE | FULL), true);
    this.usb.indicateBufferReady(endpoint, false);
    return data;
  }

  // True if the chip took the packet.
  *out(endpoint, data) {
    yield* this.transaction(data.length);
    const at = this.control(endpoint, true);
    const control = this.view.getUint32(at, true);
    if (!(control & AVAILABLE)) {
      return endpoint === 0 && control & STALL && this.usb.epStallArm & 2 ? "stall" : false;
    }
    this.expect(((control & DATA1) !== 0) === this.outData1[endpoint], `endpoint ${endpoint} expects a packet of the wrong number`);
    this.expect((control & LENGTH) >= data.length, `endpoint ${endpoint} has no room for ${data.length} bytes`);
    this.outData1[endpoint] = !this.outData1[endpoint];
    this.memory.set(data, this.bufferAt(endpoint, true));
    this.view.setUint32(at, (control & ~(AVAILABLE | LENGTH)) | FULL | data.length, true);
    this.usb.indicateBufferReady(endpoint, true);
    return true;
  }

  // Repeat a transaction of endpoint 0 until the chip is ready.
  *patiently(act) {
    for (let waitedNs = 0; waitedNs < PATIENCE_NS; waitedNs += NAK_NS) {
      const result = yield* act();
      if (result !== null && result !== false) {
        return result;
      }
      yield NAK_NS;
    }
    this.violations.push("a request is not answered");
    return "stall";
  }

  // A control transfer: the data of the answer, or null if the chip refuses it.
  *request(type, request, value, index, length, data = []) {
    yield* this.transaction(8);
    this.inData1[0] = this.outData1[0] = true;
    this.usb.epStallArm = 0;
    this.usb.sendSetupPacket([type, request, value & 255, value >> 8, index & 255, index >> 8, length & 255, length >> 8]);
    const answer = [];
    if (type & 0x80) {
      for (let packet = []; answer.length < length; ) {
        packet = yield* this.patiently(() => this.in(0));
        if (packet === "stall") {
          return null;
        }
        answer.push(...packet);
        if (packet.length < PACKET) {
          break;
        }
      }
      this.expect(answer.length <= length, "an answer is longer than asked for");
      this.outData1[0] = true;
      return (yield* this.patiently(() => this.out(0, []))) === "stall" ? null : answer;
    }
    if (data.length && (yield* this.patiently(() => this.out(0, data))) === "stall") {
      return null;
    }
    this.inData1[0] = true;
    const end = yield* this.patiently(() => this.in(0));
    this.expect(end === "stall" || end.length === 0, "a request ends with data");
    return end === "stall" ? null : answer;
  }

  // --- the course of things ---

  *silence() {
    yield SUSPEND_NS;
    this.usb.sieStatus |= SUSPENDED;
    this.usb.sieStatusUpdated();
  }

  *life() {
    while (!this.listens()) {
      yield FRAME_NS;
    }
    yield ATTACH_NS;
    yield* this.busReset();
    yield* this.enumerate();
    yield* this.drive();
  }

  *busReset() {
    this.usb.sieStatus |= RESET;
    this.usb.sieStatusUpdated();
    this.address = 0;
    this.inData1 = Array(16).fill(false);
    this.outData1 = Array(16).fill(false);
    yield RESET_NS;
  }

  // In the order of Linux.
  *enumerate() {
    const describe = (type, index, length, language = 0) => this.request(0x80, 6, (type << 8) | index, language, length);
    yield* describe(1, 0, 64);
    yield* this.busReset();
    yield* this.request(0, 5, 7, 0, 0);
    yield 2e6; // the time to take the address
    this.address = 7;
    const device = yield* describe(1, 0, 18);
    const head = yield* describe(2, 0, 9);
    const configuration = yield* describe(2, 0, head[2] | (head[3] << 8));
    const languages = yield* describe(3, 0, 255);
    const strings = [];
    for (const index of device.slice(14, 17)) {
      strings.push(Buffer.from((yield* describe(3, index, 255, languages[2] | (languages[3] << 8))).slice(2)).toString("utf16le"));
    }
    yield* this.request(0, 9, configuration[5], 0, 0);
    yield* this.request(0x21, 0x20, 0, 0, this.coding.length, this.coding);
    this.endpoints = endpointsOf(configuration);
    this.device = { device, configuration, strings };
  }

  *drive() {
    const lines = () => this.request(0x21, 0x22, this.isOpen ? DTR : 0, 0, 0);
    let wasOpen = false;
    for (;;) {
      if (this.isOpen !== wasOpen) {
        wasOpen = this.isOpen;
        yield* lines();
      }
      while (this.requests.length) {
        this.answers.push(yield* this.request(...this.requests.shift()));
      }
      if (!(wasOpen && (yield* this.exchange()))) {
        yield NAK_NS;
      }
    }
  }

  // One packet each way, if there is one; true if there was.
  *exchange() {
    let isBusy = false;
    if (this.toSend.length) {
      const packet = this.toSend.slice(0, PACKET);
      if (yield* this.out(this.endpoints.out, packet)) {
        this.toSend.splice(0, packet.length);
        packet.forEach((byte) => this.events.received(byte));
        isBusy = true;
      }
    }
    const came = this.isReading ? yield* this.in(this.endpoints.in) : null;
    came?.forEach((byte) => this.events.sent(byte));
    this.expect(came?.length !== PACKET, "a packet of 64 bytes keeps the driver waiting for its end");
    return isBusy || came !== null;
  }
}

// The numbers of the endpoints of the data interface.
function endpointsOf(configuration) {
  const found = {};
  let isData = false;
  for (let at = 0; at < configuration.length; at += configuration[at]) {
    const [, type, third, attributes] = configuration.slice(at);
    if (type === 4) {
      isData = configuration[at + 5] === 10;
    } else if (type === 5 && isData && attributes === 2) {
      found[third & 0x80 ? "in" : "out"] = third & 15;
    }
  }
  return found;
}
