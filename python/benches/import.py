"""How long `import harmony_mask` takes in a new interpreter, in milliseconds.

python benches/import.py
"""

import subprocess
import sys

ROUNDS = 20
TIMED = "import time; t = time.perf_counter(); import harmony_mask; print(1000 * (time.perf_counter() - t))"


def main() -> None:
    # -P keeps the current folder out: the installed package is meant, not its sources.
    command = [sys.executable, "-P", "-c", TIMED]
    times = sorted(float(subprocess.check_output(command)) for _ in range(ROUNDS))
    print(f"import harmony_mask: {times[0]:.1f} ms at best, {times[ROUNDS // 2]:.1f} ms usually")


if __name__ == "__main__":
    main()
