/* SPDX-License-Identifier: Apache-2.0
 *
 * Buttons and the clock's lever; all close to ground.
 */
#include "chips/rp2040/pins.h"
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "hal/hal.h"

#if PANEL_BUTTONS > BUTTONS_MOST
#error "this panel has more buttons than this wiring leaves pins for"
#endif

static const uint8_t button_pins[BUTTONS_MOST] = BUTTON_PINS;

void buttons_init(void)
{
    for (uint8_t button = 0; button < PANEL_BUTTONS; button++) {
        pin_function(button_pins[button], FUNCTION_SIO, PAD_PULL_UP);
    }
    pin_function(LEVER_PIN, FUNCTION_SIO, PAD_PULL_UP);
}

uint16_t hal_buttons(void)
{
    uint32_t levels = SIO_GPIO_IN;
    uint16_t pressed = 0;
    for (uint8_t button = 0; button < PANEL_BUTTONS; button++) {
        if ((levels >> button_pins[button] & 1u) == 0) {
            pressed = (uint16_t)(pressed | 1u << button);
        }
    }
    if (PANEL_LEVER && (levels >> LEVER_PIN & 1u) == 0) {
        pressed |= 0x8000u;
    }
    return pressed;
}
