// The reductions of a scatter. After popart/op/scatterreduce.hpp of PopART 3.
#ifndef popart_op_scatterreduce_hpp
#define popart_op_scatterreduce_hpp

namespace popart {

enum class ScatterReduction { Sum = 0, Max, Min, Mul, None };

}  // namespace popart

#endif
