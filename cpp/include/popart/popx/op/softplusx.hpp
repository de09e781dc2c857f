// Includes the base classes of activation lowerings.
// After popart/popx/op/softplusx.hpp of PopART 3.
#ifndef popart_popx_op_softplusx_hpp
#define popart_popx_op_softplusx_hpp

#include <popart/popx/op/elementwisex.hpp>

#endif
