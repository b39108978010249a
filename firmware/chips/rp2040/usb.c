/* SPDX-License-Identifier: Apache-2.0
 *
 * The chip's own USB as a serial port (CDC ACM), so that one cable is enough.
 *
 * Rule: everything here runs in the interrupt, or with interrupts masked. A transfer in either direction is one packet.
 * Packets to the host have 63 bytes at most: one of 64 would keep a driver waiting for its end.
 */
#include "chips/rp2040/registers.h"
#include "chips/rp2040/rp2040.h"
#include "chips/rp2040/usb_descriptors.h"
#include "hal/hal.h"
#include "panel_gen.h"

#define SEND_MOST (PACKET_MOST - 1)
#define CONTROL_BUFFER 0x100u /* of endpoint 0, each way; offsets in the memory of the controller */
#define NOTICE_BUFFER 0x180u
#define OUT_BUFFER 0x1C0u
#define IN_BUFFER 0x200u
#define DONE(endpoint, is_out) BIT(2 * (endpoint) + (is_out))

enum { IN, OUT };
enum { TYPES = 0x60, TYPE_STANDARD = 0, TYPE_CLASS = 0x20, RECIPIENTS = 0x1F, TO_ENDPOINT = 2 };
enum { GET_STATUS = 0, CLEAR_FEATURE = 1, SET_ADDRESS = 5, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8, SET_CONFIGURATION = 9,
       GET_INTERFACE = 10, SET_INTERFACE = 11 };
enum { SET_LINE_CODING = 0x20, GET_LINE_CODING = 0x21, SET_CONTROL_LINE_STATE = 0x22 };
#define CONTROL_LINE_DTR 1u
#define LINE_CODING_BYTES 7
#define LONGEST_STRING 30 /* letters */

static struct {
    uint8_t address;     /* to be taken when the request for it has ended; 0: none */
    bool is_configured;
    bool is_sending;     /* a packet of the line waits for the host */
    bool is_receiving;   /* the host may send one */
    bool wants_coding;   /* the data of SET_LINE_CODING follow */
    uint32_t data1[2];   /* USB_BUFFER_DATA1 or 0: which of two numbers the next packet of the line gets, by direction */
    uint32_t control_data1;
    const uint8_t *answer; /* what is still to be said */
    uint16_t answer_left;
    uint8_t coding[LINE_CODING_BYTES];
    uint8_t text[2 + 2 * LONGEST_STRING];
    char number[17]; /* of the chip, in hexadecimal digits */
} usb = {.coding = {0x00, 0xC2, 0x01, 0x00, 0, 0, 8}}; /* 115 200 baud, one stop bit, no parity, eight bits: asked, not used */

/* The controller may look at a buffer as soon as it is available, so all else about it is written a while before. */
static void offer(uint8_t endpoint, uint8_t direction, uint32_t control)
{
    USB_BUFFER_CTRL(endpoint, direction) = control;
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop" ::: "memory");
    USB_BUFFER_CTRL(endpoint, direction) = control | USB_BUFFER_AVAILABLE;
}

/* --- the line --- */

static void send_packet(void)
{
    uint8_t count = 0, byte;
    while (count < SEND_MOST && line_give(&byte)) {
        USB_BYTE(IN_BUFFER + count) = byte;
        count++;
    }
    if (count != 0) {
        usb.is_sending = true;
        offer(DATA_ENDPOINT, IN, USB_BUFFER_FULL | usb.data1[IN] | count);
        usb.data1[IN] ^= USB_BUFFER_DATA1;
    }
}

void usb_turn(void)
{
    if (usb.is_configured && !usb.is_receiving && line_has_room(PACKET_MOST)) {
        usb.is_receiving = true;
        offer(DATA_ENDPOINT, OUT, usb.data1[OUT] | PACKET_MOST);
        usb.data1[OUT] ^= USB_BUFFER_DATA1;
    }
    if (usb.is_configured && !usb.is_sending && line_is_usb()) {
        send_packet();
    }
}

bool usb_is_sending(void)
{
    return usb.is_sending;
}

/* A program that sends has the port open, even if it leaves DTR alone. */
static void receive_packet(void)
{
    uint16_t count = (uint16_t)(USB_BUFFER_CTRL(DATA_ENDPOINT, OUT) & USB_BUFFER_LENGTH);
    usb.is_receiving = false;
    line_carry(true);
    for (uint16_t at = 0; at < count; at++) {
        line_take(USB_BYTE(OUT_BUFFER + at));
    }
}

/* Forget the packets under way; the next ones have number 0. */
static void restart_line(bool is_configured)
{
    usb.is_configured = is_configured;
    usb.is_sending = usb.is_receiving = false;
    for (uint8_t direction = IN; direction <= OUT; direction++) {
        USB_BUFFER_CTRL(DATA_ENDPOINT, direction) = 0;
        usb.data1[direction] = 0;
    }
    line_carry(false);
}

/* --- requests of the host, on endpoint 0 --- */

static void offer_control(uint16_t count)
{
    offer(0, IN, USB_BUFFER_FULL | usb.control_data1 | count);
    usb.control_data1 ^= USB_BUFFER_DATA1;
}

static void give_answer(void)
{
    uint16_t count = 0;
    for (; count < PACKET_MOST && usb.answer_left != 0; usb.answer_left--) {
        USB_BYTE(CONTROL_BUFFER + count) = *usb.answer++;
        count++;
    }
    offer_control(count);
}

/* No answer has a multiple of 64 bytes, so its end is seen without an empty packet. */
static bool answer(const uint8_t *bytes, uint16_t count, uint16_t wanted)
{
    usb.answer = bytes;
    usb.answer_left = count < wanted ? count : wanted;
    give_answer();
    offer(0, OUT, USB_BUFFER_DATA1 | PACKET_MOST); /* for the empty packet by which the host ends the request */
    return true;
}

static bool agree(void)
{
    offer_control(0);
    return true;
}

_Static_assert(sizeof usb_configuration % PACKET_MOST != 0 && sizeof usb.text < PACKET_MOST, "see answer");
_Static_assert(sizeof PANEL_NAME <= LONGEST_STRING, "the name of the panel is a string of the device");

static bool tell_string(uint8_t which, uint16_t wanted)
{
    static const uint8_t languages[] = {4, DESCRIPTOR_STRING, LOW(0x0409), HIGH(0x0409)};
    const char *const strings[STRINGS] = {"", USB_MAKER, PANEL_NAME, usb.number};
    if (which == STRING_LANGUAGES) {
        return answer(languages, sizeof languages, wanted);
    }
    if (which >= STRINGS) {
        return false;
    }
    uint8_t length = 2;
    for (const char *letter = strings[which]; *letter != 0; letter++) {
        usb.text[length++] = (uint8_t)*letter;
        usb.text[length++] = 0;
    }
    usb.text[0] = length;
    usb.text[1] = DESCRIPTOR_STRING;
    return answer(usb.text, length, wanted);
}

static bool describe(uint16_t value, uint16_t wanted)
{
    switch (value >> 8) {
    case DESCRIPTOR_DEVICE:
        return answer(usb_device, sizeof usb_device, wanted);
    case DESCRIPTOR_CONFIGURATION:
        return answer(usb_configuration, sizeof usb_configuration, wanted);
    case DESCRIPTOR_STRING:
        return tell_string((uint8_t)value, wanted);
    default:
        return false;
    }
}

static bool configure(uint16_t number)
{
    if (number > 1) {
        return false;
    }
    restart_line(number == 1);
    USB_EP_CTRL(NOTICE_ENDPOINT, IN) = USB_EP_ENABLE | USB_EP_INTERRUPT | USB_EP_KIND(USB_EP_NOTICE) | NOTICE_BUFFER;
    USB_EP_CTRL(DATA_ENDPOINT, IN) = USB_EP_ENABLE | USB_EP_INTERRUPT | USB_EP_KIND(USB_EP_BULK) | IN_BUFFER;
    USB_EP_CTRL(DATA_ENDPOINT, OUT) = USB_EP_ENABLE | USB_EP_INTERRUPT | USB_EP_KIND(USB_EP_BULK) | OUT_BUFFER;
    return agree();
}

/* The only feature of an endpoint is that it stands still. Ours never do, but the host numbers its packets from 0 again. */
static bool clear_feature(uint8_t recipient)
{
    if (recipient == TO_ENDPOINT) {
        bool was_usb = line_is_usb();
        restart_line(usb.is_configured);
        line_carry(was_usb);
    }
    return agree();
}

static bool obey_standard(uint8_t recipient, uint8_t request, uint16_t value, uint16_t wanted)
{
    static const uint8_t zeros[2];
    switch (request) {
    case GET_DESCRIPTOR:
        return describe(value, wanted);
    case SET_ADDRESS:
        usb.address = (uint8_t)value;
        return agree();
    case SET_CONFIGURATION:
        return configure(value);
    case GET_CONFIGURATION:
        return answer(usb.is_configured ? &usb_configuration[5] : zeros, 1, wanted);
    case GET_STATUS:
        return answer(zeros, 2, wanted);
    case GET_INTERFACE:
        return answer(zeros, 1, wanted);
    case SET_INTERFACE:
        return value == 0 && agree();
    case CLEAR_FEATURE:
        return clear_feature(recipient);
    default:
        return false;
    }
}

static bool obey_class(uint8_t request, uint16_t value, uint16_t wanted)
{
    switch (request) {
    case GET_LINE_CODING:
        return answer(usb.coding, sizeof usb.coding, wanted);
    case SET_LINE_CODING:
        usb.wants_coding = wanted == sizeof usb.coding;
        offer(0, OUT, USB_BUFFER_DATA1 | PACKET_MOST);
        return usb.wants_coding;
    case SET_CONTROL_LINE_STATE:
        line_carry((value & CONTROL_LINE_DTR) != 0);
        return agree();
    default:
        return false;
    }
}

static bool obey(uint8_t type, uint8_t request, uint16_t value, uint16_t wanted)
{
    switch (type & TYPES) {
    case TYPE_STANDARD:
        return obey_standard(type & RECIPIENTS, request, value, wanted);
    case TYPE_CLASS:
        return obey_class(request, value, wanted);
    default:
        return false;
    }
}

static void read_request(void)
{
    USB_SIE_STATUS = USB_STATUS_SETUP;
    usb.control_data1 = USB_BUFFER_DATA1;
    usb.answer_left = 0;
    usb.address = 0;
    usb.wants_coding = false;
    uint32_t first = USB_SETUP_WORD(0), second = USB_SETUP_WORD(1);
    if (!obey((uint8_t)first, (uint8_t)(first >> 8), (uint16_t)(first >> 16), (uint16_t)(second >> 16))) {
        USB_EP_STALL_ARM = BIT(IN) | BIT(OUT); /* until the next request */
        USB_BUFFER_CTRL(0, IN) = USB_BUFFER_STALL;
        USB_BUFFER_CTRL(0, OUT) = USB_BUFFER_STALL;
    }
}

static void take_coding(void)
{
    usb.wants_coding = false;
    for (uint8_t at = 0; at < LINE_CODING_BYTES; at++) {
        usb.coding[at] = USB_BYTE(CONTROL_BUFFER + at);
    }
    (void)agree();
}

static void end_packets(void)
{
    uint32_t done = USB_BUFF_STATUS;
    USB_BUFF_STATUS = done;
    if ((done & DONE(0, IN)) != 0) {
        if (usb.address != 0) {
            USB_ADDRESS = usb.address;
            usb.address = 0;
        }
        if (usb.answer_left != 0) {
            give_answer();
        }
    }
    if ((done & DONE(0, OUT)) != 0 && usb.wants_coding) {
        take_coding();
    }
    if ((done & DONE(DATA_ENDPOINT, IN)) != 0) {
        usb.is_sending = false;
    }
    if ((done & DONE(DATA_ENDPOINT, OUT)) != 0 && usb.is_receiving) {
        receive_packet();
    }
}

/* A new cable, or a new start of the host. */
static void take_reset(void)
{
    USB_SIE_STATUS = USB_STATUS_RESET;
    USB_ADDRESS = 0;
    usb.address = 0;
    restart_line(false);
}

void usb_interrupt(void)
{
    uint32_t why = USB_INTS;
    if ((why & USB_ON_RESET) != 0) {
        take_reset();
    }
    if ((why & USB_ON_SUSPEND) != 0) { /* the host sleeps, or the cable is out */
        USB_SIE_STATUS = USB_STATUS_SUSPENDED;
        line_carry(false);
    }
    if ((why & USB_ON_BUFFER) != 0) {
        end_packets();
    }
    if ((why & USB_ON_SETUP) != 0) {
        read_request();
    }
    usb_turn();
}

static void write_number(void)
{
    static const char digits[] = "0123456789ABCDEF";
    uint8_t number[8];
    memory_read_number(number);
    for (uint8_t at = 0; at < sizeof number; at++) {
        usb.number[2 * at] = digits[number[at] >> 4];
        usb.number[2 * at + 1] = digits[number[at] & 15];
    }
}

void usb_init(void)
{
    write_number();
    for (uint32_t at = 0; at < USB_MEMORY_BYTES / 4; at++) {
        USB_SETUP_WORD(at) = 0;
    }
    USB_MUXING = USB_TO_PHY;
    USB_PWR = USB_HAS_POWER;
    USB_MAIN_CTRL = USB_CONTROLLER;
    USB_SIE_CTRL = USB_EP0_INTERRUPT;
    USB_INTE = USB_ON_SETUP | USB_ON_SUSPEND | USB_ON_RESET | USB_ON_BUFFER;
    USB_SIE_CTRL = USB_EP0_INTERRUPT | USB_PULL_UP;
}
