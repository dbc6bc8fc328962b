"""Which policies a live server takes."""

import pytest

from molokini.model.errors import BadValue
from molokini.server.policies import check_parameters
from tests.kit.policies import IN_ROWS


@pytest.mark.parametrize("name", IN_ROWS)
def test_policies_of_rows_are_refused_by_name(name: str) -> None:
    with pytest.raises(BadValue, match=f"{name}.*simulations only"):
        check_parameters(name, {}, 8, 2)
