// SPDX-License-Identifier: Apache-2.0
// Generated from dimensions.toml by: python -m firmware.hardware.solids
cell_edge = 50;
plate_thickness = 4;
magnet_diameter = 8;
magnet_height = 3;
magnet_gap = 0.2;
magnet_floor = 0.6;
reed_glass_length = 14;
reed_glass_diameter = 2.2;
reed_gap = 0.3;
diode_length = 4.2;
diode_diameter = 1.9;
lead_width = 0.8;
lead_between = 3;
holder_width = 10;
holder_height = 3;
holder_ahead = 6;
holder_behind = 2.5;
holder_notch = 1;
frame_wall = 10;
frame_depth = 32;
frame_rim = 1.5;
frame_ledge = 6;
frame_ledge_height = 4;
frame_rail_cells = 2;
frame_pin_diameter = 2;
frame_pin_depth = 3.5;
frame_cable_width = 14;
frame_cable_height = 10;
bases = [
    ["disc-24", "disc", 24, 4.4, 1, 1],
    ["disc-30", "disc", 30, 4.4, 1, 1],
    ["disc-38", "disc", 38, 4.4, 1, 1],
    ["half-30", "half", 30, 4, 1, 1],
    ["angle-30", "angle", 30, 4.4, 1, 1],
    ["block-1x2", "block", 38, 4.4, 1, 2],
    ["block-2x2", "block", 38, 4.4, 2, 2],
];
