"""What a kernel calls that is not a kernel: a promise of Wayfolk is that this is next to nothing."""

import pickle
import re

import llvmlite.binding as llvm

INSTRUCTIONS = re.compile(
    r"llvm\.(abs|[su](min|max)|lifetime\.\w+|assume|ceil|floor|trunc|rint|fabs|sqrt|is\.fpclass|masked\.\w+|vector\.reduce\.\w+"
    r"|[su](add|sub|mul)\.(sat|with\.overflow)|fsh[lr]|ct(lz|tz|pop)|fmuladd|copysign|(min|max)(num|imum)|experimental\.noalias\S*"
    r"|ptrmask|bswap|bitreverse|[su]cmp|get\.active\.lane\.mask|fpto[su]i\.sat)\."
)
"""What LLVM turns into a few instructions of any processor."""
LIBRARY = re.compile(r"llvm\.(memset|memcpy|memmove|pow|exp|sin|cos)\.\S+|sqrt|atan2")
"""The functions of the C library that kernels may call."""
DEFINITION = re.compile(r'^define .*?@("[^"]+"|[\w.$-]+)\(')
NAME = re.compile(r'@("[^"]+"|[\w.$-]+)')
WAYS_IN = ("_ZN7cpython", "cfunc.")  # by these, Python and C call a kernel


def foreign_calls(code):
    """The functions that the kernels in this text of LLVM's use, and neither define nor may call."""
    module = llvm.parse_assembly(code)
    declared = {function.name for function in module.functions if function.is_declaration}
    declared |= {variable.name for variable in module.global_variables if variable.is_declaration}
    used, is_kernel = set(), False
    for line in code.splitlines():
        if line.startswith("define "):
            is_kernel = not DEFINITION.match(line)[1].strip('"').startswith(WAYS_IN)
        elif is_kernel:
            used |= {name.strip('"') for name in NAME.findall(line)} & declared
    return sorted(name for name in used if not INSTRUCTIONS.match(f"{name}.") and not LIBRARY.fullmatch(name))


def kept_code(contents):
    """LLVM's text of a kernel in a file of machine code."""
    (_, _, (_, bitcode)), *_ = pickle.loads(contents)
    return str(llvm.parse_bitcode(bitcode))
