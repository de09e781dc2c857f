// When results are written with non-temporal stores.
#ifndef popir_kernels_streaming_hpp
#define popir_kernels_streaming_hpp

#include <cstddef>

namespace popir {

/// Whether a result of so many bytes is written past the caches: from three quarters of the
/// last-level cache on, but from 8 to 24 MiB. The upper limit is there because other processes may
/// use part of a shared cache. Asked where a kernel is prepared.
bool isStreamed(std::size_t bytes);

/// While it lives, kernels that this thread prepares work on a part of what `whole` bytes of
/// operands hold. Their results are streamed as that would be.
class StreamedPart {
 public:
  explicit StreamedPart(std::size_t whole);
  ~StreamedPart();
  StreamedPart(const StreamedPart&) = delete;
  StreamedPart& operator=(const StreamedPart&) = delete;
};

}  // namespace popir

#endif
