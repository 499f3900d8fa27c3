"""Functions that only kernels call are bitcode, which is linked into the kernels."""

import pickle

import numpy as np
import pytest

from wayfolk.compile import linking
from wayfolk.compile.jit import inner, is_plain, kernel
from wayfolk.compile.numba_parts import serialize, types

pytestmark = pytest.mark.skipif(is_plain(), reason="nothing is compiled in plain mode")


@inner
def _twice(x):
    return 2 * x


@kernel
def _fill(values):
    for k in range(values.size):
        values[k] = _twice(_twice(k))


def _compiled():
    _twice.compile((types.int64,))
    return _twice.overloads[(types.int64,)]


def test_a_kernel_holds_the_code_of_what_it_calls():
    values = np.zeros(4, np.int64)
    _fill(values)
    assert values.tolist() == [0, 4, 8, 12]


def test_an_inner_function_has_no_machine_code():
    result = _compiled()
    assert isinstance(result.library, linking.Linked)
    assert not result.library.codegen._engine.is_symbol_defined(result.fndesc.llvm_func_name)


def test_what_is_kept_of_it_can_be_linked_again():
    result = _compiled()
    kept = pickle.loads(serialize.dumps(result._reduce()))
    again = linking.read_back(result.target_context, kept)
    assert kept[0][1] == linking.BITCODE
    names = [{function.name for function in one.library.get_defined_functions()} for one in (result, again)]
    assert names[0] == names[1]
    assert result.fndesc.llvm_func_name in names[0]
