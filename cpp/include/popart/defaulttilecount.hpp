// The default number of tiles per IPU. After popart/defaulttilecount.hpp of PopART 3.
#ifndef popart_defaulttilecount_hpp
#define popart_defaulttilecount_hpp

namespace popart {

constexpr int defaultFewTiles = 4;
constexpr int defaultManyTiles = 1472;

}  // namespace popart

#endif
