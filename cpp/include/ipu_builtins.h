// Builtins of a tile's compiler. After ipu_builtins.h of the Poplar SDK 3.
#ifndef popir_ipu_builtins_h
#define popir_ipu_builtins_h

#include <ipudef.h>
#include <popir/TileBuiltins.hpp>

#endif
