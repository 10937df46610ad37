#!/usr/bin/env python3
"""`scripts/bench text`: a GPT learns the King James text beside torch: what it has learnt after 1,000 steps, and
how fast. `--quick` takes 20 steps of each: it shows that the bench works.
"""
import argparse, json, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEER_ENV = {
    "LD_LIBRARY_PATH": "/usr/lib/x86_64-linux-gnu/openblas-openmp", "OMP_PROC_BIND": "true",
    "OMP_NUM_THREADS": "2", "MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "1000000000000",
    "MALLOC_TOP_PAD_": "268435456",
}


def run(command, env=None):
    done = subprocess.run(command, env=dict(os.environ, **(env or {})), stdout=subprocess.PIPE, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with code {done.returncode}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench text", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", help="also write the JSON lines to this file")
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/release/bin"))
    options = parser.parse_args()
    steps = 20 if options.quick else 1000
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kjv.txt")
        with open(path, "w") as out:
            out.write(run(["bible", "-f", "gen1:1-rev22:21"]))
        ours = run([os.path.join(options.bin, "sample_text_gpt"), "--local", path, str(steps)])
        theirs = json.loads(run(["/usr/bin/python3", os.path.join(ROOT, "tests/bench/peer_torch_text.py"),
                                 path, str(steps)], PEER_ENV).splitlines()[-1])
    loss = float(re.search(r"([0-9.]+) after", ours).group(1))
    rate = 64 * float(re.search(r"([0-9.]+) samples/s", ours).group(1))
    rows = []
    for metric, unit, value, peer, target, at_most in (
            ("loss on held-back text", "nats per byte", loss, theirs["loss"], 1.01, True),
            ("training, 2 x 1 thread", "tokens/s", rate, theirs["tokens_per_s"], 1.0, False)):
        ratio = value / peer
        rows.append({"bench": "text", "case": f"GPT S, King James, {steps} steps", "metric": metric, "unit": unit,
                     "value": value, "min": value, "max": value, "peer": "torch 2 threads", "peer_value": peer,
                     "ratio": ratio, "target": target, "ok": ratio <= target if at_most else ratio >= target})
    for r in rows:
        print(f'{r["case"]}  {r["metric"]} ({r["unit"]})  {r["value"]:.4g}  {r["peer"]} {r["peer_value"]:.4g}  '
              f'ratio {r["ratio"]:.3f}  target {r["target"]}  {"yes" if r["ok"] else "NO"}')
    lines = [json.dumps(row) for row in rows]
    print("\n".join(lines))
    if options.json:
        with open(options.json, "w") as out:
            out.write("\n".join(lines) + "\n")


main()
