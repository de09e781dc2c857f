// print.h: printing from codelets, for sources that include it by this name.
#ifndef popir_print_h
#define popir_print_h

#include <cstdio>

#endif
