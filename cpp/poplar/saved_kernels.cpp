#include "poplar/saved_kernels.hpp"

#include <poplar/exceptions.hpp>

#include <typeinfo>

#include "kernels/arg_extremum.hpp"
#include "kernels/bias_kernel.hpp"
#include "kernels/class_loss.hpp"
#include "kernels/conv_kernel.hpp"
#include "kernels/expression.hpp"
#include "kernels/fill.hpp"
#include "kernels/matmul_kernel.hpp"
#include "kernels/nll.hpp"
#include "kernels/pool.hpp"
#include "kernels/random.hpp"
#include "kernels/reduce.hpp"
#include "kernels/scaled_add.hpp"
#include "kernels/slices.hpp"
#include "kernels/softmax.hpp"
#include "kernels/transpose.hpp"

namespace popir {

// What the kernels' members are made of.
template <>
inline constexpr auto kLastOf<popnn::LossType> = popnn::CROSS_ENTROPY_LOSS;
template <>
inline constexpr auto kLastOf<contraction::Pass> = contraction::Pass::WeightsGradient;
template <>
inline constexpr auto kLastOf<MapProgram::Kind> = MapProgram::Kind::Apply;
template <>
inline constexpr auto kLastOf<Lane> = static_cast<Lane>(kLanes - 1);
template <>
inline constexpr auto kLastOf<VecOp> = VecOp::Convert;
template <>
inline constexpr auto kLastOf<NllKind> = NllKind::SoftmaxGrad;
template <>
inline constexpr auto kLastOf<LossReduction> = LossReduction::Mean;
template <>
inline constexpr auto kLastOf<PoolKind> = PoolKind::MaxGradShared;
template <>
inline constexpr auto kLastOf<RandomLaw> = RandomLaw::Dropout;
template <>
inline constexpr auto kLastOf<popops::Operation> = popops::Operation::LOG_ADD;
template <>
inline constexpr auto kLastOf<ScaledAddForm> = ScaledAddForm::MinusAx;
template <>
inline constexpr auto kLastOf<SlicesKind> = SlicesKind::Mul;
template <>
inline constexpr auto kLastOf<SoftmaxKind> = SoftmaxKind::LogSoftmaxGrad;

namespace {

// NllParams is public, and has no state().
void put(Writer& to, const NllParams& p) {
  to.put(p.reduction);
  to.put(p.inputIsLogProbability);
  to.put(p.hasIgnoreIndex);
  to.put(p.ignoreIndex);
}
void get(Reader& from, NllParams& p) {
  from.get(p.reduction);
  from.get(p.inputIsLogProbability);
  from.get(p.hasIgnoreIndex);
  from.get(p.ignoreIndex);
}

// Of a map, what makes its program.
void put(Writer& to, const MapProgram& p) {
  to.put(p.values());
  to.put(p.outputs());
  to.put(p.inputCount());
}
template <class T>
void put(Writer& to, const T& member) {
  to.put(member);
}
template <class T>
void get(Reader& from, T& member) {
  from.get(member);
}
void get(Reader& from, MapProgram& p) {
  auto values = from.get<std::vector<MapProgram::Value>>();
  auto outputs = from.get<std::vector<int>>();
  p = MapProgram::of(std::move(values), std::move(outputs), from.get<unsigned>());
}

struct Row {
  const std::type_info& type;
  void (*save)(const Kernel&, Writer&);
  std::shared_ptr<const Kernel> (*load)(Reader&);
};

// A kernel that is made of the members its state() ties, in the order of its constructor.
template <class K>
Row row() {
  return {typeid(K),
          [](const Kernel& kernel, Writer& to) {
            std::apply([&](const auto&... member) { (put(to, member), ...); },
                       static_cast<const K&>(kernel).state());
          },
          [](Reader& from) -> std::shared_ptr<const Kernel> {
            archive::StateOf<K> members;
            std::apply([&](auto&... member) { (get(from, member), ...); }, members);
            return std::apply(
                [](auto&&... member) { return std::make_shared<const K>(std::move(member)...); },
                members);
          }};
}

// Their order is part of the format of executables.
const Row kRows[] = {row<ArgExtremumKernel>(), row<BiasKernel>(),    row<ClassLossKernel>(),
                     row<ConvKernel>(),        row<FillKernel>(),    row<MapKernel>(),
                     row<MatMulKernel>(),      row<NllKernel>(),     row<PoolKernel>(),
                     row<RandomKernel>(),      row<ReduceKernel>(),  row<ScaledAddKernel>(),
                     row<SlicesKernel>(),      row<SoftmaxKernel>(), row<TransposeKernel>()};

}  // namespace

void saveKernel(const Kernel& kernel, Writer& to) {
  unsigned i = 0;
  for (const auto& r : kRows) {
    if (r.type == typeid(kernel)) {
      to.put(i);
      return r.save(kernel, to);
    }
    ++i;
  }
  throw poplar::poplar_error(std::string("compileGraph: vertices of kernel '") + kernel.name() +
                             "' cannot be saved");
}

std::shared_ptr<const Kernel> loadKernel(Reader& from) {
  const auto i = from.get<unsigned>();
  if (i >= std::size(kRows)) throw DamagedArchive("a kernel is unknown");
  return kRows[i].load(from);
}

}  // namespace popir
