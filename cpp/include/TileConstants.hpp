#include <poplar/TileConstants.hpp>
