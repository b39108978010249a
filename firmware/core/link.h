/* SPDX-License-Identifier: Apache-2.0
 *
 * Packets in and out.
 *
 * Rule: one command at a time. Nothing more is read until its reply is in the transmit buffer, so commands never
 * overlap; the reply is cached and sent again if the same command arrives again.
 */
#ifndef CORE_LINK_H
#define CORE_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/sizes.h"

#define PACKET_OVERHEAD 4 /* type, seq, CRC */
#define PAYLOAD_ROOM (CHIP_MAX_PACKET - PACKET_OVERHEAD)

struct link {
    uint8_t in[CHIP_MAX_PACKET + 1]; /* as received, stuffed */
    uint8_t in_length;
    bool is_oversized;
    uint8_t reply[CHIP_MAX_PACKET + 1]; /* to be sent, stuffed */
    uint8_t reply_length;               /* stuffed; 0: no reply */
    uint8_t type, seq;                  /* of the command the reply belongs to */
    bool is_reply_due;
};

struct panel;

/* Read the received bytes, up to one command, and carry it out. */
void link_receive(struct panel *panel);
/* Send due data, as far as the transmit buffer has space. */
void link_transmit(struct panel *panel);

/* Finish the reply whose payload lies in link_reply_payload. */
uint8_t *link_reply_payload(struct link *link);
void link_finish_reply(struct link *link, uint8_t length);

#endif
