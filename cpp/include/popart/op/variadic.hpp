// popart/op/variadic.hpp: operators of any number of inputs; see sum.hpp.
#ifndef popart_op_variadic_hpp
#define popart_op_variadic_hpp

#include <popart/op/sum.hpp>

#endif
