#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The USB host of rp2040js for serial ports sends one request of the CDC class to the device, and calls it connected unheard.
#
#   rp2040js 1.4.1, USBCDC at a controller that answers every request with an empty packet:
#     SET_ADDRESS 1, GET_DESCRIPTOR of the configuration (9 bytes, then all), SET_CONFIGURATION 1
#     SET_CONTROL_LINE_STATE   request type 0x20: class, to the device; CDC 1.2 (6.2) sends it to the interface, 0x21
#     onDeviceConnected        called when that request is sent, before any answer to it
#   It never asks for the device's descriptor or strings, and sets no line coding.
#
# A device that looks at the recipient refuses the request, and is called connected all the same; DTR never arrives.
# Seen with Node.js 20 on Linux, 2026-12-01.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund "rp2040js@1.4.1" >/dev/null

cat > seen.mjs <<'END'
import { USBCDC } from "rp2040js";

const configuration = [
  9, 2, 67, 0, 2, 1, 0, 128, 50,
  9, 4, 0, 0, 1, 2, 2, 0, 0, 5, 36, 0, 32, 1, 5, 36, 1, 0, 1, 4, 36, 2, 2, 5, 36, 6, 0, 1, 7, 5, 129, 3, 8, 0, 255,
  9, 4, 1, 0, 2, 10, 0, 0, 0, 7, 5, 2, 2, 64, 0, 0, 7, 5, 130, 2, 64, 0, 0,
];
let asked = [];
const controller = {
  resetDevice() {},
  sendSetupPacket: (packet) => asked.push([...packet]),
  endpointReadDone() {},
};
const host = new USBCDC(controller);
host.onDeviceConnected = () => console.log("connected");
controller.onResetReceived();
while (asked.length) {
  const [type, request, value, , , , length] = asked.shift();
  console.log(`type 0x${type.toString(16)} request ${request} value ${value} length ${length}`);
  const answer = type & 0x80 ? configuration.slice(0, length) : [];
  for (let at = 0; at < Math.max(answer.length, 1); at += 64) {
    controller.onEndpointWrite(0, Uint8Array.from(answer.slice(at, at + 64)));
  }
}
END
seen=$(node seen.mjs)
echo "$seen"
test "$seen" = "type 0x0 request 5 value 1 length 0
type 0x80 request 6 value 0 length 9
type 0x80 request 6 value 0 length 67
type 0x0 request 9 value 1 length 0
connected
type 0x20 request 34 value 3 length 0"
