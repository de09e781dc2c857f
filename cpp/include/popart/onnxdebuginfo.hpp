// What nodes and tensors of a model say of themselves in a file of debug information.
// After popart/onnxdebuginfo.hpp of PopART 3.
#ifndef popart_onnxdebuginfo_hpp
#define popart_onnxdebuginfo_hpp

#include <onnx/onnx_pb.h>
#include <popart/debugcontext.hpp>
#include <popart/names.hpp>
#include <popart/tensorinfo.hpp>

#pragma GCC visibility push(default)

namespace popart {

/// Of the layer "onnx": "category" ("op"), "input", "output", "opName", "opType", "domain" and
/// "attribute", the attributes by name. poplar::DebugInfo::initializeStreamer() says where it is
/// written.
class OnnxOpDebugInfo : public DebugInfo {
 public:
  OnnxOpDebugInfo(const DebugContext& debugContext, const ONNX_NAMESPACE::NodeProto& node);
  OnnxOpDebugInfo(const OnnxOpDebugInfo&) = delete;
  OnnxOpDebugInfo& operator=(const OnnxOpDebugInfo&) = delete;
  ~OnnxOpDebugInfo() override;
};

/// The same of a tensor: "category" ("variable"), and its name, type and shape in "tensorProto", of
/// one with a value, or "valueInfoProto"; there the shape of `info` is "shape_from_input".
class OnnxVariableDebugInfo : public DebugInfo {
 public:
  OnnxVariableDebugInfo(const DebugContext& dc, const ONNX_NAMESPACE::TensorProto& proto);
  OnnxVariableDebugInfo(const DebugContext& dc, const ONNX_NAMESPACE::ValueInfoProto& proto);
  OnnxVariableDebugInfo(const DebugContext& dc, const ONNX_NAMESPACE::ValueInfoProto& proto,
                        const TensorInfo& info);
  OnnxVariableDebugInfo(const OnnxVariableDebugInfo&) = delete;
  OnnxVariableDebugInfo& operator=(const OnnxVariableDebugInfo&) = delete;
  ~OnnxVariableDebugInfo() override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
