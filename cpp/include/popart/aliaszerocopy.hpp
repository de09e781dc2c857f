// Which copies into and out of called graphs are not needed. After popart/aliaszerocopy.hpp of PopART 3.
#ifndef popart_aliaszerocopy_hpp
#define popart_aliaszerocopy_hpp

#include <popart/aliases.hpp>
#include <popart/liveness.hpp>
#include <popart/names.hpp>
#include <popart/pointercomparators.hpp>
#include <popart/tensorindex.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Ir;
class Op;
class Tensor;

namespace liveness {

/// Whether a tensor that is computed and never read is live at the place where it is computed.
enum ProducerInterval { Enforce = 0, Ignore };

/// Places of an order, as intervals without their ends. Intervals that touch are one.
class Intervals {
 public:
  /// Adds the places from `s` to before `e`.
  void insert(int64_t s, int64_t e);
  bool empty() const { return ends_.empty(); }

  /// What both have; adds what the other has.
  Intervals operator&(const Intervals& other) const;
  Intervals& operator+=(const Intervals& other);
  bool operator==(const Intervals& other) const { return ends_ == other.ends_; }
  bool operator!=(const Intervals& other) const { return !(*this == other); }

  friend std::ostream& operator<<(std::ostream& os, const Intervals& intervals);

 private:
  std::map<int64_t, int64_t> ends_;  // The end of each interval, by its begin.
};

std::ostream& operator<<(std::ostream& os, const Intervals& intervals);

/// Finds, in the order of a LivenessAnalyzer, which operators and copies give nothing that is ever
/// needed, and which tensors outside and inside of called graphs may be one: those that are copied
/// to each other, and are never live at the same place, or have the same value whenever both are.
///
/// popir's own: the engine coalesces copies and shares memory by the steps of the program, whatever
/// this finds; it is for programs that ask. Tensors that streaming memory fills (PopART's reuse of
/// InitOps) are not proposed.
/// \throws error if a tensor is a null pointer
class AliasZeroCopy {
 public:
  using TensorSet = std::set<Tensor*, PTensorCmp>;

  static std::size_t id();

  AliasZeroCopy(const Ir* ir, const LivenessAnalyzer* analyzer);
  /// Finds what is needed, and proposes.
  void apply();

  // What apply() has proposed, besides the aliases of operators.
  TensorSet getPostIRAliases(Tensor* tensor) const;
  TensorSet getTensorsWithPostIRAliases() const;
  void removePostIRAliases(Tensor* tensor);

  /// The tensors that share elements with some, themselves among them: by operators and proposals,
  /// or by operators and what activateAlias() was told. `fullyAliased`: all elements.
  TensorSet getProposedAliasedTensors(TensorSet tensors, bool fullyAliased) const;
  TensorSet getActiveAliasedTensors(TensorSet tensors, bool fullyAliased) const;
  /// The two are one from now on. \throws error if they differ in type or shape
  void activateAlias(Tensor* ta, Tensor* tb);

  // Whether what happens at a place is needed, in any call.
  bool nodeRequired(Op* op, OpStatus status, int index) const;
  bool opRequired(Op* op) const;
  bool copyInputRequired(Op* op, InIndex index) const;
  bool copyLoopCarriedRequired(Op* op, InIndex index) const;
  bool copyModifiedRequired(Op* op, InIndex index) const;
  bool copyOutputRequired(Op* op, OutIndex index) const;

  /// When a tensor has a value that is still needed. Constants, variables, streams, anchors and the
  /// main graph's outputs have one at all places.
  Intervals getLivenessIntervals(Tensor* tensor, ProducerInterval producerInterval);
  /// The same of all that share elements with it, as proposed.
  Intervals getCandidateLivenessIntervals(
      Tensor* tensor, ProducerInterval producerInterval = ProducerInterval::Enforce,
      bool forceUpdateCache = false);
  static bool doOverlap(const Intervals& aIntervals, const Intervals& bIntervals) {
    return !(aIntervals & bIntervals).empty();
  }
  /// Logs a line of marks for each tensor, and how many are live at each place.
  void printLivenessIntervals(TensorSet tensors, ProducerInterval producerInterval);

 private:
  using Node = std::tuple<Op*, OpStatus, int>;

  static Node nodeOf(const LivenessNode& node);
  bool isRequiredAt(int64_t place) const;
  void findNeeded();
  /// Marks what happens at a place as needed; `stack` gets it if it was not.
  void mark(int64_t place, std::vector<int64_t>& stack);
  /// Marks what has written the value that a tensor has at a place.
  void need(Tensor* tensor, int64_t place, std::vector<int64_t>& stack);
  bool isAlwaysLive(const Tensor& tensor) const;
  void propose(const Graph& graph, Tensor* outside, Tensor* inside, bool isInput);
  /// Whether all calls copy the same tensor to an input that nothing in its graph changes.
  bool isSameEverywhere(const Graph& graph, Tensor* outside, Tensor* inside) const;
  TensorSet aliased(const Aliases& aliases, const TensorSet& tensors, bool fully) const;

  const Ir* ir_;
  const LivenessAnalyzer* analyzer_;
  /// By operators; with the proposals; with those that are active.
  Aliases ofIr_, proposed_, active_;
  std::set<Node> needed_;
  std::map<Tensor*, TensorSet, PTensorCmp> postIr_;
  std::map<std::pair<Tensor*, ProducerInterval>, Intervals> candidates_;
};

}  // namespace liveness
}  // namespace popart

#pragma GCC visibility pop

#endif
