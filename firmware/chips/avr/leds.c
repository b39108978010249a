/* SPDX-License-Identifier: Apache-2.0
 *
 * WS2812 LEDs on one pin, bit by bit, at 16 MHz.
 *
 * Rule: interrupts are off from the first bit to the last, so the pulses are exact; within each LED the UART is
 * asked for the byte it may hold. An LED takes 35 us and a byte at 250 kBd 40, and the UART keeps two: none is lost.
 * The sensors are watched, a step of a scan within each LED; at a change the LEDs that follow are left for later.
 */
#include <util/atomic.h>
#include <util/delay.h>

#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
#include "chips/avr/watch.h"
#include "hal/hal.h"

#if F_CPU != 16000000ul
#error "the pulses below are counted in cycles of 16 MHz"
#endif

#define LATCH_US 300 /* data sheet: 280 of low end an image */

static uint16_t ended_at; /* TCNT1, 4 us */

void leds_pin_init(void)
{
    PORTB &= (uint8_t)~_BV(LED_BIT);
    DDRB |= _BV(LED_BIT);
}

/* Twenty cycles a bit, for a zero one more: high for 6 (375 ns) or 12 (750 ns). */
INLINED void put_byte(uint8_t byte)
{
    uint8_t bits = 8;
    __asm__ volatile("1: sbi %[port], %[bit]\n\t"
                     "lsl %[byte]\n\t"
                     "rjmp .+0\n\t"
                     "brcs 2f\n\t"
                     "cbi %[port], %[bit]\n\t"
                     "2: rjmp .+0\n\t"
                     "rjmp .+0\n\t"
                     "nop\n\t"
                     "cbi %[port], %[bit]\n\t"
                     "rjmp .+0\n\t"
                     "nop\n\t"
                     "dec %[bits]\n\t"
                     "brne 1b\n\t"
                     : [byte] "+r"(byte), [bits] "+r"(bits)
                     : [port] "I"(_SFR_IO_ADDR(PORTB)), [bit] "I"(LED_BIT));
}

/* By itself, so that its variables stay in registers. */
__attribute__((noinline)) bool hal_leds_out(const uint8_t *colours, uint16_t count, const uint8_t palette[][3],
                                            const struct levels *watched)
{
    /* A strip written before the last image is latched would only shift it on. */
    while ((uint16_t)(TCNT1 - ended_at) < LATCH_US / 4) {
    }
    struct watch watch = {0};
    if (watched != NULL) {
        watch = watch_begin();
    }
    uint8_t pair = 0;
    bool is_odd = false, is_changed = false;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        for (; count != 0; count--) {
            pair = is_odd ? pair >> 4 : *colours++;
            is_odd = !is_odd;
            const uint8_t *rgb = palette[pair & 0xFu];
            uint8_t red = rgb[0], blue = rgb[2];
            put_byte(rgb[1]);
            line_poll(); /* not where the next LED is looked up: both together would be a long gap */
            put_byte(red);
            if (watched != NULL && watch_step(&watch, watched) != 0) {
                put_byte(blue);
                is_changed = true;
                break;
            }
            put_byte(blue);
        }
        ended_at = TCNT1;
    }
    if (watched != NULL) {
        watch_end();
    }
    return !is_changed;
}
