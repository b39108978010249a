/* SPDX-License-Identifier: Apache-2.0
 *
 * The serial line: UART 0 with a ring each way.
 *
 * Rule: the interrupts move one byte and nothing else. A byte that finds no place is counted. The rings are volatile, bytes
 * and indices: only then does C keep the order in which a byte and its index are stored.
 */
#include <avr/interrupt.h>
#include <util/atomic.h>

#include "chips/avr/avr.h"
#include "hal/hal.h"

/* The 2560 numbers its UARTs. */
#if defined(USART0_RX_vect)
#define LINE_RX_vect USART0_RX_vect
#define LINE_UDRE_vect USART0_UDRE_vect
#else
#define LINE_RX_vect USART_RX_vect
#define LINE_UDRE_vect USART_UDRE_vect
#endif

#ifndef BAUD
#define BAUD LINK_BAUD
#endif
#define DIVIDER ((F_CPU + BAUD * 4ul) / (BAUD * 8ul) - 1) /* double speed, rounded */

_Static_assert((CHIP_LINE_BUFFER & (CHIP_LINE_BUFFER - 1)) == 0 && CHIP_LINE_BUFFER <= 256, "rings use eight bits");
#define NEXT(at) ((uint8_t)((at) + 1u) & (CHIP_LINE_BUFFER - 1))

static volatile struct {
    uint8_t bytes[CHIP_LINE_BUFFER];
    uint8_t write, read;
} in, out;

static volatile uint8_t lost;

void line_init(void)
{
    UBRR0 = DIVIDER;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

static inline void take_byte(void)
{
    uint8_t is_overrun = UCSR0A & _BV(DOR0);
    uint8_t byte = UDR0;
    uint8_t write = in.write;
    uint8_t next = NEXT(write);
    if (next == in.read || is_overrun != 0) {
        lost++;
    }
    if (next != in.read) {
        in.bytes[write] = byte;
        in.write = next;
    }
}

ISR(LINE_RX_vect)
{
    take_byte();
}

ISR(LINE_UDRE_vect)
{
    uint8_t read = out.read;
    if (read == out.write) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
        return;
    }
    UDR0 = out.bytes[read];
    out.read = NEXT(read);
}

void line_poll(void)
{
    if ((UCSR0A & _BV(RXC0)) != 0) {
        take_byte();
    }
}

bool hal_receive(uint8_t *byte)
{
    uint8_t read = in.read;
    if (read == in.write) {
        return false;
    }
    *byte = in.bytes[read];
    in.read = NEXT(read);
    return true;
}

uint8_t hal_receive_lost(void)
{
    if (lost == 0) {
        return 0;
    }
    uint8_t count;
    ATOMIC_BLOCK(ATOMIC_FORCEON)
    {
        count = lost;
        lost = 0;
    }
    return count;
}

uint16_t hal_send_room(void)
{
    return (uint8_t)(out.read - out.write - 1) & (CHIP_LINE_BUFFER - 1u);
}

void hal_send(uint8_t byte)
{
    uint8_t write = out.write;
    out.bytes[write] = byte;
    out.write = NEXT(write);
    ATOMIC_BLOCK(ATOMIC_FORCEON)
    {
        UCSR0A = _BV(U2X0) | _BV(TXC0); /* TXC0 is cleared by a one; the error flags want zeros */
        UCSR0B |= _BV(UDRIE0);
    }
}

bool hal_send_is_idle(void)
{
    return out.read == out.write && (UCSR0A & _BV(TXC0)) != 0;
}
