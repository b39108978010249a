// SPDX-License-Identifier: Apache-2.0
//
// Hardware access for every chip with an Arduino core.
//
// Rule: only the Arduino API and its SPI, Wire and EEPROM libraries; where cores differ, the difference is named here.
// Compiled in the tests against the AVR core, not run on silicon. LEDs need Adafruit_NeoPixel; without it they stay dark.
#include <Arduino.h>
#include <EEPROM.h>
#include <SPI.h>
#include <Wire.h>

#include "companion.h"

extern "C" {
#include "core/panel.h"
#include "hal/hal.h"
}

#if __has_include(<Adafruit_NeoPixel.h>)
#include <Adafruit_NeoPixel.h>
#define HAS_NEOPIXEL 1
#endif

// --- pins: change them to suit ---
#ifndef PIN_LATCH
#define PIN_LATCH 9  // RCLK of the 74HC595
#define PIN_LOAD 8   // SH/LD of the 74HC165
#define PIN_LEDS 10  // data of the first LED
#define PIN_BUZZER 3
#define PIN_LEVER 2
#define PINS_BUTTONS {4, 5, 6, 7}
#endif
#define DISPLAY_ADDRESS 0x27
#define CONFIG_BYTES 64

namespace {

const uint8_t button_pins[] = PINS_BUTTONS;
constexpr uint8_t BUTTONS = PANEL_BUTTONS < sizeof button_pins ? PANEL_BUTTONS : sizeof button_pins;

struct panel the_panel;
uint16_t session;

#if HAS_NEOPIXEL
Adafruit_NeoPixel strip(PANEL_LEDS, PIN_LEDS, NEO_GRB + NEO_KHZ800);
#endif

#if defined(PANEL_WIRING_MATRIX_DIRECT)
#error "the Arduino version wants shift registers: wiring matrix-shift or chain"
#endif

void load_columns()
{
    digitalWrite(PIN_LOAD, LOW);
    digitalWrite(PIN_LOAD, HIGH);
}

#if defined(PANEL_WIRING_MATRIX_SHIFT)

// Read the columns as loaded while the selection of `row` goes out; then select it and let it settle.
void shift_and_select(uint8_t *columns, uint8_t row)
{
    for (uint8_t shift = 0; shift < SHIFTS; shift++) {
        uint8_t chip = SHIFTS - 1 - shift;
        uint8_t select = row / 8 == chip ? (uint8_t)~(1u << row % 8) : 0xFF;
        uint8_t read = SPI.transfer(select);
        if (shift < ROW_BYTES) {
            columns[shift] = (uint8_t)~read;
        }
    }
    columns[ROW_BYTES - 1] &= LAST_COLUMNS;
    digitalWrite(PIN_LATCH, HIGH);
    digitalWrite(PIN_LATCH, LOW);
    delayMicroseconds(PANEL_SETTLE_US);
}

#endif

void display_write(uint8_t byte)
{
    Wire.beginTransmission(DISPLAY_ADDRESS);
    Wire.write(byte | 0x04); // E high, then low
    Wire.write(byte);
    Wire.endTransmission();
}

} // namespace

void companion_setup()
{
    Serial.begin(LINK_BAUD);
    SPI.begin();
    SPI.beginTransaction(SPISettings(4000000, MSBFIRST, SPI_MODE0));
    Wire.begin();
    Wire.setClock(400000);
#if defined(ESP32) || defined(ESP8266) || defined(ARDUINO_ARCH_RP2040)
    EEPROM.begin(CONFIG_BYTES);
#endif
    pinMode(PIN_LATCH, OUTPUT);
    pinMode(PIN_LOAD, OUTPUT);
    digitalWrite(PIN_LOAD, HIGH);
    pinMode(PIN_BUZZER, OUTPUT);
    pinMode(PIN_LEVER, INPUT_PULLUP);
    for (uint8_t button = 0; button < BUTTONS; button++) {
        pinMode(button_pins[button], INPUT_PULLUP);
    }
#if HAS_NEOPIXEL
    strip.begin();
#endif
    session = (uint16_t)hal_entropy();
    panel_init(&the_panel, hal_now_us());
}

void companion_loop()
{
    panel_turn(&the_panel, hal_now_us());
#if defined(ESP32) || defined(ESP8266)
    yield(); // their watchdog is fed there
#endif
}

extern "C" {

uint32_t hal_now_us(void)
{
    return micros();
}

void hal_scan(uint8_t *sensors)
{
#if defined(PANEL_WIRING_MATRIX_SHIFT)
    uint8_t ignored[ROW_BYTES];
    shift_and_select(ignored, 0);
    for (uint8_t row = 0; row < PANEL_SENSOR_ROWS; row++) {
        load_columns();
        shift_and_select(sensors + row * ROW_BYTES, row + 1 < PANEL_SENSOR_ROWS ? row + 1 : NO_ROW);
    }
#else
    load_columns();
    for (uint8_t at = 0; at < ROW_BYTES; at++) {
        sensors[at] = (uint8_t)~SPI.transfer(0);
    }
    sensors[ROW_BYTES - 1] &= LAST_COLUMNS;
#endif
}

bool hal_columns_are_quiet(void)
{
#if defined(PANEL_WIRING_MATRIX_SHIFT)
    uint8_t columns[ROW_BYTES];
    shift_and_select(columns, NO_ROW);
    load_columns();
    shift_and_select(columns, NO_ROW);
    for (uint8_t at = 0; at < ROW_BYTES; at++) {
        if (columns[at] != 0) {
            return false;
        }
    }
#endif
    return true;
}

bool hal_wiring_is_right(void)
{
    return true;
}

void hal_measure_rise(uint8_t, uint8_t *)
{
    // digitalWrite takes longer than a column to rise
}

uint16_t hal_buttons(void)
{
    uint16_t pressed = 0;
    for (uint8_t button = 0; button < BUTTONS; button++) {
        pressed |= (uint16_t)((digitalRead(button_pins[button]) == LOW) << button);
    }
    if (PANEL_LEVER && digitalRead(PIN_LEVER) == LOW) {
        pressed |= 0x8000u;
    }
    return pressed;
}

bool hal_receive(uint8_t *byte)
{
    int read = Serial.read();
    *byte = (uint8_t)read;
    return read >= 0;
}

uint8_t hal_receive_lost(void)
{
    return 0; // the Arduino API does not tell
}

uint16_t hal_send_room(void)
{
    // A core's buffer may be smaller than our packets; writing then waits for the line, which is bounded by its rate.
    return Serial.availableForWrite() > 0 ? LINK_MAX_PACKET_LARGE + 2 : 0;
}

void hal_send(uint8_t byte)
{
    Serial.write(byte);
}

bool hal_send_is_idle(void)
{
    Serial.flush();
    return true;
}

bool hal_leds_out(const uint8_t *colours, uint16_t count, const uint8_t palette[][3], const struct levels *watched)
{
    (void)watched;
#if HAS_NEOPIXEL
    for (uint16_t place = 0; place < count; place++) {
        uint8_t pair = colours[place >> 1];
        const uint8_t *rgb = palette[(place & 1u) != 0 ? pair >> 4 : pair & 0xFu];
        strip.setPixelColor(place, rgb[0], rgb[1], rgb[2]);
    }
    strip.show();
#else
    (void)colours;
    (void)count;
    (void)palette;
#endif
    return true;
}

bool hal_display_is_ready(void)
{
    return true;
}

void hal_display_put(uint8_t kind, uint8_t byte)
{
    uint8_t lines = 0x08 | (kind == DISPLAY_DATA ? 0x01 : 0x00); // backlight, RS
    display_write((byte & 0xF0u) | lines);
    if (kind != DISPLAY_NIBBLE) {
        display_write((uint8_t)(byte << 4) | lines);
    }
}

void hal_tone(uint16_t pitch_hz)
{
    if (pitch_hz == 0) {
        noTone(PIN_BUZZER);
    } else {
        tone(PIN_BUZZER, pitch_hz);
    }
}

uint8_t hal_memory_read(uint16_t address)
{
    return EEPROM.read(address);
}

bool hal_memory_is_ready(void)
{
    return true;
}

void hal_memory_write(uint16_t address, uint8_t byte)
{
    EEPROM.write(address, byte);
#if defined(ESP32) || defined(ESP8266) || defined(ARDUINO_ARCH_RP2040)
    EEPROM.commit();
#endif
}

uint8_t hal_reset_cause(void)
{
    return LINK_RESET_CAUSE_UNKNOWN;
}

uint16_t hal_session(void)
{
    return session;
}

uint32_t hal_entropy(void)
{
    uint32_t noise = micros();
    for (uint8_t sample = 0; sample < 32; sample++) {
        noise = (noise << 5 | noise >> 27) ^ (uint32_t)analogRead(A0);
    }
    return noise;
}

uint16_t hal_stack_free(void)
{
    return 0;
}

void hal_reset(void)
{
#if defined(ESP32) || defined(ESP8266)
    ESP.restart();
#elif defined(ARDUINO_ARCH_RP2040)
    rp2040.reboot();
#elif defined(__arm__)
    NVIC_SystemReset();
#else
    ((void (*)(void))0)(); // the reset vector
#endif
}

} // extern "C"
