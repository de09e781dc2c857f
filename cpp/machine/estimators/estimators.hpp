// The registry of estimators: for each class of vertices, which struct of workload/work.hpp describes
// it and what a tile's part costs. Planner, report and tests ask the same functions. All cycles are
// tile cycles.
//
// The formulas are those of PopLibs' own estimators as far as these are published; where a row of
// this folder stands for something else, it says so. The rows are beside the formulas, at the end of
// each file.
#ifndef popir_machine_estimators_estimators_hpp
#define popir_machine_estimators_estimators_hpp

#include <cstdint>
#include <functional>
#include <poplar/Type.hpp>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "machine/target_spec.hpp"
#include "workload/work.hpp"

namespace popir {

struct VertexClass {
  const char* name;
  /// The struct that describes it, with what its fields are if nobody says.
  VertexWork blank;
  /// The cycles of one tile. \throws std::logic_error for work of another struct.
  std::function<std::uint64_t(const TargetSpec&, const VertexWork&)> cycles;
  /// Bulk-synchronous phases that the library takes for it, a second stage of a reduction apart.
  unsigned phases;

  template <class W>
  bool isDescribedBy() const {
    return std::holds_alternative<W>(blank);
  }
};

/// A row of the registry; the formula's parameter says which struct describes the class.
template <class W>
VertexClass vertexClass(const char* name, std::uint64_t (*cycles)(const TargetSpec&, const W&),
                        unsigned phases = 1) {
  const auto ask = [name, cycles](const TargetSpec& spec, const VertexWork& work) {
    if (const auto* described = std::get_if<W>(&work)) return cycles(spec, *described);
    throw std::logic_error(std::string("vertices of class ") + name +
                           " are described by another struct than the one its estimator takes");
  };
  return {name, W{}, ask, phases};
}

/// The class of that name, or null.
__attribute__((visibility("default"))) const VertexClass* findVertexClass(const std::string& name);
/// In alphabetical order.
__attribute__((visibility("default"))) std::vector<std::string> vertexClassNames();

/// Cycles of one tile. \throws poplar::poplar_error for a class that has no estimator.
__attribute__((visibility("default"))) std::uint64_t estimateCycles(const TargetSpec& spec,
                                                                    const std::string& vertexClass,
                                                                    const VertexWork& work);

/// Whether PopLibs' fast vertices transpose so many matrices of the type, by sizes, strides and
/// repeats that the target has instructions for.
bool transposesFast(const TargetSpec& spec, const TransposeWork& work);

/// The cost of a vertex without an estimator: one pass of six workers over all bytes of its
/// operands on the tile, one data path width at a time.
std::uint64_t cyclesByBytes(const TargetSpec& spec, std::uint64_t bytes);

}  // namespace popir

#endif
