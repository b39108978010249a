/* SPDX-License-Identifier: Apache-2.0
 * Says at every start: 'B', the cause of the reset, a byte of SRAM that no start-up code clears (and counts it up).
 * 'W' hangs until the watchdog (60 ms) bites, 'V' shortens it from 500 to 15 ms. 'E' counts up EEPROM byte 5 and says its new value.
 */
#include <avr/eeprom.h>
#include <avr/wdt.h>

#include "serial.h"

static uint8_t lives __attribute__((section(".noinit")));
static uint8_t cause __attribute__((section(".noinit")));

void keep_cause(void) __attribute__((naked, used, section(".init3")));
void keep_cause(void)
{
    cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

int main(void)
{
    serial_open();
    serial_put('B');
    serial_put(cause);
    serial_put(lives++);
    for (;;) {
        const uint8_t order = serial_get();
        if (order == 'W' || order == 'V') {
            wdt_enable(order == 'W' ? WDTO_60MS : WDTO_500MS);
            if (order == 'V')
                wdt_enable(WDTO_15MS);
            for (;;)
                ;
        }
        const uint8_t value = (uint8_t)(eeprom_read_byte((const uint8_t *)5) + 1);
        eeprom_write_byte((uint8_t *)5, value);
        serial_put(eeprom_read_byte((const uint8_t *)5));
    }
}
