// Rounding and floating-point exceptions of tiles, as SDK 1.0 and earlier had them in a library of
// their own.
#ifndef popsys_CSRFunctions_hpp
#define popsys_CSRFunctions_hpp

#include <poplar/CSRFunctions.hpp>

namespace popsys {

using poplar::FloatingPointBehaviour;
using poplar::setFloatingPointBehaviour;
using poplar::setStochasticRounding;

}  // namespace popsys

#endif
