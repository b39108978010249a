/* SPDX-License-Identifier: Apache-2.0
 * Takes 'L', a count and as many bytes, sends them as WS2812 bits on PC2, then answers 'k'.
 * 'T': a tone of about 1 kHz on PC3 until the next byte. 'D': two lines on an HD44780 behind a PCF8574 at 0x27.
 */
#include <util/delay.h>

#include "serial.h"

static void send_bits(uint8_t byte)
{
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        if (byte & bit) {
            PORTC |= _BV(2);
            _delay_us(0.7);
            PORTC &= (uint8_t)~_BV(2);
        } else {
            PORTC |= _BV(2);
            _delay_us(0.2);
            PORTC &= (uint8_t)~_BV(2);
        }
    }
}

static void tone(void)
{
    while (!(UCSR0A & _BV(RXC0))) {
        PORTC ^= _BV(3);
        _delay_us(500);
    }
}

static void twi(uint8_t control)
{
    TWCR = control | _BV(TWINT) | _BV(TWEN);
    while (!(TWCR & _BV(TWINT)) && !(control & _BV(TWSTO)))
        ;
}

static void expander(uint8_t byte)
{
    twi(_BV(TWSTA));
    TWDR = 0x27 << 1;
    twi(0);
    TWDR = byte;
    twi(0);
    twi(_BV(TWSTO));
    _delay_us(50);
}

static void nibble(uint8_t rs, uint8_t bits)
{
    expander((uint8_t)(bits << 4) | rs | 0x0C);
    expander((uint8_t)(bits << 4) | rs | 0x08);
}

static void lcd(uint8_t rs, uint8_t byte)
{
    nibble(rs, byte >> 4);
    nibble(rs, byte & 0x0F);
    _delay_ms(2);
}

static void display(void)
{
    TWBR = 72;
    _delay_ms(50);
    for (uint8_t times = 0; times < 3; times++) {
        nibble(0, 0x3);
        _delay_ms(5);
    }
    nibble(0, 0x2);
    lcd(0, 0x28);
    lcd(0, 0x0C);
    lcd(0, 0x01);
    for (const char *text = "CHECK!"; *text; text++)
        lcd(1, (uint8_t)*text);
    lcd(0, 0xC0);
    for (const char *text = "White to move"; *text; text++)
        lcd(1, (uint8_t)*text);
}

int main(void)
{
    uint8_t bytes[64];
    serial_open();
    DDRC |= 0x0C;
    for (;;) {
        const uint8_t order = serial_get();
        if (order == 'T')
            tone();
        if (order == 'D')
            display();
        if (order == 'L') {
            const uint8_t count = serial_get();
            for (uint8_t index = 0; index < count; index++)
                bytes[index & 63] = serial_get();
            for (uint8_t index = 0; index < count; index++)
                send_bits(bytes[index & 63]);
        }
        serial_put('k');
    }
}
