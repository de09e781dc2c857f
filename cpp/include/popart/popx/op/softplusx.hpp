// popart/popx/op/softplusx.hpp: the bases that lowerings of activations derive from.
#ifndef popart_popx_op_softplusx_hpp
#define popart_popx_op_softplusx_hpp

#include <popart/popx/op/elementwisex.hpp>

#endif
