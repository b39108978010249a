/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tone.h"

#include <string.h>

#include "hal/hal.h"

static void begin_next(struct tone *tone, uint16_t now_ms)
{
    tone->length_ms = 0;
    while (tone->next < tone->count && tone->length_ms == 0) {
        const link_note_t *note = &tone->notes[tone->next++];
        tone->length_ms = note->length_ms;
        tone->begun_ms = now_ms;
        hal_tone(note->pitch_hz);
    }
    if (tone->length_ms == 0) {
        hal_tone(0);
    }
}

void tone_play(struct tone *tone, const link_note_t *notes, uint8_t count, uint16_t now_ms)
{
    memcpy(tone->notes, notes, count * sizeof *notes);
    tone->count = count;
    tone->next = 0;
    begin_next(tone, now_ms);
}

void tone_turn(struct tone *tone, uint16_t now_ms)
{
    if (tone->length_ms != 0 && (uint16_t)(now_ms - tone->begun_ms) >= tone->length_ms) {
        begin_next(tone, now_ms);
    }
}
