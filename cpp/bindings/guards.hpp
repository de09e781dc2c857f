// What every function of the extension does besides what it is for.
#ifndef popir_bindings_guards_hpp
#define popir_bindings_guards_hpp

#include <pybind11/pybind11.h>

namespace popir {

/// Gives all functions below `m`, of modules and of classes, these guards:
/// - a method's object is not None, which pybind11 would hand over as a null pointer;
/// - text that is given, in lists and dicts too, has a form in UTF-8;
/// - a tensor that is given shows something, and a number that is made a member of an enum is one;
/// - tensors, compute sets, functions and vertices are of the graph that is given with them;
/// - a graph lives as long as tensors, programs and whatever else Python has of it, so that what
///   belongs to a graph that is gone is not taken for what belongs to a new one at its place.
void guard(const pybind11::module_& m);

}  // namespace popir

#endif
