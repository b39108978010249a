/* SPDX-License-Identifier: Apache-2.0
 *
 * Execution of commands. Each has exactly one reply.
 */
#ifndef CORE_COMMANDS_H
#define CORE_COMMANDS_H

#include <stdint.h>

struct panel;

/* Carry a command out; its reply is then due, for CONFIG_SAVE later. */
void commands_execute(struct panel *panel, uint8_t type, const uint8_t *payload, uint8_t length);
/* CONFIG_SAVE has finished: write its reply. */
void commands_saved(struct panel *panel);

#endif
