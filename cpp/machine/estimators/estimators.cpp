#include "machine/estimators/estimators.hpp"

#include <map>
#include <poplar/exceptions.hpp>
#include <type_traits>

#include "machine/estimators/formulas.hpp"

namespace popir {
namespace {

const std::map<std::string, VertexClass>& registry() {
  static const auto classes = [] {
    std::map<std::string, VertexClass> all;
    for (const auto& rows :
         {elementWiseClasses(), scaledAddClasses(), arrayClasses(), contractionClasses(),
          networkClasses(), reductionClasses(), transposeClasses()})
      for (const auto& row : rows) all.emplace(row.name, row);
    return all;
  }();
  return classes;
}

}  // namespace

const char* nameOf(Formula formula) {
  return formula == Formula::Published ? "estimator" : "guess";
}

bool isForeignToIPUs(poplar::Type type) {
  return type.sizeInBytes() == 8 || type == poplar::BFLOAT16;
}

Formula formulaOf(const VertexClass& kind, const VertexWork& work) {
  const bool foreign = std::visit(
      [](const auto& w) {
        using W = std::decay_t<decltype(w)>;
        if constexpr (std::is_same_v<W, UnknownWork> || std::is_same_v<W, CopyWork>)
          return false;  // bytes, whatever they are
        else if constexpr (std::is_same_v<W, OperatorWork> || std::is_same_v<W, CastWork>)
          return false;  // PopLibs has formulas for integers of 8 bytes
        else
          return isForeignToIPUs(w.type);
      },
      work);
  return foreign ? Formula::Guess : kind.formula(work);
}

const VertexClass* findVertexClass(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : &found->second;
}

std::vector<std::string> vertexClassNames() {
  std::vector<std::string> names;
  for (const auto& row : registry()) names.push_back(row.first);
  return names;
}

std::uint64_t estimateCycles(const TargetSpec& spec, const std::string& vertexClass,
                             const VertexWork& work) {
  const auto* row = findVertexClass(vertexClass);
  if (!row)
    throw poplar::poplar_error("no estimator for vertices of class '" + vertexClass +
                               "'; the rows in cpp/machine/estimators name those that there are");
  return row->cycles(spec, work);
}

}  // namespace popir
