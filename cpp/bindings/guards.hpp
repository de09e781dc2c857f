// Checks that run before every function of the extension.
#ifndef popir_bindings_guards_hpp
#define popir_bindings_guards_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// Wraps every function of `m`, of its submodules and of their classes in these checks. Arguments
/// inside of lists, tuples and dicts are checked too.
/// - `self` is not None, which pybind11 would pass as a null pointer (TypeError);
/// - strings can be encoded as UTF-8 (poplar_error);
/// - tensors are valid (index_error);
/// - a number from which an enum is constructed is that of a member (poplar_error);
/// - tensors, compute sets, functions, vertices and fields belong to the graph given in the same
///   call (graph_connection_error).
///
/// The wrapper also keeps a graph alive while Python holds a tensor, program or other part of it.
/// Otherwise a new graph could get the same address, and the part would seem to belong to it.
void guard(const pybind11::module_& m);

}  // namespace popir

#endif
