/* SPDX-License-Identifier: Apache-2.0
 *
 * A passive buzzer on OC2B: timer 2 toggles the pin by itself.
 */
#include "chips/avr/avr.h"
#include "chips/avr/pins.h"
#include "hal/hal.h"

void tone_init(void)
{
    TONE_DDR |= _BV(TONE_BIT);
}

void hal_tone(uint16_t pitch_hz)
{
    /* Prescalers of timer 2 as shifts, for CS2 = 1 .. 7. */
    static const uint8_t shifts[] CHIP_FLASH = {0, 3, 5, 6, 7, 8, 10};
    if (pitch_hz == 0) {
        TCCR2A = 0;
        TCCR2B = 0;
        return;
    }
    uint32_t half_cycles = F_CPU / 2 / pitch_hz;
    uint8_t clock = 0;
    while (clock < 6 && half_cycles >> chip_flash_u8(&shifts[clock]) > 256) {
        clock++;
    }
    OCR2A = (uint8_t)((half_cycles >> chip_flash_u8(&shifts[clock])) - 1);
    OCR2B = OCR2A;
    TCNT2 = 0;
    TCCR2A = _BV(COM2B0) | _BV(WGM21); /* toggle OC2B, count to OCR2A */
    TCCR2B = (uint8_t)(clock + 1);
}
