// Model builder. In popir models are built in Python. After popart/builder.hpp of PopART 3.
#ifndef popart_builder_hpp
#define popart_builder_hpp

#include <popart/builder.gen.hpp>
#include <popart/debugcontext.hpp>
#include <popart/hostside.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/vendored/any.hpp>
#include <popart/voiddata.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace popart {

/// Can be constructed, since programs do so before they register operators. Functions that build
/// throw an error that says what to do.
class Builder {
 public:
  static std::unique_ptr<Builder> create() { return std::unique_ptr<Builder>(new Builder()); }

  AiOnnxOpset6 aiOnnxOpset6() { return {}; }
  AiOnnxOpset7 aiOnnxOpset7() { return {}; }
  AiOnnxOpset8 aiOnnxOpset8() { return {}; }
  AiOnnxOpset9 aiOnnxOpset9() { return {}; }
  AiOnnxOpset10 aiOnnxOpset10() { return {}; }
  AiOnnxOpset11 aiOnnxOpset11() { return {}; }
  AiGraphcoreOpset1 aiGraphcoreOpset1() { return {}; }

  TensorId addInputTensor(const TensorInfo&, const DebugContext& = {}) {
    hostside::refuse("Builder::addInputTensor");
  }
  TensorId addInputTensor(const std::string&, const Shape&, const DebugContext& = {}) {
    hostside::refuse("Builder::addInputTensor");
  }
  TensorId addInitializedInputTensor(const ConstVoidData&, const DebugContext& = {}) {
    hostside::refuse("Builder::addInitializedInputTensor");
  }
  void addOutputTensor(const TensorId&) { hostside::refuse("Builder::addOutputTensor"); }
  std::vector<TensorId> customOp(const OperatorIdentifier&, int, const std::vector<TensorId>&,
                                 const unsigned, const std::map<std::string, popart::any>&,
                                 const DebugContext& = {}) {
    hostside::refuse("Builder::customOp");
  }
  std::string getModelProto(bool = false) const { hostside::refuse("Builder::getModelProto"); }
  DataType getTensorDataType(const TensorId) { hostside::refuse("Builder::getTensorDataType"); }
  std::vector<int64_t> getTensorShape(const TensorId) {
    hostside::refuse("Builder::getTensorShape");
  }
  bool hasValueInfo(const TensorId&) const { hostside::refuse("Builder::hasValueInfo"); }
  float getFloatNodeAttribute(const std::string&, const std::set<TensorId>&) {
    hostside::refuse("Builder::getFloatNodeAttribute");
  }
  void setAvailableMemoryProportion(const TensorId&, const float) {
    hostside::refuse("Builder::setAvailableMemoryProportion");
  }

 private:
  Builder() = default;
};

}  // namespace popart

#endif
