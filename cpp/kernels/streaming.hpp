// When results are written with non-temporal stores.
#ifndef popir_kernels_streaming_hpp
#define popir_kernels_streaming_hpp

#include <cstddef>

#include "kernels/kernel.hpp"

namespace popir {

/// Whether a result of so many bytes is written past the caches: from three quarters of the
/// last-level cache on, but from 8 to 24 MiB. The upper limit is there because other processes may
/// use part of a shared cache.
bool isStreamed(std::size_t bytes, const Setting& setting);

}  // namespace popir

#endif
