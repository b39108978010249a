/* SPDX-License-Identifier: Apache-2.0 */
#include "core/panel.h"
#include "hal/hal.h"
#include "hal/start.h"

static struct panel panel;

int main(void)
{
    chip_init();
    panel_init(&panel, hal_now_us());
    for (;;) {
        panel_turn(&panel, hal_now_us());
        chip_end_turn();
    }
}
