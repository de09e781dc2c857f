// The largest or smallest elements along an axis. After popart/op/topk.hpp of PopART 3.
#ifndef popart_op_topk_hpp
#define popart_op_topk_hpp

#include <popart/op/basesort.hpp>
#include <popart/op/gradient.hpp>
#include <popart/vendored/optional.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// The compiler has k as an attribute in version 1 and as an input from version 10 on.
class TopKOp : public BaseSortOp {
 public:
  TopKOp(const OperatorIdentifier& opid, int64_t k, int64_t axis, bool largest, bool sorted,
         const Op::Settings& settings,
         const nonstd::optional<float>& availableMemoryProportion = nonstd::nullopt)
      : BaseSortOp(opid, axis, settings),
        k_(k),
        largest_(largest),
        sorted_(sorted),
        memory_(availableMemoryProportion) {}
  ~TopKOp() override;

  static OutIndex getValuesOutIndex() { return 0; }
  static OutIndex getIndicesOutIndex() { return 1; }
  std::unique_ptr<Op> clone() const override;
  std::vector<std::unique_ptr<Op>> getGradOps() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  /// What the constructor was given; of an operator that has it as input 1, the constant there.
  int64_t getK() const;
  bool getLargest() const noexcept { return largest_; }
  bool getSorted() const noexcept { return sorted_; }
  bool getStable() const noexcept { return stable_; }
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }

 protected:
  TopKOp(const OperatorIdentifier& opid, int64_t k, int64_t axis, bool largest, bool sorted,
         bool stable, const Op::Settings& settings,
         const nonstd::optional<float>& availableMemoryProportion)
      : TopKOp(opid, k, axis, largest, sorted, settings, availableMemoryProportion) {
    stable_ = stable;
  }

 private:
  int64_t k_;
  bool largest_, sorted_, stable_ = false;
  nonstd::optional<float> memory_;
};

/// Its gradient: that of the values in their places, else 0.
class TopKGradOp : public builtin::GradOp {
 public:
  explicit TopKGradOp(const TopKOp& fwdOp);
  ~TopKGradOp() override;

  static InIndex gradInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex gradOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const final;
  int64_t getAxis() const { return axis_; }
  const TensorInfo& getGradOutInfo() const { return forwardInput(*this, 0); }
  nonstd::optional<float> getAvailableMemoryProportion() const { return memory_; }

 private:
  int64_t axis_;
  nonstd::optional<float> memory_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
