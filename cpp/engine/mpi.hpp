// Processes that talk by MPI, through the standard ABI of MPI 5.0: the library is the user's, and is
// loaded when it is asked for.
#ifndef popir_engine_mpi_hpp
#define popir_engine_mpi_hpp

#include <memory>
#include <string>
#include <vector>

#include "engine/peers.hpp"

namespace popir {

class Mpi;

/// The processes of MPI_COMM_WORLD.
class __attribute__((visibility("default"))) MpiPeers final : public Peers {
 public:
  /// Loads the library, a path or a name that the loader finds, and starts MPI. Waiting for another
  /// process is an error after `limit` seconds.
  /// \throws poplar::runtime_error if it cannot be loaded, lacks a function, or does not let several
  /// threads communicate
  MpiPeers(const std::string& library, double limit);
  ~MpiPeers() override;

  unsigned rank() const override { return rank_; }
  unsigned ranks() const override { return ranks_; }
  void exchange(const std::vector<Parcel>& out, const std::vector<Parcel>& in, int tag,
                const std::atomic<unsigned>* awaiting = nullptr) override;
  void fail(const std::string& why) override;

  /// What each process gives, in their order.
  std::vector<std::string> gather(const std::string& own);
  /// Copies the bytes of one process to all.
  void broadcast(void* data, std::size_t bytes, unsigned root);
  /// Tells the others that this process ends, waits until they end, and ends MPI.
  void end();

 private:
  void tell(const std::string& word);
  void check();
  void wait(std::vector<void*>& requests, const std::vector<Parcel>& in, bool isCall,
            const std::atomic<unsigned>* awaiting);
  bool isInCall(unsigned rank);
  void giveUp(std::vector<void*>& requests, std::size_t receives);

  std::unique_ptr<Mpi> mpi_;
  double limit_;
  unsigned rank_ = 0, ranks_ = 1;
};

}  // namespace popir

#endif
