// The C++ sides of the compiler's graphs, tensors and operators, and who owns them.
//
// A compiler's object holds its twin in its attribute `twin`, made when C++ first looks at it; the
// twin owns the C++ object. The way back is a weak reference. Connections and infos are the
// compiler's: a twin is brought up to date whenever its operator or tensor is handed to C++ (opOf,
// tensorOf), and the infos that C++ code was given to write are read back when its call ends
// (Call).
#ifndef popir_bindings_popart_ir_hpp
#define popir_bindings_popart_ir_hpp

#include <pybind11/pybind11.h>
#include <popart/graph.hpp>
#include <popart/ir.hpp>

#include <memory>
#include <string>

#include "popart/link.hpp"

namespace popir {

struct GraphTwin {
  GraphTwin(pybind11::handle graph, const std::string& name);

  popart::Ir ir;
  popart::Graph graph;
};

struct TensorTwin {
  explicit TensorTwin(std::unique_ptr<popart::Tensor> tensor_) : tensor(std::move(tensor_)) {}
  TensorTwin(TensorTwin&&) = default;
  /// As for operators.
  ~TensorTwin();

  std::unique_ptr<popart::Tensor> tensor;
};

/// Owns the operator, but while a unique_ptr in C++ does.
class OpTwin {
 public:
  explicit OpTwin(std::unique_ptr<popart::Op> op) : op_(op.release()), owns_(true) {}
  OpTwin(OpTwin&& other) noexcept;
  OpTwin(const OpTwin&) = delete;
  OpTwin& operator=(const OpTwin&) = delete;
  /// An operator that dies while C++ code runs, which may hold a pointer to it, is deleted when
  /// that code has returned.
  ~OpTwin();

  /// Ties to the compiler's operator, which must hold this twin.
  void bind(pybind11::handle op);
  /// \throws popart::error if the operator is gone.
  popart::Op& op() const;

 private:
  friend std::unique_ptr<popart::Op> takeFromPython(const pybind11::object& op);
  friend pybind11::object giveToPython(std::unique_ptr<popart::Op> op);
  friend class PyOpLink;

  popart::Op* op_;
  bool owns_;
};

/// Functions of foreign/popart.py.
struct Hooks {
  /// (twin, graph, opid, name) -> the compiler's operator that holds the twin.
  pybind11::object adopt;
  /// (graph, opid, name, attributes) -> a new operator from the compiler's registry.
  pybind11::object createOp;
  /// (description, inference function or None) -> None; onnxio.registered.register.
  pybind11::object registerSchema;
};
Hooks& hooks();

// The C++ side of a compiler's object, made if it has none, and up to date.
GraphTwin& graphOf(pybind11::handle graph);
popart::Tensor& tensorOf(pybind11::handle tensor);
popart::Op& opOf(pybind11::handle op);

/// From a popir.ir.OpSettings: name, and what the node's annotations ("__ipu_number", ...) say.
popart::Op::Settings settingsFrom(pybind11::handle settings);

/// Makes the C++ side show the compiler's connections and infos.
void update(popart::Op& op, pybind11::handle pyOp);

// The compiler's object of a C++ side. \throws popart::error if it is gone.
pybind11::object pythonOf(const popart::Graph& graph);
pybind11::object pythonOf(const popart::Op& op);
pybind11::object pythonOf(const popart::Tensor& tensor);

bool isOwnedByCpp(const popart::Op& op);
/// C++ will own the operator.
std::unique_ptr<popart::Op> takeFromPython(const pybind11::object& op);
/// The compiler will own the operator; one that it has not seen is adopted.
pybind11::object giveToPython(std::unique_ptr<popart::Op> op);

/// Installs the table by which C++ code asks the compiler.
void installPythonIr();
/// C++ code is about to call the compiler, which has to know what infos were set.
void aboutToAsk();

/// One call into C++ code of an operator or pattern. Calls nest; the outermost one ends with
/// reading infos back, and with deleting the operators that died meanwhile.
class Call {
 public:
  Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
  /// The call has succeeded: gives the compiler the infos that were set.
  void finish();
};

/// How often Python has called C++ code of operators, and been called by it.
long crossings();

}  // namespace popir

#endif
