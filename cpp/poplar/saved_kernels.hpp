// Library functions' kernels as bytes.
#ifndef popir_poplar_saved_kernels_hpp
#define popir_poplar_saved_kernels_hpp

#include <memory>

#include "kernels/kernel.hpp"
#include "poplar/archive.hpp"

namespace popir {

/// \throws poplar::poplar_error for a kernel that no row of the table knows.
void saveKernel(const Kernel& kernel, Writer& to);
std::shared_ptr<const Kernel> loadKernel(Reader& from);

}  // namespace popir

#endif
