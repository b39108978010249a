/* SPDX-License-Identifier: Apache-2.0
 *
 * A passive buzzer: a PWM slice gives the square wave by itself.
 */
#include "chips/rp2040/pins.h"
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "hal/hal.h"

void tone_init(void)
{
    pin_function(TONE_PIN, FUNCTION_PWM, PAD_PLAIN);
}

void hal_tone(uint16_t pitch_hz)
{
    PWM_CSR(TONE_SLICE) = 0;
    PWM_CTR(TONE_SLICE) = 0;
    if (pitch_hz == 0) {
        pin_function(TONE_PIN, FUNCTION_SIO, PAD_PLAIN); /* an input, pulled down by nothing but the buzzer */
        return;
    }
    uint32_t divider = SYS_HZ / (pitch_hz * 65536ul) + 1;
    uint32_t counts = SYS_HZ / divider / pitch_hz;
    PWM_DIV(TONE_SLICE) = divider << 4;
    PWM_TOP(TONE_SLICE) = counts - 1;
    PWM_CC(TONE_SLICE) = counts / 2;
    pin_function(TONE_PIN, FUNCTION_PWM, PAD_PLAIN);
    PWM_CSR(TONE_SLICE) = 1;
}
