// popart/graphutils.hpp: the declarations of a graph, where sources look for them.
#ifndef popart_graphutils_hpp
#define popart_graphutils_hpp

#include <popart/graph.hpp>
#include <popart/patterns/patterns.hpp>

#endif
