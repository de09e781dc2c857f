// Printing from codelets; for sources that include the SDK's print.h.
#ifndef popir_print_h
#define popir_print_h

#ifdef __cplusplus
#include <cstdio>
#else
#include <stdio.h>
#endif

#endif
