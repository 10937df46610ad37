#!/usr/bin/python3
"""Trains the sample models in torch and writes every step's loss: the reference that
tests/integration/torch_agreement_test.cpp holds our training against.

    /usr/bin/python3 tests/data/torch/make_losses.py tests/data/torch

Debian 12: python3-torch 1.13.1, python3-numpy, dataset-fashion-mnist. Batches are the training
images in file order, 96 at a time, 200 steps. Initial weights are drawn here by an implementation
of Philox-4x32-10 of its own, from the rule that docs/architecture.md states: element i of a
variable is bound * (2 u - 1), u the first 53-bit draw of counter (i, FNV-1a 64 of the name), key
seed. Layouts: linear [in, out], convolution [kh, kw, in, out], activations channels last.
"""
import gzip, math, sys
import numpy as np
import torch
import torch.nn.functional as F

SEED, BATCH, STEPS = 7, 96, 200
DATA = "/usr/share/datasets/fashion-mnist/"
M32 = np.uint64(0xFFFFFFFF)


def philox_unit(seed, stream, n):
    index = np.arange(n, dtype=np.uint64)
    c = [index & M32, index >> np.uint64(32),
         np.full(n, stream & 0xFFFFFFFF, np.uint64), np.full(n, stream >> 32, np.uint64)]
    k0, k1 = seed & 0xFFFFFFFF, seed >> 32
    for _ in range(10):
        a = np.uint64(0xD2511F53) * c[0]
        b = np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k0), b & M32,
             (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k1), a & M32]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return ((c[1] << np.uint64(32) | c[0]) >> np.uint64(11)).astype(np.float64) * 2.0 ** -53


def fnv1a(text):
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def draw(name, shape, fan_in):
    """lower + (upper - lower) * u, in double, as the initialiser `uniform(lower, upper)` does."""
    bound = 1.0 / math.sqrt(fan_in)
    u = philox_unit(SEED, fnv1a(name), math.prod(shape))
    return torch.from_numpy((-bound + (bound - -bound) * u).reshape(shape))


def mlp_weights():
    out = {}
    for i, (a, b) in enumerate([(784, 512), (512, 256), (256, 10)], 1):
        out[f"fc{i}.weight"] = draw(f"fc{i}.weight", (a, b), a)
        out[f"fc{i}.bias"] = draw(f"fc{i}.bias", (b,), a)
    return out


def convnet_weights():
    out = {}
    for i, (c, o) in enumerate([(1, 32), (32, 64)], 1):
        out[f"conv{i}.weight"] = draw(f"conv{i}.weight", (3, 3, c, o), 9 * c)
        out[f"conv{i}.bias"] = draw(f"conv{i}.bias", (o,), 9 * c)
    for i, (a, b) in enumerate([(3136, 128), (128, 10)], 1):
        out[f"fc{i}.weight"] = draw(f"fc{i}.weight", (a, b), a)
        out[f"fc{i}.bias"] = draw(f"fc{i}.bias", (b,), a)
    return out


def mlp(p, x):
    for i in (1, 2):
        x = F.relu(x @ p[f"fc{i}.weight"] + p[f"fc{i}.bias"])
    return x @ p["fc3.weight"] + p["fc3.bias"]


def convnet(p, x):
    x = x.view(-1, 1, 28, 28)
    for i in (1, 2):
        x = F.conv2d(x, p[f"conv{i}.weight"].permute(3, 2, 0, 1), p[f"conv{i}.bias"], padding=1)
        x = F.max_pool2d(F.relu(x), 2)
    x = x.permute(0, 2, 3, 1).reshape(x.shape[0], -1)  # channels last, as ours flattens
    x = F.relu(x @ p["fc1.weight"] + p["fc1.bias"])
    return x @ p["fc2.weight"] + p["fc2.bias"]


def train(model, weights, make_optimizer, dtype):
    p = {name: w.to(dtype).clone().requires_grad_() for name, w in weights().items()}
    optimizer = make_optimizer(list(p.values()))
    losses = []
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        loss = F.cross_entropy(model(p, IMAGES[rows].to(dtype)), LABELS[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def load(name, offset):
    return np.frombuffer(gzip.open(DATA + name).read(), np.uint8, offset=offset)


# f32 normalisation, so that both dtypes see the same pixels as our reader's f32 images.
IMAGES = ((torch.from_numpy(load("train-images-idx3-ubyte.gz", 16)[:STEPS * BATCH * 784].copy())
           .view(-1, 784).float() / 255 - 0.2860) / 0.3530)
LABELS = torch.from_numpy(load("train-labels-idx1-ubyte.gz", 8)[:STEPS * BATCH].astype(np.int64))

OPTIMIZERS = {
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.01),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.003, momentum=0.9, weight_decay=0),
}

if __name__ == "__main__":
    # One thread: with two, Debian's torch (OpenMP beside a threaded OpenBLAS) gave different f64
    # convolution losses from run to run.
    torch.set_num_threads(1)
    for model, weights, optimizers in ((mlp, mlp_weights, ("adamw", "sgd")),
                                       (convnet, convnet_weights, ("sgd",))):
        for optimizer in optimizers:
            for dtype, label in ((torch.float64, "f64"), (torch.float32, "f32")):
                losses = train(model, weights, OPTIMIZERS[optimizer], dtype)
                path = f"{sys.argv[1]}/{model.__name__}_{optimizer}_{label}.txt"
                with open(path, "w") as out:
                    out.write("".join(f"{loss!r}\n" for loss in losses))
                print(path, losses[0], losses[-1], flush=True)
