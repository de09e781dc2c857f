#include <popart/operators.hpp>

namespace popart {
namespace Onnx {

#define POPIR_DEFINE_ONNX(NAME, VERSION, MIN_INPUTS, MAX_INPUTS, OUTPUTS)    \
  const OperatorIdentifier NAME##_##VERSION(Domain::ai_onnx, #NAME, VERSION, \
                                            NumInputs(MIN_INPUTS, MAX_INPUTS), OUTPUTS);
namespace Operators {
POPART_ONNX_OPERATORS(POPIR_DEFINE_ONNX)
}

#define POPIR_DEFINE_GRAPHCORE(CONSTANT, NAME) const AiGraphcoreOpIdV1 CONSTANT(NAME);
namespace GradOperators {
POPART_GRAD_OPERATORS(POPIR_DEFINE_GRAPHCORE)
}
namespace CustomOperators {
POPART_CUSTOM_OPERATORS(POPIR_DEFINE_GRAPHCORE)
}
namespace CustomGradOperators {
POPART_CUSTOM_GRAD_OPERATORS(POPIR_DEFINE_GRAPHCORE)
}

}  // namespace Onnx
}  // namespace popart
