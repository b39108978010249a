/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"

#include <string.h>

#include "core/bits.h"
#include "hal/hal.h"

#if TEXT_CELLS == 0 /* no display */

void text_init(struct text *text, uint16_t now_ms)
{
    memset(text, 0, sizeof *text);
    text->wait_from_ms = now_ms;
}

bool text_set(struct text *text, uint8_t line, const uint8_t *utf8, uint8_t length)
{
    (void)text, (void)line, (void)utf8, (void)length;
    return false;
}

void text_turn(struct text *text, uint16_t now_ms)
{
    (void)text, (void)now_ms;
}

#else

#define ADDRESS_FIRST 0xFFu

/* Characters of an HD44780 with character ROM A00 beyond ASCII, which it has except for \ and ~. */
static const struct {
    uint16_t letter;
    uint8_t drawn;
} letters[] CHIP_FLASH = {
    {'\\', '/'},     {'~', '-'},      {0x00A0, ' '},   {0x00B0, 0xDF},  {0x00B5, 0xE4}, {0x00B7, 0xA5},
    {0x00C4, 0xE1},  {0x00D6, 0xEF},  {0x00D7, 'x'},   {0x00DC, 0xF5},  {0x00DF, 0xE2}, {0x00E4, 0xE1},
    {0x00E8, 'e'},   {0x00E9, 'e'},   {0x00F1, 0xEE},  {0x00F6, 0xEF},  {0x00F7, 0xFD}, {0x00FC, 0xF5},
    {0x2013, '-'},   {0x2014, '-'},   {0x2018, '\''},  {0x2019, '\''},  {0x201C, '"'},  {0x201D, '"'},
    {0x2026, '.'},   {0x2190, 0x7F},  {0x2192, 0x7E},
};

/* Data sheet, "initialising by instruction": three times eight bits, then four; two lines; home, which undoes a shift;
 * on. It is not cleared, because all lines are drawn afterwards, and this is done again and again while it is in use: a
 * display that was plugged in later or has lost half a byte shows the text then. */
static const struct {
    uint8_t kind;
    uint8_t byte;
    uint8_t then_wait_ms;
} waking[] CHIP_FLASH = {
    {DISPLAY_NIBBLE, 0x30, 5},  {DISPLAY_NIBBLE, 0x30, 2},  {DISPLAY_NIBBLE, 0x30, 2}, {DISPLAY_NIBBLE, 0x20, 2},
    {DISPLAY_COMMAND, 0x28, 2}, {DISPLAY_COMMAND, 0x02, 3}, {DISPLAY_COMMAND, 0x06, 2}, {DISPLAY_COMMAND, 0x0C, 2},
};
#define WAKING_STEPS (sizeof waking / sizeof waking[0])
#define POWER_UP_MS 50 /* data sheet: 40 */
#define WAKE_AGAIN_MS 10000
#define ALL_LINES ((uint8_t)((1u << PANEL_TEXT_LINES) - 1u))

static uint8_t drawn(uint16_t letter)
{
    for (uint8_t at = 0; at < sizeof letters / sizeof letters[0]; at++) {
        if (chip_flash_u16(&letters[at].letter) == letter) {
            return chip_flash_u8(&letters[at].drawn);
        }
    }
    return (uint8_t)(letter >= ' ' && letter < 0x7F ? letter : '?');
}

/* The next character of UTF-8 text; invalid bytes count as one unknown character. */
static uint16_t next_letter(const uint8_t **at, const uint8_t *end)
{
    uint8_t lead = *(*at)++;
    uint8_t more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    uint16_t letter = (uint16_t)(more == 0 ? lead : lead & 0x3F >> more);
    while (more > 0 && *at < end && (**at & 0xC0u) == 0x80) {
        letter = (uint16_t)(letter << 6 | (**at & 0x3F));
        ++*at;
        more--;
    }
    return more == 0 && lead < 0xF0 ? letter : 0xFFFD;
}

static void begin(struct text *text, uint16_t now_ms)
{
    text->wait_from_ms = now_ms;
    text->step = 0;
    text->changed = ALL_LINES;
    text->column = ADDRESS_FIRST;
}

void text_init(struct text *text, uint16_t now_ms)
{
    memset(text, 0, sizeof *text);
    memset(text->cells, ' ', TEXT_CELLS);
    text->wait_ms = POWER_UP_MS;
    begin(text, now_ms);
}

bool text_set(struct text *text, uint8_t line, const uint8_t *utf8, uint8_t length)
{
    if (line >= PANEL_TEXT_LINES) {
        return false;
    }
    char *cell = &text->cells[line * PANEL_TEXT_COLUMNS];
    const uint8_t *end = utf8 + length;
    for (uint8_t column = 0; column < PANEL_TEXT_COLUMNS; column++) {
        cell[column] = utf8 < end ? (char)drawn(next_letter(&utf8, end)) : ' ';
    }
    text->changed = (uint8_t)(text->changed | bit_mask(line));
    if (text->line == line) {
        text->column = ADDRESS_FIRST;
    }
    return true;
}

static void wake(struct text *text, uint16_t now_ms)
{
    hal_display_put(chip_flash_u8(&waking[text->step].kind), chip_flash_u8(&waking[text->step].byte));
    text->wait_ms = chip_flash_u8(&waking[text->step].then_wait_ms);
    text->wait_from_ms = now_ms;
    text->step++;
}

static void draw(struct text *text)
{
    static const uint8_t line_address[] CHIP_FLASH = {0x00, 0x40, 0x14, 0x54};
    uint8_t mask = bit_mask(text->line);
    if ((text->changed & mask) == 0) {
        text->line = text->line + 1 < PANEL_TEXT_LINES ? (uint8_t)(text->line + 1) : 0;
        text->column = ADDRESS_FIRST;
    } else if (text->column == ADDRESS_FIRST) {
        hal_display_put(DISPLAY_COMMAND, (uint8_t)(0x80 | chip_flash_u8(&line_address[text->line])));
        text->column = 0;
    } else {
        hal_display_put(DISPLAY_DATA, (uint8_t)text->cells[text->line * PANEL_TEXT_COLUMNS + text->column]);
        text->column++;
        if (text->column == PANEL_TEXT_COLUMNS) {
            text->changed = (uint8_t)(text->changed & ~mask);
        }
    }
}

void text_turn(struct text *text, uint16_t now_ms)
{
    if (!hal_display_is_ready()) {
        return;
    }
    if ((uint16_t)(now_ms - text->wait_from_ms) < text->wait_ms) {
        return;
    }
    if (text->step < WAKING_STEPS) {
        wake(text, now_ms);
        return;
    }
    text->wait_ms = 0;
    if (text->changed == 0 && (uint16_t)(now_ms - text->wait_from_ms) >= WAKE_AGAIN_MS) {
        begin(text, now_ms);
        return;
    }
    draw(text);
}

#endif
