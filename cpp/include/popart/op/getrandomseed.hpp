// The seed of the next step. After popart/op/getrandomseed.hpp of PopART 3.
#ifndef popart_op_getrandomseed_hpp
#define popart_op_getrandomseed_hpp

#include <popart/op.hpp>
#include <popart/tensornames.hpp>

#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Writes to a seed, UINT32 [2], the seed of the next step: the first number goes on by the replicas,
/// the second by one. The output is the input.
class GetRandomSeedOp : public Op {
 public:
  GetRandomSeedOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : Op(opid, settings) {}
  ~GetRandomSeedOp() override;

  InIndex getSeedInIndex() const override { return 0; }
  static OutIndex getUpdatedSeedOutIndex() { return 0; }
  static TensorId getStreamedSeedTensorId() {
    return reservedRandomSeedPrefix() + std::string("fromHost");
  }
  static TensorId getUpdatedSeedTensorId() {
    return reservedRandomSeedPrefix() + std::string("updated");
  }
  std::unique_ptr<Op> clone() const final;
  /// \throws error unless the seed is UINT32 [2]
  void setup() final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool isOutlineable() const final { return false; }
  view::Regions aliases(InIndex in, OutIndex) const final;
  view::Regions modifies(InIndex in) const final;
  void growAliasModel(AliasModel& model) const override;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
