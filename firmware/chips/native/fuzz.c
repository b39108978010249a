/* SPDX-License-Identifier: Apache-2.0
 *
 * Anything at all goes into the panel's line; it must neither crash nor hang, and the next good packet is answered.
 *
 * Rule: one function takes the bytes, so that libFuzzer can call it (`make fuzz-clang`); without clang, main makes
 * the bytes from a seed. Both get mostly well-formed packets with chance in them, as pure noise never passes a CRC.
 *
 *   fuzz SEED COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chips/native/native.h"
#include "core/cobs.h"
#include "core/crc.h"
#include "core/sizes.h"

#define TURN_US 300
#define TURNS_FOR_A_REPLY 400
#define NONCE 0xFEEDu

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Frame type, seq and payload (packet[1 ...], `count` bytes); returns the bytes for the wire in packet[0 ...]. */
static size_t frame(uint8_t *packet, uint8_t count)
{
    (void)link_put_u16(&packet[1 + count], crc_of(&packet[1], count));
    cobs_encode(packet, (uint8_t)(count + 2));
    packet[count + 3] = 0;
    return count + 4u;
}

/* True if one of the packets in `wire` is HELLO's reply with our nonce. */
static bool holds_nonce(const uint8_t *wire, size_t count)
{
    while (count > 0) {
        uint8_t packet[256];
        const uint8_t *end = memchr(wire, 0, count);
        size_t length = end == NULL ? count : (size_t)(end - wire);
        if (length > 0 && length < sizeof packet) {
            link_hello_reply_t reply;
            memcpy(packet, wire, length);
            int16_t got = cobs_decode(packet, (uint8_t)length);
            if (got > 4 && packet[1] == LINK_HELLO_REPLY &&
                link_hello_reply_get(&packet[3], (uint8_t)(got - 4), &reply) && reply.nonce == NONCE) {
                return true;
            }
        }
        wire += end == NULL ? length : length + 1;
        count -= end == NULL ? length : length + 1;
    }
    return false;
}

static void drain(void)
{
    uint8_t bytes[512];
    while (native_take(bytes, sizeof bytes) > 0) {
    }
}

static void demand_an_answer(void)
{
    static uint8_t said[64 * 1024];
    uint8_t hello[16] = {0, LINK_HELLO, 0x77}; /* the one command that is never answered from the cache */
    size_t count = 0;
    (void)link_hello_put(&hello[3], &(link_hello_t){.major = LINK_MAJOR, .nonce = NONCE});
    size_t length = frame(hello, 2 + LINK_HELLO_SIZE);
    (void)native_feed((const uint8_t[]){0}, 1);
    (void)native_feed(hello, length);
    for (int turn = 0; turn < TURNS_FOR_A_REPLY; turn++) {
        native_turn(TURN_US);
        count += native_take(said + count, sizeof said - count);
    }
    if (!holds_nonce(said, count)) {
        fprintf(stderr, "no answer to HELLO\n");
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    native_unpack();
    native_start(LINK_RESET_CAUSE_POWER_ON);
    while (size > 0) {
        size_t taken = native_feed(data, size < 64 ? size : 64);
        native_switch((uint16_t)(data[0] % PANEL_CELLS), (data[0] & 0x80u) != 0);
        native_turns(8, TURN_US);
        drain();
        data += taken;
        size -= taken;
    }
    for (int turn = 0; turn < 200; turn++) { /* a strip, an EEPROM write, a restart once its reply is out */
        native_turn(TURN_US);
        drain();
    }
    demand_an_answer();
    return 0;
}

static uint32_t chance;

static uint32_t roll(uint32_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 17;
    chance ^= chance << 5;
    return chance % below;
}

static size_t make_packet(uint8_t *wire)
{
    uint8_t count = (uint8_t)(2 + roll(roll(4) == 0 ? 240 : 24));
    wire[1] = (uint8_t)(roll(8) == 0 ? roll(256) : roll(0x40));
    wire[2] = (uint8_t)roll(roll(4) == 0 ? 256 : 4);
    for (uint8_t at = 3; at <= count; at++) {
        static const uint16_t below[] = {2, 4, PANEL_LEDS < 250 ? PANEL_LEDS + 2 : 250, 256};
        wire[at] = (uint8_t)roll(below[roll(4)]);
    }
    return frame(wire, count);
}

static size_t spoil(uint8_t *wire, size_t length)
{
    switch (roll(8)) {
    case 0:
        wire[roll((uint32_t)length)] ^= (uint8_t)(1u << roll(8));
        return length;
    case 1:
        return roll((uint32_t)length + 1);
    case 2:
        wire[length - 1] = 1; /* runs into the next packet */
        return length;
    default:
        return length;
    }
}

#ifdef FUZZ_WITH_CLANG

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed);

/* libFuzzer does not guess a CRC: every other time a packet is put at the end for it. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned int seed)
{
    uint8_t wire[256];
    chance = seed | 1u;
    if (roll(2) == 0) {
        return LLVMFuzzerMutate(data, size, room);
    }
    size_t length = spoil(wire, make_packet(wire));
    if (length > room) {
        return LLVMFuzzerMutate(data, size, room);
    }
    size_t kept = size < room - length ? size : room - length;
    memcpy(data + kept, wire, length);
    return kept + length;
}

#else

int main(int argc, char **argv)
{
    static uint8_t input[8 * 512];
    chance = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) | 1u : 1;
    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000;
    for (unsigned long round = 0; round < count; round++) {
        size_t length = 0;
        for (uint32_t packets = 1 + roll(6); packets > 0; packets--) {
            length += spoil(&input[length], make_packet(&input[length]));
        }
        (void)LLVMFuzzerTestOneInput(input, length);
    }
    printf("%lu inputs\n", count);
    return EXIT_SUCCESS;
}

#endif
