/* SPDX-License-Identifier: Apache-2.0
 *
 * Persistent configuration of a panel: four settings in two slots, and its unique id.
 *
 * Rule: settings are written only on CONFIG_SAVE, a byte per turn, into the older slot, so that a power cut
 * leaves the old ones intact; unchanged bytes are not written.
 * The id is written once in a panel's life. So is the panel's name, which shows that a program for another board was
 * flashed; only a save replaces it.
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
#define CONFIG_PANEL_ADDRESS 10 /* CRC of the panel's name */
#define CONFIG_SLOT_ADDRESS(slot) ((uint16_t)(16 + 16 * (slot)))
#define CONFIG_SAVE_BYTES (CONFIG_SLOT_BYTES + 2) /* a slot, and the name's CRC */
#define CONFIG_MEMORY 48

enum config_origin { CONFIG_DEFAULT, CONFIG_BLANK, CONFIG_SAVED };

struct config {
    uint8_t debounce_on_ms;
    uint8_t debounce_off_ms;
    uint16_t current_limit_ma;
    uint8_t brightness;
    /* -- not saved as such -- */
    uint8_t generation;
    uint8_t slot;     /* with the newest settings; the next save uses the other */
    uint8_t written;  /* bytes of a save written, CONFIG_SAVE_BYTES when idle */
    uint32_t saves_paid_ms; /* each save costs a minute: until then they are paid for */
    uint8_t image[CONFIG_SLOT_BYTES];
    uint8_t unique_id[8];
    bool is_other_panel; /* the memory names another panel than this program's */
};

/* The name of the panel, as in companion/panels. */
#define CONFIG_NAME_LENGTH ((uint8_t)(sizeof PANEL_NAME - 1))
uint8_t config_name_u8(uint8_t at);

/* Read the newest valid slot, or defaults; and the id, which is created and written if missing. Waits for the memory
 * when it creates the id. CONFIG_DEFAULT means that the stored data was damaged. */
enum config_origin config_init(struct config *c);
/* Returns a LINK_STATUS. */
uint8_t config_get(const struct config *c, uint8_t key, uint16_t *value);
uint8_t config_set(struct config *c, uint8_t key, uint16_t value);

/* False if settings that changed were saved too often: nothing is written then. */
bool config_save(struct config *c, uint32_t now_ms);
/* Continue a save; true while it runs. */
bool config_saving(struct config *c);
/* Finish the save: true if the memory holds the written data; otherwise the older slot stays the newest. */
bool config_saved(struct config *c);

#endif
