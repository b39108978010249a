/* SPDX-License-Identifier: Apache-2.0
 *
 * What a panel remembers over a power cut: four settings in two slots, and its unique id.
 *
 * Rule: settings are written only on CONFIG_SAVE, a byte a turn, into the slot that does not hold the newest, so
 * that a cut in the middle leaves the old ones; bytes that are right already are not written again.
 * The id is written once in a panel's life.
 */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sizes.h"

#define CONFIG_MAGIC 0x43 /* 'C' */
#define CONFIG_VERSION 1
#define CONFIG_SLOT_BYTES 10 /* magic, version, generation, five of settings, CRC */
#define CONFIG_ID_ADDRESS 0
#define CONFIG_SLOT_ADDRESS(slot) ((uint16_t)(16 + 16 * (slot)))
#define CONFIG_MEMORY 48

enum config_origin { CONFIG_DEFAULT, CONFIG_BLANK, CONFIG_SAVED };

struct config {
    uint8_t debounce_on_ms;
    uint8_t debounce_off_ms;
    uint16_t current_limit_ma;
    uint8_t brightness;
    /* -- not saved as such -- */
    uint8_t generation;
    uint8_t slot;     /* that holds the newest; the next save takes the other */
    uint8_t written;  /* bytes of a save done, CONFIG_SLOT_BYTES when none runs */
    uint8_t image[CONFIG_SLOT_BYTES];
    uint8_t unique_id[8];
};

/* Read the newest good slot, or defaults; and the id, made and written if there is none. Waits for the memory when
 * it makes the id. CONFIG_DEFAULT says that there was something, and it was damaged. */
enum config_origin config_init(struct config *c);
/* Returns a LINK_STATUS. */
uint8_t config_get(const struct config *c, uint8_t key, uint16_t *value);
uint8_t config_set(struct config *c, uint8_t key, uint16_t value);

void config_save(struct config *c);
/* Carry a save on; true while it runs. */
bool config_saving(struct config *c);
/* The save is over: true if the memory holds what was written; else the older slot stays the newest. */
bool config_saved(struct config *c);

#endif
