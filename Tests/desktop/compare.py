#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares screenshots with reference images, with a tolerance for dates and glyphs: missing parts are failures.

    Tests/desktop/compare.py KEPT NEW

KEPT has the pictures of doc; below NEW is one of the same name for each part of the desktop that was pictured.
"""

import sys
from pathlib import Path

import gi

gi.require_version("GdkPixbuf", "2.0")
from gi.repository import GdkPixbuf  # noqa: E402

# Images are compared in tiles with sides of about twenty pixels.
SIDE = 48
# The proportion of tiles that may differ, and the tolerance of a tile, of 255.
SHARE, STEP = 0.1, 24


def squares(path):
    small = GdkPixbuf.Pixbuf.new_from_file(str(path)).scale_simple(SIDE, SIDE, GdkPixbuf.InterpType.BILINEAR)
    pixels, width, channels = small.get_pixels(), small.get_rowstride(), small.get_n_channels()
    return [pixels[y * width + x * channels:][:3] for y in range(SIDE) for x in range(SIDE)]


def difference(kept, new):
    """The proportion of tiles that differ."""
    pairs = zip(squares(kept), squares(new))
    return sum(max(abs(a - b) for a, b in zip(*pair)) > STEP for pair in pairs) / SIDE ** 2


failures = 0
for kept in sorted(Path(sys.argv[1]).glob("*.png")):
    found = sorted(Path(sys.argv[2]).rglob(kept.name))
    least = min((difference(kept, new) for new in found), default=1)
    failures += least > SHARE
    verdict = "ok   " if least <= SHARE else "FAIL "
    print(f"{verdict} {kept.name}: " + (f"{least:.0%} of it differs" if found else "no new picture"))
sys.exit(bool(failures))
