// The calls from C++ code to the compiler: a table of functions, installed by the bindings.
//
// The compiler, written in Python, owns the graph. Functions of popart::Op and popart::Graph that
// modify it call this table. The compiler changes its graph and then updates the C++ objects. With
// this table libpopir does not depend on Python.
#ifndef popir_popart_ir_calls_hpp
#define popir_popart_ir_calls_hpp

#include <popart/attributes.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/sessionoptions.hpp>
#include <popart/tensorinfo.hpp>
#include <popart/variablesettings.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace popir {

#pragma GCC visibility push(default)

struct IrCalls {
  // ---- Tensors of a graph. tensor() is null for an unknown id. ----
  popart::Tensor* (*tensor)(popart::Graph&, const popart::TensorId&);
  std::vector<popart::TensorId> (*tensorIds)(popart::Graph&);
  void (*addActGrad)(popart::Graph&, const popart::TensorId&);
  void (*addStream)(popart::Graph&, const popart::TensorId&, const popart::TensorInfo&);
  /// `function` is the name of the calling function of Graph, for messages.
  void (*addInit)(popart::Graph&, const char* function, const popart::TensorId&,
                  const popart::TensorInfo&, const void* data);
  /// Adds a variable to the models that a session saves.
  void (*saveVariable)(popart::Graph&, const popart::TensorId&);
  void (*removeTensor)(popart::Graph&, const popart::TensorId&);
  popart::TensorId (*uniqueId)(popart::Graph&, const std::string& base);
  popart::Op* (*producer)(const popart::Tensor&);
  /// The value of a constant, in row-major order. Returns false if it has none.
  bool (*data)(const popart::Tensor&, std::string* bytes);
  popart::VariableSettings (*variableSettings)(const popart::Tensor&);
  /// One entry per use, in the order of connection.
  std::vector<popart::Op*> (*consumers)(const popart::Tensor&);

  // ---- Graphs ----
  /// A new graph that operators of `main` may call.
  popart::Graph* (*createGraph)(popart::Graph& main, const std::string& name);
  void (*removeGraph)(popart::Graph& main, const std::string& name);
  /// `main` first, then those that its operators call, and those of createGraph().
  std::vector<popart::Graph*> (*graphs)(popart::Graph& main);
  std::vector<popart::Graph*> (*calledGraphs)(const popart::Op&);
  /// The ids of a graph's inputs or outputs, in order.
  std::vector<popart::TensorId> (*ends)(popart::Graph&, bool inputs);
  void (*setEnds)(popart::Graph&, bool inputs, const std::vector<popart::TensorId>&);
  /// The operators of the forward pass, or those of the backward pass.
  std::vector<popart::OpId> (*passOf)(popart::Graph&, bool backward);
  /// The results that are computed again for the backward pass: true for those of the second time.
  std::map<popart::TensorId, bool> (*recomputed)(popart::Graph&);

  // ---- Operators of a graph. op() is null for an unknown id. ----
  popart::Op* (*op)(popart::Graph&, popart::OpId);
  std::vector<popart::OpId> (*opIds)(popart::Graph&);
  /// In the order in which they run.
  std::vector<popart::Op*> (*schedule)(popart::Graph&);
  std::unique_ptr<popart::Op> (*createOp)(popart::Graph&, const popart::OperatorIdentifier&,
                                          const std::string& name, const popart::Attributes&);
  popart::OpId (*moveIntoGraph)(popart::Graph&, std::unique_ptr<popart::Op>);
  void (*eraseOp)(popart::Graph&, popart::OpId);
  void (*addConstraint)(popart::Graph&, popart::Op& before, popart::Op& after);
  void (*removeConstraint)(popart::Graph&, popart::Op& before, popart::Op& after);
  /// The operators that must run before (`befores`) or after an operator.
  std::vector<popart::Op*> (*constraints)(popart::Graph&, popart::Op&, bool befores);
  bool (*isTraining)(popart::Graph&);
  /// Fills in the options of the session that compiles the graph.
  void (*sessionOptions)(popart::Graph&, popart::SessionOptions&);
  bool (*hasGradients)(popart::Graph&);
  bool (*hasUpdates)(popart::Graph&);
  int (*opsetVersion)(popart::Graph&, const std::string& domain);

  // ---- Connections and name of an operator ----
  void (*connectIn)(popart::Op&, popart::InIndex, const popart::TensorId&);
  void (*connectOut)(popart::Op&, popart::OutIndex, const popart::TensorId&);
  void (*createAndConnectOut)(popart::Op&, popart::OutIndex, const popart::TensorId&);
  void (*disconnectIn)(popart::Op&, popart::InIndex);
  void (*disconnectOut)(popart::Op&, popart::OutIndex);
  void (*setName)(popart::Op&, const std::string&);
  /// Those that are not named stay.
  void (*setAttributes)(popart::Op&, const popart::Attributes&);
  /// The attributes and annotations that the operator has now, for giveToPython() of a copy. Null
  /// for one that is gone.
  std::shared_ptr<void> (*origin)(const popart::Op&);
  /// An annotation of the node, such as "__use_fully_connected_pass".
  void (*setNote)(popart::Op&, const char* name, int64_t value);

  // ---- Virtual functions of an operator that is not written in C++ ----
  void (*setup)(popart::Op&);
  std::unique_ptr<popart::Op> (*clone)(const popart::Op&);
  float (*subgraphValue)(const popart::Op&);
  bool (*modifies)(const popart::Op&, popart::InIndex);
  bool (*aliases)(const popart::Op&, popart::InIndex, popart::OutIndex);
  /// The bytes of its outputs by the values of its inputs; none if the compiler cannot compute it.
  std::vector<std::string> (*evaluate)(const popart::Op&);
};

void installIrCalls(const IrCalls& calls);
/// \throws popart::internal_error before installIrCalls()
const IrCalls& irCalls();

#pragma GCC visibility pop

}  // namespace popir

#endif
