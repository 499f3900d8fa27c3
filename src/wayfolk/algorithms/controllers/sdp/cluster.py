"""Hosts of SDP on a Dask cluster: an actor for each host, and one call for each host and phase, all at once."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

from wayfolk.algorithms.controllers.sdp.areas import Areas
from wayfolk.algorithms.controllers.sdp.hosts import Host, Setup
from wayfolk.algorithms.workers import dask_client
from wayfolk.errors import BadInput, TooLarge

LOCAL = "local"
_SETTINGS = {
    "distributed.comm.timeouts.connect": "8s",
    # actors are never idle for long, and must not be moved or paused
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
}


class ClusterTeam:
    """Hosts on the workers of a cluster. They end with the team, or when a call is interrupted."""

    def __init__(self, address: str, n_hosts: int) -> None:
        """Begin `n_hosts`, or one for each worker if it is 0, on the cluster at `address`, or on local processes."""
        stack = contextlib.ExitStack()
        self._end = weakref.finalize(self, _end, stack)
        is_local = address == LOCAL
        self.client = client = stack.enter_context(
            dask_client(None if is_local else address, n_hosts or None, None, _SETTINGS, direct=True)
        )
        workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        if not workers:
            raise BadInput(f"the cluster at {address} has no workers")
        self.n_hosts = n_hosts or len(workers)
        begun = [
            client.submit(Host, number, workers=[workers[number % len(workers)]], actor=True, pure=False)
            for number in range(self.n_hosts)
        ]
        self.hosts = [future.result() for future in begun]

    def begin(self, setup: Setup, areas: Areas) -> list[bool]:
        """Let all hosts begin. They make the areas themselves: that is less than to send them."""
        return self.call("begin", [(setup,)] * self.n_hosts)

    def call(self, method: str, arguments: list[tuple[Any, ...]]) -> list[Any]:
        """Call a method of all hosts at once."""
        try:
            answers = [getattr(host, method)(*given) for host, given in zip(self.hosts, arguments, strict=True)]
            return [answer.result() for answer in answers]
        except (OSError, RuntimeError) as error:
            self._end()
            raise TooLarge("a process of the cluster was lost, perhaps because memory ran out") from error
        except BaseException:
            self._end()
            raise


def _end(stack: contextlib.ExitStack) -> None:
    """End the hosts at once: what they know is not needed any more."""
    stack.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
