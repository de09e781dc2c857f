// Converts the settings of an operator from the compiler's to popart's.
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "bindings/popart_ir.hpp"

namespace popir {
namespace {

namespace py = pybind11;
using popart::Op;

/// Sets `member` if there is an annotation `name`.
template <class Optional>
void setOptional(Optional& member, const py::dict& notes, const char* name) {
  if (notes.contains(name)) member = notes[name].cast<int64_t>();
}

void setPriorities(Op::Settings& settings, const py::dict& notes) {
  if (!notes.contains(popart::sInplaceOpNames) || !notes.contains(popart::sInplaceOpPriorities))
    return;
  const auto names = notes[popart::sInplaceOpNames].cast<std::vector<std::string>>();
  const auto priorities = notes[popart::sInplaceOpPriorities].cast<std::vector<float>>();
  for (std::size_t i = 0; i < names.size() && i < priorities.size(); ++i)
    settings.inplacePriorityVeto.emplace_back(names[i], priorities[i]);
}

void read(Op::Settings& settings, const py::dict& notes) {
  setOptional(settings.vgraphId, notes, popart::sVirtualGraphAttribute);
  setOptional(settings.pipelineStage, notes, popart::sPipelineStageAttribute);
  setOptional(settings.executionPhase, notes, popart::sExecutionPhaseAttribute);
  if (notes.contains(popart::sRecomputeOutputAttribute))
    settings.recomputeType =
        static_cast<popart::RecomputeType>(notes[popart::sRecomputeOutputAttribute].cast<int>());
  if (notes.contains(popart::sSchedulePriority))
    settings.schedulePriority = notes[popart::sSchedulePriority].cast<double>();
  if (notes.contains(popart::sExcludePatternsAttribute))
    for (py::handle name : notes[popart::sExcludePatternsAttribute])
      settings.excludePatterns.insert(name.cast<std::string>());
  if (notes.contains(popart::sOutlineAttribute)) {
    const auto words = notes[popart::sOutlineAttribute].cast<std::vector<std::string>>();
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      settings.extraOutlineAttributes[words[i]] = words[i + 1];
  }
  setPriorities(settings, notes);
}

}  // namespace

Op::Settings settingsFrom(py::handle pySettings) {
  Op::Settings settings(graphOf(pySettings.attr("graph")).graph,
                        pySettings.attr("name").cast<std::string>());
  const py::dict notes = pySettings.attr("nodeAttributes");
  if (notes.empty()) return settings;
  try {
    read(settings, notes);
  } catch (const py::cast_error&) {
    throw popart::error("The node '{}' has an annotation of a wrong type; it has {}", settings.name,
                        py::str(notes).cast<std::string>());
  }
  return settings;
}

}  // namespace popir
