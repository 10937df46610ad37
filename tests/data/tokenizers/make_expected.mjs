// Writes expected.json: what Hugging Face's own JavaScript tokenizer makes of many texts.
// usage: node make_expected.mjs   where @huggingface/tokenizers (0.2.0 was used) is installed
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
const require = createRequire(path.join(process.cwd(), "x.js"));
const { Tokenizer } = require("@huggingface/tokenizers");
const here = path.dirname(new URL(import.meta.url).pathname);
const texts = [
  "", " ", "  ", "\n", "a", "Hello world", "Hello, world! It's 10:45.", "  two  blanks   here ",
  "we're they've I'm he'll she'd don't 'tis rock'n'roll", "WE'RE DON'T I'M", "'s", "x's's",
  "line one\nline two\r\n\r\n\tindented\n", "trailing blanks   ", "   leading", "tabs\t\t\tand more",
  "1234567890 3.14159 1,000,000", "naïve café Zürich Straße", "Привет, мир!", "日本語のテキスト。", "😀 emoji 👩‍👩‍👧 family",
  "a\u00a0b\u2003c\u3000d", "mixed123abc456", "snake_case camelCase kebab-case", "http://example.com/a?b=c&d=e#f",
  "x = y**2 + z; // comment\n\n\n    return x;", "½ ² Ⅷ ٣ 一二三", "e\u0301 combining", "the the the thethethe",
  "<|endoftext|>", "one<|endoftext|>two", "<|endoftext|><|end|>", "a <mask> b", "a   <mask>b", "<|end", "plain added plain",
  "!!!???...", "\"quoted\" (brackets) [x] {y}", "A\tB\n C \n  D", "\r\r\n\n", "ſ 'ſ", " 's", "a'S",
  "The quick brown fox jumps over the lazy dog. Once upon a time, there was a little girl named Lily.",
];
const out = {};
for (const name of ["gpt2_1000", "llama3_1000"]) {
  const json = JSON.parse(fs.readFileSync(path.join(here, name + ".json"), "utf8"));
  const tokenizer = new Tokenizer(json, {});
  out[name] = texts.map((text) => ({ text, ids: tokenizer.encode(text).ids }));
}
fs.writeFileSync(path.join(here, "expected.json"),
  "{" + Object.entries(out).map(([k, v]) => JSON.stringify(k) + ":[\n" + v.map((x) => JSON.stringify(x)).join(",\n") + "]").join(",\n") + "}\n");
