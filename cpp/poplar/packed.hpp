// A contraction whose weights are packed once, in two runners: one for when they have changed, one
// for every run. Both refer to the contraction, which has to outlive them.
#ifndef popir_poplar_packed_hpp
#define popir_poplar_packed_hpp

#include "kernels/contraction.hpp"

namespace popir {

/// Brings the weights of a contraction into its form. Operands: the weights, that form.
class Pack final : public Runner {
 public:
  explicit Pack(const contraction::Contraction& of) : of_(of) {}
  void run(void* const* operands, void*) const override { of_.pack(operands[0], operands[1]); }

 private:
  const contraction::Contraction& of_;
};

/// A contraction with packed weights, which are its last operand.
class Packed final : public Runner {
 public:
  Packed(const contraction::Contraction& of, std::size_t operands) : of_(of), last_(operands) {}
  void run(void* const* operands, void* scratch) const override {
    of_.runPacked(operands, operands[last_], scratch);
  }
  std::size_t scratchBytes() const override { return of_.workBytes(); }

 private:
  const contraction::Contraction& of_;
  std::size_t last_;
};

}  // namespace popir

#endif
