// Includes popart/operators.hpp, which replaced it. After popart/opidentifier.hpp of PopART 2.
#ifndef popart_opidentifier_hpp
#define popart_opidentifier_hpp

#include <popart/operators.hpp>

#endif
