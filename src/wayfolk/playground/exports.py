"""Files of what has happened in a panel: a replay as a page, a film or a drawing, and the plan."""

from __future__ import annotations

from typing import Any

from wayfolk.errors import NotSupported
from wayfolk.files.plans import plan_json
from wayfolk.playground.worlds.agents import AgentWorld
from wayfolk.replay import Track, replay_html


def export(world: Any, kind: str) -> tuple[str, bytes]:
    """The name and the bytes of a file of one of the formats of `messages.Format`."""
    name = f"{world.entry.name}.{kind}"
    if kind == "json":
        if not isinstance(world, AgentWorld):
            raise NotSupported("only agents that move in steps have a plan")
        return name, plan_json(world.plan_so_far()).encode()
    track: Track | None = world.history() if isinstance(world, AgentWorld) else world.track
    if track is None:
        raise NotSupported("nothing has happened yet that could be saved")
    if kind == "html":
        return name, replay_html([track], track.title).encode()
    if kind == "svg":
        from wayfolk.replay.vector import svg

        return name, svg([track]).encode()
    from wayfolk.replay.film import film

    return name, film([track], ".gif")
