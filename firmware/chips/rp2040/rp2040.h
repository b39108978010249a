/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this chip call of one another.
 */
#ifndef RP2040_H
#define RP2040_H

#include <stdint.h>

#define SYS_HZ 48000000ul
#define XOSC_HZ 12000000ul

void scan_init(void);
void buttons_init(void);
void line_init(void);
void leds_init_pin(void);
void display_init(void);
void tone_init(void);
void memory_init(void);

/* Give a pin to a function, with PAD_PLAIN or PAD_PULL_UP. */
void pin_function(uint8_t pin, uint8_t function, uint32_t pad);
void wait_us(uint32_t us);

/* Send an image that waits, if the strip has latched the one before. */
void leds_turn(void);
/* Fetch the bytes that the UART holds. */
void line_poll(void);

void line_interrupt(void);
void wake_interrupt(void);

#endif
