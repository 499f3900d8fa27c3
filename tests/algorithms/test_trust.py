"""What files may name."""

import pytest

from wayfolk.algorithms.trust import check_options, find_named
from wayfolk.errors import NotSupported


@pytest.mark.parametrize("name", ["os:system", "a.b:begin", ":", "x:"])
def test_a_module_needs_trust(name):
    with pytest.raises(NotSupported, match="would run code: give --trust, or trust=True, if you trust the file"):
        find_named(name, trust=False)


def test_names_of_the_catalogue_need_none():
    assert find_named("astar", "search", trust=False).name == "astar"
    check_options({"window": 3, "saved": "lanes.npz", "database": "C:\\maps\\d.npz", "cluster": "local"}, False)


@pytest.mark.parametrize("options", [{"cluster": "tcp://10.0.0.1:8786"}, {"cluster": "host"}, {"first": "os:system"}])
def test_options_that_name_modules_and_addresses_need_trust(options):
    with pytest.raises(NotSupported, match="would run code"):
        check_options(options, False)
    check_options(options, True)
