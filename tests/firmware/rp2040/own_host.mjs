// SPDX-License-Identifier: Apache-2.0
// A program at rp2040js' own USB host: prints what that finds. Arguments: the folder of rp2040js, the flash image.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Chip, POWER_ON } from "./chip.mjs";

const LINE_BAUD = 250_000, RUN_NS = 1.5e9;

const [folder, image] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${folder}/dist/esm/${file}`));
const { RP2040, USBCDC } = await load("index.js");
const { SimulationClock } = await load("clock/simulation-clock.js");

const heard = [];
let isConnected = false;
const nothing = () => {};

function started(mcu) {
  mcu.gpio.forEach((pin) => pin.setInputValue(true)); // pulled up
  const host = new USBCDC(mcu.usbCtrl);
  host.onDeviceConnected = () => {
    isConnected = true;
  };
  host.onSerialData = (bytes) => heard.push(...bytes);
}

const events = { probe: nothing, sent: nothing, received: nothing, lost: nothing, started };
const chip = new Chip({ RP2040, SimulationClock }, events, LINE_BAUD);
chip.memory.set(readFileSync(image));
chip.start(POWER_ON);
chip.run(RUN_NS);
console.log(JSON.stringify({ isConnected, heard }));
