// Which tensors of a graph share elements. After popart/alias/aliasmodel.hpp of PopART 3.
//
// A program may grow such a model (aliasmodelgrower.hpp) and ask it. popir's own in-placing decides
// by aliases(), modifies(), uses() and the priorities of operators.
#ifndef popart_alias_aliasmodel_hpp
#define popart_alias_aliasmodel_hpp

#include <popart/alias/aliasgraph.hpp>
#include <popart/names.hpp>

#include <map>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// An alias graph, and which of its tensors and operators stand for those of a popart::Graph.
class AliasModel {
 public:
  using PoprithmsTensorId = poprithms::memory::inplace::TensorId;
  using PoprithmsOpId = poprithms::memory::inplace::OpId;

  AliasModel() = default;
  AliasModel(const AliasModel&) = delete;
  AliasModel& operator=(const AliasModel&) = delete;

  void setGraph(const Graph* graph) { thisGraph = const_cast<Graph*>(graph); }
  /// A tensor of the alias graph that stands for one of the other graph, in the place of what did.
  void insertTensor(const PoprithmsTensorId& poprithmsTensor, const Tensor& popartTensor);
  void insertOp(PoprithmsOpId poprithmsOp, OpId op);

  // What growAliasModel() of an operator calls. Its inputs must be in the model. An operator that
  // is no in-place variant computes a new tensor; one that is, modifies the input of its output.
  /// Output 0 is input 0, modified in place, in some variant.
  void insertUnaryModifier0(const Op& op) { insertUnaryModifier(op, 0); }
  void insertUnaryModifier(const Op& op, InIndex index);
  /// Output 0 is input 0 or input 1, modified in place, in some variant.
  void insertBinaryModifier(const Op& op) { insertNG2aryModifier(op, 2); }
  /// Output 0 is one of the first inputs, modified in place, in some variant.
  void insertNG2aryModifier(const Op& op, unsigned numInputs);
  /// `t` is the view `viewChangeOut`, or, where the operator copies, a new tensor of its shape.
  void insertViewChange(PoprithmsTensorId viewChangeOut, const Tensor& t, bool isOutplace);

  /// An operator takes the place of another, as that of its in-place variant.
  void update(OpId oldId, OpId newId);

  /// \throws error for what the model does not have
  TensorId getTensorId(const PoprithmsTensorId& id) const;
  PoprithmsTensorId getPoprithmsTensorId(const TensorId& id) const;
  OpId getOpId(PoprithmsOpId id) const;
  /// The gate of an operator.
  /// \throws error if it has none
  PoprithmsOpId getGate(OpId opId) const;
  std::vector<PoprithmsOpId> getAll(OpId opId) const;
  bool contains(const PoprithmsTensorId& id) const { return fromTensor_.count(id) != 0; }
  bool contains(const TensorId& id) const { return toTensor_.count(id) != 0; }
  bool contains(PoprithmsOpId id) const { return fromOp_.count(id) != 0; }
  bool contains(OpId id) const { return toOp_.count(id) != 0; }

  /// The tensors of its graph that share an element with one, itself among them.
  std::vector<Tensor*> allAliases(const Tensor& t) const;
  /// Whether all elements of `sub` are elements of `super`.
  bool contains(const Tensor& super, const Tensor& sub) const;

  poprithms::memory::inplace::Graph g;
  Graph* thisGraph = nullptr;

 private:
  void insertModified(const Op& op, const std::vector<InIndex>& inputs);

  std::map<TensorId, PoprithmsTensorId> toTensor_;
  std::map<PoprithmsTensorId, TensorId> fromTensor_;
  std::map<OpId, std::vector<PoprithmsOpId>> toOp_;
  std::map<PoprithmsOpId, OpId> fromOp_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
