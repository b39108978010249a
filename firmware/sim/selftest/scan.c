/* SPDX-License-Identifier: Apache-2.0
 * Answers every byte with a scan. 'C': eight 74HC165 on SPI, PC0 is SH/LD.
 * 'S': eight rows by a 74HC595 (RCLK on PC1) into one 74HC165; 'F': the same without waiting for the rows to settle.
 * 'M': a matrix on pins, rows PD4 to PD7 selected low, columns PC2 to PC5 with pull-ups; one byte a row.
 * 'H': sixteen hall sensors on a 74HC4067 (S0 to S3 on PD4 to PD7) into ADC0; bit set: away from half the supply.
 * GPIOR0 is 1 while it scans.
 */
#include <util/delay.h>

#include "serial.h"

#ifdef __AVR_ATmega2560__
enum { SCK_PIN = 1, MOSI_PIN = 2, SS_PIN = 0 };
#else
enum { SCK_PIN = 5, MOSI_PIN = 3, SS_PIN = 2 };
#endif

static uint8_t exchange(uint8_t byte)
{
    SPDR = byte;
    while (!(SPSR & _BV(SPIF)))
        ;
    return SPDR;
}

static void load(void)
{
    PORTC &= (uint8_t)~_BV(0);
    PORTC |= _BV(0);
}

static void scan_chain(uint8_t *out)
{
    load();
    for (uint8_t index = 0; index < 8; index++)
        out[index] = exchange(0);
}

static void scan_rows(uint8_t *out, uint8_t settles)
{
    for (uint8_t row = 0; row < 8; row++) {
        exchange((uint8_t)(1 << row));
        PORTC |= _BV(1);
        PORTC &= (uint8_t)~_BV(1);
        if (settles)
            _delay_us(3);
        load();
        out[row] = exchange(0);
    }
}

static void scan_pins(uint8_t *out)
{
    DDRC &= 0x03;
    PORTC |= 0x3C;
    for (uint8_t row = 0; row < 4; row++) {
        PORTD &= 0x0F;
        DDRD = (uint8_t)(DDRD & 0x0F) | (uint8_t)(0x10 << row);
        _delay_us(3);
        out[row] = (PINC >> 2) & 0x0F;
        DDRD &= 0x0F;
    }
}

static void scan_hall(uint8_t *out)
{
    DDRD |= 0xF0;
    ADMUX = _BV(REFS0) | _BV(ADLAR);
    ADCSRA = _BV(ADEN) | _BV(ADPS2);
    out[0] = out[1] = 0;
    for (uint8_t channel = 0; channel < 16; channel++) {
        PORTD = (uint8_t)(PORTD & 0x0F) | (uint8_t)(channel << 4);
        _delay_us(3);
        ADCSRA |= _BV(ADSC);
        while (ADCSRA & _BV(ADSC))
            ;
        const uint8_t level = ADCH;
        if (level < 96 || level > 160)
            out[channel / 8] |= (uint8_t)(1 << channel % 8);
    }
}

int main(void)
{
    uint8_t bits[8];
    serial_open();
    DDRB |= _BV(SCK_PIN) | _BV(MOSI_PIN) | _BV(SS_PIN);
    DDRC |= 0x03;
    PORTC |= _BV(0);
    SPCR = _BV(SPE) | _BV(MSTR);
    SPSR = _BV(SPI2X);
    for (;;) {
        const uint8_t order = serial_get();
        GPIOR0 = 1;
        if (order == 'C')
            scan_chain(bits);
        else if (order == 'M')
            scan_pins(bits);
        else if (order == 'H')
            scan_hall(bits);
        else
            scan_rows(bits, order == 'S');
        GPIOR0 = 0;
        for (uint8_t index = 0; index < (order == 'M' ? 4 : order == 'H' ? 2 : 8); index++)
            serial_put(bits[index]);
    }
}
