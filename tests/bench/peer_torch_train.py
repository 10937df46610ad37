#!/usr/bin/python3
"""The peer of `scripts/bench train`: torch on the same images, model, batch and optimizer.

    peer_torch_train.py mlp|convnet THREADS SECONDS [BATCH]

Prints one JSON line with the median images/s over windows of about half a second. Run it as tests/bench/train.py
does: openmp OpenBLAS by LD_LIBRARY_PATH, OMP_PROC_BIND, and an allocator that keeps its memory;
without these Debian's torch is two to three times slower.
"""
import gzip, json, sys, time
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

DATA = "/usr/share/datasets/fashion-mnist/"
model_name, threads, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
batch = int(sys.argv[4]) if len(sys.argv) > 4 else 128

torch.set_num_threads(threads)
torch.manual_seed(0)
images = np.frombuffer(gzip.open(DATA + "train-images-idx3-ubyte.gz").read(), np.uint8, offset=16)
labels = np.frombuffer(gzip.open(DATA + "train-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
x = (torch.from_numpy(images.copy()).view(-1, 784).float() / 255 - 0.2860) / 0.3530
y = torch.from_numpy(labels.astype(np.int64))

if model_name == "mlp":
    model = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(),
                          nn.Linear(256, 10))
else:
    model = nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)),
        nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
order = torch.randperm(60000)
position = 0


def step():
    global position
    if position + batch > 60000:
        position = 0
    rows = order[position:position + batch]
    position += batch
    loss = F.cross_entropy(model(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for _ in range(5):
    step()
rates = []
end = time.perf_counter() + seconds
while time.perf_counter() < end or not rates:
    begin, steps = time.perf_counter(), 0
    while time.perf_counter() - begin < 0.5:
        step()
        steps += 1
    rates.append(steps * batch / (time.perf_counter() - begin))
rates.sort()
print(json.dumps({"images_per_s": rates[len(rates) // 2], "min": rates[0], "max": rates[-1]}))
