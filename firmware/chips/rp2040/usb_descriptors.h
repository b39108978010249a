/* SPDX-License-Identifier: Apache-2.0
 *
 * What the USB device says of itself: a serial port by the class CDC ACM, with one configuration (USB 2.0, 9.5; CDC 1.2, 5.2).
 */
#ifndef USB_DESCRIPTORS_H
#define USB_DESCRIPTORS_H

#include <stdint.h>

/* Raspberry Pi's, for a CDC serial port on this chip: they ask makers of such devices to take it and to go by the names. */
#define USB_VENDOR 0x2E8A
#define USB_PRODUCT 0x000A
#define USB_MAKER "Companion"

enum { PACKET_MOST = 64, NOTICE_ENDPOINT = 1, DATA_ENDPOINT = 2, NOTICE_MOST = 8 };
enum { DESCRIPTOR_DEVICE = 1, DESCRIPTOR_CONFIGURATION = 2, DESCRIPTOR_STRING = 3 };
enum { STRING_LANGUAGES, STRING_MAKER, STRING_PRODUCT, STRING_NUMBER, STRINGS };

#define LOW(word) (uint8_t)((word) & 0xFF)
#define HIGH(word) (uint8_t)((word) >> 8)

static const uint8_t usb_device[] = {
    18, DESCRIPTOR_DEVICE, LOW(0x0200), HIGH(0x0200), 2, 0, 0, /* class CDC */
    PACKET_MOST, LOW(USB_VENDOR), HIGH(USB_VENDOR), LOW(USB_PRODUCT), HIGH(USB_PRODUCT), LOW(0x0100), HIGH(0x0100),
    STRING_MAKER, STRING_PRODUCT, STRING_NUMBER, 1, /* configuration */
};

#define CONFIGURATION_BYTES (9 + 9 + 5 + 5 + 4 + 5 + 7 + 9 + 7 + 7)

static const uint8_t usb_configuration[CONFIGURATION_BYTES] = {
    9, DESCRIPTOR_CONFIGURATION, LOW(CONFIGURATION_BYTES), HIGH(CONFIGURATION_BYTES), 2, 1, 0, 0x80, 250, /* 500 mA */
    9, 4, 0, 0, 1, 2, 2, 0, 0, /* interface 0: control, abstract control model, no protocol */
    5, 0x24, 0, LOW(0x0120), HIGH(0x0120),
    5, 0x24, 1, 0, 1, /* no calls; data by interface 1 */
    4, 0x24, 2, 2, /* line coding and control lines */
    5, 0x24, 6, 0, 1, /* interface 0 controls interface 1 */
    7, 5, 0x80 | NOTICE_ENDPOINT, 3, NOTICE_MOST, 0, 255, /* drivers want it; it never has anything to say */
    9, 4, 1, 0, 2, 10, 0, 0, 0, /* interface 1: data */
    7, 5, DATA_ENDPOINT, 2, PACKET_MOST, 0, 0,
    7, 5, 0x80 | DATA_ENDPOINT, 2, PACKET_MOST, 0, 0,
};

#endif
