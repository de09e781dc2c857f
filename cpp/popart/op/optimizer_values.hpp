// The values of an optimizer that its operators have as constants, or as inputs.
#ifndef popir_popart_op_optimizer_values_hpp
#define popir_popart_op_optimizer_values_hpp

#include <popart/op.hpp>
#include <popart/opserialiser.hpp>
#include <popart/optimizervalue.hpp>

#include <map>
#include <string>
#include <vector>

namespace popart {

struct OptimizerValueInput {
  const char* name;
  OptimizerValue value;
  InIndex index;  // where it is an input, if it is not constant
};

/// The inputs of those that are not constant, and connected.
inline std::map<InIndex, TensorId> connected(const Op& op,
                                             const std::vector<OptimizerValueInput>& values) {
  std::map<InIndex, TensorId> inputs;
  for (const auto& v : values)
    if (!v.value.isConst() && op.hasInput(v.index)) inputs.insert({v.index, op.inId(v.index)});
  return inputs;
}

inline void appendConstants(OpSerialiserBase& os, const std::vector<OptimizerValueInput>& values) {
  for (const auto& v : values)
    if (v.value.isConst()) os.appendAttribute(std::string("const ") + v.name, v.value.val());
}

}  // namespace popart

#endif
