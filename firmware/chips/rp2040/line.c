/* SPDX-License-Identifier: Apache-2.0
 *
 * The serial line: a ring each way, and behind them UART 0 with its FIFOs, or USB while a program has its port open.
 *
 * Rule: the interrupts move bytes between carriers and rings and nothing else; the main loop masks them while it does the
 * same. A byte from the UART that finds no place is counted; USB sends none before there is room.
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
static volatile bool is_usb;

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

bool line_has_room(uint16_t count)
{
    return ((in.read - in.write - 1u) & (CHIP_LINE_BUFFER - 1)) >= count;
}

void line_take(uint8_t byte)
{
    uint16_t write = in.write;
    in.bytes[write] = byte;
    in.write = NEXT(write);
}

bool line_give(uint8_t *byte)
{
    uint16_t read = out.read;
    if (read == out.write) {
        return false;
    }
    *byte = out.bytes[read];
    out.read = NEXT(read);
    return true;
}

/* What waits was meant for the other one. */
void line_carry(bool over_usb)
{
    if (is_usb != over_usb) {
        is_usb = over_usb;
        out.read = out.write;
    }
}

bool line_is_usb(void)
{
    return is_usb;
}

static void take_bytes(void)
{
    while ((UART_FR & UART_FR_RXFE) == 0) {
        uint32_t word = UART_DR;
        if (is_usb) {
            continue;
        }
        bool has_room = line_has_room(1);
        if (!has_room || (word & UART_OVERRUN) != 0) {
            lost++;
        }
        if (has_room) {
            line_take((uint8_t)word);
        }
    }
}

/* The interrupt for sending comes when the FIFO runs low, so only after it was filled. */
static void give_bytes(void)
{
    uint8_t byte;
    while (!is_usb && (UART_FR & UART_FR_TXFF) == 0 && line_give(&byte)) {
        UART_DR = byte;
    }
    if (is_usb || out.read == out.write) {
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
    usb_turn();
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
    return out.read == out.write && (is_usb ? !usb_is_sending() : (UART_FR & UART_FR_BUSY) == 0);
}
