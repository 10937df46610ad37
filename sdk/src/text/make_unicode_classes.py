#!/usr/bin/env python3
"""Writes unicode_ranges.inc: the code points of Unicode's general categories L* and N*, as first and
last of each range. usage: make_unicode_classes.py > unicode_ranges.inc"""
import sys
import unicodedata


def ranges(category):
    out, begin = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == category
        if inside and begin is None:
            begin = code
        if not inside and begin is not None:
            out.append((begin, code - 1))
            begin = None
    return out


print(f"// Made by make_unicode_classes.py from Unicode {unicodedata.unidata_version}.")
for name, category in [("kLetters", "L"), ("kNumbers", "N")]:
    print(f"constexpr CodeRange {name}[] = {{")
    line = "   "
    for first, last in ranges(category):
        item = f" {{0x{first:x}, 0x{last:x}}},"
        if len(line) + len(item) > 100:
            print(line)
            line = "   "
        line += item
    print(line)
    print("};")
