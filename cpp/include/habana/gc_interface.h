// Constants that glue code takes from this older name.
#ifndef popir_habana_gc_interface_h
#define popir_habana_gc_interface_h

#include "tpc_kernel_lib_interface.h"

namespace gcapi {

/// The most dimensions of a tensor that a TPC kernel works on.
static const unsigned MAX_TENSOR_DIM = 5;
static const unsigned MAX_TENSOR_NR = 16;
static const unsigned MAX_SCALAR_PARAMS = tpc_lib_api::MAX_SCALAR_PARAMS;
static const unsigned MAX_NODE_NAME = tpc_lib_api::MAX_NODE_NAME;

}  // namespace gcapi

#endif
