// popart/opidentifier.hpp: the older name of operators.hpp.
#ifndef popart_opidentifier_hpp
#define popart_opidentifier_hpp

#include <popart/operators.hpp>

#endif
