#!/usr/bin/env python3
"""Writes llama2c_expected.json: texts encoded with stories260K.tok512.bin by the plain loop that
llama2.c's run.c describes: blank, characters or bytes + 3, then again and again the neighbours whose
joint piece has the best score, the leftmost of equals."""
import json
import os
import struct

here = os.path.dirname(os.path.abspath(__file__))
data = open(os.path.join(here, "../pretrained/stories260K.tok512.bin"), "rb").read()
pieces, at = [], 4
while at < len(data):
    score, length = struct.unpack_from("<fI", data, at)
    pieces.append((data[at + 8:at + 8 + length], score))
    at += 8 + length
number = {piece: i for i, (piece, _) in enumerate(pieces)}


def encode(text):
    ids = [number[b" "]] if text else []
    for character in text:
        raw = character.encode("utf-8")
        ids += [number[raw]] if raw in number else [byte + 3 for byte in raw]
    while True:
        best = None
        for i in range(len(ids) - 1):
            joint = number.get(pieces[ids[i]][0] + pieces[ids[i + 1]][0])
            if joint is not None and (best is None or pieces[joint][1] > best[0]):
                best = (pieces[joint][1], i, joint)
        if best is None:
            return ids
        ids[best[1]:best[1] + 2] = [best[2]]


TEXTS = ["", "a", "Once upon a time, there was a little girl named Lily.", "aaaaaaaaaa", "the the  the",
         "  blanks  around  ", "New\nline\ttab", "café 日本 😀", "<s> </s> <unk>", "1234567890",
         "She loved to play outside in the park. One day, she saw a big, red ball."]
with open(os.path.join(here, "llama2c_expected.json"), "w", encoding="utf-8") as file:
    file.write("[" + ",\n".join(json.dumps({"text": t, "ids": encode(t)}, ensure_ascii=False)
                                for t in TEXTS) + "]\n")
