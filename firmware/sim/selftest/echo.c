/* SPDX-License-Identifier: Apache-2.0
 * Echoes by interrupts. 0x01 first switches interrupts off for one millisecond, so that bytes are overrun.
 * 0x02 reports how often DOR was seen.
 */
#include <avr/interrupt.h>
#include <util/delay.h>

#include "serial.h"

#ifdef USART0_RX_vect
#define USART_RX_vect USART0_RX_vect
#define USART_UDRE_vect USART0_UDRE_vect
#endif

static volatile uint8_t ring[64], head, tail, overruns, orders;

ISR(USART_RX_vect)
{
    if (UCSR0A & _BV(DOR0))
        overruns++;
    const uint8_t byte = UDR0;
    if (byte == 0x01)
        orders = 1;
    ring[head++ & 63] = byte == 0x02 ? overruns : byte;
    UCSR0B |= _BV(UDRIE0);
}

ISR(USART_UDRE_vect)
{
    if (head == tail)
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
    else
        UDR0 = ring[tail++ & 63];
}

int main(void)
{
    serial_open();
    UCSR0B |= _BV(RXCIE0);
    sei();
    for (;;) {
        if (!orders)
            continue;
        cli();
        orders = 0;
        _delay_ms(1);
        sei();
    }
}
