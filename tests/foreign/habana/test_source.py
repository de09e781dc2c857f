"""TPC-C as C++: which words change."""

import pytest

from popir.foreign.habana.source import as_cpp

CASES = {
    # Variables in local memory are of each thread.
    "__local__ float64 a[4];": "thread_local float64 a[4];",
    "static int __local a = 3, b;": "static int thread_local a = 3, b;",
    "void f() { __local float64 a; a = 1; }": "void f() { thread_local float64 a; a = 1; }",
    # Pointers to it, parameters and types are not.
    "float64 __local *p, *q;": "float64 *p, *q;",
    "const __local__ float64 *p = a;": "const float64 *p = a;",
    "void f(__local float64 *p, float64 __local q[2]) {}": "void f( float64 *p, float64 q[2]) {}",
    "void f(float64 __local *);": "void f(float64 *);",
    "float64 __local *f(void) { return a; }": "float64 *f(void) { return a; }",
    "typedef __local float64 t;": "typedef float64 t;",
    "for (float64 __local *p = a; p < b; ++p) {}": "for (float64 *p = a; p < b; ++p) {}",
    # Casts take addresses.
    "x = (float64 __local *)n;": "x = (popir_tpc::Local<float64 >)n;",
    "return *(const int __local__ *)n;": "return *(popir_tpc::Local<const int >)n;",
    "f((unsigned char __local *)(n + 1))": "f((popir_tpc::Local<unsigned char >)(n + 1))",
    # Registers are not volatile, numbers are.
    "volatile float64 a; float64 volatile b;": " float64 a; float64 b;",
    "volatile int a; float volatile b; _Bool volatile *c;": (
        "volatile int a; float volatile b; _Bool volatile *c;"
    ),
    "(volatile float64 __local *)p": "(popir_tpc::Local< float64 >)p",
    # Names of C.
    "typedef _Bool bool; bool a;": " bool a;",
    "typedef struct _int64_pair_t pair; struct pair_t a;": (
        "typedef int64_pair_t pair; struct pair_t a;"
    ),
    # Texts and lines of the preprocessor stay.
    'printf("__local volatile"); char c = \'"\'; __local int d;': (
        'printf("__local volatile"); char c = \'"\'; thread_local int d;'
    ),
    '# 3 "__local.c"\n__local int a;': '# 3 "__local.c"\nthread_local int a;',
    "#pragma unroll __local\nint a;": "#pragma unroll __local\nint a;",
}


@pytest.mark.parametrize("text", CASES)
def test_as_cpp(text: str) -> None:
    assert as_cpp(text).split() == CASES[text].split()
