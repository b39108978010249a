// SPDX-License-Identifier: Apache-2.0
// Pictures of the building steps: openscad -D 'scene="reeds"' -o reeds.png assembly.scad
include <dimensions.scad>
use <parts.scad>
use <bases.scad>

scene = "holders"; // holders, reeds, wires, brain, lamps, frame, pieces
files = 4;
ranks = 8;
tile_parts = [];   // of a tile: [kind, x, y, left, upper, right, lower, is below, is turned]
tile_size = [200, 400];
$fn = 24;

wide = files * cell_edge;
deep = ranks * cell_edge;

function middle(file, rank) = [(file + 0.5) * cell_edge, (rank + 0.5) * cell_edge, 0];

// The board lies on its face: file a is at the right, as its builder sees it.
module from_below() { translate([wide, 0, 0]) mirror([1, 0, 0]) children(); }

module cells() {
    for (file = [0 : files - 1], rank = [0 : ranks - 1]) translate(middle(file, rank)) children();
}

module plate() {
    color("BurlyWood") translate([0, 0, -plate_thickness]) cube([wide, deep, plate_thickness]);
    color("Sienna") for (file = [0 : files]) translate([file * cell_edge - 0.3, 0, 0]) cube([0.6, deep, 0.1]);
    color("Sienna") for (rank = [0 : ranks]) translate([0, rank * cell_edge - 0.3, 0]) cube([wide, 0.6, 0.1]);
    color("Sienna") cells() for (turn = [0, 90]) rotate(turn) translate([-3, -0.3, 0]) cube([6, 0.6, 0.1]);
}

module names() {
    color("Black") for (file = [0 : files - 1], rank = [0 : ranks - 1]) translate(middle(file, rank) + [8, 15, 0.1])
        mirror([1, 0, 0]) linear_extrude(0.2) text(str(chr(97 + file), rank + 1), size = 6, halign = "center");
}

diode_at = reed_glass_length + reed_gap + lead_between;
lead_z = holder_height - (reed_glass_diameter + reed_gap) / 2;

module holders() { color("WhiteSmoke") cells() holder(); }

module bar(from, to, thick) { hull() { translate(from) sphere(d = thick, $fn = 8); translate(to) sphere(d = thick, $fn = 8); } }

module reeds() {
    cells() translate([0, 0, lead_z]) {
        color([0.4, 0.8, 0.6]) translate([0.2, 0, 0]) rotate([0, 90, 0]) cylinder(d = reed_glass_diameter, h = reed_glass_length);
        color("Silver") bar([-9, 0, 0], [diode_at, 0, 0], 0.7);
        color("OrangeRed") translate([diode_at, 0, 0]) rotate([0, 90, 0]) cylinder(d = diode_diameter, h = diode_length);
        color("Black") translate([diode_at + diode_length - 1, 0, 0]) rotate([0, 90, 0]) cylinder(d = diode_diameter + 0.1, h = 0.6);
        color("Silver") bar([diode_at + diode_length, 0, 0], [diode_at + diode_length + 3, 0, 0], 0.7);
    }
}

rank_x = diode_at + diode_length + 3;

module wires() {
    for (file = [0 : files - 1]) color("RoyalBlue")
        bar(middle(file, 0) + [-9, -22, lead_z], middle(file, ranks - 1) + [-9, 10, lead_z], 1.4);
    for (rank = [0 : ranks - 1]) color("Gold")
        bar(middle(0, rank) + [-22, -12, 4], middle(files - 1, rank) + [rank_x, -12, 4], 1.4);
    color("Gold") cells() bar([rank_x, 0, lead_z], [rank_x, -12, 4], 1.2);
}

nano = [wide / 2 - 9, -62, 0];

module nano_board(at) {
    color("Teal") translate(at) cube([18, 45, 1.6]);
    color("Silver") translate(at + [5, -3, 1.6]) cube([8, 9, 4]);
    color("Black") translate(at + [5, 22, 1.6]) cube([8, 8, 1]);
    color("Gold") for (side = [0.5, 15.5], pin = [0 : 14]) translate(at + [side, 4.5 + 2.54 * pin, 1.6]) cube([1.6, 1.6, 1]);
}

module brain() {
    nano_board(nano);
    for (file = [0 : files - 1]) color("RoyalBlue")
        bar(middle(file, 0) + [-9, -22, lead_z], nano + [1, 34 - 2.54 * file, 3], 1.2);
    for (rank = [0 : ranks - 1]) color("Gold") {
        bar(middle(0, rank) + [-22, -12, 4], [-6 - 1.6 * rank, rank * cell_edge + 13, 4], 1.2);
        bar([-6 - 1.6 * rank, rank * cell_edge + 13, 4], [-6 - 1.6 * rank, -20 - 2 * rank, 4], 1.2);
        bar([-6 - 1.6 * rank, -20 - 2 * rank, 4], nano + [1, 30 - 2.54 * rank, 3], 1.2);
    }
    color("Tan") for (rank = [0 : ranks - 1]) translate([-6 - 1.6 * rank, -6, 4]) rotate([90, 0, 0]) cylinder(d = 1.5, h = 7);
}

module lamps() {
    for (rank = [0 : ranks - 1]) {
        color("White") translate([4, (rank + 0.5) * cell_edge + 12, 0.2]) cube([wide - 8, 10, 0.4]);
        for (file = [0 : files - 1]) translate(middle(file, rank) + [-2.5, 14.5, 0.6])
            color([0.9, 0.9, 0.6]) cube([5, 5, 1.4]);
        if (rank > 0) color("Red") {
            x = rank % 2 == 1 ? wide - 4 : 4;
            bar([x, (rank - 0.5) * cell_edge + 15, 1], [x, (rank + 0.5) * cell_edge + 15, 1], 1.2);
        }
    }
    if (scene == "lamps") color("Green") bar([4, 0.5 * cell_edge + 17, 1], nano + [17, 24, 3], 1.2);
    color("DarkBlue") translate([8, 10, 0]) cylinder(d = 6, h = 8);
}

module frame() {
    long = frame_rail_cells * cell_edge;
    top = frame_depth + plate_thickness;
    color("DimGray") translate([0, 0, -plate_thickness - frame_rim]) {
        for (n = [0 : files / frame_rail_cells - 1]) {
            translate([n * long, -frame_wall, top + frame_rim]) mirror([0, 0, 1]) rail(n == 0);
            translate([n * long, deep + frame_wall, top + frame_rim]) mirror([0, 0, 1]) mirror([0, 1, 0]) rail(false);
        }
        for (n = [0 : ranks / frame_rail_cells - 1]) for (right = [0, 1])
            translate([right ? wide + frame_wall : -frame_wall, n * long, top + frame_rim]) mirror([0, 0, 1])
                rotate(90) mirror([0, right ? 0 : 1, 0]) rail(false);
    }
    color("Gray") for (x = [-frame_wall, wide], y = [-frame_wall, deep])
        translate([x, y, -plate_thickness - frame_rim]) cube([frame_wall, frame_wall, top + frame_rim]);
}

module pieces() {
    for (n = [0 : len(bases) - 1]) translate([n % 4 * 100, -floor(n / 4) * 110, 0]) {
        color("LightSteelBlue") base(bases[n][0]);
        color("Silver") translate([0, 0, bases[n][3] + 6]) cylinder(d = magnet_diameter, h = magnet_height);
        color("Black") translate([-20, -36, 0]) linear_extrude(0.4) text(bases[n][0], size = 8);
    }
    color("WhiteSmoke") translate([310, -110, 0]) holder();
    color("Black") translate([295, -146, 0]) linear_extrude(0.4) text("holder", size = 8);
}

function tint(kind) = kind == "led" ? "White" : kind == "diode" ? "Black" : kind == "reed" ? [0.4, 0.8, 0.6]
    : kind == "terminal" ? "LimeGreen" : kind == "0R" ? "Black" : kind == "100nF" || kind == "10uF" ? "Tan" : "DimGray";
function tall(kind) = kind == "led" ? 1.6 : kind == "reed" ? 2.2 : kind == "terminal" ? 10
    : kind == "box-header-20" || kind == "box-header-10" ? 9 : 1;

// y of a circuit board runs downwards.
module tile(is_below) {
    size = tile_size;
    color("ForestGreen") translate([0, 0, -1.6]) cube([size[0], size[1], 1.6]);
    for (part = tile_parts) if (part[7] == is_below) {
        sign = part[8] ? -1 : 1;
        low = [part[1] + min(sign * part[3], sign * part[5]), size[1] - part[2] - max(sign * part[4], sign * part[6])];
        color(tint(part[0])) translate([low[0], low[1], is_below ? -1.6 - tall(part[0]) : 0])
            cube([part[5] - part[3], part[6] - part[4], tall(part[0])]);
        if (part[0] == "reed") color("Silver")
            bar([part[1], size[1] - part[2] + 3, 1], [part[1], size[1] - part[2] - 14.78, 1], 0.8);
    }
}

if (scene == "pieces") pieces();
else if (scene == "tile") tile(false);
else if (scene == "tile-below") rotate([0, 180, 0]) tile(true);
else from_below() {
    plate();
    names();
    holders();
    if (scene != "holders") reeds();
    if (scene != "holders" && scene != "reeds") wires();
    if (scene == "brain" || scene == "lamps") brain();
    if (scene == "frame") nano_board([cell_edge - 9, 0, 12]);
    if (scene == "lamps" || scene == "frame") lamps();
    if (scene == "frame") frame();
}
