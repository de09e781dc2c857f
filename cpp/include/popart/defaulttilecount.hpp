// popart/defaulttilecount.hpp: how many tiles an IPU has where nothing else is said.
#ifndef popart_defaulttilecount_hpp
#define popart_defaulttilecount_hpp

namespace popart {

constexpr int defaultFewTiles = 4;
constexpr int defaultManyTiles = 1472;

}  // namespace popart

#endif
