#include "engine/float_checks.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>
#include <functional>
#include <utility>

#include "engine/engine_options.hpp"
#include "poplar/rounding_program.hpp"

namespace popir {
namespace {

struct Found {
  bool nan = false, infinite = false;
  void add(const Found& other) {
    nan = nan || other.nan;
    infinite = infinite || other.infinite;
  }
};

// Looks at the bits of each number. If all exponent bits are set, the number is infinite if the
// fraction is 0, else NaN.
template <class Bits, Bits exponent, Bits fraction>
Found scanRow(const char* at, std::int64_t n, std::int64_t stride) {
  Found found;
  for (std::int64_t i = 0; i < n; ++i) {
    Bits bits;
    std::memcpy(&bits, at + i * stride * static_cast<std::int64_t>(sizeof bits), sizeof bits);
    if ((bits & exponent) != exponent) continue;
    ((bits & fraction) != 0 ? found.nan : found.infinite) = true;
  }
  return found;
}

using Scan = Found (*)(const char* at, std::int64_t n, std::int64_t stride);

Scan scanOf(const poplar::Type& type) {
  if (type == poplar::FLOAT) return scanRow<std::uint32_t, 0x7f800000u, 0x007fffffu>;
  if (type == poplar::HALF) return scanRow<std::uint16_t, 0x7c00u, 0x03ffu>;
  if (type == poplar::BFLOAT16) return scanRow<std::uint16_t, 0x7f80u, 0x007fu>;
  if (type == poplar::DOUBLE)
    return scanRow<std::uint64_t, 0x7ff0000000000000u, 0x000fffffffffffffu>;
  return nullptr;
}

Found scan(const char* data, const Layout& layout) {
  const auto row = scanOf(layout.type);
  Found found;
  if (layout.channelBlock != Layout::kPlain || layout.dense())
    return row(data, static_cast<std::int64_t>(layout.elements()), 1);
  const auto size = static_cast<std::int64_t>(layout.type.sizeInBytes());
  const std::function<void(std::size_t, const char*)> walk = [&](std::size_t d, const char* at) {
    const bool once = layout.strides[d] == 0;
    const auto n = once ? std::int64_t{1} : layout.shape[d];
    if (d + 1 == layout.shape.size()) return found.add(row(at, n, layout.strides[d]));
    for (std::int64_t i = 0; i < n; ++i) walk(d + 1, at + i * layout.strides[d] * size);
  };
  walk(0, data);
  return found;
}

class Watched : public Runner {
 public:
  Watched(std::unique_ptr<Runner> runner, const FloatChecks& checks,
          const std::vector<Layout>& layouts, const std::vector<Access>& access, std::string who)
      : runner_(std::move(runner)), checks_(checks), who_(std::move(who)) {
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (scanOf(layouts[i].type) == nullptr || layouts[i].elements() == 0) continue;
      if (access[i] != Access::Write) read_.push_back({i, layouts[i]});
      if (access[i] != Access::Read) written_.push_back({i, layouts[i]});
    }
  }

  std::size_t scratchBytes() const override { return runner_->scratchBytes(); }

  void run(void* const* operands, void* scratch) const override {
    Found before;
    for (const auto& [i, layout] : read_)
      before.add(scan(static_cast<const char*>(operands[i]), layout));
    runner_->run(operands, scratch);
    if (read_.empty()) return;  // no input has numbers to check
    for (const auto& [i, layout] : written_) {
      const auto after = scan(static_cast<const char*>(operands[i]), layout);
      const bool isHalf = layout.type == poplar::HALF;
      if (after.nan && !before.nan && checks_.nan)
        fail(i, layout, "NaN", before.infinite ? "NaN" : "NaN or infinity");
      if (after.infinite && !before.infinite && !before.nan &&
          (isHalf ? checks_.half : checks_.infinity))
        fail(i, layout, "infinity", "NaN or infinity");
    }
  }

 private:
  [[noreturn]] void fail(std::size_t operand, const Layout& layout, const char* made,
                         const char* had) const {
    throw poplar::application_runtime_error(who_ + " wrote " + made + " to its operand " +
                                            std::to_string(operand) + " (" +
                                            layout.type.toString() + "), and read no " + had);
  }

  std::unique_ptr<Runner> runner_;
  FloatChecks checks_;
  std::string who_;
  std::vector<std::pair<std::size_t, Layout>> read_, written_;
};

}  // namespace

FloatChecks floatChecksFrom(const poplar::OptionFlags& options, unsigned traps) {
  const bool operations = flagFrom(options, "debug.floatPointOpException", false);
  return {operations || (traps & kTrapNan) != 0, operations || (traps & kTrapInfinity) != 0,
          flagFrom(options, "debug.nanOverflowException", false) || (traps & kTrapHalf) != 0};
}

std::unique_ptr<Runner> watched(std::unique_ptr<Runner> runner, const FloatChecks& checks,
                                const std::vector<Layout>& layouts,
                                const std::vector<Access>& access, std::string name,
                                const char* kernel) {
  return std::make_unique<Watched>(
      std::move(runner), checks, layouts, access,
      "Floating-point exception: vertex '" + std::move(name) + "' (" + kernel + ")");
}

}  // namespace popir
