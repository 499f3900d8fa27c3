"""The first minute: CPU seconds until the first answer, with no machine code kept and with all of it."""

import os
import resource
import subprocess
import sys
from tempfile import TemporaryDirectory

AGENTS = ["--random", "20", "--json"]
COMMANDS = {
    "find_path (path)": ["path", "rooms", "--from", "2,2", "--to", "29,29", "--json"],
    **{
        f"solve with {name}": ["solve", "rooms", "--with", name, *AGENTS]
        for name in ("lacam", "whca", "pibt", "cbs", "sdp")
    },
    "solve (auto), the first plan": ["solve", "rooms", *AGENTS],
    "solve (auto), 2 seconds": ["solve", "rooms", "--seconds", "2", *AGENTS],
    "run with bmaa_plus": ["run", "re-tasking", "--with", "bmaa_plus", "--json"],
    "warm": ["warm", "--json"],
}


def tables(maps):
    rows = []
    for what, words in COMMANDS.items():
        with TemporaryDirectory() as cache:
            rows.append([what, cpu_seconds(words, cache), cpu_seconds(words, cache)])
    yield (
        "The first minute",
        "CPU seconds of a command and its workers: with an empty cache of machine code, and again with a full one. From a "
        "wheel with machine code, the first run takes as long as the second.",
        ["what", "s, cache empty", "s, cache full"],
        rows,
    )


def cpu_seconds(words, cache):
    """The CPU seconds of one command, its processes included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = os.environ | {"WAYFOLK_CACHE": cache}
    subprocess.run([sys.executable, "-m", "wayfolk", *words], check=True, stdout=subprocess.DEVNULL, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
