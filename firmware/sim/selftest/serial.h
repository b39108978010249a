/* SPDX-License-Identifier: Apache-2.0
 * The polled serial line that the self-test programs share: 250000 baud.
 */
#ifndef SELFTEST_SERIAL_H
#define SELFTEST_SERIAL_H

#include <avr/io.h>

static inline void serial_open(void)
{
    UBRR0L = 7;
    UCSR0A = _BV(U2X0);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

static inline void serial_put(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

static inline uint8_t serial_get(void)
{
    while (!(UCSR0A & _BV(RXC0)))
        ;
    return UDR0;
}

#endif
