#!/usr/bin/python3
"""Trains small transformers in torch and writes every step's loss: the reference that
tests/integration/transformer_agreement_test.cpp holds our training against.

    /usr/bin/python3 tests/data/torch/make_transformer_losses.py tests/data/torch

Debian 12: python3-torch 1.13.1. Weights and tokens follow rules that the test repeats: element i of
variable k in the order of names is 0.2 (mix(i, k) / 2^32 - 1/2), and 1 more for a norm's scale, where mix is
below; token p of row r in step s is (131 s + 17 r + 7 p^2 + 3 p) mod 64, its target the token after it. Matrices are [in, out].
"""
import math, sys
import torch
import torch.nn.functional as F

VOCABULARY, LENGTH, ROWS, STEPS, WIDTH, LAYERS = 64, 16, 8, 100, 32, 2
HEADS, KEY_HEADS, HIDDEN = 4, 2, 48


def gpt_shapes():
    out = {"wte": (VOCABULARY, WIDTH), "wpe": (LENGTH, WIDTH), "ln_f.scale": (WIDTH,), "ln_f.bias": (WIDTH,)}
    for n in range(LAYERS):
        for norm in ("ln_1", "ln_2"):
            out[f"h.{n}.{norm}.scale"] = out[f"h.{n}.{norm}.bias"] = (WIDTH,)
        for name, a, b in (("attn.qkv", WIDTH, 3 * WIDTH), ("attn.proj", WIDTH, WIDTH),
                           ("mlp.fc", WIDTH, 4 * WIDTH), ("mlp.proj", 4 * WIDTH, WIDTH)):
            out[f"h.{n}.{name}.weight"], out[f"h.{n}.{name}.bias"] = (a, b), (b,)
    return out


def llama_shapes():
    out = {"embed": (VOCABULARY, WIDTH), "norm.scale": (WIDTH,)}
    keys = WIDTH // HEADS * KEY_HEADS
    for n in range(LAYERS):
        for name, shape in (("attn_norm.scale", (WIDTH,)), ("mlp_norm.scale", (WIDTH,)),
                            ("attn.wq", (WIDTH, WIDTH)), ("attn.wk", (WIDTH, keys)),
                            ("attn.wv", (WIDTH, keys)), ("attn.wo", (WIDTH, WIDTH)),
                            ("mlp.w1", (WIDTH, HIDDEN)), ("mlp.w2", (HIDDEN, WIDTH)),
                            ("mlp.w3", (WIDTH, HIDDEN))):
            out[f"layers.{n}.{name}"] = shape
    return out


def mix(i, k):
    x = (i * 2654435761 + k * 40503 + 1) & 0xFFFFFFFF
    for shift, factor in ((16, 2246822519), (13, 3266489917)):
        x = ((x ^ x >> shift) * factor) & 0xFFFFFFFF
    return x ^ x >> 16


def weights(shapes):
    out = {}
    for k, name in enumerate(sorted(shapes)):
        shape = shapes[name]
        values = [0.2 * (mix(i, k) / 2.0 ** 32 - 0.5) + (1 if name.endswith("scale") else 0)
                  for i in range(math.prod(shape))]
        out[name] = torch.tensor(values, dtype=torch.float64).reshape(shape)
    return out


def attention(q, k, v):  # [n, h, t, d]
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(later, -math.inf), -1) @ v


def heads(x, count):
    return x.reshape(ROWS, LENGTH, count, -1).transpose(1, 2)


def gpt(p, tokens):
    norm = lambda x, name: F.layer_norm(x, (WIDTH,), p[name + ".scale"], p[name + ".bias"])
    linear = lambda x, name: x @ p[name + ".weight"] + p[name + ".bias"]
    x = p["wte"][tokens] + p["wpe"]
    for n in range(LAYERS):
        q, k, v = linear(norm(x, f"h.{n}.ln_1"), f"h.{n}.attn.qkv").split(WIDTH, -1)
        mixed = attention(heads(q, HEADS), heads(k, HEADS), heads(v, HEADS))
        x = x + linear(mixed.transpose(1, 2).reshape(ROWS, LENGTH, WIDTH), f"h.{n}.attn.proj")
        hidden = F.gelu(linear(norm(x, f"h.{n}.ln_2"), f"h.{n}.mlp.fc"), approximate="tanh")
        x = x + linear(hidden, f"h.{n}.mlp.proj")
    return norm(x, "ln_f") @ p["wte"].T


def rotary(x):  # [n, h, t, d]: neighbours are a complex number
    half = x.shape[-1] // 2
    angles = torch.outer(torch.arange(LENGTH, dtype=torch.float64),
                         10000.0 ** (-torch.arange(half, dtype=torch.float64) / half))
    turn = torch.polar(torch.ones_like(angles), angles).to(
        torch.complex128 if x.dtype == torch.float64 else torch.complex64)
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], half, 2).contiguous())
    return torch.view_as_real(pairs * turn).reshape(x.shape)


def llama(p, tokens):
    def norm(x, scale):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * scale
    x = p["embed"][tokens]
    for n in range(LAYERS):
        w = {name: p[f"layers.{n}.{name}"] for name in ("attn.wq", "attn.wk", "attn.wv", "attn.wo",
                                                       "mlp.w1", "mlp.w2", "mlp.w3")}
        y = norm(x, p[f"layers.{n}.attn_norm.scale"])
        q, k = rotary(heads(y @ w["attn.wq"], HEADS)), rotary(heads(y @ w["attn.wk"], KEY_HEADS))
        v = heads(y @ w["attn.wv"], KEY_HEADS)
        repeat = lambda z: z.repeat_interleave(HEADS // KEY_HEADS, 1)
        mixed = attention(q, repeat(k), repeat(v))
        x = x + mixed.transpose(1, 2).reshape(ROWS, LENGTH, WIDTH) @ w["attn.wo"]
        y = norm(x, p[f"layers.{n}.mlp_norm.scale"])
        x = x + (F.silu(y @ w["mlp.w1"]) * (y @ w["mlp.w3"])) @ w["mlp.w2"]
    return norm(x, p["norm.scale"]) @ p["embed"].T


def batch(step):
    token = lambda r, p: (131 * step + 17 * r + 7 * p * p + 3 * p) % VOCABULARY
    rows = torch.tensor([[token(r, p) for p in range(LENGTH + 1)] for r in range(ROWS)])
    return rows[:, :-1], rows[:, 1:]


def train(model, shapes, dtype):
    p = {name: w.to(dtype).clone().requires_grad_() for name, w in weights(shapes).items()}
    optimizer = torch.optim.AdamW(list(p.values()), lr=1e-3, weight_decay=0.01)
    losses = []
    for step in range(STEPS):
        tokens, targets = batch(step)
        loss = F.cross_entropy(model(p, tokens).reshape(-1, VOCABULARY), targets.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.set_num_threads(1)
    for model, shapes in ((gpt, gpt_shapes()), (llama, llama_shapes())):
        for dtype, label in ((torch.float64, "f64"), (torch.float32, "f32")):
            losses = train(model, shapes, dtype)
            path = f"{sys.argv[1]}/{model.__name__}_adamw_{label}.txt"
            with open(path, "w") as out:
                out.write("".join(f"{loss!r}\n" for loss in losses))
            print(path, losses[0], losses[-1], flush=True)
