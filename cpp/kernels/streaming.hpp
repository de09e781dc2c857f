// When results are written with non-temporal stores.
#ifndef popir_kernels_streaming_hpp
#define popir_kernels_streaming_hpp

#include <cstddef>

#include "kernels/kernel.hpp"

namespace popir {

/// Whether a result is written past the caches: if it, or all operands of its step
/// (Setting::wholeBytes), have three quarters of the last-level cache or more. This limit is 8 MiB at
/// least, and 24 MiB at most, since other processes may use part of a shared cache.
bool isStreamed(std::size_t bytes, const Setting& setting = {});

}  // namespace popir

#endif
