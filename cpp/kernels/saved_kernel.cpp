#include "kernels/saved_kernel.hpp"

#include <poplar/exceptions.hpp>

#include <map>
#include <stdexcept>

namespace popir {
namespace {

// Made when the first row comes, whichever file's that is.
std::map<std::string, SavedKernelRow>& rows() {
  static std::map<std::string, SavedKernelRow> all;
  return all;
}

const SavedKernelRow* rowOf(const std::type_info& type) {
  for (const auto& [name, row] : rows())
    if (*row.type == type) return &row;
  return nullptr;
}

}  // namespace

void addSavedKernel(SavedKernelRow row) {
  if (rows().count(row.name) || rowOf(*row.type))
    throw std::logic_error("two rows for the saved kernel '" + row.name + "' or its class");
  rows().emplace(row.name, row);
}

bool isSavedKernel(const Kernel& kernel) { return rowOf(typeid(kernel)) != nullptr; }

void saveKernel(const Kernel& kernel, Writer& to) {
  const auto* row = rowOf(typeid(kernel));
  if (!row)
    throw poplar::poplar_error(std::string("compileGraph: vertices of kernel '") + kernel.name() +
                               "' cannot be saved");
  to.put(row->name);
  row->save(kernel, to);
}

std::shared_ptr<const Kernel> loadKernel(Reader& from) {
  const auto name = from.get<std::string>();
  const auto found = rows().find(name);
  if (found == rows().end()) throw DamagedArchive("a kernel is unknown");
  return found->second.load(from);
}

std::vector<std::string> savedKernelNames() {
  std::vector<std::string> names;
  for (const auto& row : rows()) names.push_back(row.first);
  return names;
}

}  // namespace popir
