// Tensors as views of allocations. After poprithms/memory/inplace of Poprithms 3.
#ifndef popart_alias_aliasgraph_hpp
#define popart_alias_aliasgraph_hpp

#include <popart/names.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace poprithms {
namespace util {

/// Dimension i of a result is dimension p[i] of its operand.
class Permutation {
 public:
  Permutation() = default;
  Permutation(const std::vector<uint64_t>& permutation) : permutation_(permutation) {}
  const std::vector<uint64_t>& get() const { return permutation_; }

 private:
  std::vector<uint64_t> permutation_;
};

}  // namespace util

namespace memory {
namespace inplace {

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

/// An operator of an alias graph.
class OpId {
 public:
  OpId() = default;
  explicit OpId(int64_t id) : id_(id) {}
  int64_t get() const { return id_; }
  bool operator==(OpId o) const { return id_ == o.id_; }
  bool operator!=(OpId o) const { return id_ != o.id_; }
  bool operator<(OpId o) const { return id_ < o.id_; }

 private:
  int64_t id_ = -1;
};
using OpIds = std::vector<OpId>;

/// An output of an operator of an alias graph.
class TensorId {
 public:
  TensorId() = default;
  TensorId(OpId op, uint64_t outIndex) : op_(op), outIndex_(outIndex) {}
  OpId opId() const { return op_; }
  uint64_t outIndex() const { return outIndex_; }
  bool operator==(const TensorId& o) const { return op_ == o.op_ && outIndex_ == o.outIndex_; }
  bool operator!=(const TensorId& o) const { return !(*this == o); }
  bool operator<(const TensorId& o) const {
    return op_ == o.op_ ? outIndex_ < o.outIndex_ : op_ < o.op_;
  }

 private:
  OpId op_;
  uint64_t outIndex_ = 0;
};
using TensorIds = std::vector<TensorId>;

/// The proposal to open a gate at an input: its output becomes that input.
class Proposal {
 public:
  Proposal() = default;
  explicit Proposal(popart::InIndex index) : index_(index) {}
  Proposal(OpId gate, popart::InIndex index) : gate_(gate), index_(index) {}
  OpId gateId() const { return gate_; }
  popart::InIndex inIndex() const { return index_; }

 private:
  OpId gate_;
  popart::InIndex index_ = 0;
};

/// How an output of Graph::multi() shows an input: as it is, or modified; or not at all.
class CrossLink {
 public:
  static CrossLink pureAliases(popart::InIndex in, popart::OutIndex out) {
    return {in, out, false};
  }
  static CrossLink modifies(popart::InIndex in, popart::OutIndex out) { return {in, out, true}; }

  popart::InIndex in() const { return in_; }
  popart::OutIndex out() const { return out_; }
  bool isModifying() const { return modifies_; }

 private:
  CrossLink(popart::InIndex in, popart::OutIndex out, bool modifies)
      : in_(in), out_(out), modifies_(modifies) {}

  popart::InIndex in_;
  popart::OutIndex out_;
  bool modifies_;
};
using CrossLinks = std::vector<CrossLink>;

/// A graph of allocations, of views of these, and of gates, each closed or open. Functions throw
/// popart::error for tensors that it does not have and for shapes that do not fit.
class Graph {
 public:
  Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  /// Elements of its own.
  TensorId allocate(const Shape& shape);

  // Views of all elements of a tensor or of some.
  TensorId reshape(const TensorId& id, const Shape& shape);
  TensorId flatten(const TensorId& id);
  /// Without the dimensions of size 1.
  TensorId squeeze(const TensorId& id);
  /// By numpy's rules of broadcasting.
  TensorId expand(const TensorId& id, const Shape& shape);
  TensorId dimShuffle(const TensorId& id, const util::Permutation& permutation);
  TensorId reverse(const TensorId& id, const std::vector<uint64_t>& dimensions);
  TensorId slice(const TensorId& id, const std::vector<int64_t>& lower,
                 const std::vector<int64_t>& upper);
  /// Every stride-th element of a dimension.
  TensorId subSample(const TensorId& id, int64_t stride, uint64_t dimension);
  TensorId concat(const TensorIds& ids, uint64_t axis);
  /// The same elements, written.
  TensorId modify(const TensorId& id);

  /// A gate of several inputs, whose output is 0. A closed one has elements of its own, in the
  /// shape to which the inputs are broadcast; an open one shows an input.
  OpId aliasGate(const TensorIds& ids);
  OpId aliasGate(const TensorIds& ids, popart::InIndex open);
  bool isGate(OpId op) const;
  bool isClosed(OpId gate) const;
  /// Opens a closed gate. All that is made of its output changes with it.
  void open(const Proposal& proposal);
  /// An operator of several outputs: those of a link show an input, the others have elements of
  /// their own.
  OpId multi(const TensorIds& ids, const Shapes& outShapes, const CrossLinks& links);

  Shape shape(const TensorId& id) const;
  /// Whether two tensors share an element.
  bool areAliased(const TensorId& a, const TensorId& b) const;
  /// Whether all elements of `sub` are elements of `super`.
  bool contains(const TensorId& super, const TensorId& sub) const;
  /// The tensors that share an element with one, itself among them.
  TensorIds allAliases(const TensorId& id) const;
  /// Whether a tensor, or another that shares an element with it, is written by modify() or a link.
  bool isModified(const TensorId& id) const;
  uint64_t nOps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace inplace
}  // namespace memory
}  // namespace poprithms

#pragma GCC visibility pop

#endif
