"""Every brain can be drawn: as text, as Mermaid, and as a picture that is well-formed."""

import xml.etree.ElementTree as ET

import pytest

from wayfolk.crowds.brains.diagram import as_mermaid, as_svg, as_text
from wayfolk.crowds.brains.lookup import brain_names, find_brain

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("name", brain_names())
def test_all_states_and_transitions_are_drawn(name):
    brain = find_brain(name)()
    picture = ET.fromstring(as_svg(brain))
    written = {part.text for part in picture.iter("{http://www.w3.org/2000/svg}text")}
    for state in brain.states:
        assert state in written
        assert state in as_text(brain)
    for way in brain.transitions:
        assert brain.label(way) in written
        assert f"{way.source} --> {way.target}: {brain.label(way)}" in as_mermaid(brain)
    assert as_mermaid(brain).splitlines()[1].strip() == f"[*] --> {brain.first}"
