"""Benchmarks of Wayfolk and of its peers: `python -m benchmarks --help`."""

import sys
import time

IS_CPU_TIME = "--cpu" in sys.argv[1:]
if IS_CPU_TIME:  # before any other module imports it
    time.perf_counter = time.process_time

IS_KEPT = "--kept" in sys.argv[1:]
"""Whether parts that keep what they measure, run by run, make tables of that and measure nothing."""
_LIMITS = [word.removeprefix("--seconds=") for word in sys.argv[1:] if word.startswith("--seconds=")]
SECONDS = float(_LIMITS[-1]) if _LIMITS else None
"""The limit that the command line gives for each run, for parts that have one."""
