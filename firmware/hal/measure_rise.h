/* SPDX-License-Identifier: Apache-2.0
 *
 * hal_measure_rise of the chips that read a matrix. To be included once, behind
 * static void sample(uint8_t row, uint8_t after_us, uint8_t *columns).
 */
#ifndef HAL_MEASURE_RISE_H
#define HAL_MEASURE_RISE_H

void hal_measure_rise(uint8_t row, uint8_t *rise_us)
{
    uint8_t pulled[ROW_BYTES], low[ROW_BYTES];
    uint8_t after_us = 0, left = 1;
    sample(row, 0, pulled);
    while (left != 0 && after_us < RISE_LIMIT_US) {
        left = 0;
        sample(row, ++after_us, low);
        for (uint8_t column = 0; column < PANEL_SENSOR_COLUMNS; column++) {
            if (!bit_get(pulled, column)) {
                continue;
            }
            if (rise_us[column] < after_us) {
                rise_us[column] = after_us;
            }
            if (bit_get(low, column)) {
                left++;
            } else {
                bit_put(pulled, column, false);
            }
        }
    }
}

#endif
