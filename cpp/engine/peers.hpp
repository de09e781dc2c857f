// The other processes of a job, for replicas that are spread over several.
#ifndef popir_engine_peers_hpp
#define popir_engine_peers_hpp

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

namespace popir {

/// Bytes that go to another process, or come from it.
struct Parcel {
  unsigned rank;
  void* data;
  std::size_t bytes;
};

/// The processes of a job, numbered from 0. Each calls the same functions in the same order.
class __attribute__((visibility("default"))) Peers {
 public:
  virtual ~Peers();
  virtual unsigned rank() const = 0;
  virtual unsigned ranks() const = 0;
  /// Sends and receives. What one process sends to another comes in the order in which it is sent,
  /// for each `tag`. Several threads may call it, with different tags.
  /// Waiting, it keeps its core busy, or leaves it to others as long as `*awaiting` is 0.
  /// \throws poplar::runtime_error, which names the process, if another one has failed or ended
  virtual void exchange(const std::vector<Parcel>& out, const std::vector<Parcel>& in, int tag,
                        const std::atomic<unsigned>* awaiting = nullptr) = 0;
  /// Tells the other processes that this one has failed: what they wait for does not come.
  virtual void fail(const std::string& why) = 0;
};

}  // namespace popir

#endif
