/* SPDX-License-Identifier: Apache-2.0
 *
 * The serial line: UART 0 with its FIFOs, and a ring each way behind them.
 *
 * Rule: the interrupt moves bytes between FIFOs and rings and nothing else; the main loop masks it while it does the same.
 * A byte that finds no place is counted.
 */
#include "chips/rp2040/pins.h"
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "hal/hal.h"

#define DIVIDER ((SYS_HZ * 4 + LINK_BAUD / 2) / LINK_BAUD) /* in 64ths of the sixteenth of a bit */

_Static_assert((CHIP_LINE_BUFFER & (CHIP_LINE_BUFFER - 1)) == 0, "rings wrap by a mask");
#define NEXT(at) ((uint16_t)(((at) + 1u) & (CHIP_LINE_BUFFER - 1)))

static volatile struct {
    uint8_t bytes[CHIP_LINE_BUFFER];
    uint16_t write, read;
} in, out;

static volatile uint8_t lost;

void line_init(void)
{
    pin_function(LINE_TX_PIN, FUNCTION_UART, PAD_PLAIN);
    pin_function(LINE_RX_PIN, FUNCTION_UART, PAD_PULL_UP);
    UART_IBRD = DIVIDER >> 6;
    UART_FBRD = DIVIDER & 63u;
    UART_LCR_H = UART_EIGHT_BITS | UART_FIFOS;
    UART_IFLS = 0; /* at four bytes received, and at four left to send */
    UART_CR = UART_ON;
    UART_IMSC = UART_RX | UART_RX_TIMEOUT;
}

static inline void mask(void)
{
    __asm__ volatile("cpsid i" ::: "memory");
}

static inline void unmask(void)
{
    __asm__ volatile("cpsie i" ::: "memory");
}

static void take_bytes(void)
{
    while ((UART_FR & UART_FR_RXFE) == 0) {
        uint32_t word = UART_DR;
        uint16_t write = in.write, next = NEXT(write);
        if (next == in.read || (word & UART_OVERRUN) != 0) {
            lost++;
        }
        if (next != in.read) {
            in.bytes[write] = (uint8_t)word;
            in.write = next;
        }
    }
}

/* The interrupt for sending comes when the FIFO runs low, so only after it was filled. */
static void give_bytes(void)
{
    uint16_t read = out.read;
    while (read != out.write && (UART_FR & UART_FR_TXFF) == 0) {
        UART_DR = out.bytes[read];
        read = NEXT(read);
    }
    out.read = read;
    if (read == out.write) {
        CLEAR_BITS(UART_IMSC) = UART_TX;
    } else {
        SET_BITS(UART_IMSC) = UART_TX;
    }
}

void line_interrupt(void)
{
    UART_ICR = UART_RX | UART_RX_TIMEOUT | UART_TX;
    take_bytes();
    give_bytes();
}

void line_poll(void)
{
    mask();
    take_bytes();
    give_bytes();
    unmask();
}

bool hal_receive(uint8_t *byte)
{
    uint16_t read = in.read;
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
    mask();
    uint8_t count = lost;
    lost = 0;
    unmask();
    return count;
}

uint16_t hal_send_room(void)
{
    return (uint16_t)((out.read - out.write - 1u) & (CHIP_LINE_BUFFER - 1));
}

/* Sent at the end of the turn, or by the interrupt. */
void hal_send(uint8_t byte)
{
    uint16_t write = out.write;
    out.bytes[write] = byte;
    out.write = NEXT(write);
}

bool hal_send_is_idle(void)
{
    return out.read == out.write && (UART_FR & UART_FR_BUSY) == 0;
}
