/* SPDX-License-Identifier: Apache-2.0
 *
 * Buttons and the clock's lever.
 */
#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
#include "hal/hal.h"

/* Buttons close to ground. On a Nano with matrix-direct there is one, on D9; with shift registers they are on D4 .. D7
 * and A0 .. A3; with multiplexers on D8 and D9. On a Mega they are on D22 .. D29 and D37 .. D31. */
#define BUTTON_BITS ((uint16_t)((1u << PANEL_BUTTONS) - 1u))

void buttons_init(void)
{
#if defined(__AVR_ATmega2560__)
    PORTA |= (uint8_t)BUTTON_BITS;
    PORTC |= (uint8_t)(BUTTON_BITS >> 8);
#elif defined(PANEL_WIRING_MATRIX_DIRECT)
    PORTB |= _BV(1);
#elif defined(PANEL_WIRING_MUX)
    PORTB |= (uint8_t)(BUTTON_BITS & 3u);
#else
    PORTD |= (uint8_t)(BUTTON_BITS << 4);
    PORTC |= (uint8_t)(BUTTON_BITS >> 4);
#endif
    LEVER_PORT |= _BV(LEVER_BIT);
}

uint16_t hal_buttons(void)
{
#if defined(__AVR_ATmega2560__)
    uint16_t pressed = (uint16_t)~(PINA | (uint16_t)(PINC << 8));
#elif defined(PANEL_WIRING_MATRIX_DIRECT)
    uint16_t pressed = (PINB & _BV(1)) == 0;
#elif defined(PANEL_WIRING_MUX)
    uint16_t pressed = (uint16_t)~PINB;
#else
    uint16_t pressed = (uint16_t)~(PIND >> 4 | (uint16_t)((PINC & 0x0Fu) << 4));
#endif
    pressed &= BUTTON_BITS;
    if (PANEL_LEVER && (LEVER_PIN & _BV(LEVER_BIT)) == 0) {
        pressed |= 0x8000u;
    }
    return pressed;
}
