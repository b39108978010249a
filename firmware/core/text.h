/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of text and their HD44780 display: initialises it every ten seconds, and keeps it up to date.
 *
 * Rule: at most one byte per turn, and only when the display is ready; nothing here waits.
 */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sizes.h"

struct text {
    char cells[TEXT_CELLS + 1]; /* line after line, in the display's own characters */
    uint16_t wait_from_ms; /* the last step of the initialisation */
    uint8_t step;    /* the next one; WAKING_STEPS when it is done */
    uint8_t wait_ms;
    uint8_t changed; /* lines to be drawn, as bits */
    uint8_t line;    /* being drawn */
    uint8_t column;  /* next one to draw; 0xFF: first the address */
};

void text_init(struct text *text, uint16_t now_ms);
/* Put UTF-8 into a line; unknown characters become '?'. False if there is no such line. */
bool text_set(struct text *text, uint8_t line, const uint8_t *utf8, uint8_t length);
void text_turn(struct text *text, uint16_t now_ms);

#endif
