#include "kernels/movement/iota.hpp"

#include <numeric>

#include "kernels/check.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<IotaKernel> kSavedIota("iota");

class IotaRunner : public Runner {
 public:
  IotaRunner(std::uint32_t first, std::int64_t elements) : first_(first), elements_(elements) {}

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<std::uint32_t*>(operands[0]);
    std::iota(out, out + elements_, first_);
  }

 private:
  std::uint32_t first_;
  std::int64_t elements_;
};

}  // namespace

std::unique_ptr<Runner> IotaKernel::prepare(const std::vector<Layout>& operands,
                                            const Setting&) const {
  return std::make_unique<IotaRunner>(first_, operands[0].elements());
}

void IotaKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 1);
  const auto& out = operands[0];
  require(out.type == poplar::INT || out.type == poplar::UNSIGNED_INT,
          "iota is of 32-bit integers");
  requireOperand(out, Access::Write, out.type, {elementsOf(out)});
}

Work IotaKernel::work(const std::vector<Layout>& operands) const {
  return {"popops::Iota", ElementsWork{operands[0].type, operands[0].elements()}};
}

}  // namespace popir
