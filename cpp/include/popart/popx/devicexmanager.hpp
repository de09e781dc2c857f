// popart/popx/devicexmanager.hpp: popart/devicemanager.hpp, where sources look for it.
#ifndef popart_popx_devicexmanager_hpp
#define popart_popx_devicexmanager_hpp

#include <popart/devicemanager.hpp>

#endif
