/* SPDX-License-Identifier: Apache-2.0
 *
 * An HD44780 behind a PCF8574 on the two-wire bus at 100 kHz.
 *
 * Rule: each call moves the bus on by at most one byte. A display that does not answer costs nothing but its bytes.
 * Wiring of the usual backpack: P0 RS, P1 RW, P2 E, P3 backlight, P4 .. P7 data.
 */
#include "chips/avr/avr.h"
#include "hal/hal.h"

#ifndef DISPLAY_ADDRESS
#define DISPLAY_ADDRESS 0x27
#endif
#define BUS_HZ 100000ul

#define RS 0x01u
#define ENABLE 0x04u
#define BACKLIGHT 0x08u

#define STATUS_STARTED 0x08
#define STATUS_ADDRESS_ACK 0x18
#define STATUS_DATA_ACK 0x28

static struct {
    uint8_t bytes[4]; /* still to be sent, last first */
    uint8_t left;
    bool is_running;
} bus;

void display_init(void)
{
    TWBR = (F_CPU / BUS_HZ - 16) / 2;
    TWCR = _BV(TWEN);
}

static void stop(void)
{
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTO);
    bus.is_running = false;
}

bool hal_display_is_ready(void)
{
    if (!bus.is_running) {
        return (TWCR & _BV(TWSTO)) == 0;
    }
    if ((TWCR & _BV(TWINT)) == 0) {
        return false;
    }
    uint8_t status = TWSR & 0xF8u;
    if (status == STATUS_STARTED) {
        TWDR = DISPLAY_ADDRESS << 1;
        TWCR = _BV(TWINT) | _BV(TWEN);
    } else if ((status == STATUS_ADDRESS_ACK || status == STATUS_DATA_ACK) && bus.left > 0) {
        TWDR = bus.bytes[--bus.left];
        TWCR = _BV(TWINT) | _BV(TWEN);
    } else {
        stop();
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
    TWCR = _BV(TWINT) | _BV(TWEN) | _BV(TWSTA);
}
