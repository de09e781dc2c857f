// popart/popx/irlowering.hpp: from the types of models to those of the device.
#ifndef popart_popx_irlowering_hpp
#define popart_popx_irlowering_hpp

#include <popart/popx/devicex.hpp>

#endif
