#!/usr/bin/env python3
"""`scripts/bench train`: training against torch, alternately in one run, and what the design promises
about latency, overlap and start. Prints a table and one JSON line per figure.

Medians over the alternations; min and max are the spread of the runs' medians. `--quick` takes one
short alternation: it shows that the bench works, not how fast anything is.
"""
import argparse, json, os, statistics, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BIN = os.path.join(ROOT, "build/release/bin")
PEER_ENV = {
    "LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu/openblas-openmp",
    "OMP_PROC_BIND": "true",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "1000000000000",
    "MALLOC_TOP_PAD_": "268435456",
}


def run_json(command, env=None, timeout=600):
    merged = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    merged.update(env or {})
    done = subprocess.run(command, env=merged, stdout=subprocess.PIPE, text=True, timeout=timeout)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with code {done.returncode}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours(*arguments):
    return run_json([os.path.join(BIN, "bench_train"), *map(str, arguments)])


def torch(model, threads, seconds):
    env = dict(PEER_ENV, OMP_NUM_THREADS=str(threads))
    return run_json(["/usr/bin/python3", os.path.join(ROOT, "tests/bench/peer_torch_train.py"),
                     model, str(threads), str(seconds)], env)


class Table:
    def __init__(self):
        self.rows = []

    def add(self, case, metric, unit, values, target, peer=None, peer_values=None, at_most=False):
        value = statistics.median(values)
        peer_value = statistics.median(peer_values) if peer_values else None
        ratio = value / peer_value if peer_value else None
        measured = ratio if ratio is not None else value
        ok = measured <= target if at_most else measured >= target
        self.rows.append({"bench": "train", "case": case, "metric": metric, "unit": unit,
                          "value": value, "min": min(values), "max": max(values), "peer": peer,
                          "peer_value": peer_value, "ratio": ratio, "target": target, "ok": ok})

    def print(self):
        head = ("case", "metric", "value", "spread", "peer", "ratio", "target", "ok")
        lines = [head]
        for r in self.rows:
            f = lambda x: "-" if x is None else f"{x:.4g}"
            lines.append((r["case"], f'{r["metric"]} ({r["unit"]})', f(r["value"]),
                          f'{f(r["min"])}..{f(r["max"])}',
                          f'{r["peer"]} {f(r["peer_value"])}' if r["peer"] else "-", f(r["ratio"]),
                          f(r["target"]), "yes" if r["ok"] else "NO"))
        widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
        for line in lines:
            print("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench train", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", help="also write the JSON lines to this file")
    parser.add_argument("--repeats", type=int)
    parser.add_argument("--bin", help="folder of the programs (default: build/release/bin)")
    options = parser.parse_args()
    global BIN
    BIN = options.bin or BIN
    repeats = options.repeats or (1 if options.quick else 5)
    seconds = 1 if options.quick else 5

    table = Table()
    for model in ("mlp", "convnet"):
        for devices in (1, 2):
            mine, theirs = [], []
            for _ in range(repeats):
                mine.append(ours("--model", model, "--devices", devices, "--seconds", seconds)["images_per_s"])
                theirs.append(torch(model, devices, seconds)["images_per_s"])
            table.add(f"{model}, batch 128, {devices} x 1 thread", "training", "images/s", mine, 1.0,
                      f"torch {devices} threads", theirs)

    near, far = [], []
    for _ in range(repeats):
        near.append(ours("--model", "mlp", "--devices", 2, "--seconds", seconds, "--proxy-ms", 0)["images_per_s"])
        far.append(ours("--model", "mlp", "--devices", 2, "--seconds", max(seconds, 2), "--proxy-ms", 50)["images_per_s"])
    table.add("mlp behind a proxy that adds 50 ms", "training", "images/s", far, 0.9, "0 ms", near)

    overlaps = [run_json([os.path.join(BIN, "bench_overlap")]) for _ in range(repeats)]
    table.add("step on devices that sleep", "time", "ms", [o["step_ms"] for o in overlaps], 1.15,
              "max(compute, comm)", [o["floor_ms"] for o in overlaps], at_most=True)

    starts = [ours("--model", "convnet", "--devices", 2, "--start")["first_step_s"] for _ in range(repeats)]
    table.add("local client to first step", "time", "s", starts, 2.0, at_most=True)

    table.print()
    lines = [json.dumps(row) for row in table.rows]
    print("\n".join(lines))
    if options.json:
        with open(options.json, "w") as out:
            out.write("\n".join(lines) + "\n")


main()
