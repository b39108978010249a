/* SPDX-License-Identifier: Apache-2.0
 *
 * An HD44780 behind a PCF8574 on the two-wire bus at 100 kHz.
 *
 * Rule: each call moves the bus on by at most one byte, or one level while it is freed. A display that does not answer
 * costs nothing but its bytes.
 * Wiring of the usual backpack: P0 RS, P1 RW, P2 E, P3 backlight, P4 .. P7 data.
 */
#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
#include "hal/hal.h"

#ifndef DISPLAY_ADDRESS
#define DISPLAY_ADDRESS 0x27
#endif
#define BUS_HZ 100000ul

#define RS 0x01u
#define ENABLE 0x04u
#define BACKLIGHT 0x08u

#define STATUS_ERROR 0x00
#define STATUS_STARTED 0x08
#define STATUS_ADDRESS_ACK 0x18
#define STATUS_DATA_ACK 0x28
#define STATUS_ARBITRATION_LOST 0x38

/* A chip that was reset in mid-byte may hold SDA low, and wants up to nine clocks to let go; then comes a stop. */
#define CLOCK_STEPS 18 /* SCL low, SCL high, nine times */
#define STUCK_COUNTS (5000 / 4) /* of TCNT1: a byte takes 90 us */

static struct {
    uint8_t bytes[4]; /* still to be sent, last first */
    uint8_t left;
    uint8_t freeing; /* steps left until the bus is free */
    bool is_running;
    uint16_t since; /* TCNT1 at the last command to the bus */
} bus;

/* A line is low while its pin is an output, and else pulled up. */
static void pull(uint8_t bit, bool is_low)
{
    BUS_DDR = (uint8_t)(is_low ? BUS_DDR | _BV(bit) : BUS_DDR & (uint8_t)~_BV(bit));
}

static void command(uint8_t bits)
{
    TWCR = (uint8_t)(_BV(TWINT) | _BV(TWEN) | bits);
    bus.since = TCNT1;
}

static void free_bus(void)
{
    TWCR = 0;
    bus.is_running = false;
    bus.freeing = CLOCK_STEPS + 4;
}

static void free_step(void)
{
    bus.freeing--;
    switch (bus.freeing) {
    case 2:
        pull(SDA_BIT, true);
        break;
    case 0:
        pull(SDA_BIT, false);
        TWCR = _BV(TWEN);
        break;
    default:
        pull(SCL_BIT, (bus.freeing & 1u) != 0);
        break;
    }
}

void display_init(void)
{
    TWBR = (F_CPU / BUS_HZ - 16) / 2;
    free_bus();
}

static bool is_stuck(void)
{
    return (uint16_t)(TCNT1 - bus.since) >= STUCK_COUNTS;
}

/* The last command is done: give the next one. */
static void go_on(void)
{
    uint8_t status = TWSR & 0xF8u;
    if (status == STATUS_STARTED) {
        TWDR = DISPLAY_ADDRESS << 1;
        command(0);
    } else if ((status == STATUS_ADDRESS_ACK || status == STATUS_DATA_ACK) && bus.left > 0) {
        TWDR = bus.bytes[--bus.left];
        command(0);
    } else if (status == STATUS_ARBITRATION_LOST || status == STATUS_ERROR) {
        free_bus();
    } else {
        command(_BV(TWSTO));
        bus.is_running = false;
    }
}

bool hal_display_is_ready(void)
{
    if (bus.freeing != 0) {
        free_step();
        return false;
    }
    uint8_t control = TWCR;
    if (!bus.is_running && (control & _BV(TWSTO)) == 0) {
        return true;
    }
    if (bus.is_running && (control & _BV(TWINT)) != 0) {
        go_on();
    } else if (is_stuck()) {
        free_bus();
    }
    return false;
}

void hal_display_put(uint8_t kind, uint8_t byte)
{
    uint8_t lines = BACKLIGHT | (kind == DISPLAY_DATA ? RS : 0u);
    uint8_t upper = (uint8_t)((byte & 0xF0u) | lines), lower = (uint8_t)((uint8_t)(byte << 4) | lines);
    bus.left = 0;
    if (kind != DISPLAY_NIBBLE) {
        bus.bytes[bus.left++] = lower;
        bus.bytes[bus.left++] = lower | ENABLE;
    }
    bus.bytes[bus.left++] = upper;
    bus.bytes[bus.left++] = upper | ENABLE;
    bus.is_running = true;
    command(_BV(TWSTA));
}
