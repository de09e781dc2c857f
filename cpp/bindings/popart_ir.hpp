// The C++ objects of the compiler's graphs, tensors and operators, and their ownership.
//
// An object of the compiler holds a twin in its attribute `twin`, which is made on first use. The
// twin owns the C++ object, whose link refers back by a weak reference. The compiler decides on
// connections and infos. opOf() and tensorOf() update the C++ object whenever it is given to C++
// code. Infos that C++ code may have changed are read back when its call ends (Call).
#ifndef popir_bindings_popart_ir_hpp
#define popir_bindings_popart_ir_hpp

#include <pybind11/pybind11.h>
#include <popart/graph.hpp>
#include <popart/ir.hpp>

#include <memory>
#include <string>

#include "popart/link.hpp"

namespace popir {

/// Owns the C++ graph of a compiler's graph.
struct GraphTwin {
  GraphTwin(pybind11::handle graph, const std::string& name);

  popart::Ir ir;
  popart::Graph graph;
};

/// Owns the C++ tensor of a compiler's tensor.
struct TensorTwin {
  explicit TensorTwin(std::unique_ptr<popart::Tensor> tensor_) : tensor(std::move(tensor_)) {}
  TensorTwin(TensorTwin&&) = default;
  /// Deletes the tensor later if C++ code is running, like ~OpTwin().
  ~TensorTwin();

  std::unique_ptr<popart::Tensor> tensor;
};

/// Owns the C++ operator of a compiler's operator, except while a unique_ptr in C++ code owns it.
class OpTwin {
 public:
  explicit OpTwin(std::unique_ptr<popart::Op> op) : op_(op.release()), owns_(true) {}
  OpTwin(OpTwin&& other) noexcept;
  OpTwin(const OpTwin&) = delete;
  OpTwin& operator=(const OpTwin&) = delete;
  /// While C++ code runs, which may hold a pointer to the operator, deletion is put off until the
  /// outermost Call ends.
  ~OpTwin();

  /// Links the C++ operator to the compiler's operator, which must hold this twin.
  void bind(pybind11::handle op);
  /// \throws popart::error if C++ code that owned the operator has deleted it
  popart::Op& op() const;

 private:
  friend std::unique_ptr<popart::Op> takeFromPython(const pybind11::object& op);
  friend pybind11::object giveToPython(std::unique_ptr<popart::Op> op);
  friend class PyOpLink;

  popart::Op* op_;
  bool owns_;
};

/// Functions of the compiler, set by popir.foreign.popart.
struct Hooks {
  /// (twin, graph, opid, name) -> a new operator of the compiler that holds the twin.
  pybind11::object adopt;
  /// (graph, opid, name, attributes) -> a new operator from the compiler's registry.
  pybind11::object createOp;
  /// (description, inference function or None) -> None; onnxio.registered.register.
  pybind11::object registerSchema;
};
Hooks& hooks();

// The C++ object of a compiler's object, updated. Made if there is none yet.
GraphTwin& graphOf(pybind11::handle graph);
popart::Tensor& tensorOf(pybind11::handle tensor);
popart::Op& opOf(pybind11::handle op);

/// From a popir.ir.OpSettings: its graph and name, and the node's annotations ("__ipu_number",
/// ...).
/// \throws popart::error for an annotation of a wrong type
popart::Op::Settings settingsFrom(pybind11::handle settings);

/// Updates the connections of the C++ operator, and the infos of the connected tensors.
void update(popart::Op& op, pybind11::handle pyOp);

// The compiler's object of a C++ object.
// \throws popart::error if it no longer exists, or the operator is in no graph yet
pybind11::object pythonOf(const popart::Graph& graph);
pybind11::object pythonOf(const popart::Op& op);
pybind11::object pythonOf(const popart::Tensor& tensor);

/// Whether a unique_ptr in C++ code owns the operator.
bool isOwnedByCpp(const popart::Op& op);
/// Passes the ownership of the operator to C++ code.
std::unique_ptr<popart::Op> takeFromPython(const pybind11::object& op);
/// Passes the ownership of the operator to the compiler. Makes the compiler's operator if there is
/// none yet.
/// \throws popart::error if the compiler owns it already
pybind11::object giveToPython(std::unique_ptr<popart::Op> op);

/// For IrCalls::origin.
std::shared_ptr<void> originFor(const popart::Op& op);

/// Installs the table of calls from C++ code to the compiler.
void installPythonIr();
/// Must be called before C++ code calls the compiler: gives it the infos that the code has changed.
void aboutToAsk();

/// The scope of one call into C++ code of an operator or pattern. Calls nest. When the outermost
/// one ends, objects are deleted whose deletion was put off, and infos that the compiler was not
/// given are reset.
class Call {
 public:
  Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
  /// Call it on success: gives the compiler the infos that were changed.
  void finish();
};

/// Whether Python has called the C++ code that runs, by a Call.
bool isCalled();
/// The number of calls so far between Python and C++ code of operators, in both directions.
long crossings();

}  // namespace popir

#endif
