#include <popart/operators.hpp>

namespace popart {
namespace Onnx {

// Static creators of other files name these constants, so they are made first, whatever the linker's
// order of files.
#define POPIR_FIRST __attribute__((init_priority(101)))
#define POPIR_DEFINE_ONNX(NAME, VERSION, MIN_INPUTS, MAX_INPUTS, OUTPUTS) \
  POPIR_FIRST const OperatorIdentifier NAME##_##VERSION(                  \
      Domain::ai_onnx, #NAME, VERSION, NumInputs(MIN_INPUTS, MAX_INPUTS), OUTPUTS);
namespace Operators {
POPART_ONNX_OPERATORS(POPIR_DEFINE_ONNX)
}

#define POPIR_DEFINE_GRAPHCORE(CONSTANT, NAME) POPIR_FIRST const AiGraphcoreOpIdV1 CONSTANT(NAME);
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
