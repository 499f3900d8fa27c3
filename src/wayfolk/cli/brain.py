"""The verbs of `wayfolk brain`: show, list."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wayfolk.cli.examples import epilog
from wayfolk.cli.parts import Json, must_be_writable, print_json
from wayfolk.errors import BadInput

brain = typer.Typer(epilog=epilog("brain"))


@brain.callback(invoke_without_command=True)
def _root(context: typer.Context) -> None:
    """Show brains: state machines of agents in crowds."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@brain.command("list", epilog=epilog("brain list"))
def list_brains(as_json: Json = False) -> None:
    """List the brains of the package."""
    from wayfolk.crowds.brains.lookup import brain_names, find_brain

    rows = [{"name": name, "about": find_brain(name)().about} for name in brain_names()]
    if as_json:
        print_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        print(f"{row['name']:<{width}}  {row['about']}")


@brain.command(epilog=epilog("brain show"))
def show(
    name: Annotated[
        str, typer.Argument(metavar="BRAIN", help="A name of `wayfolk brain list`, FILE.py, or FILE.py:Name.")
    ],
    svg: Annotated[Path | None, typer.Option(help="Write the diagram as an SVG picture.")] = None,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print the diagram in the language of Mermaid.")] = False,
    as_json: Json = False,
) -> None:
    """Draw the diagram of a brain: its states and the transitions between them."""
    if mermaid and as_json:
        raise BadInput("choose one of --mermaid and --json")
    must_be_writable(svg)
    from wayfolk.crowds.brains import diagram
    from wayfolk.crowds.brains.lookup import find_brain

    shown = find_brain(name)()
    if svg is not None:
        from wayfolk.files.raw import write_bytes

        write_bytes(svg, diagram.as_svg(shown).encode(), BadInput)
    if as_json:
        print_json(
            {
                "name": shown.name,
                "about": shown.about,
                "senses": list(shown.senses),
                "settings": {key: getattr(shown, key) for key in shown.settings()},
                "first": shown.first,
                "states": [
                    {"name": key, "pace": state.pace, "final": state.final} for key, state in shown.states.items()
                ],
                "transitions": [
                    {"from": way.source, "to": way.target, "after": shown.seconds(way), "label": shown.label(way)}
                    for way in shown.transitions
                ],
            }
        )
    else:
        print(diagram.as_mermaid(shown) if mermaid else diagram.as_text(shown))
