#include "kernels/streaming.hpp"

#include <unistd.h>

#include <algorithm>

namespace popir {
namespace {

std::size_t streamBytes() {
  static const std::size_t bytes = [] {
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::clamp<std::size_t>(cache > 0 ? static_cast<std::size_t>(cache) / 4 * 3 : 0,
                                   std::size_t{8} << 20, std::size_t{24} << 20);
  }();
  return bytes;
}

}  // namespace

bool isStreamed(std::size_t bytes, const Setting& setting) {
  return std::max(bytes, setting.wholeBytes) >= streamBytes();
}

}  // namespace popir
