/* SPDX-License-Identifier: Apache-2.0
 *
 * Where everything is soldered. Numbers are those of the chip, GP0 .. GP28; WIRING.md shows the same.
 */
#ifndef PINS_H
#define PINS_H

#include "panel_gen.h"

#define LINE_TX_PIN 0
#define LINE_RX_PIN 1
#define TONE_PIN 18 /* channel A of PWM slice 1 */
#define TONE_SLICE 1
#define LEVER_PIN 19
#define SDA_PIN 20 /* I2C 0 */
#define SCL_PIN 21
#define LED_PIN 22

#if defined(PANEL_WIRING_MATRIX_DIRECT)

/* Rows GP2 .. GP9, columns GP10 .. GP17, buttons GP26 .. GP28. */
#define ROW_PIN 2
#define ROWS_MOST 8
#define COLUMN_PIN 10
#define COLUMNS_MOST 8
#define BUTTON_PINS {26, 27, 28}
#define BUTTONS_MOST 3

#else

/* Shift registers: SCK GP2, MOSI GP3, MISO GP4, latch of the 74HC595 GP5, load of the 74HC165 GP6; buttons GP7 .. GP17,
 * GP26 .. GP28. */
#define SCK_PIN 2
#define MOSI_PIN 3
#define MISO_PIN 4
#define LATCH_PIN 5
#define LOAD_PIN 6
#define BUTTON_PINS {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 26, 27, 28}
#define BUTTONS_MOST 14

#endif

#endif
