// The context in which a functor defines its node.
#include <algorithm>
#include <atomic>
#include <exception>
#include <map>

#include "foreign/habana/operators.hpp"
#include "foreign/habana/registry.hpp"
#include "support/division.hpp"

namespace popir::foreign::habana {
namespace {

using ::habana::NodeDesc;
using ::habana::TensorInfo;
namespace errors = tensorflow::errors;

std::atomic<std::size_t> count{0};

/// The values of inputs as tensors, by the number of the input.
std::map<int, tensorflow::Tensor> tensorsOf(const std::vector<HostValue>& values,
                                            const std::vector<TensorInfo>& inputs) {
  std::map<int, tensorflow::Tensor> found;
  for (const auto& each : values) {
    if (each.index < 0 || static_cast<std::size_t>(each.index) >= inputs.size())
      throw DefinitionError("there is no input " + std::to_string(each.index));
    const auto& info = inputs[static_cast<std::size_t>(each.index)];
    const auto bytes = static_cast<std::size_t>(info.shape.num_elements()) *
                       static_cast<std::size_t>(tensorflow::DataTypeSize(info.dtype));
    if (bytes != each.bytes)
      throw DefinitionError("the values of input " + std::to_string(each.index) + " are " +
                            std::to_string(each.bytes) + " bytes, not " + std::to_string(bytes));
    found.emplace(each.index, tensorflow::Tensor(info.dtype, info.shape, each.values));
  }
  return found;
}

class Context final : public ::habana::HpuKernelContext {
 public:
  Context(const tensorflow::NodeDef& node, const std::vector<TensorInfo>& inputs, int outputs,
          const std::vector<HostValue>& hostMemory, bool severalNodes)
      : node_(node),
        inputs_(inputs),
        outputs_(static_cast<std::size_t>(outputs)),
        defined_(static_cast<std::size_t>(outputs)),
        computed_(static_cast<std::size_t>(outputs)),
        severalNodes_(severalNodes),
        host_(tensorsOf(hostMemory, inputs)) {}

  tensorflow::Status InputInfo(int index, TensorInfo& info) const override {
    if (index < 0 || index >= NumInputs())
      return errors::InvalidArgument("InputInfo: there is no input ", index, "; the node has ",
                                     NumInputs());
    info = inputs_[static_cast<std::size_t>(index)];
    return tensorflow::OkStatus();
  }
  tensorflow::Status OutputInfo(int index, TensorInfo& info) const override {
    if (const tensorflow::Status known = output("OutputInfo", index); !known.ok()) return known;
    if (!defined_[static_cast<std::size_t>(index)])
      return errors::FailedPrecondition("OutputInfo: output ", index, " is not defined yet");
    info = outputs_[static_cast<std::size_t>(index)];
    return tensorflow::OkStatus();
  }
  int NumInputs() const override { return static_cast<int>(inputs_.size()); }
  int NumOutputs() const override { return static_cast<int>(outputs_.size()); }
  const tensorflow::Tensor* HostMemoryInput(int index) const override {
    const auto found = host_.find(index);
    return found == host_.end() ? nullptr : &found->second;
  }
  const tensorflow::NodeDef& NodeDef() const override { return node_; }

  tensorflow::Status DefineOutputInfo(int index, const TensorInfo& info) override {
    if (const tensorflow::Status known = output("DefineOutputInfo", index); !known.ok())
      return known;
    if (defined_[static_cast<std::size_t>(index)])
      return errors::AlreadyExists("DefineOutputInfo: output ", index, " is defined already");
    return set("DefineOutputInfo", index, info);
  }

  tensorflow::Status DefineNode(const NodeDesc& node, const std::vector<int>& inputs,
                                const std::vector<int>& outputs) override {
    if (const tensorflow::Status may = mayDefine(node, inputs); !may.ok()) return may;
    for (int index : outputs) {
      if (const tensorflow::Status known = output("DefineNode", index); !known.ok()) return known;
      const auto i = static_cast<std::size_t>(index);
      if (!defined_[i])
        return errors::FailedPrecondition("DefineNode: output ", index,
                                          " is not defined; call DefineOutputInfo before");
      if (computed_[i] || std::count(outputs.begin(), outputs.end(), index) > 1)
        return errors::InvalidArgument("DefineNode: output ", index, " is computed twice");
    }
    for (int index : outputs) computed_[static_cast<std::size_t>(index)] = true;
    return add(node, inputs, outputs);
  }
  tensorflow::Status DefineNode(const NodeDesc& node, const std::vector<int>& inputs,
                                const std::vector<TensorInfo>& outputs) override {
    if (const tensorflow::Status may = mayDefine(node, inputs); !may.ok()) return may;
    if (std::find(defined_.begin(), defined_.end(), true) != defined_.end())
      return errors::FailedPrecondition(
          "DefineNode: outputs are defined by DefineOutputInfo already; give their indices");
    if (outputs.size() != outputs_.size())
      return errors::InvalidArgument("DefineNode: ", outputs.size(),
                                     " outputs are given; the node "
                                     "has ",
                                     outputs_.size());
    std::vector<int> indices;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const int index = static_cast<int>(i);
      if (const tensorflow::Status good = set("DefineNode", index, outputs[i]); !good.ok())
        return good;
      computed_[i] = true;
      indices.push_back(index);
    }
    return add(node, inputs, indices);
  }

  void SetStatus(const tensorflow::Status& status) override {
    if (status_.ok()) status_ = status;  // The first error is the cause.
  }
  const tensorflow::Status& Status() const override { return status_; }

  /// What was defined.
  /// \throws DefinitionError for an error status, or if something was left undone
  Definition finished() const {
    if (!status_.ok()) throw DefinitionError(status_.ToString());
    if (nodes_.empty()) throw DefinitionError("its DefineNode() defines no node");
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (!defined_[i] || !computed_[i])
        throw DefinitionError("its DefineNode() leaves output " + std::to_string(i) +
                              (defined_[i] ? " without a kernel that computes it" : " undefined"));
    return {nodes_, outputs_};
  }

 private:
  tensorflow::Status output(const char* who, int index) const {
    if (index >= 0 && index < NumOutputs()) return tensorflow::OkStatus();
    return errors::InvalidArgument(who, ": there is no output ", index, "; the node has ",
                                   NumOutputs());
  }
  tensorflow::Status set(const char* who, int index, const TensorInfo& info) {
    for (auto size : info.shape.dim_sizes())
      if (size < 0)
        return errors::Unimplemented(who, ": output ", index, " has the shape ", info.shape,
                                     "; outputs of dynamic shape are not supported");
    if (tensorflow::DataTypeSize(info.dtype) == 0)
      return errors::InvalidArgument(who, ": output ", index, " has no element type");
    outputs_[static_cast<std::size_t>(index)] = info;
    defined_[static_cast<std::size_t>(index)] = true;
    return tensorflow::OkStatus();
  }
  tensorflow::Status mayDefine(const NodeDesc& node, const std::vector<int>& inputs) const {
    if (!nodes_.empty() && !severalNodes_)
      return errors::AlreadyExists(
          "DefineNode: a node is defined already; an operator is one TPC kernel");
    if (node.guid.empty()) return errors::InvalidArgument("DefineNode: the node has no guid");
    if (node.user_params == nullptr && node.params_size > 0)
      return errors::InvalidArgument("DefineNode: params_size is ", node.params_size,
                                     ", and user_params is null");
    for (int index : inputs)
      if (index < 0 || index >= NumInputs())
        return errors::InvalidArgument("DefineNode: there is no input ", index, "; the node has ",
                                       NumInputs());
    return tensorflow::OkStatus();
  }
  tensorflow::Status add(const NodeDesc& node, const std::vector<int>& inputs,
                         const std::vector<int>& outputs) {
    const auto* bytes = static_cast<const char*>(node.user_params);
    nodes_.push_back({node.guid, std::string(bytes ? bytes : "", bytes ? node.params_size : 0),
                      node.name, inputs, outputs});
    return tensorflow::OkStatus();
  }

  const tensorflow::NodeDef& node_;
  std::vector<TensorInfo> inputs_, outputs_;
  std::vector<bool> defined_, computed_;
  bool severalNodes_;
  std::map<int, tensorflow::Tensor> host_;
  std::vector<DefinedNode> nodes_;
  tensorflow::Status status_;
};

/// Calls `function`, and turns whatever it throws into DefinitionError.
template <class Function>
void guarded(const char* what, const Function& function) {
  takeDivisions();
  bool isWhole = false;
  try {
    isWhole = completes(function);
  } catch (const std::exception& e) {
    throw DefinitionError(std::string(what) + " threw: " + e.what());
  } catch (...) {
    throw DefinitionError(std::string(what) + " threw what is no std::exception");
  }
  if (!isWhole) throw DefinitionError(std::string(what) + " failed: " + kDivision);
}

}  // namespace

Definition define(std::size_t kernel, const tensorflow::NodeDef& node,
                  const std::vector<TensorInfo>& inputs, int outputs,
                  const std::vector<HostValue>& hostMemory, bool severalNodes) {
  const auto functor = functorOf(kernel);
  if (functor == nullptr) throw DefinitionError("there is no kernel " + std::to_string(kernel));
  ++count;
  Context context(node, inputs, outputs, hostMemory, severalNodes);
  guarded("its DefineNode()", [&] { functor()->DefineNode(&context); });
  return context.finished();
}

std::vector<tensorflow::shape_inference::ShapeHandle> inferShapes(
    const std::string& library, const tensorflow::NodeDef& node,
    const std::vector<TensorInfo>& inputs, const std::vector<HostValue>& values,
    const Places& inputNames, const Places& outputNames, int outputs) {
  tensorflow::shape_inference::KnownOfNode known;
  const auto tensors = tensorsOf(values, inputs);
  for (const auto& each : inputs) {
    const auto found = tensors.find(static_cast<int>(known.inputs.size()));
    known.inputs.emplace_back(true, each.shape.dim_sizes());
    known.values.push_back(found == tensors.end() ? nullptr : &found->second);
  }
  known.outputs = outputs;
  known.inputNames = inputNames;
  known.outputNames = outputNames;
  for (const auto& [places, most] :
       {std::pair(&inputNames, static_cast<int>(inputs.size())), std::pair(&outputNames, outputs)})
    for (const auto& [name, place] : *places)
      if (place.first < 0 || place.second < 0 || place.first > most - place.second)
        throw DefinitionError("the argument '" + name + "' has no such place");
  tensorflow::shape_inference::InferenceContext context(node, std::move(known));
  if (const auto function = shapeFunctionOf(library, node.op())) {
    tensorflow::Status status;
    guarded("its shape function", [&] { status = function(&context); });
    if (!status.ok()) throw DefinitionError(status.ToString());
  }
  std::vector<tensorflow::shape_inference::ShapeHandle> found;
  for (int i = 0; i < outputs; ++i) found.push_back(context.output(i));
  return found;
}

std::size_t definitions() { return count; }

}  // namespace popir::foreign::habana
