// SPDX-License-Identifier: Apache-2.0
//
// The sensor board as an Arduino library: call the first in setup(), the second in loop(), and nothing else.
// Pins are the macros at the top of arduino.cpp.
#pragma once

void companion_setup();
void companion_loop();
