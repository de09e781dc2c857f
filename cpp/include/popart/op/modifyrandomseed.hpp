// A seed of another seed. After popart/op/modifyrandomseed.hpp of PopART 3.
#ifndef popart_op_modifyrandomseed_hpp
#define popart_op_modifyrandomseed_hpp

#include <popart/op.hpp>
#include <popart/tensornames.hpp>

#include <cstdint>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// Of a seed, UINT32 [2], and a number one that gives other random numbers. The same number gives the
/// same seed. The bits are popir's own.
class ModifyRandomSeedOp : public Op {
 public:
  ModifyRandomSeedOp(const OperatorIdentifier& opid, const Op::Settings& settings)
      : Op(opid, settings) {}
  ~ModifyRandomSeedOp() override;

  InIndex getSeedInIndex() const override { return 0; }
  static InIndex getSeedModifierInIndex() { return 1; }
  static OutIndex getModifiedSeedOutIndex() { return 0; }
  static TensorId getSeedInTensorId() { return reservedRandomSeedPrefix() + std::string("base"); }
  static TensorId getSeedModifierTensorId(const uint32_t modifier) {
    return reservedSeedModifierPrefix() + std::to_string(modifier);
  }
  static TensorId getModifiedSeedTensorId(const uint32_t modifier) {
    return reservedRandomSeedPrefix() + std::string("modified") + std::to_string(modifier);
  }
  std::unique_ptr<Op> clone() const final;
  /// \throws error unless the seed is UINT32 [2] and the number one element of it
  void setup() final;
  float getSubgraphValue() const final { return getLowSubgraphValue(); }
  bool isOutlineable() const final { return true; }
};

}  // namespace popart

#pragma GCC visibility pop

#endif
