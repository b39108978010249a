// SPDX-License-Identifier: Apache-2.0
// Bases of the pieces, with pockets for magnets that are open towards the piece.
include <dimensions.scad>

$fn = 64;

module pocket(depth, height) {
    translate([0, 0, height - depth]) cylinder(d = magnet_diameter + 2 * magnet_gap, h = depth + 1);
}

module disc(diameter, height) {
    difference() {
        cylinder(d = diameter, h = height);
        pocket(height - magnet_floor, height);
    }
}

// A magnet in the middle of the height of two halves.
module half(diameter, height) {
    difference() {
        cylinder(d = diameter, h = height);
        pocket(magnet_height / 2 + magnet_gap, height);
    }
}

// Floor and side, both of edge x edge; the magnets' axes meet in the piece's middle.
module angle(edge, height) {
    difference() {
        union() {
            translate([-edge / 2, -edge / 2, 0]) cube([edge, edge, height]);
            translate([-edge / 2, -edge / 2, 0]) cube([height, edge, edge]);
        }
        pocket(height - magnet_floor, height);
        translate([-edge / 2, 0, edge / 2]) rotate([0, 90, 0]) pocket(height - magnet_floor, height);
    }
}

// files x ranks cells; the parts under the cells are joined.
module block(diameter, height, files, ranks) {
    difference() {
        translate([-diameter / 2, -diameter / 2, 0])
            cube([(files - 1) * cell_edge + diameter, (ranks - 1) * cell_edge + diameter, height]);
        for (file = [0 : files - 1], rank = [0 : ranks - 1])
            translate([file * cell_edge, rank * cell_edge, 0]) pocket(height - magnet_floor, height);
    }
}

module base(name) {
    row = [for (entry = bases) if (entry[0] == name) entry][0];
    assert(row != undef, str("there is no part ", name));
    if (row[1] == "disc") disc(row[2], row[3]);
    else if (row[1] == "half") half(row[2], row[3]);
    else if (row[1] == "angle") angle(row[2], row[3]);
    else block(row[2], row[3], row[4], row[5]);
}
