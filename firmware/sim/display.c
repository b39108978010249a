/* SPDX-License-Identifier: Apache-2.0
 *
 * An HD44780 text display in four-bit mode, on six pins or behind a PCF8574, and the text it shows.
 *
 * An instruction sent while it is busy is counted: on the table it would be lost.
 * Source: HD44780U data sheet, tables 6 and 13 and figure 24; backpack wiring P0 RS, P1 RW, P2 E, P3 light, P4-7 D4-7.
 */
#include <string.h>

#include "parts.h"

enum { LINE_LENGTH = 40, SECOND_LINE = 0x40 };

static void command(struct sim *sim, uint8_t byte)
{
    struct lcd *lcd = &sim->lcd;
    if (byte & 0x80) {
        lcd->address = byte & 0x7F;
        lcd->in_character_memory = false;
    } else if (byte & 0x40) {
        lcd->in_character_memory = true;
    } else if (byte & 0x20) {
        lcd->four_bit = !(byte & 0x10);
    } else if (byte == 0x01) {
        memset(lcd->memory, ' ', sizeof lcd->memory);
    }
    if (byte == 0x01 || (byte & 0xFE) == 0x02) {
        lcd->address = 0;
        lcd->in_character_memory = false;
    }
}

static void execute(struct sim *sim, bool is_text, uint8_t byte)
{
    struct lcd *lcd = &sim->lcd;
    const bool is_slow = !is_text && byte <= 0x03;
    if (sim->avr->cycle < lcd->ready_at)
        sim->counts.display_too_fast++;
    lcd->ready_at = sim->avr->cycle + (uint64_t)sim->topology.clock_hz / 1000000 * (is_slow ? 1520 : 37);
    if (!is_text) {
        command(sim, byte);
        return;
    }
    if (!lcd->in_character_memory)
        lcd->memory[lcd->address] = byte;
    lcd->address = (lcd->address + 1) & 0x7F;
    if (lcd->address == LINE_LENGTH)
        lcd->address = SECOND_LINE;
    else if (lcd->address == SECOND_LINE + LINE_LENGTH)
        lcd->address = 0;
}

/* The display takes what stands on its data lines when E falls. */
static void strobe(struct sim *sim, bool is_text, uint8_t nibble)
{
    struct lcd *lcd = &sim->lcd;
    if (!lcd->four_bit) {
        execute(sim, is_text, (uint8_t)(nibble << 4));
        lcd->has_first = false;
    } else if (!lcd->has_first) {
        lcd->first_nibble = nibble;
        lcd->has_first = true;
    } else {
        lcd->has_first = false;
        execute(sim, is_text, (uint8_t)(lcd->first_nibble << 4 | nibble));
    }
}

void lcd_expander(struct sim *sim, uint8_t byte)
{
    const uint8_t before = sim->lcd.expander;
    sim->lcd.expander = byte;
    if (before & 0x04 && !(byte & 0x04) && !(before & 0x02))
        strobe(sim, before & 0x01, before >> 4);
}

static bool is_high(const struct sim *sim, int pin)
{
    return sim->avr->data[sim->ports[pin / 8].io->r_port] >> pin % 8 & 1;
}

static void on_enable(struct avr_irq_t *irq, uint32_t value, void *param)
{
    struct sim *sim = param;
    const struct sim_topology *topology = &sim->topology;
    if (value & 1 || !(irq->value & 1))
        return;
    uint8_t nibble = 0;
    for (int bit = 0; bit < 4; bit++)
        nibble |= (uint8_t)(is_high(sim, topology->lcd_data_pin[bit]) << bit);
    strobe(sim, is_high(sim, topology->lcd_rs_pin), nibble);
}

void lcd_attach(struct sim *sim)
{
    watch_pin(sim, sim->topology.lcd_enable_pin, on_enable);
}

void lcd_power_up(struct lcd *lcd)
{
    memset(lcd, 0, sizeof *lcd);
    memset(lcd->memory, ' ', sizeof lcd->memory);
}

void sim_display(struct sim *sim, uint32_t line, char *text, size_t room)
{
    pthread_mutex_lock(&sim->lock);
    const size_t count = room < LINE_LENGTH ? room : LINE_LENGTH;
    memcpy(text, sim->lcd.memory + (line ? SECOND_LINE : 0), count);
    pthread_mutex_unlock(&sim->lock);
}

void sim_display_plug(struct sim *sim, uint8_t address)
{
    pthread_mutex_lock(&sim->lock);
    lcd_power_up(&sim->lcd);
    sim->topology.display_address = address;
    pthread_mutex_unlock(&sim->lock);
}

void sim_display_lose_nibble(struct sim *sim)
{
    pthread_mutex_lock(&sim->lock);
    sim->lcd.has_first = !sim->lcd.has_first;
    pthread_mutex_unlock(&sim->lock);
}
