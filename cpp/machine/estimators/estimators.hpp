// The registry of estimators. For each class of vertices it has the struct of workload/work.hpp
// that describes a vertex, and a formula for the cycles of a tile's part of it. Planner, report and
// tests use the same formulas. All cycles are tile cycles.
//
// The formulas are those of PopLibs' own estimators, as far as these are published. Each entry of
// the registry says whether its formula is, and reports call the others a guess. The registry's
// entries are at the end of each file, after the formulas.
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

/// Where a formula comes from.
enum class Formula {
  Published,  ///< PopLibs' estimator; for a function of several vertices the sum of theirs
  Guess       ///< popir's own, since there is no such estimator or a comment says why not to use it
};
/// Its name in reports: "estimator" or "guess".
__attribute__((visibility("default"))) const char* nameOf(Formula formula);

struct VertexClass {
  const char* name;
  /// The struct that describes a vertex of the class, with default values.
  VertexWork blank;
  /// Cycles of one tile for its part of the work. \throws std::logic_error for work of another
  /// struct.
  std::function<std::uint64_t(const TargetSpec&, const VertexWork&)> cycles;
  /// Where that formula comes from, for work of types that an IPU has.
  std::function<Formula(const VertexWork&)> formula;
  /// The number of bulk-synchronous phases of a vertex in PopLibs. A second stage of a reduction is
  /// not included.
  std::function<unsigned(const VertexWork&)> phases;

  template <class W>
  bool isDescribedBy() const {
    return std::holds_alternative<W>(blank);
  }
};

/// Makes an entry of the registry. W, the type of the formula's parameter, is the class's struct.
/// `formula` says where the formula comes from, for each work of the class if it depends on it.
template <class W>
VertexClass vertexClass(const char* name, Formula (*formula)(const W&),
                        std::uint64_t (*cycles)(const TargetSpec&, const W&),
                        std::function<unsigned(const W&)> phases) {
  const auto described = [name](const VertexWork& work) -> const W& {
    if (const auto* found = std::get_if<W>(&work)) return *found;
    throw std::logic_error(std::string("vertices of class ") + name +
                           " are described by another struct than the one its estimator takes");
  };
  return {name, W{},
          [=](const TargetSpec& spec, const VertexWork& w) { return cycles(spec, described(w)); },
          [=](const VertexWork& w) { return formula(described(w)); },
          [=](const VertexWork& w) { return phases(described(w)); }};
}
template <class W>
VertexClass vertexClass(const char* name, Formula (*formula)(const W&),
                        std::uint64_t (*cycles)(const TargetSpec&, const W&), unsigned phases = 1) {
  return vertexClass<W>(name, formula, cycles, [phases](const W&) { return phases; });
}
template <class W>
VertexClass published(const char* name, std::uint64_t (*cycles)(const TargetSpec&, const W&),
                      unsigned phases = 1) {
  return vertexClass<W>(
      name, [](const W&) { return Formula::Published; }, cycles, phases);
}
template <class W>
VertexClass published(const char* name, std::uint64_t (*cycles)(const TargetSpec&, const W&),
                      unsigned (*phases)(const W&)) {
  return vertexClass<W>(
      name, [](const W&) { return Formula::Published; }, cycles,
      std::function<unsigned(const W&)>(phases));
}
template <class W>
VertexClass guessed(const char* name, std::uint64_t (*cycles)(const TargetSpec&, const W&),
                    unsigned phases = 1) {
  return vertexClass<W>(
      name, [](const W&) { return Formula::Guess; }, cycles, phases);
}

/// Whether an IPU has no such type: types of 8 bytes, and bfloat16.
bool isForeignToIPUs(poplar::Type type);

/// Where the cycles of a vertex come from. What is said of types that no IPU has is a guess.
__attribute__((visibility("default"))) Formula formulaOf(const VertexClass& kind,
                                                         const VertexWork& work);

/// The class of that name, or null.
__attribute__((visibility("default"))) const VertexClass* findVertexClass(const std::string& name);
/// The names of all classes, in alphabetical order.
__attribute__((visibility("default"))) std::vector<std::string> vertexClassNames();

/// Cycles of one tile for its part of the work. \throws poplar::poplar_error for a class without an
/// estimator.
__attribute__((visibility("default"))) std::uint64_t estimateCycles(const TargetSpec& spec,
                                                                    const std::string& vertexClass,
                                                                    const VertexWork& work);

/// Whether PopLibs' fast vertices can transpose these matrices. They take elements of 2 bytes with
/// rows and columns in multiples of 4, and elements of 1 byte with multiples of 8. Strides and
/// repeat counts must be within the target's limits.
bool transposesFast(const TargetSpec& spec, const TransposeWork& work);

}  // namespace popir

#endif
