// Checks that run before every function of the extension.
#ifndef popir_bindings_guards_hpp
#define popir_bindings_guards_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// Gives all functions below `m`, of modules and of classes, these guards:
/// - a method's object is not None, which pybind11 would hand over as a null pointer;
/// - text in arguments, also in lists and dicts, can be encoded as UTF-8;
/// - tensors in arguments are valid, and a number converted to an enum is one of its members;
/// - tensors, compute sets, functions and vertices belong to the graph in the same call;
/// - a graph lives as long as Python holds a tensor, program or other part of it. Otherwise a new
///   graph at the same address could be taken for the old one.
void guard(const pybind11::module_& m);

}  // namespace popir

#endif
