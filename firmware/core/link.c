/* SPDX-License-Identifier: Apache-2.0 */
#include "core/link.h"

#include <string.h>

#include "core/cobs.h"
#include "core/commands.h"
#include "core/crc.h"
#include "core/panel.h"
#include "hal/hal.h"

#define NOTICE_SEQ 0

uint8_t *link_reply_payload(struct link *link)
{
    return &link->reply[3];
}

/* Write type, seq and CRC round a payload at packet[3] and stuff it; returns the stuffed length. */
static uint8_t seal(uint8_t *packet, uint8_t type, uint8_t seq, uint8_t length)
{
    packet[1] = type;
    packet[2] = seq;
    (void)link_put_u16(&packet[3 + length], crc_of(&packet[1], (uint16_t)(length + 2)));
    cobs_encode(packet, (uint8_t)(length + PACKET_OVERHEAD));
    return (uint8_t)(length + PACKET_OVERHEAD + 1);
}

void link_finish_reply(struct link *link, uint8_t length)
{
    link->reply_length = seal(link->reply, (uint8_t)(link->type | LINK_REPLY_BIT), link->seq, length);
    link->is_reply_due = true;
}

static bool put_packet(const uint8_t *packet, uint8_t length)
{
    if (hal_send_room() < (uint16_t)(length + 1)) {
        return false;
    }
    for (uint8_t at = 0; at < length; at++) {
        hal_send(packet[at]);
    }
    hal_send(0);
    return true;
}

/* A good packet: carry it out, or send the cached reply again if the command is repeated. */
static void take_packet(struct panel *p, uint8_t length)
{
    struct link *link = &p->link;
    uint8_t type = link->in[1], seq = link->in[2];
    p->heard_ms = p->now_ms;
    p->stats.packets++;
    if (leds_set_dark(&p->leds, false)) {
        panel_show(p);
    }
    if (type != LINK_HELLO && link->reply_length != 0 && type == link->type && seq == link->seq) {
        count_up(&p->stats.repeats, 1);
        link->is_reply_due = true;
        return;
    }
    link->type = type;
    link->seq = seq;
    chip_probe(PROBE_COMMAND);
    commands_execute(p, type, &link->in[3], (uint8_t)(length - PACKET_OVERHEAD));
}

/* Only commands are received, and they have a sequence number. */
static bool is_command(const uint8_t *packet)
{
    return packet[0] != 0 && packet[0] < LINK_NOTICES_FROM - LINK_REPLY_BIT && packet[1] != NOTICE_SEQ;
}

static void end_of_packet(struct panel *p)
{
    struct link *link = &p->link;
    uint8_t stuffed = link->in_length;
    bool is_oversized = link->is_oversized;
    link->in_length = 0;
    link->is_oversized = false;
    if (is_oversized) {
        count_up(&p->stats.oversized, 1);
        p->health |= LINK_HEALTH_BAD_PACKET;
        return;
    }
    if (stuffed == 0) {
        return;
    }
    int16_t length = cobs_decode(link->in, stuffed);
    /* The CRC over data and its CRC is 0. */
    if (length < PACKET_OVERHEAD || crc_of(&link->in[1], (uint16_t)length) != 0 || !is_command(&link->in[1])) {
        count_up(&p->stats.bad_packets, 1);
        p->health |= LINK_HEALTH_BAD_PACKET;
        return;
    }
    take_packet(p, (uint8_t)length);
}

void link_receive(struct panel *p)
{
    struct link *link = &p->link;
    uint8_t byte;
    uint8_t lost = hal_receive_lost();
    if (lost != 0) {
        count_up(&p->stats.rx_lost, lost);
        p->health |= LINK_HEALTH_RX_LOST;
    }
    while (!link->is_reply_due && !p->is_saving && hal_receive(&byte)) {
        if (byte == 0) {
            end_of_packet(p);
        } else if (link->in_length < sizeof link->in) {
            link->in[link->in_length++] = byte;
        } else {
            link->is_oversized = true;
        }
    }
}

/* Send a notice whose payload lies at packet[3]. */
static bool put_notice(uint8_t *packet, uint8_t type, uint8_t length)
{
    return put_packet(packet, seal(packet, type, NOTICE_SEQ, length));
}

static bool has_room_for_notice(void)
{
    return hal_send_room() >= LINK_MAX_PACKET_SMALL + 2;
}

static void put_heartbeat(struct panel *p, uint8_t *packet)
{
    const link_heartbeat_t beat = {
        .t_ms = p->now_ms,
        .session = p->session,
        .sequence = p->edges.newest,
        .state_crc = edges_state_crc(&p->edges),
        .health = (uint8_t)(p->health | (p->leds.is_dark ? LINK_HEALTH_DARK : 0) |
                            (p->leds.is_limited ? LINK_HEALTH_POWER_LIMITED : 0) |
                            ((p->faults & (uint8_t)~LINK_FAULT_SETTINGS) != 0 ? LINK_HEALTH_SELF_TEST : 0)),
    };
    uint8_t *end = link_heartbeat_put(&packet[3], &beat);
    (void)put_notice(packet, LINK_HEARTBEAT, (uint8_t)(end - &packet[3]));
    p->health = 0;
    p->heartbeat_ms = p->now_ms;
}

static void put_log(struct panel *p, uint8_t *packet)
{
    /* In the order of the bits of Fault. */
    static const char words[][28] CHIP_FLASH = {
        "settings damaged, defaults", "a column is shorted",        "every sensor reads closed",
        "this was another panel",     "the wiring does not fit",    "a column rises too slowly"};
    uint8_t which = 0, length = 0;
    while ((p->unlogged & (1u << which)) == 0) {
        which++;
    }
    packet[3] = LINK_LOG_LEVEL_WARNING;
    for (; length < sizeof words[0] && chip_flash_u8(&words[which][length]) != 0; length++) {
        packet[4 + length] = chip_flash_u8(&words[which][length]);
    }
    (void)put_notice(packet, LINK_LOG, (uint8_t)(length + 1));
    p->unlogged &= (uint8_t)~(1u << which);
}

void link_transmit(struct panel *p)
{
    struct link *link = &p->link;
    if (link->is_reply_due && !p->is_show_awaited) {
        if (!put_packet(link->reply, link->reply_length)) {
            return;
        }
        link->is_reply_due = false;
        chip_probe(PROBE_REPLY_QUEUED);
    }
    if (!has_room_for_notice()) {
        return;
    }
    uint8_t packet[LINK_MAX_PACKET_SMALL + 1];
    if (p->is_boot_due) {
        hal_send(0); /* ends a packet that a reset has cut off */
        (void)put_notice(packet, LINK_BOOT, panel_describe(p, &packet[3], 0));
        p->is_boot_due = false;
    } else if (edges_are_due(&p->edges)) {
        (void)put_notice(packet, LINK_EDGES, edges_write(&p->edges, &packet[3]));
        chip_probe(PROBE_EDGES_QUEUED);
    } else if (p->now_ms - p->heartbeat_ms >= LINK_HEARTBEAT_MS) {
        put_heartbeat(p, packet);
    } else if (p->unlogged != 0) {
        put_log(p, packet);
    }
}
