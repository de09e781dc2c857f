// Estimators of scaled additions, as in PopLibs' popops: workers share the vectors, and one of them has
// what no vector takes, too.
#include "machine/estimators/formulas.hpp"
#include "machine/estimators/rates.hpp"

namespace popir {
namespace {

poplar::Type orElse(poplar::Type type, poplar::Type other) {
  return type == poplar::Type() ? other : type;
}
poplar::Type otherOf(const ScaledAddWork& w) { return orElse(w.other, w.type); }

/// What is left over of vectors, in elements.
Cycles restOf(const TargetSpec& spec, const ScaledAddWork& w, Cycles elements) {
  return elements % vectorWidth(spec, w.type);
}

// The supervisor of floats and halves.
Cycles supervisorOf(Cycles rest) { return kSupervisorCall + 21 + (rest == 0 ? 7 : 13) + 12 + 6; }

// The loop over vectors: the first one, and each of the others.
Cycles vectors(Cycles n, Cycles first, Cycles each) { return n == 0 ? 0 : first + each * (n - 1); }

// Floats are left over one by one, halves in twos.
Cycles addRest(Cycles width, Cycles rest) {
  if (rest == 0) return 0;
  return width == 2 ? 8 : 5 + (rest >= 2 ? 7 : 0) + (rest == 3 ? 6 : 0);
}

// 32-bit integers: a supervisor, three at a time.
Cycles addIntegers(const ScaledAddWork& w) {
  return 53 + 6 + 8 + 6 + 26 * (w.elements / 3 + w.elements % 3) + w.subtracts;
}

// Floats that are added to halves.
Cycles addFloatsToHalves(const TargetSpec& spec, const ScaledAddWork& w) {
  const auto width = vectorWidth(spec, poplar::HALF), all = w.elements / width;
  const Cycles each = all / spec.numWorkerContexts, more = all % spec.numWorkerContexts;
  const auto rest = restOf(spec, w, w.elements);
  const Cycles left = rest == 0 ? 0 : 2 + (rest >= 2 ? 5 : 0) + 2 + (rest % 2 == 1 ? 6 : 0);
  const Cycles last = vectors(each, 9, 5) + 1 + left,
               first = more > 0 ? vectors(each + 1, 9, 5) : 0;
  return supervised(spec, supervisorOf(rest) + (w.subtracts ? 8 : 0),
                    16 + 2 + 1 + std::max(last, first));
}

Cycles scaledAdd(const TargetSpec& spec, const ScaledAddWork& w) {
  if (!isFloating(w.type)) return addIntegers(w);
  if (w.type == poplar::HALF && otherOf(w) == poplar::FLOAT) return addFloatsToHalves(spec, w);
  // Doubles count as two floats.
  const auto width = std::max<Cycles>(vectorWidth(spec, w.type), 2);
  const auto n = w.elements * std::max<Cycles>(1, w.type.sizeInBytes() / 4), rest = n % width;
  const Cycles each = otherOf(w) == w.type ? 3 : 4;
  return supervised(
      spec, supervisorOf(rest) + (w.subtracts ? 7 : 0),
      19 + vectors(n / width / spec.numWorkerContexts, 6, each) + addRest(width, rest));
}

// a X + b Y of halves, with scales of float: the supervisor looks whether halves hold the scales.
Cycles scaledInFloat(const TargetSpec& spec, const ScaledAddWork& w) {
  const Cycles workers = spec.numWorkerContexts, pair = 2;
  const auto worker = [&](Cycles n) -> Cycles {
    constexpr Cycles kStart = 19 + 4 + 1;
    if (n > 4) return kStart + 15 + 5 * ((n - 4) / 2) - 5 + ((n - 4) % 2 == 1 ? 9 : 0);
    constexpr Cycles kFew[] = {0, 14, 13, 22, 0};
    return kStart + 1 + kFew[n];
  };
  const auto each = w.elements / workers, over = w.elements % workers;
  const auto longer = each % workers + ceilDiv(over, pair);  // workers before it have a pair more
  Cycles slowest = 0;
  for (Cycles i = 0; i < workers; ++i)
    slowest = std::max(
        slowest, worker(each / pair * pair + (i <= longer ? pair : 0) + (i == longer ? over : 0)) +
                     (i == longer));
  return supervised(spec, 1 + 6 + 10 + 15 * 6 + 14 + 28 + (over == 0 ? 5 : 0), slowest);
}

Cycles aXPlusbY(const TargetSpec& spec, const ScaledAddWork& w) {
  if (!isFloating(w.type)) return addIntegers(w);
  if (w.type == poplar::HALF && orElse(w.scale, w.type) == poplar::FLOAT)
    return scaledInFloat(spec, w);
  const auto width = std::max<Cycles>(vectorWidth(spec, w.type), 2);
  const auto n = w.elements * std::max<Cycles>(1, w.type.sizeInBytes() / 4), rest = n % width;
  const bool floats = width == 2;
  const Cycles left = floats && rest > 0 ? 5 : addRest(width, rest);
  return supervised(spec, supervisorOf(rest) + (w.subtracts ? 0 : 12),
                    (floats ? 18 : 19) + vectors(n / width / spec.numWorkerContexts, 6, 3) + left);
}

// PopLibs' vertices are of floats, halves and integers of 32 bits; of a X + b Y not of integers.
Formula floatsFormula(const ScaledAddWork& w) {
  return w.type == poplar::FLOAT || w.type == poplar::HALF ? Formula::Published : Formula::Guess;
}
Formula scaledAddFormula(const ScaledAddWork& w) {
  const bool words = w.type == poplar::INT || w.type == poplar::UNSIGNED_INT;
  return words ? Formula::Published : floatsFormula(w);
}

}  // namespace

Cycles scaledAddOfTwoElements(const TargetSpec& spec, Cycles n) {
  const auto width = vectorWidth(spec, poplar::FLOAT), rest = n % width;
  const auto each = n / width / spec.numWorkerContexts;
  return supervised(spec, supervisorOf(rest) + 6,
                    19 + vectors(each, 6, each >= 16 ? 1 : 2) + addRest(width, rest));
}

std::vector<VertexClass> scaledAddClasses() {
  return {vertexClass("popops::ScaledAdd", scaledAddFormula, scaledAdd),
          vertexClass("popops::aXPlusbY", floatsFormula, aXPlusbY)};
}

}  // namespace popir
