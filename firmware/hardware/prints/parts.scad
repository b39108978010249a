// SPDX-License-Identifier: Apache-2.0
// Printed parts: openscad -D 'part="rail"' -o rail.stl parts.scad
include <dimensions.scad>
use <bases.scad>

part = "holder"; // holder, rail, rail-cable, corner, or the name of a base in dimensions.toml
$fn = 64;

module groove(from, length, diameter) {
    // Open away from the plate, so that reeds are pressed in after the holders were glued.
    translate([from, -diameter / 2, holder_height - diameter]) cube([length, diameter, diameter + 1]);
}

// Origin: the middle of the cell, on the holder's lower side, which is glued to the plate. The reed's end lies
// there, not its middle.
module holder() {
    glass = reed_glass_length + reed_gap;
    diode_at = glass + lead_between;
    length = holder_ahead + diode_at + diode_length + reed_gap + holder_behind;
    difference() {
        translate([-holder_ahead, -holder_width / 2, 0]) cube([length, holder_width, holder_height]);
        groove(0, glass, reed_glass_diameter + reed_gap);
        groove(diode_at, diode_length + reed_gap, diode_diameter + reed_gap);
        groove(-holder_ahead - 1, length + 2, lead_width);
        for (side = [-1, 1]) translate([0, side * holder_width / 2, -1])
            rotate(45) cube([holder_notch, holder_notch, 2 * holder_height + 4], center = true);
    }
}

frame_height = frame_depth + plate_thickness + frame_rim;
pin_heights = [frame_height / 4, 3 * frame_height / 4];

// Origin: the outer lower corner; the rail runs along x, the board lies at +y.
module rail(has_cable) {
    length = frame_rail_cells * cell_edge;
    difference() {
        union() {
            cube([length, frame_wall, frame_height]);
            translate([frame_ledge, frame_wall - 1, frame_depth - frame_ledge_height])
                cube([length - 2 * frame_ledge, frame_ledge + 1, frame_ledge_height]);
        }
        for (x = [-1, length - frame_pin_depth], z = pin_heights) translate([x, frame_wall / 2, z])
            rotate([0, 90, 0]) cylinder(d = frame_pin_diameter, h = frame_pin_depth + 1);
        if (has_cable) translate([length / 2 - frame_cable_width / 2, -1, -1])
            cube([frame_cable_width, frame_wall + 2, frame_cable_height + 1]);
    }
}

module corner() {
    difference() {
        cube([frame_wall, frame_wall, frame_height]);
        for (z = pin_heights) {
            translate([frame_wall - frame_pin_depth, frame_wall / 2, z]) rotate([0, 90, 0])
                cylinder(d = frame_pin_diameter, h = frame_pin_depth + 1);
            translate([frame_wall / 2, frame_wall + 1, z]) rotate([90, 0, 0])
                cylinder(d = frame_pin_diameter, h = frame_pin_depth + 1);
        }
    }
}

if (part == "holder") holder();
else if (part == "rail") rail(false);
else if (part == "rail-cable") rail(true);
else if (part == "corner") corner();
else base(part);
