#include "kernels/elementwise/scaled_add.hpp"

#include <algorithm>

#include "kernels/check.hpp"
#include "kernels/half.hpp"
#include "kernels/parallel.hpp"
#include "kernels/saved_kernel.hpp"

namespace popir {
namespace {

const SavedKernel<ScaledAddKernel> kSavedScaledAdd("scaled add");

constexpr std::int64_t kBlock = 8 * 1024;  // elements per task
constexpr std::int64_t kHalves = 512;      // elements converted at a time

/// Computes n elements in type C. `form` and the scales are constant over the loop.
template <class C>
void apply(ScaledAddForm form, C* a, const C* b, C sa, C sb, std::int64_t n) {
  switch (form) {
    case ScaledAddForm::Add:
      for (std::int64_t i = 0; i < n; ++i) a[i] = a[i] + sb * b[i];
      return;
    case ScaledAddForm::Both:
      for (std::int64_t i = 0; i < n; ++i) a[i] = sa * a[i] + sb * b[i];
      return;
    case ScaledAddForm::MinusAx:
      for (std::int64_t i = 0; i < n; ++i) a[i] = (a[i] - sa * a[i]) + sb * b[i];
      return;
  }
}

/// Elements [begin, end) of an operation computed in C. A and B are C, or C is float and A or B
/// half.
template <class A, class B, class C>
void block(ScaledAddForm form, void* to, const void* from, C sa, C sb, std::int64_t begin,
           std::int64_t end, const Rounding& rounding) {
  A* a = static_cast<A*>(to);
  const B* b = static_cast<const B*>(from);
  if constexpr (std::is_same_v<A, C> && std::is_same_v<B, C>) {
    apply(form, a + begin, b + begin, sa, sb, end - begin);
  } else {
    C left[kHalves], right[kHalves];
    for (std::int64_t i = begin; i < end; i += kHalves) {
      const std::int64_t n = std::min(kHalves, end - i);
      if constexpr (std::is_same_v<B, half>)
        toFloats(b + i, right, n);
      else
        std::copy_n(b + i, n, right);
      if constexpr (std::is_same_v<A, half>) {
        toFloats(a + i, left, n);
        apply(form, left, right, sa, sb, n);
        fromFloats(left, a + i, n, rounding, i);
      } else {
        apply(form, a + i, right, sa, sb, n);
      }
    }
  }
}

template <class C>
C read(const void* at, poplar::Type type) {
  using Kind = poplar::Type::Kind;
  switch (type.kind()) {
    case Kind::Float: return static_cast<C>(*static_cast<const float*>(at));
    case Kind::Half: return static_cast<C>(static_cast<float>(*static_cast<const half*>(at)));
    case Kind::Double: return static_cast<C>(*static_cast<const double*>(at));
    case Kind::Int: return static_cast<C>(*static_cast<const std::int32_t*>(at));
    case Kind::UnsignedInt: return static_cast<C>(*static_cast<const std::uint32_t*>(at));
    case Kind::Longlong: return static_cast<C>(*static_cast<const std::int64_t*>(at));
    default: return static_cast<C>(*static_cast<const std::uint64_t*>(at));
  }
}

/// Converts a scale to C. Integers are computed as unsigned integers, which wrap; a negative number
/// is converted by way of the signed type.
template <class C>
C fromNumber(double number) {
  if constexpr (std::is_floating_point_v<C>)
    return static_cast<C>(number);
  else
    return static_cast<C>(static_cast<std::int64_t>(number));
}

template <class A, class B, class C>
class ScaledAddRunner : public Runner {
 public:
  ScaledAddRunner(ScaledAddForm form, Scale a, Scale b, const std::vector<Layout>& operands,
                  const Setting& setting)
      : form_(form),
        a_(a),
        b_(b),
        elements_(operands[0].elements()),
        threads_(setting.threads),
        rounding_(setting.rounding) {
    std::size_t next = 2;
    if (a.operand) aType_ = operands[next++].type;
    if (b.operand) bType_ = operands[next].type;
  }

  void run(void* const* operands, void*) const override {
    std::size_t next = 2;
    C sa = fromNumber<C>(a_.number), sb = fromNumber<C>(b_.number);
    if (a_.operand) sa = sa * read<C>(operands[next++], aType_);
    if (b_.operand) sb = sb * read<C>(operands[next], bType_);
    parallelFor((elements_ + kBlock - 1) / kBlock, threads_, elements_, [&](std::int64_t task) {
      block<A, B, C>(form_, operands[0], operands[1], sa, sb, task * kBlock,
                     std::min((task + 1) * kBlock, elements_), rounding_);
    });
  }

 private:
  ScaledAddForm form_;
  Scale a_, b_;
  std::int64_t elements_;
  unsigned threads_;
  Rounding rounding_;
  poplar::Type aType_, bType_;
};

bool integer(poplar::Type type) {
  return type == poplar::INT || type == poplar::UNSIGNED_INT || type == poplar::LONGLONG ||
         type == poplar::UNSIGNED_LONGLONG;
}

bool floatOrHalf(poplar::Type type) { return type == poplar::FLOAT || type == poplar::HALF; }

}  // namespace

bool ScaledAddKernel::supports(poplar::Type a, poplar::Type b) {
  if (floatOrHalf(a)) return floatOrHalf(b);
  return a == b && (a == poplar::DOUBLE || integer(a));
}

bool ScaledAddKernel::supportsScale(poplar::Type type) {
  return floatOrHalf(type) || type == poplar::DOUBLE || integer(type);
}

bool ScaledAddKernel::accepts(std::size_t i, const Layout& layout) const {
  return layout.dense() || (i < 2 && layout.channelBlock != Layout::kPlain);
}

std::vector<std::size_t> ScaledAddKernel::tied(const std::vector<Layout>&) const { return {0, 1}; }

std::unique_ptr<Runner> ScaledAddKernel::prepare(const std::vector<Layout>& operands,
                                                 const Setting& setting) const {
  const auto make = [&](auto a, auto b, auto c) -> std::unique_ptr<Runner> {
    return std::make_unique<ScaledAddRunner<decltype(a), decltype(b), decltype(c)>>(
        form_, a_, b_, operands, setting);
  };
  const poplar::Type a = operands[0].type, b = operands[1].type;
  if (a == poplar::FLOAT && b == poplar::FLOAT) return make(0.f, 0.f, 0.f);
  if (a == poplar::HALF && b == poplar::HALF) return make(half(), half(), 0.f);
  if (a == poplar::FLOAT) return make(0.f, half(), 0.f);
  if (a == poplar::HALF) return make(half(), 0.f, 0.f);
  if (a == poplar::DOUBLE) return make(0.0, 0.0, 0.0);
  if (a.sizeInBytes() == 4) return make(0u, 0u, 0u);
  return make(std::uint64_t(), std::uint64_t(), std::uint64_t());
}

void ScaledAddKernel::check(const std::vector<OperandInfo>& operands) const {
  requireOperands(operands, 2u + a_.operand + b_.operand);
  const auto &a = operands[0], &b = operands[1];
  require(supports(a.type, b.type), "it does not take these element types");
  requireOperand(a, Access::ReadWrite, a.type, a.shape);
  requireOperand(b, Access::Read, b.type, a.shape);
  for (std::size_t i = 2; i < operands.size(); ++i) {
    const auto& scale = operands[i];
    require(supportsScale(scale.type) && elementsOf(scale) == 1, "a scale is one number");
    requireOperand(scale, Access::Read, scale.type, scale.shape);
  }
}

Work ScaledAddKernel::work(const std::vector<Layout>& operands) const {
  const std::uint64_t n = operands[0].elements();
  const bool add = form_ == ScaledAddForm::Add;
  const auto a = operands[0].type;
  // A scale that is known at compile time has the data's type.
  const auto scale = b_.operand ? operands.back().type : a;
  return {add ? "popops::ScaledAdd" : "popops::aXPlusbY",
          ScaledAddWork{a, n, operands[1].type, scale, b_.operand && b_.number < 0},
          integer(a) ? 0 : (add ? 2 : 3) * n};
}

}  // namespace popir
