/* SPDX-License-Identifier: Apache-2.0
 *
 * WS2812 LEDs on one pin, bit by bit, at 16 MHz.
 *
 * Rule: interrupts are off from the first bit to the last, so the pulses are exact; within each LED the UART is
 * asked for the byte it may hold. An LED takes 30 us and a byte at 250 kBd 40, and the UART keeps two: none is lost.
 */
#include <util/atomic.h>
#include <util/delay.h>

#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
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

/* Twenty cycles a bit: high for 6 (375 ns) or 12 (750 ns). */
static inline void put_byte(uint8_t byte, uint8_t high, uint8_t low)
{
    uint8_t bits = 8;
    __asm__ volatile("1: out %[port], %[high]\n\t"
                     "lsl %[byte]\n\t"
                     "rjmp .+0\n\t"
                     "nop\n\t"
                     "brcs 2f\n\t"
                     "out %[port], %[low]\n\t"
                     "2: rjmp .+0\n\t"
                     "rjmp .+0\n\t"
                     "nop\n\t"
                     "out %[port], %[low]\n\t"
                     "rjmp .+0\n\t"
                     "rjmp .+0\n\t"
                     "dec %[bits]\n\t"
                     "brne 1b\n\t"
                     : [byte] "+r"(byte), [bits] "+r"(bits)
                     : [port] "I"(_SFR_IO_ADDR(PORTB)), [high] "r"(high), [low] "r"(low));
}

void hal_leds_out(const uint8_t *colours, uint16_t count, const uint8_t palette[][3])
{
    /* A strip written before the last image is latched would only shift it on. */
    while ((uint16_t)(TCNT1 - ended_at) < LATCH_US / 4) {
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        uint8_t high = PORTB | _BV(LED_BIT);
        uint8_t low = PORTB & (uint8_t)~_BV(LED_BIT);
        for (uint16_t place = 0; place < count; place++) {
            uint8_t pair = colours[place >> 1];
            const uint8_t *rgb = palette[(place & 1u) != 0 ? pair >> 4 : pair & 0xFu];
            put_byte(rgb[1], high, low);
            line_poll(); /* not where the next LED is looked up: both together would be a long gap */
            put_byte(rgb[0], high, low);
            put_byte(rgb[2], high, low);
        }
        ended_at = TCNT1;
    }
}
