// Operators of Habana's TensorFlow API: what libraries have registered, and the node that a functor
// defines for concrete shapes.
#ifndef popir_foreign_habana_operators_hpp
#define popir_foreign_habana_operators_hpp

#include <habana/hpu_kernel.h>

#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popir::foreign::habana {

/// A functor or a shape function has not said what it has to, or has said that something is wrong.
/// The bindings raise OperatorInputError for it.
struct DefinitionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A registered operator; the specifications are the texts of REGISTER_OP.
struct OperatorRecord {
  std::string name, library, doc;
  std::vector<std::string> inputs, outputs, attributes;
  bool stateful = false, hasShapeFunction = false;
};
/// A registered kernel of an operator.
struct KernelRecord {
  std::string op, device, library, label;
  std::vector<std::pair<std::string, std::vector<std::string>>> constraints;
  std::vector<std::string> hostMemory;
  int priority = 0;
  std::size_t number = 0;
};

/// Loads a library of operators, whose static objects register them; again if its file was replaced.
/// \throws LibraryError if it does not load
void loadOperators(const std::string& path);
/// What all libraries loaded so far have registered, in order.
std::vector<OperatorRecord> registeredOperators();
std::vector<KernelRecord> registeredKernels();
/// Forgets what a library has registered.
void forget(const std::string& library);

/// A defined node: the kernel, and which inputs and outputs are its operands.
struct DefinedNode {
  std::string guid, parameters, name;
  std::vector<int> inputs, outputs;
};
/// What a functor has defined.
struct Definition {
  std::vector<DefinedNode> nodes;
  std::vector<::habana::TensorInfo> outputs;
};
/// Values of an input on the host.
struct HostValue {
  int index;
  const void* values;
  std::size_t bytes;
};

/// Has the functor of a kernel (by its number) define its node.
/// \throws DefinitionError with the operator's status, or with what it left undone
Definition define(std::size_t kernel, const tensorflow::NodeDef& node,
                  const std::vector<::habana::TensorInfo>& inputs, int outputs,
                  const std::vector<HostValue>& hostMemory, bool severalNodes);

/// By the names of arguments: the first input or output, and how many.
using Places = std::map<std::string, std::pair<int, int>>;
/// The shapes of the outputs, by the operator's shape function; unknown sizes are -1. The values are
/// those of inputs that are constants.
/// \throws DefinitionError with the function's status
std::vector<tensorflow::shape_inference::ShapeHandle> inferShapes(
    const std::string& library, const tensorflow::NodeDef& node,
    const std::vector<::habana::TensorInfo>& inputs, const std::vector<HostValue>& values,
    const Places& inputNames, const Places& outputNames, int outputs);

/// How often functors have defined a node in this process.
std::size_t definitions();

}  // namespace popir::foreign::habana

#pragma GCC visibility pop

#endif
