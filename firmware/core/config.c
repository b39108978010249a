/* SPDX-License-Identifier: Apache-2.0 */
#include "core/config.h"

#include <string.h>

#include "core/crc.h"
#include "hal/hal.h"

#define PAYLOAD_AT 3
#define CRC_AT (CONFIG_SLOT_BYTES - 2)
#define LONGEST_DEBOUNCE_MS 50
#define LEAST_CURRENT_MA 20
#define MOST_CURRENT_MA 20000
/* A slot bears 100 000 writes: a host that saves in a loop is refused after a few, and may then save once a minute. */
#define SAVE_MS 60000ul
#define SAVES_AT_ONCE 20

static void defaults(struct config *c)
{
    c->debounce_on_ms = PANEL_DEBOUNCE_ON_MS;
    c->debounce_off_ms = PANEL_DEBOUNCE_OFF_MS;
    c->current_limit_ma = PANEL_CURRENT_LIMIT_MA;
    c->brightness = 255;
}

static void read_bytes(uint16_t address, uint8_t *bytes, uint8_t count)
{
    for (uint8_t at = 0; at < count; at++) {
        bytes[at] = hal_memory_read((uint16_t)(address + at));
    }
}

static bool is_blank(const uint8_t *bytes, uint8_t count)
{
    for (uint8_t at = 0; at < count; at++) {
        if (bytes[at] != 0xFF) {
            return false;
        }
    }
    return true;
}

static bool ends_in_crc(const uint8_t *bytes, uint8_t count)
{
    uint16_t crc = 0;
    (void)link_get_u16(bytes + count - 2, &crc);
    return crc == crc_of(bytes, (uint16_t)(count - 2));
}

/* True if an image is a slot of this firmware with valid settings; `c` then holds them. */
static bool load(struct config *c, const uint8_t *image)
{
    if (image[0] != CONFIG_MAGIC || image[1] != CONFIG_VERSION || !ends_in_crc(image, CONFIG_SLOT_BYTES)) {
        return false;
    }
    const uint8_t *in = image + PAYLOAD_AT;
    uint16_t limit_ma = 0;
    bool is_lawful = config_set(c, LINK_CONFIG_KEY_DEBOUNCE_ON_MS, in[0]) == LINK_STATUS_OK;
    is_lawful = config_set(c, LINK_CONFIG_KEY_DEBOUNCE_OFF_MS, in[1]) == LINK_STATUS_OK && is_lawful;
    (void)link_get_u16(in + 2, &limit_ma);
    is_lawful = config_set(c, LINK_CONFIG_KEY_CURRENT_LIMIT_MA, limit_ma) == LINK_STATUS_OK && is_lawful;
    c->brightness = in[4];
    return is_lawful;
}

uint8_t config_name_u8(uint8_t at)
{
    static const char name[] CHIP_FLASH = PANEL_NAME;
    return chip_flash_u8(&name[at]);
}

/* Never that of blank memory. */
static uint16_t name_crc(void)
{
    uint16_t crc = CRC_BEGIN;
    for (uint8_t at = 0; at < CONFIG_NAME_LENGTH; at++) {
        crc = crc_add(crc, config_name_u8(at));
    }
    return crc == 0xFFFF ? 0 : crc;
}

static void write_byte(uint16_t address, uint8_t byte)
{
    while (!hal_memory_is_ready()) {
    }
    hal_memory_write(address, byte);
}

/* A new panel gets the name of its first program. */
static void compare_name(struct config *c)
{
    uint8_t bytes[2];
    uint16_t stored = 0, crc = name_crc();
    read_bytes(CONFIG_PANEL_ADDRESS, bytes, 2);
    (void)link_get_u16(bytes, &stored);
    if (stored == 0xFFFF) {
        write_byte(CONFIG_PANEL_ADDRESS, (uint8_t)crc);
        write_byte(CONFIG_PANEL_ADDRESS + 1, (uint8_t)(crc >> 8));
    } else {
        c->is_other_panel = stored != crc;
    }
}

/* A new panel gets its id from data that differ between chips. */
static void make_id(struct config *c)
{
    uint8_t bytes[10];
    for (uint8_t word = 0; word < 4; word++) {
        uint32_t noise = hal_entropy();
        (void)link_put_u16(&bytes[word * 2], (uint16_t)(noise ^ noise >> 16));
    }
    (void)link_put_u16(&bytes[8], crc_of(bytes, 8));
    for (uint8_t at = 0; at < sizeof bytes; at++) {
        write_byte((uint16_t)(CONFIG_ID_ADDRESS + at), bytes[at]);
    }
    memcpy(c->unique_id, bytes, 8);
}

enum config_origin config_init(struct config *c)
{
    uint8_t bytes[CONFIG_SLOT_BYTES];
    enum config_origin origin = CONFIG_BLANK;
    memset(c, 0, sizeof *c);
    c->written = CONFIG_SAVE_BYTES;
    defaults(c);
    for (uint8_t slot = 0; slot < 2; slot++) {
        struct config found = *c;
        read_bytes(CONFIG_SLOT_ADDRESS(slot), bytes, CONFIG_SLOT_BYTES);
        if (!load(&found, bytes)) {
            origin = origin == CONFIG_SAVED || is_blank(bytes, sizeof bytes) ? origin : CONFIG_DEFAULT;
        } else if (origin != CONFIG_SAVED || (int8_t)(bytes[2] - c->generation) > 0) {
            found.generation = bytes[2];
            found.slot = slot;
            *c = found;
            origin = CONFIG_SAVED;
        }
    }
    read_bytes(CONFIG_ID_ADDRESS, bytes, 10);
    memcpy(c->unique_id, bytes, 8);
    if (!ends_in_crc(bytes, 10)) {
        make_id(c);
    }
    compare_name(c);
    return origin;
}

uint8_t config_get(const struct config *c, uint8_t key, uint16_t *value)
{
    switch (key) {
    case LINK_CONFIG_KEY_DEBOUNCE_ON_MS:
        *value = c->debounce_on_ms;
        return LINK_STATUS_OK;
    case LINK_CONFIG_KEY_DEBOUNCE_OFF_MS:
        *value = c->debounce_off_ms;
        return LINK_STATUS_OK;
    case LINK_CONFIG_KEY_CURRENT_LIMIT_MA:
        *value = c->current_limit_ma;
        return LINK_STATUS_OK;
    case LINK_CONFIG_KEY_BRIGHTNESS:
        *value = c->brightness;
        return LINK_STATUS_OK;
    default:
        return LINK_STATUS_BAD_ARGUMENT;
    }
}

static bool is_within(uint16_t value, uint16_t least, uint16_t most)
{
    return value >= least && value <= most;
}

uint8_t config_set(struct config *c, uint8_t key, uint16_t value)
{
    if (key == LINK_CONFIG_KEY_DEBOUNCE_ON_MS && is_within(value, 1, LONGEST_DEBOUNCE_MS)) {
        c->debounce_on_ms = (uint8_t)value;
    } else if (key == LINK_CONFIG_KEY_DEBOUNCE_OFF_MS && is_within(value, 1, LONGEST_DEBOUNCE_MS)) {
        c->debounce_off_ms = (uint8_t)value;
    } else if (key == LINK_CONFIG_KEY_CURRENT_LIMIT_MA && is_within(value, LEAST_CURRENT_MA, MOST_CURRENT_MA)) {
        c->current_limit_ma = value;
    } else if (key == LINK_CONFIG_KEY_BRIGHTNESS && value <= 255) {
        c->brightness = (uint8_t)value;
    } else {
        return LINK_STATUS_BAD_ARGUMENT;
    }
    return LINK_STATUS_OK;
}

/* True if the newest slot already holds these settings. */
static bool is_unchanged(const struct config *c)
{
    struct config found;
    uint8_t bytes[CONFIG_SLOT_BYTES];
    read_bytes(CONFIG_SLOT_ADDRESS(c->slot), bytes, CONFIG_SLOT_BYTES);
    return load(&found, bytes) && found.debounce_on_ms == c->debounce_on_ms &&
           found.debounce_off_ms == c->debounce_off_ms && found.current_limit_ma == c->current_limit_ma &&
           found.brightness == c->brightness;
}

static bool may_write(struct config *c, uint32_t now_ms)
{
    uint32_t left_ms = c->saves_paid_ms - now_ms;
    if (left_ms > SAVES_AT_ONCE * SAVE_MS) {
        left_ms = 0; /* long past */
    }
    if (left_ms > (SAVES_AT_ONCE - 1) * SAVE_MS) {
        return false;
    }
    c->saves_paid_ms = now_ms + left_ms + SAVE_MS;
    return true;
}

bool config_save(struct config *c, uint32_t now_ms)
{
    if (is_unchanged(c)) {
        read_bytes(CONFIG_SLOT_ADDRESS(c->slot), c->image, CONFIG_SLOT_BYTES);
        c->written = CONFIG_SLOT_BYTES;
        return true;
    }
    if (!may_write(c, now_ms)) {
        return false;
    }
    c->slot ^= 1u;
    c->generation++;
    uint8_t *out = c->image;
    out = link_put_u8(out, CONFIG_MAGIC);
    out = link_put_u8(out, CONFIG_VERSION);
    out = link_put_u8(out, c->generation);
    out = link_put_u8(out, c->debounce_on_ms);
    out = link_put_u8(out, c->debounce_off_ms);
    out = link_put_u16(out, c->current_limit_ma);
    out = link_put_u8(out, c->brightness);
    (void)link_put_u16(out, crc_of(c->image, CRC_AT));
    c->written = 0;
    return true;
}

bool config_saving(struct config *c)
{
    while (c->written < CONFIG_SAVE_BYTES && hal_memory_is_ready()) {
        bool is_slot = c->written < CONFIG_SLOT_BYTES;
        uint8_t at = is_slot ? c->written : (uint8_t)(c->written - CONFIG_SLOT_BYTES);
        uint16_t address = (uint16_t)((is_slot ? CONFIG_SLOT_ADDRESS(c->slot) : CONFIG_PANEL_ADDRESS) + at);
        uint8_t byte = (uint8_t)(is_slot ? c->image[at] : name_crc() >> (8 * at));
        c->written++;
        if (hal_memory_read(address) != byte) {
            hal_memory_write(address, byte);
        }
    }
    return c->written < CONFIG_SAVE_BYTES || !hal_memory_is_ready();
}

bool config_saved(struct config *c)
{
    uint8_t bytes[CONFIG_SLOT_BYTES];
    read_bytes(CONFIG_SLOT_ADDRESS(c->slot), bytes, CONFIG_SLOT_BYTES);
    if (memcmp(bytes, c->image, CONFIG_SLOT_BYTES) == 0) {
        c->is_other_panel = false;
        return true;
    }
    c->slot ^= 1u;
    c->generation--;
    return false;
}
