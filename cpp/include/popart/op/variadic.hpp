// Includes popart/op/sum.hpp, which declares VariadicOp. After popart/op/variadic.hpp of PopART 3.
#ifndef popart_op_variadic_hpp
#define popart_op_variadic_hpp

#include <popart/op/sum.hpp>

#endif
