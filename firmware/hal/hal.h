/* SPDX-License-Identifier: Apache-2.0
 *
 * Hardware abstraction layer: everything that depends on the chip.
 *
 * Rule: a chip folder implements all of it and gives a chip.h with CHIP_BOARD_KIND, CHIP_MAX_PACKET, CHIP_EDGE_RING,
 * CHIP_BOUNCE_LIST, CHIP_LEDS_STOP_SCANS (1 where hal_leds_out returns when the strip is written, else 0), CHIP_FLASH
 * (attribute of constant tables), chip_flash_u8/u16(&x) and chip_probe(code).
 * No call waits except hal_leds_out, which may return only when the strip is written. hal_reset restarts the program.
 */
#ifndef HAL_H
#define HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "chip.h"
#include "core/sizes.h"

/* Codes of chip_probe: a timing mark for the simulator, one cycle on an AVR, nothing elsewhere. */
enum {
    PROBE_SCAN_BEGIN = 1,
    PROBE_SCAN_END = 2,
    PROBE_RAW_SEEN = 3,     /* a sensor left its debounced level */
    PROBE_DEBOUNCED = 4,    /* an edge was accepted */
    PROBE_EDGES_QUEUED = 5, /* an EDGES packet went into the transmit buffer */
    PROBE_COMMAND = 6,      /* a command begins */
    PROBE_REPLY_QUEUED = 7,
    PROBE_LEDS_BEGIN = 8,
    PROBE_LEDS_END = 9,
};

/* Microseconds since start; wraps. To be called at least every 250 ms. */
uint32_t hal_now_us(void);

/* Closed sensors as bits, row after row, into SENSOR_BYTES bytes. */
void hal_scan(uint8_t *sensors);
/* Pressed buttons as bits 0 .. 14, the lever as bit 15. */
uint16_t hal_buttons(void);
/* False if a column reads closed while no row is driven, where the wiring has rows. */
bool hal_columns_are_quiet(void);
/* False if what answers cannot be the wiring of this panel; the sensors are not driven if that could do harm. */
bool hal_wiring_is_right(void);
/* Raise the entries of `rise_us` for the columns that `row` pulls low to the time they take to rise, at most
 * RISE_LIMIT_US. Does nothing on a chip that cannot measure it. Only where RISE_COLUMNS is not 0. */
#define RISE_LIMIT_US 40
void hal_measure_rise(uint8_t row, uint8_t *rise_us);

bool hal_receive(uint8_t *byte);
/* Bytes lost on the way in since the last call. */
uint8_t hal_receive_lost(void);
uint16_t hal_send_room(void);
void hal_send(uint8_t byte);
bool hal_send_is_idle(void);

/* Debounced inputs, in the order of the raw image; those in a burst may change. */
struct levels {
    uint8_t stable[RAW_BYTES];
    uint8_t in_burst[RAW_BYTES];
};

/* Send `count` LEDs in the order of the strip; a chip may do so in the background, the newest image last. `colours` holds
 * two palette indices a byte, low half first; `palette` the red, green and blue of each index. Bytes that arrive meanwhile
 * must not be lost. A chip with CHIP_LEDS_STOP_SCANS may stop and return false when an input of `watched` changes that is in
 * no burst; NULL: it may not. */
bool hal_leds_out(const uint8_t *colours, uint16_t count, const uint8_t palette[][3], const struct levels *watched);

/* True if the display is ready for a byte. */
bool hal_display_is_ready(void);
/* `kind` is one of: */
enum { DISPLAY_COMMAND, DISPLAY_DATA, DISPLAY_NIBBLE /* the upper half only, for initialisation */ };
void hal_display_put(uint8_t kind, uint8_t byte);

/* Sound a pitch; 0 is silence. */
void hal_tone(uint16_t pitch_hz);

/* Configuration memory of at least CONFIG_MEMORY bytes; blank bytes read 0xFF. */
uint8_t hal_memory_read(uint16_t address);
bool hal_memory_is_ready(void);
void hal_memory_write(uint16_t address, uint8_t byte);

uint8_t hal_reset_cause(void);
/* A number that differs between starts. */
uint16_t hal_session(void);
/* Entropy for a new panel's unique id: noise, a serial number, the session. */
uint32_t hal_entropy(void);
/* Bytes of memory unused since start; 0 if unknown. */
uint16_t hal_stack_free(void);
void hal_reset(void);

#endif
