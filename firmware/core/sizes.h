/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes that follow from the panel and the chip. panel_gen.h comes from companion/panels/<name>.toml.
 */
#ifndef CORE_SIZES_H
#define CORE_SIZES_H

#include "chip.h"
#include "panel_gen.h"
#include "protocol_gen.h"

#define FIRMWARE_MAJOR 1
#define FIRMWARE_MINOR 1
#define FIRMWARE_PATCH 0

/* The raw image: a bit a sensor, each row beginning with a new byte. */
#define ROW_BYTES ((PANEL_SENSOR_COLUMNS + 7) / 8)
#define SENSOR_BYTES (PANEL_SENSOR_ROWS * ROW_BYTES)
/* Bits of a row's last byte that are sensors. */
#define LAST_COLUMNS (0xFF >> (ROW_BYTES * 8 - PANEL_SENSOR_COLUMNS))
/* Bytes that a matrix on shift registers exchanges for a row: the selection of one goes out, the columns of another come in. */
#define SELECT_BYTES ((PANEL_SENSOR_ROWS + 7) / 8)
#define SHIFTS (ROW_BYTES > SELECT_BYTES ? ROW_BYTES : SELECT_BYTES)
#define SENSOR_POSITIONS (PANEL_SENSOR_ROWS * PANEL_SENSOR_COLUMNS)
/* Behind the sensors two bytes of buttons and lever share the debouncing. */
#define RAW_BYTES (SENSOR_BYTES + 2)

#define NO_ROW 0xFF
/* Columns whose rise can be measured: those of a matrix. */
#if defined(PANEL_WIRING_MATRIX_DIRECT) || defined(PANEL_WIRING_MATRIX_SHIFT)
#define RISE_COLUMNS PANEL_SENSOR_COLUMNS
#else
#define RISE_COLUMNS 0
#endif

#define CELL_BYTES ((PANEL_CELLS + 7) / 8)
#define STATE_BYTES (CELL_BYTES + 2)

#define COLOUR_BYTES (PANEL_LEDS ? (PANEL_LEDS + 1) / 2 : 1)
#define TEXT_CELLS (PANEL_TEXT_LINES * PANEL_TEXT_COLUMNS)

#if PANEL_CELLS > LINK_MAX_CELLS || PANEL_BUTTONS > LINK_MAX_BUTTONS || SENSOR_BYTES > 255
#error "this panel has more inputs than the link can name"
#endif

#endif
