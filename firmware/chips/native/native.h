/* SPDX-License-Identifier: Apache-2.0
 *
 * A panel without a chip: the core, with memory in place of registers. Time passes only when told to.
 *
 * Rule: this is what the tests see (by ctypes) and what pty.c turns into a process.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything as new: blank memory, open switches, time 0. Comes before the first start. */
void native_unpack(void);
/* Start the panel, for a LINK_RESET_CAUSE; memory and switches stay as they are. */
void native_start(uint8_t reset_cause);
/* Advance the time and take one turn; a RESET command restarts the panel. */
void native_turn(uint32_t passed_us);
void native_turns(uint32_t count, uint32_t passed_us);

void native_switch(uint16_t cell, bool is_closed);
/* Buttons as bits 0 .. 14, the lever as bit 15. */
void native_buttons(uint16_t pressed);

/* Put bytes on the line to the panel; returns how many its buffer took. */
size_t native_feed(const uint8_t *bytes, size_t count);
/* Fetch what the panel sent. While nobody does, its transmit buffer fills. */
size_t native_take(uint8_t *bytes, size_t room);

size_t native_leds(void);
/* What the strip shows: red, green, blue of each place. */
const uint8_t *native_strip(void);
/* Times the strip was written, and how many LEDs the last time. */
uint32_t native_shows(void);
uint16_t native_last_show(void);
/* One line of the display, ended by 0. */
void native_text(uint8_t line, char *text, size_t room);
uint16_t native_pitch(void);

uint8_t *native_memory(void);
uint32_t native_memory_writes(void);
/* Lose every write to memory after so many more, as a power cut or a worn cell does; -1: none. */
void native_break_memory(int32_t writes_left);

#endif
