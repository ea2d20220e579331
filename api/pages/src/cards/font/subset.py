"""Reduces a font to the characters of preview pictures: subset.py SOURCE TARGET. See README.md."""

import sys

from fontTools import subset


def hangul():
    """The 2350 syllables of KS X 1001."""
    for row in range(0xB0, 0xC9):
        for cell in range(0xA1, 0xFF):
            yield ord(bytes([row, cell]).decode("euc-kr"))


RANGES = [(0x20, 0x7F), (0xA0, 0x250), (0x370, 0x460), (0x2010, 0x2028), (0x2030, 0x203B), (0x2190, 0x2194), (0x3131, 0x3164)]
SYMBOLS = [0x20AC, 0x2122, 0x2212, 0x25B2, 0x2605, 0x2713]

source, target = sys.argv[1:3]
options = subset.Options()
options.layout_features = []
options.hinting = False
options.name_IDs = [0, 1, 2, 13, 14]
options.drop_tables += ["BASE", "DSIG", "GDEF", "GPOS", "GSUB", "STAT", "VORG", "gasp", "meta", "vhea", "vmtx"]
font = subset.load_font(source, options)
subsetter = subset.Subsetter(options)
subsetter.populate(unicodes=[*hangul(), *SYMBOLS, *(code for first, end in RANGES for code in range(first, end))])
subsetter.subset(font)
subset.save_font(font, target, options)
