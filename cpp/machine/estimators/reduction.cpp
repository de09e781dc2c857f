// The estimator of reductions: PopLibs' choice among its vertices, and the cost of each. Workers
// have vertices of their own, each with a share of the results. Results have the type of the input.
#include <numeric>
#include <popops/OperationDef.hpp>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

using popops::Operation;

bool isReal(poplar::Type type) { return type == poplar::HALF || type == poplar::FLOAT; }
bool isLogical(Operation op) { return op == Operation::LOGICAL_AND || op == Operation::LOGICAL_OR; }

// What the vertices of a worker have in common. `loaded` elements are loaded at a time, and `vector`
// are operated on, which are more where the accumulators add up.
struct Vertex {
  poplar::Type type;
  Operation op;
  bool adds;  // by the accumulators
  Cycles loaded, vector;

  Vertex(const TargetSpec& spec, poplar::Type elements, Operation operation)
      : type(elements),
        op(operation),
        adds(op == Operation::ADD || op == Operation::SQUARE_ADD),
        loaded(vectorWidth(spec, type)),
        vector(!adds          ? loaded
               : isReal(type) ? 2 * loaded
                              : 1) {}

  /// Whether there are vertices in assembly for inputs that lie regularly.
  bool isFast() const {
    return adds || op == Operation::MAX || op == Operation::MIN || op == Operation::LOG_ADD;
  }

  /// `results`, each of `partials` neighbours (ContinuousReduce).
  Cycles continuous(Cycles results, Cycles partials) const {
    const bool logarithms = op == Operation::LOG_ADD;
    const Cycles each = logarithms || !isReal(type) ? 1 : loaded;
    const Cycles odd = partials % 2 != 0 ? 2 : 0;
    return 17 + odd + results * (12 + (logarithms ? 20 : 1) * (partials / each));
  }

  /// Rows of `results`, `partials` of them (StridedReduce). PopLibs' table of what it takes to
  /// store halves lacks sums of squares, which are taken for sums. `together` results are computed
  /// at a time.
  Cycles strided(Cycles results, Cycles partials, Cycles together) const {
    const bool half = type == poplar::HALF;
    const Cycles each = op != Operation::LOG_ADD ? 1 : half ? 13 : 23;
    const Cycles store = half ? 8 : op == Operation::ADD ? 5 : 4;
    return 16 + ceilDiv(results, together) * (3 + store + 3 + each * (partials - 1));
  }

  /// `rows` of results of `size`, each of `regions` with `depth` elements for each result (Reduce).
  Cycles general(Cycles rows, Cycles size, Cycles regions, Cycles depth) const {
    if (isLogical(op) || op == Operation::LOG_ADD) {  // compiled C++
      const Cycles element = 24 + (isLogical(op) ? 1 : 12);
      return 31 + rows * (8 + regions * (22 + element * size * depth));
    }
    constexpr Cycles kFetch = 10;  // the pointer to a region
    const auto store = [&](Cycles n) { return 2 * std::min(n, loaded) + (adds ? 1 : 0); };
    const Cycles load = (adds ? 2 : 0) + 2 + vector / std::min(vector, loaded);
    Cycles row =
        24 + size / vector *
                 ((adds ? 5 : 3) + store(vector) + 1 + regions * (kFetch + depth * (load + 3)));
    for (Cycles n = 1; n < vector; n *= 2) {
      row += 2;
      if (size % vector & n)
        row += (adds ? 4 : 2) + store(n) +
               regions * (kFetch + depth * (2 + n / std::min(n, loaded) + 3));
    }
    return 33 + rows * row;
  }
};

// Rows of results that lie side by side are divided among workers by vectors, others one by one. If
// there are fewer of these than workers, several workers share one.
Cycles reduce(const TargetSpec& spec, const ReduceWork& w) {
  const auto in = w.elementsRead, out = w.elementsWritten;
  if (in == 0 || out == 0) return 0;
  const Vertex vertex(spec, w.type, w.op);
  const auto partials = ceilDiv(in, out), run = std::min(w.run, partials);
  const Cycles workers = spec.numWorkerContexts, grain = run > 1 ? 1 : vertex.loaded;
  const auto units = ceilDiv(out, grain);
  const auto each = ceilDiv(partials, std::max<Cycles>(1, workers / units));
  const auto results = std::min(out, ceilDiv(units, workers) * grain);
  Cycles worker;
  if (vertex.isFast() && run == partials)
    worker = vertex.continuous(results, each);
  else if (vertex.isFast() && run == 1 && isReal(w.type))
    worker = vertex.strided(results, each, vertex.loaded);
  else if (run == 1)
    worker = vertex.general(1, results, each, 1);
  else
    worker = vertex.general(results, 1, ceilDiv(each, run), std::min(each, run));
  return supervised(spec, 0, worker);
}

// PopLibs' vertices are of floats, halves and integers of 32 bits; logical ones of booleans.
Formula reduceFormula(const ReduceWork& w) {
  const bool integers = w.type == poplar::INT || w.type == poplar::UNSIGNED_INT;
  const bool fits = isLogical(w.op) ? w.type == poplar::BOOL : isReal(w.type) || integers;
  return fits ? Formula::Published : Formula::Guess;
}

}  // namespace

Cycles reduceStrided(const TargetSpec& spec, poplar::Type type, Operation op, Cycles results,
                     Cycles partials, Cycles stride) {
  const Vertex vertex(spec, type, op);
  return vertex.strided(results, partials, std::gcd(vertex.loaded, stride));
}

std::vector<VertexClass> reductionClasses() {
  return {vertexClass("popops::Reduce", reduceFormula, reduce)};
}

}  // namespace popir
