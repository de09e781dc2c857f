// Ends a run with an error.
#ifndef popir_Abort_hpp
#define popir_Abort_hpp

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <string>

#pragma GCC visibility push(default)

namespace popir {

/// Adds a step that ends the run with poplar::application_runtime_error, whose text is `text`, if
/// any element of `condition` is true. What the program has written until then stays written; the
/// engine may run again.
/// `condition`: BOOL, of any shape.
/// \throws poputil::poplibs_error for another type
void abortOnCondition(poplar::Graph& graph, const poplar::Tensor& condition,
                      const std::string& text, poplar::program::Sequence& prog,
                      const poplar::DebugContext& debugContext = {});

}  // namespace popir

#pragma GCC visibility pop

#endif
