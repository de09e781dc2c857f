// popart/builder.gen.hpp: the operators of a Builder by opset. popir's Builder is in Python.
#ifndef popart_builder_gen_hpp
#define popart_builder_gen_hpp

#include <popart/debugcontext.hpp>
#include <popart/hostside.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/vendored/optional.hpp>
#include <popart/voiddata.hpp>

#include <string>
#include <vector>

namespace popart {

/// The operators that C++ programs with operators of their own name beside them.
class AiOnnxOpset6 {
  using Ids = std::vector<TensorId>;
  using Ints = std::vector<int64_t>;

 public:
  TensorId add(const Ids&, const DebugContext& = {}) { hostside::refuse("Builder: add"); }
  TensorId sub(const Ids&, const DebugContext& = {}) { hostside::refuse("Builder: sub"); }
  TensorId concat(const Ids&, int64_t, const DebugContext& = {}) {
    hostside::refuse("Builder: concat");
  }
  TensorId constant(const ConstVoidData&, const DebugContext& = {}) {
    hostside::refuse("Builder: constant");
  }
  TensorId conv(const Ids&, const Ints& = {}, int64_t = 1, const Ints& = {}, const Ints& = {},
                const Ints& = {}, const DebugContext& = {}) {
    hostside::refuse("Builder: conv");
  }
  TensorId gather(const Ids&, int64_t = 0, const DebugContext& = {}) {
    hostside::refuse("Builder: gather");
  }
  TensorId identity(const Ids&, const DebugContext& = {}) { hostside::refuse("Builder: identity"); }
  TensorId matmul(const Ids&, const DebugContext& = {}) { hostside::refuse("Builder: matmul"); }
  TensorId maxpool(const Ids&, const Ints&, const Ints& = {}, const Ints& = {},
                   const DebugContext& = {}) {
    hostside::refuse("Builder: maxpool");
  }
  std::vector<TensorId> batchnormalization(const Ids&, unsigned, float = 1e-5f, int64_t = 0,
                                           float = 0.9f, int64_t = 1, const DebugContext& = {}) {
    hostside::refuse("Builder: batchnormalization");
  }
  TensorId relu(const Ids&, const DebugContext& = {}) { hostside::refuse("Builder: relu"); }
  TensorId reshape(const Ids&, const DebugContext& = {}) { hostside::refuse("Builder: reshape"); }
  std::vector<TensorId> split(const Ids&, unsigned, int64_t = 0, const Ints& = {},
                              const DebugContext& = {}) {
    hostside::refuse("Builder: split");
  }
};

class AiOnnxOpset7 : public AiOnnxOpset6 {};
class AiOnnxOpset8 : public AiOnnxOpset7 {};
class AiOnnxOpset9 : public AiOnnxOpset8 {};
class AiOnnxOpset10 : public AiOnnxOpset9 {};
class AiOnnxOpset11 : public AiOnnxOpset10 {};

enum class ScatterReduction { Sum = 0, Max, Min, Mul, None };

class AiGraphcoreOpset1 {
  using Ids = std::vector<TensorId>;
  using Many = std::vector<std::vector<int64_t>>;

 public:
  TensorId l1loss(const Ids&, const float, const ReductionType = ReductionType::Mean,
                  const DebugContext& = {}) {
    hostside::refuse("Builder: l1loss");
  }
  std::vector<TensorId> multiconv(const std::vector<Ids>&, const Many& = {}, const Many& = {},
                                  const Many& = {}, const Many& = {}, const Many& = {},
                                  const std::vector<float>& = {},
                                  const std::vector<std::string>& = {},
                                  const nonstd::optional<std::string> = nonstd::nullopt,
                                  const nonstd::optional<int> = nonstd::nullopt,
                                  const nonstd::optional<float> = nonstd::nullopt,
                                  const std::vector<int64_t>& = {}, const DebugContext& = {}) {
    hostside::refuse("Builder: multiconv");
  }
  TensorId scatterreduce(const Ids&, int64_t, int64_t = -1,
                         ScatterReduction = ScatterReduction::Sum, int64_t = 1,
                         const DebugContext& = {}) {
    hostside::refuse("Builder: scatterreduce");
  }
};

}  // namespace popart

#endif
