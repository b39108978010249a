/* SPDX-License-Identifier: Apache-2.0
 *
 * The shift registers on the SPI, as hal/shift_matrix.h and watch.h want them.
 */
#ifndef SHIFT_REGISTERS_H
#define SHIFT_REGISTERS_H

#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
#include "core/sizes.h"

INLINED void spi_wait(void)
{
    while ((SPSR & _BV(SPIF)) == 0) {
    }
}

INLINED uint8_t spi_exchange(uint8_t byte)
{
    SPDR = byte;
    spi_wait();
    return SPDR;
}

/* The 74HC165 copy their inputs while load is low. */
INLINED void load_columns(void)
{
    PORTB &= (uint8_t)~_BV(LOAD_BIT);
    PORTB |= _BV(LOAD_BIT);
}

/* The 74HC595 drive the row whose selection was sent last. */
INLINED void select_row(void)
{
    PORTB |= _BV(LATCH_BIT);
    PORTB &= (uint8_t)~_BV(LATCH_BIT);
}

#endif
