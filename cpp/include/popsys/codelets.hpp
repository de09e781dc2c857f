// After popsys/codelets.hpp of the Poplar SDK 1.0.
#ifndef popsys_codelets_hpp
#define popsys_codelets_hpp

#include <poplar/Graph.hpp>

namespace popsys {

/// A no-op: libpopir brings the vertices of its library functions.
inline void addCodelets(poplar::Graph&) {}

}  // namespace popsys

#endif
