/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this chip call of one another.
 */
#ifndef RP2040_H
#define RP2040_H

#include <stdbool.h>
#include <stdint.h>

#define SYS_HZ 48000000ul
#define XOSC_HZ 12000000ul

void scan_init(void);
void buttons_init(void);
void line_init(void);
void usb_init(void);
void leds_init_pin(void);
void display_init(void);
void tone_init(void);
void memory_init(void);

/* Give a pin to a function, with PAD_PLAIN or PAD_PULL_UP. */
void pin_function(uint8_t pin, uint8_t function, uint32_t pad);
void wait_us(uint32_t us);

/* Send an image that waits, if the strip has latched the one before. */
void leds_turn(void);
/* Move bytes between the rings and what carries them. */
void line_poll(void);

/* Called with interrupts masked, or by one: */
/* The line is USB while a program has the port open, and else the UART. */
void line_carry(bool over_usb);
bool line_is_usb(void);
/* True if `count` bytes from USB find a place. */
bool line_has_room(uint16_t count);
void line_take(uint8_t byte);
/* The next byte to be sent; false if nothing waits. */
bool line_give(uint8_t *byte);
/* Start what can be sent and received by USB. */
void usb_turn(void);
bool usb_is_sending(void);

/* The number that the maker of the flash chip gave it. */
void memory_read_number(uint8_t number[8]);

void line_interrupt(void);
void usb_interrupt(void);
void wake_interrupt(void);

#endif
