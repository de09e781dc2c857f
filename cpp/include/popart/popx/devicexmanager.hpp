// Includes popart/devicemanager.hpp. After popart/popx/devicexmanager.hpp of PopART 3.
#ifndef popart_popx_devicexmanager_hpp
#define popart_popx_devicexmanager_hpp

#include <popart/devicemanager.hpp>

#endif
