// The order in which sorted elements are. After popops/SortOrder.hpp of PopLibs 3.
#ifndef popops_SortOrder_hpp
#define popops_SortOrder_hpp

#include <ostream>

#pragma GCC visibility push(default)
namespace popops {

enum class SortOrder { NONE, ASCENDING, DESCENDING };

std::ostream& operator<<(std::ostream& os, const SortOrder& order);

}  // namespace popops
#pragma GCC visibility pop

#endif
