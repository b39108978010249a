/* SPDX-License-Identifier: Apache-2.0
 *
 * An HD44780 behind a PCF8574 on the two-wire bus at 100 kHz.
 *
 * Rule: no call waits; the bus sends what lies in its FIFO by itself. A display that does not answer costs nothing.
 * Wiring of the usual backpack: P0 RS, P1 RW, P2 E, P3 backlight, P4 .. P7 data.
 */
#include "chips/rp2040/pins.h"
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "hal/hal.h"

#ifndef DISPLAY_ADDRESS
#define DISPLAY_ADDRESS 0x27
#endif

#define RS 0x01u
#define ENABLE 0x04u
#define BACKLIGHT 0x08u

/* A chip that was reset in mid-byte may hold SDA low, and wants up to nine clocks to let go; then comes a stop. */
#define CLOCK_STEPS 18 /* SCL low, SCL high, nine times */
#define STUCK_US 5000 /* four bytes take 360 */

static struct {
    uint8_t freeing; /* steps left until the bus is free */
    uint32_t since_us;
} bus;

/* A line is low while its pin is an output, and else pulled up. */
static void pull(uint8_t pin, bool is_low)
{
    if (is_low) {
        SIO_GPIO_OE_SET = BIT(pin);
    } else {
        SIO_GPIO_OE_CLR = BIT(pin);
    }
}

static void free_bus(void)
{
    I2C_ENABLE = 0;
    pin_function(SDA_PIN, FUNCTION_SIO, PAD_PULL_UP);
    pin_function(SCL_PIN, FUNCTION_SIO, PAD_PULL_UP);
    bus.freeing = CLOCK_STEPS + 4;
}

static void start_bus(void)
{
    pin_function(SDA_PIN, FUNCTION_I2C, PAD_PULL_UP);
    pin_function(SCL_PIN, FUNCTION_I2C, PAD_PULL_UP);
    I2C_CON = I2C_MASTER_100KHZ;
    I2C_TAR = DISPLAY_ADDRESS;
    I2C_SS_SCL_HCNT = 225;
    I2C_SS_SCL_LCNT = 240;
    I2C_SDA_HOLD = 15; /* 0.3 us */
    I2C_ENABLE = 1;
}

static void free_step(void)
{
    bus.freeing--;
    switch (bus.freeing) {
    case 2:
        pull(SDA_PIN, true);
        break;
    case 0:
        pull(SDA_PIN, false);
        start_bus();
        break;
    default:
        pull(SCL_PIN, (bus.freeing & 1u) != 0);
        break;
    }
}

void display_init(void)
{
    SIO_GPIO_OUT_CLR = BIT(SDA_PIN) | BIT(SCL_PIN);
    free_bus();
}

bool hal_display_is_ready(void)
{
    if (bus.freeing != 0) {
        free_step();
        return false;
    }
    if ((I2C_RAW_INTR_STAT & I2C_TX_ABRT) != 0) {
        (void)I2C_CLR_TX_ABRT; /* nobody answered; the FIFO is empty again */
    }
    uint32_t status = I2C_STATUS;
    if ((status & I2C_STATUS_ACTIVE) == 0 && (status & I2C_STATUS_TFE) != 0) {
        return true;
    }
    if (hal_now_us() - bus.since_us >= STUCK_US) {
        free_bus();
    }
    return false;
}

void hal_display_put(uint8_t kind, uint8_t byte)
{
    uint32_t lines = BACKLIGHT | (kind == DISPLAY_DATA ? RS : 0u);
    uint32_t upper = (byte & 0xF0u) | lines, lower = (uint8_t)(byte << 4) | lines;
    I2C_DATA_CMD = upper | ENABLE;
    if (kind == DISPLAY_NIBBLE) {
        I2C_DATA_CMD = upper | I2C_STOP;
    } else {
        I2C_DATA_CMD = upper;
        I2C_DATA_CMD = lower | ENABLE;
        I2C_DATA_CMD = lower | I2C_STOP;
    }
    bus.since_us = hal_now_us();
}
