// Kernels as bytes: a name, then the members. A kernel that saved programs may have ties its members
// by state(), in the order of its constructor, and has one row, in its own file:
//   const SavedKernel<FillKernel> kSavedFill("fill");
#ifndef popir_kernels_saved_kernel_hpp
#define popir_kernels_saved_kernel_hpp

#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <vector>

#include "kernels/kernel.hpp"
#include "support/archive.hpp"

namespace popir {

struct SavedKernelRow {
  std::string name;
  const std::type_info* type;
  void (*save)(const Kernel&, Writer&);
  std::shared_ptr<const Kernel> (*load)(Reader&);
};

/// Rows come from constructors of static objects, in any order.
/// \throws std::logic_error for a name or a class that has a row.
void addSavedKernel(SavedKernelRow row);

template <class K>
struct SavedKernel {
  explicit SavedKernel(const char* name) {
    addSavedKernel(
        {name, &typeid(K),
         [](const Kernel& kernel, Writer& to) { to.put(static_cast<const K&>(kernel)); },
         [](Reader& from) -> std::shared_ptr<const Kernel> {
           return std::apply(
               [](auto&&... member) { return std::make_shared<const K>(std::move(member)...); },
               from.getTuple<archive::StateOf<K>>());
         }});
  }
};

/// Whether the kernel's class has a row.
bool isSavedKernel(const Kernel& kernel);
/// \throws poplar::poplar_error for a kernel that has no row.
void saveKernel(const Kernel& kernel, Writer& to);
/// \throws DamagedArchive
std::shared_ptr<const Kernel> loadKernel(Reader& from);

/// The rows' names, in alphabetical order.
__attribute__((visibility("default"))) std::vector<std::string> savedKernelNames();

}  // namespace popir

#endif
