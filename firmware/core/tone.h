/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes waiting to be played, one after another.
 */
#ifndef CORE_TONE_H
#define CORE_TONE_H

#include <stdint.h>

#include "core/sizes.h"

#define PITCH_LOWEST_HZ 40
#define PITCH_HIGHEST_HZ 10000

struct tone {
    link_note_t notes[LINK_TONE_NOTES];
    uint8_t count;
    uint8_t next;
    uint16_t begun_ms;
    uint16_t length_ms; /* of the sounding note; 0: silence */
};

/* Play `count` notes, replacing those that sound. */
void tone_play(struct tone *tone, const link_note_t *notes, uint8_t count, uint16_t now_ms);
void tone_turn(struct tone *tone, uint16_t now_ms);

#endif
