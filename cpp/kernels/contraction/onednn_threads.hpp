// oneDNN on the threads of popir: what oneDNN asks of OpenMP is answered by kernels/pool.hpp.
#ifndef popir_kernels_contraction_onednn_threads_hpp
#define popir_kernels_contraction_onednn_threads_hpp

#include <optional>

#include "kernels/pool.hpp"

namespace popir {
namespace onednn {

/// The threads that oneDNN sees in a scope. It reads their number when a primitive is made and when
/// it runs; both must see the same.
class Threads {
 public:
  /// Together: `threads` threads, which may wait for one another. Dynamic: more shares than threads,
  /// for primitives whose shares never wait.
  /// \throws poplar::runtime_error if Together cannot have its threads
  explicit Threads(unsigned threads, pool::Sharing sharing = pool::Sharing::Together);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  unsigned shares() const { return shares_; }
  unsigned threads() const { return threads_; }
  pool::Sharing sharing() const { return sharing_; }
  /// Null where regions run on one thread.
  pool::Team* team() const { return team_ ? &**team_ : nullptr; }

 private:
  unsigned threads_, shares_;
  pool::Sharing sharing_;
  std::optional<pool::Borrowed> team_;
  const Threads* around_;
};

}  // namespace onednn
}  // namespace popir

#endif
