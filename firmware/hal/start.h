/* SPDX-License-Identifier: Apache-2.0
 *
 * What main.c calls besides the core, on chips that it runs on.
 */
#ifndef HAL_START_H
#define HAL_START_H

/* Set up the whole chip, then switch interrupts on. */
void chip_init(void);
/* Feed the watchdog; sleep for a moment, if the chip can, until there may be something to do. */
void chip_end_turn(void);

#endif
