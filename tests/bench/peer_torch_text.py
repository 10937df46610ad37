#!/usr/bin/python3
"""The peer of `scripts/bench text`: the same GPT in torch on the same text.

    peer_torch_text.py FILE STEPS

Prints one JSON line: the loss on the held-back tenth after STEPS steps, and tokens/s. The model is that of
samples/text_gpt: bytes, 4 layers, width 128, 4 heads, windows of 64, 12 at a time, AdamW at 1e-3, GPT-2's
initial values. Its random windows and weights are its own: the two are compared by what they learn.
"""
import json, math, sys, time
import torch
import torch.nn as nn
import torch.nn.functional as F

V, T, L, H, D, ROWS = 256, 64, 4, 4, 128, 12
torch.manual_seed(1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.qkv, self.proj = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.fc, self.out = nn.Linear(D, 4 * D), nn.Linear(4 * D, D)
        for m in (self.qkv, self.fc, self.proj, self.out):
            nn.init.normal_(m.weight, 0, 0.02 / (math.sqrt(2 * L) if m in (self.proj, self.out) else 1))
            nn.init.zeros_(m.bias)

    def forward(self, x, later):
        b, t, _ = x.shape
        q, k, v = (z.view(b, t, H, D // H).transpose(1, 2) for z in self.qkv(self.n1(x)).split(D, 2))
        scores = (q @ k.transpose(2, 3) / math.sqrt(D // H)).masked_fill(later, -math.inf)
        x = x + self.proj((scores.softmax(3) @ v).transpose(1, 2).reshape(b, t, D))
        return x + self.out(F.gelu(self.fc(self.n2(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(V, D), nn.Embedding(T, D)
        nn.init.normal_(self.wte.weight, 0, 0.02)
        nn.init.normal_(self.wpe.weight, 0, 0.02)
        self.blocks, self.norm = nn.ModuleList(Block() for _ in range(L)), nn.LayerNorm(D)
        self.register_buffer("later", torch.ones(T, T, dtype=torch.bool).triu(1))

    def forward(self, x):
        x = self.wte(x) + self.wpe.weight
        for block in self.blocks:
            x = block(x, self.later)
        return self.norm(x) @ self.wte.weight.T


text = torch.tensor(list(open(sys.argv[1], "rb").read()))
steps = int(sys.argv[2])
learnt = len(text) * 9 // 10
train, held = text[:learnt], text[learnt:]
model = Gpt()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
loss_of = lambda x, y: F.cross_entropy(model(x).reshape(-1, V), y.reshape(-1))
begin = time.perf_counter()
for _ in range(steps):
    at = torch.randint(len(train) - T, (ROWS,))
    x = torch.stack([train[i:i + T] for i in at])
    y = torch.stack([train[i + 1:i + T + 1] for i in at])
    loss = loss_of(x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
rate = steps * ROWS * T / (time.perf_counter() - begin)
with torch.no_grad():
    windows = min((len(held) - 1) // T, 100 * ROWS)
    losses = [loss_of(held[i * T:(i + ROWS) * T].view(-1, T), held[i * T + 1:(i + ROWS) * T + 1].view(-1, T)).item()
              for i in range(0, windows - ROWS + 1, ROWS)]
print(json.dumps({"loss": sum(losses) / len(losses), "tokens_per_s": rate}))
