// Histograms. After popart/op/histogram.hpp of PopART 3.
#ifndef popart_op_histogram_hpp
#define popart_op_histogram_hpp

#include <popart/op/builtin.hpp>

#include <memory>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

/// How many elements are below the first level, between each two levels, and from the last one on.
class HistogramOp : public Op {
 public:
  HistogramOp(const OperatorIdentifier& opid, const std::vector<float>& levels,
              const bool absoluteOfInput, const Op::Settings& settings)
      : Op(opid, settings), levels_(levels), absolute_(absoluteOfInput) {}
  ~HistogramOp() override;

  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  std::unique_ptr<Op> clone() const override;
  /// UINT32 [levels + 1]
  void setup() override;
  void appendOutlineAttributes(OpSerialiserBase& os) const override;
  float getSubgraphValue() const override { return getHighSubgraphValue(); }
  std::vector<float> getLevels() const { return levels_; }
  bool getAbsoluteOfInput() const { return absolute_; }

 private:
  std::vector<float> levels_;
  bool absolute_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
