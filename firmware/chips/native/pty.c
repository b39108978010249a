/* SPDX-License-Identifier: Apache-2.0
 *
 * The native panel as a process: its serial line is a pseudo-terminal, its switches are lines on standard input.
 *
 *   close CELL, open CELL, press BUTTON, release BUTTON, lever 0|1
 *   picture      prints the LEDs as hex triples, the lines of text and the pitch
 * It ends with its input. The first line it prints is `port NAME`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "chips/native/native.h"
#include "core/sizes.h"

#define TURN_MS 1

static int open_line(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    struct termios raw;
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 || tcgetattr(master, &raw) != 0) {
        return -1;
    }
    cfmakeraw(&raw);
    return tcsetattr(master, TCSANOW, &raw) == 0 ? master : -1;
}

static uint64_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static void print_picture(void)
{
    char text[64];
    const uint8_t *strip = native_strip();
    printf("leds");
    for (size_t led = 0; led < native_leds(); led++) {
        printf(" %02x%02x%02x", strip[led * 3], strip[led * 3 + 1], strip[led * 3 + 2]);
    }
    printf("\n");
    for (uint8_t line = 0; line < PANEL_TEXT_LINES; line++) {
        native_text(line, text, sizeof text);
        printf("text %s\n", text);
    }
    printf("pitch %u\n", (unsigned)native_pitch());
}

static void obey(const char *order)
{
    static uint16_t buttons;
    unsigned number = 0;
    if (strncmp(order, "picture", 7) == 0) {
        print_picture();
    } else if (sscanf(order, "close %u", &number) == 1) {
        native_switch((uint16_t)number, true);
    } else if (sscanf(order, "open %u", &number) == 1) {
        native_switch((uint16_t)number, false);
    } else if (sscanf(order, "press %u", &number) == 1 && number < LINK_MAX_BUTTONS) {
        buttons = (uint16_t)(buttons | 1u << number);
    } else if (sscanf(order, "release %u", &number) == 1 && number < LINK_MAX_BUTTONS) {
        buttons = (uint16_t)(buttons & ~(1u << number));
    } else if (sscanf(order, "lever %u", &number) == 1) {
        buttons = (uint16_t)(number != 0 ? buttons | 0x8000u : buttons & 0x7FFFu);
    } else {
        printf("not understood: %s\n", order);
    }
    native_buttons(buttons);
}

/* Obey every whole line that has arrived; false at the end of the input. */
static bool read_orders(void)
{
    static char line[256];
    static size_t length;
    ssize_t got = read(STDIN_FILENO, line + length, sizeof line - 1 - length);
    if (got <= 0) {
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    }
    length += (size_t)got;
    line[length] = 0;
    for (char *end; (end = strchr(line, '\n')) != NULL;) {
        *end = 0;
        obey(line);
        length -= (size_t)(end + 1 - line);
        memmove(line, end + 1, length + 1);
    }
    return length < sizeof line - 1;
}

static void exchange(int master)
{
    uint8_t bytes[256];
    ssize_t got = read(master, bytes, sizeof bytes);
    if (got > 0) {
        (void)native_feed(bytes, (size_t)got);
    }
    size_t count = native_take(bytes, sizeof bytes);
    for (size_t sent = 0; sent < count;) {
        ssize_t put = write(master, bytes + sent, count - sent);
        if (put <= 0) {
            return; /* nobody reads: the line is cut, as on a wire */
        }
        sent += (size_t)put;
    }
}

int main(void)
{
    int master = open_line();
    if (master < 0) {
        perror("pseudo-terminal");
        return EXIT_FAILURE;
    }
    /* Held open, so that the line outlives a host that comes and goes. */
    int held = open(ptsname(master), O_RDWR | O_NOCTTY);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("port %s\n", ptsname(master));
    native_unpack();
    native_start(LINK_RESET_CAUSE_POWER_ON);
    uint64_t last_us = clock_us();
    for (bool is_running = true; is_running;) {
        struct pollfd inputs[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = master, .events = POLLIN}};
        (void)poll(inputs, 2, TURN_MS);
        if ((inputs[0].revents & (POLLIN | POLLHUP)) != 0) {
            is_running = read_orders();
        }
        uint64_t now_us = clock_us();
        native_turn((uint32_t)(now_us - last_us));
        last_us = now_us;
        exchange(master);
    }
    close(held);
    close(master);
    return EXIT_SUCCESS;
}
