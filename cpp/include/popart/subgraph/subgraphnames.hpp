// Names of types for finding what is repeated in a schedule. After popart/subgraph/subgraphnames.hpp of PopART 3.
#ifndef popart_subgraph_subgraphnames_hpp
#define popart_subgraph_subgraphnames_hpp

#include <string>

#pragma GCC visibility push(default)

namespace fwtools {
namespace subgraph {

/// Equal for nodes that are of one kind.
using EquivId = std::string;
/// Where a sequence begins in the schedule.
using Start = int;
using InIndex = int;
using OutIndex = int;

}  // namespace subgraph
}  // namespace fwtools

#pragma GCC visibility pop

#endif
