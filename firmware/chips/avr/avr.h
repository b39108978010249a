/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this chip call of one another.
 */
#ifndef AVR_H
#define AVR_H

#include <stdint.h>

/* Where cycles count, -Os does not decide. */
#define INLINED static inline __attribute__((always_inline))

void scan_init(void);
void buttons_init(void);
void line_init(void);
void leds_pin_init(void);
void display_init(void);
void tone_init(void);

/* Fetch a byte the UART holds, with interrupts off: LED output calls this within each LED. */
void line_poll(void);

#endif
