// What a functor sees of the node that it defines.
#ifndef popir_habana_hpu_kernel_context_h
#define popir_habana_hpu_kernel_context_h

#include "tf/registration.hpp"

#pragma GCC visibility push(default)

namespace tensorflow {
class OpKernelContext;
}

namespace habana {
inline namespace v1 {

/// Element type and shape of a tensor.
struct TensorInfo {
  tensorflow::DataType dtype;
  tensorflow::TensorShape shape;
};

/// A node: one TPC kernel and its parameters, a plain structure that the kernel's glue code knows.
/// The parameters are copied while the node is defined.
struct NodeDesc {
  std::string guid;
  void* user_params = nullptr;
  unsigned params_size = 0;
  /// Should be unique.
  std::string name;
};

/// The node under definition: what is known of inputs and attributes, and the definition of outputs
/// and of one TPC kernel. Methods that return a status do not set that of the context.
class HpuKernelContext {
 public:
  virtual ~HpuKernelContext() = default;

  virtual tensorflow::Status InputInfo(int index, TensorInfo& info) const = 0;
  /// Only of outputs that are defined.
  virtual tensorflow::Status OutputInfo(int index, TensorInfo& info) const = 0;
  virtual int NumInputs() const = 0;
  virtual int NumOutputs() const = 0;
  /// The values of an input that the kernel has as HostMemory; null for others.
  virtual const tensorflow::Tensor* HostMemoryInput(int index) const = 0;
  virtual const tensorflow::NodeDef& NodeDef() const = 0;
  template <class T>
  tensorflow::Status GetAttr(tensorflow::StringPiece name, T* value) const {
    return tensorflow::readAttr(NodeDef(), name, value);
  }

  /// An output; each once, and all of them before the node.
  virtual tensorflow::Status DefineOutputInfo(int index, const TensorInfo& info) = 0;
  /// The node, for outputs that are defined. The lists give the kernel's operands in their order.
  virtual tensorflow::Status DefineNode(const NodeDesc& node, const std::vector<int>& inputs,
                                        const std::vector<int>& outputs) = 0;
  /// The node and its outputs, all of them in their order.
  virtual tensorflow::Status DefineNode(const NodeDesc& node, const std::vector<int>& inputs,
                                        const std::vector<TensorInfo>& outputs) = 0;

  virtual void SetStatus(const tensorflow::Status& status) = 0;
  virtual const tensorflow::Status& Status() const = 0;
  void CtxFailure(const tensorflow::Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const tensorflow::Status& status) { SetStatus(status); }
  void CtxFailure(const char*, int, const tensorflow::Status& status) { SetStatus(status); }
  void CtxFailureWithWarning(const char*, int, const tensorflow::Status& status) {
    SetStatus(status);
  }
  /// There is no TensorFlow: null.
  virtual const tensorflow::OpKernelContext* OpKernelContext() const { return nullptr; }
};

}  // namespace v1
}  // namespace habana

inline void CheckNotInComputeAsync(habana::HpuKernelContext*, const char*) {}

#pragma GCC visibility pop

#endif
