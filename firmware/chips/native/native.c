/* SPDX-License-Identifier: Apache-2.0 */
#include "chips/native/native.h"

#include <string.h>

#include "core/cobs.h"
#include "core/crc.h"
#include "core/panel.h"
#include "hal/hal.h"

#define LINE_BYTES 512
#define LED_US 30
#define DISPLAY_MEMORY 0x80
#define MEMORY_BYTES 64

struct fifo {
    uint8_t bytes[LINE_BYTES];
    size_t first, count;
};

static struct panel panel;

/* The state of the hardware that this program simulates. */
static struct {
    uint32_t now_us;
    uint8_t reset_cause;
    uint16_t session;
    bool is_reset;
    uint8_t sensors[SENSOR_BYTES];
    uint16_t buttons;
    struct fifo in, out;
    uint8_t strip[PANEL_LEDS * 3 + 1];
    uint32_t shows;
    uint16_t last_show;
    uint8_t display[DISPLAY_MEMORY];
    uint8_t address;
    uint16_t pitch_hz;
    uint8_t memory[MEMORY_BYTES];
    uint32_t memory_writes;
    int32_t writes_left;
} native;

static bool fifo_put(struct fifo *fifo, uint8_t byte)
{
    if (fifo->count == LINE_BYTES) {
        return false;
    }
    fifo->bytes[(fifo->first + fifo->count++) % LINE_BYTES] = byte;
    return true;
}

static bool fifo_get(struct fifo *fifo, uint8_t *byte)
{
    if (fifo->count == 0) {
        return false;
    }
    *byte = fifo->bytes[fifo->first];
    fifo->first = (fifo->first + 1) % LINE_BYTES;
    fifo->count--;
    return true;
}

/* --- for the programs that drive the panel --- */

void native_unpack(void)
{
    memset(&native, 0, sizeof native);
    memset(native.memory, 0xFF, MEMORY_BYTES);
    memset(native.display, ' ', DISPLAY_MEMORY);
    native.writes_left = -1;
}

void native_start(uint8_t reset_cause)
{
    native.reset_cause = reset_cause;
    native.is_reset = false;
    native.session++;
    native.in.count = 0;
    native.out.count = 0;
    panel_init(&panel, native.now_us);
}

void native_turn(uint32_t passed_us)
{
    native.now_us += passed_us;
    panel_turn(&panel, native.now_us);
    if (native.is_reset) {
        native_start(LINK_RESET_CAUSE_COMMAND);
    }
}

void native_turns(uint32_t count, uint32_t passed_us)
{
    while (count-- > 0) {
        native_turn(passed_us);
    }
}

void native_switch(uint16_t cell, bool is_closed)
{
    uint16_t position = cell;
#ifdef PANEL_CELL_OF_SENSOR
    static const uint16_t cells[SENSOR_POSITIONS] = PANEL_CELL_OF_SENSOR;
    for (position = 0; position < SENSOR_POSITIONS && cells[position] != cell; position++) {
    }
#endif
    if (position >= SENSOR_POSITIONS) {
        return;
    }
    uint16_t row = position / PANEL_SENSOR_COLUMNS, column = position % PANEL_SENSOR_COLUMNS;
    uint16_t sensor = (uint16_t)(row * ROW_BYTES * 8 + column);
    uint8_t mask = (uint8_t)(1u << (sensor & 7u));
    uint8_t *byte = &native.sensors[sensor >> 3];
    *byte = (uint8_t)(is_closed ? *byte | mask : *byte & (uint8_t)~mask);
}

void native_buttons(uint16_t pressed)
{
    native.buttons = pressed;
}

size_t native_feed(const uint8_t *bytes, size_t count)
{
    size_t taken = 0;
    while (taken < count && fifo_put(&native.in, bytes[taken])) {
        taken++;
    }
    return taken;
}

size_t native_take(uint8_t *bytes, size_t room)
{
    size_t taken = 0;
    while (taken < room && fifo_get(&native.out, &bytes[taken])) {
        taken++;
    }
    return taken;
}

size_t native_leds(void)
{
    return PANEL_LEDS;
}

const uint8_t *native_strip(void)
{
    return native.strip;
}

uint32_t native_shows(void)
{
    return native.shows;
}

uint16_t native_last_show(void)
{
    return native.last_show;
}

void native_text(uint8_t line, char *text, size_t room)
{
    static const uint8_t begins[] = {0x00, 0x40, 0x14, 0x54};
    const size_t columns = PANEL_TEXT_COLUMNS;
    size_t count = room - 1 < columns ? room - 1 : columns;
    memcpy(text, &native.display[begins[line & 3u]], count);
    text[count] = 0;
}

uint16_t native_pitch(void)
{
    return native.pitch_hz;
}

uint8_t *native_memory(void)
{
    return native.memory;
}

uint32_t native_memory_writes(void)
{
    return native.memory_writes;
}

void native_break_memory(int32_t writes_left)
{
    native.writes_left = writes_left;
}

/* --- for the core --- */

uint32_t hal_now_us(void)
{
    return native.now_us;
}

void hal_scan(uint8_t *sensors)
{
    memcpy(sensors, native.sensors, SENSOR_BYTES);
}

uint16_t hal_buttons(void)
{
    return native.buttons;
}

bool hal_columns_are_quiet(void)
{
    return true;
}

bool hal_wiring_is_right(void)
{
    return true;
}

void hal_measure_rise(uint8_t row, uint8_t *rise_us)
{
    (void)row;
    (void)rise_us;
}

bool hal_receive(uint8_t *byte)
{
    return fifo_get(&native.in, byte);
}

uint8_t hal_receive_lost(void)
{
    return 0;
}

uint16_t hal_send_room(void)
{
    return (uint16_t)(LINE_BYTES - native.out.count);
}

void hal_send(uint8_t byte)
{
    (void)fifo_put(&native.out, byte);
}

bool hal_send_is_idle(void)
{
    return native.out.count == 0;
}

bool hal_leds_out(const uint8_t *colours, uint16_t count, const uint8_t palette[][3], const struct levels *watched)
{
    for (uint8_t at = 0; watched != NULL && at < SENSOR_BYTES; at++) {
        if (((watched->stable[at] ^ native.sensors[at]) & ~watched->in_burst[at]) != 0) {
            return false;
        }
    }
    for (uint16_t place = 0; place < count; place++) {
        uint8_t pair = colours[place >> 1];
        memcpy(&native.strip[place * 3], palette[(place & 1u) != 0 ? pair >> 4 : pair & 0xFu], 3);
    }
    native.shows++;
    native.last_show = count;
    native.now_us += (uint32_t)count * LED_US;
    return true;
}

bool hal_display_is_ready(void)
{
    return true;
}

void hal_display_put(uint8_t kind, uint8_t byte)
{
    if (kind == DISPLAY_DATA) {
        native.display[native.address++ % DISPLAY_MEMORY] = byte;
    } else if (kind == DISPLAY_COMMAND && (byte & 0x80u) != 0) {
        native.address = byte & 0x7Fu;
    }
}

void hal_tone(uint16_t pitch_hz)
{
    native.pitch_hz = pitch_hz;
}

uint8_t hal_memory_read(uint16_t address)
{
    return native.memory[address % MEMORY_BYTES];
}

bool hal_memory_is_ready(void)
{
    return true;
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    if (native.writes_left == 0) {
        return;
    }
    native.writes_left -= native.writes_left > 0 ? 1 : 0;
    native.memory[address % MEMORY_BYTES] = byte;
    native.memory_writes++;
}

uint8_t hal_reset_cause(void)
{
    return native.reset_cause;
}

uint16_t hal_session(void)
{
    return native.session;
}

uint32_t hal_entropy(void)
{
    static uint32_t seed = 0x1234567u;
    seed = seed * 1664525u + 1013904223u + native.now_us;
    return seed;
}

uint16_t hal_stack_free(void)
{
    return 0;
}

void hal_reset(void)
{
    native.is_reset = true;
}

/* --- the core's own parts, for tests that want them by themselves --- */

uint16_t native_crc(const uint8_t *bytes, uint16_t count);
uint16_t native_crc(const uint8_t *bytes, uint16_t count)
{
    return crc_of(bytes, count);
}

/* put_<message>(struct, out) returns the length; get_<message>(in, length, struct) whether it fitted. */
#define EXPORT(name)                                                                        \
    uint8_t put_##name(const link_##name##_t *m, uint8_t *out);                              \
    uint8_t put_##name(const link_##name##_t *m, uint8_t *out)                               \
    {                                                                                       \
        return (uint8_t)(link_##name##_put(out, m) - out);                                   \
    }                                                                                       \
    bool get_##name(const uint8_t *in, uint8_t length, link_##name##_t *m);                  \
    bool get_##name(const uint8_t *in, uint8_t length, link_##name##_t *m)                   \
    {                                                                                       \
        return link_##name##_get(in, length, m);                                             \
    }
LINK_EACH_HEAD(EXPORT)
