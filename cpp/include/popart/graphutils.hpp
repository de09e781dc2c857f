// Includes popart/graph.hpp, for sources that expect its declarations here.
// After popart/graphutils.hpp of PopART 3.
#ifndef popart_graphutils_hpp
#define popart_graphutils_hpp

#include <popart/graph.hpp>
#include <popart/patterns/patterns.hpp>

#endif
