// What the formulas of the estimators have in common.
#ifndef popir_machine_estimators_formulas_hpp
#define popir_machine_estimators_formulas_hpp

#include <algorithm>
#include <cstdint>
#include <vector>

#include "machine/estimators/estimators.hpp"

namespace popir {

using Cycles = std::uint64_t;

inline Cycles ceilDiv(Cycles a, Cycles b) { return (a + b - 1) / b; }

/// Elements that a tile loads, or computes with, at a time.
inline Cycles vectorWidth(const TargetSpec& spec, poplar::Type type) {
  return std::max<Cycles>(1, spec.dataPathWidth / 8 / std::max<Cycles>(1, type.sizeInBytes()));
}

/// What a vertex of workers costs: each worker issues once in as many cycles as there are workers.
inline Cycles supervised(const TargetSpec& spec, Cycles supervisor, Cycles worker) {
  return supervisor + spec.numWorkerContexts * worker;
}

/// Call of a supervisor vertex (PopLibs' figure for every one of them).
constexpr Cycles kSupervisorCall = 11;

/// Steps in which a tile's convolution units take inner elements and columns.
struct ConvGrains {
  Cycles inner = 1, columns = 1;
};
ConvGrains convGrains(const TargetSpec& spec, poplar::Type type);

/// One tile adds up `partials` partial sums, each of `bytes` bytes, for every one of n results.
Cycles reducePartials(const TargetSpec& spec, Cycles n, Cycles partials, Cycles bytes);

/// One tile cuts a slice out of what it holds, or puts it back.
Cycles dynamicSlice(const TargetSpec& spec, poplar::Type type, Cycles elements);

/// The registry's rows, by file.
std::vector<VertexClass> elementWiseClasses();
std::vector<VertexClass> arrayClasses();
std::vector<VertexClass> contractionClasses();
std::vector<VertexClass> networkClasses();
std::vector<VertexClass> transposeClasses();

}  // namespace popir

#endif
