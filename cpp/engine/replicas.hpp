// The replicas of a program that this process runs: an engine each, in threads that meet in
// collectives.
#ifndef popir_engine_replicas_hpp
#define popir_engine_replicas_hpp

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/peers.hpp"
#include "poplar/collective.hpp"

namespace popir {

class Crew;

/// Runs the engines of the replicas of one program, each in a thread, and the collectives in which
/// they meet. Reductions add in the order of the replicas, so that they give the same bits however
/// many threads and processes the replicas are spread over.
///
/// A replica that fails ends the run of all: those that wait for it in a collective stop, and run()
/// throws what it has thrown.
class __attribute__((visibility("default"))) Replicas {
 public:
  /// `engines` are those of the replicas from `peers.rank() * engines.size()` on, or of all without
  /// `peers`.
  /// \throws poplar::poplar_error if the graph was not made for so many replicas
  explicit Replicas(std::vector<EngineImpl*> engines, std::shared_ptr<Peers> peers = nullptr);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// Runs a program on all engines.
  /// \throws what the first replica that fails throws; poplar::runtime_error for a collective that
  /// not all of its replicas come to, or come to with another one; and in every run after one that
  /// other processes took part in and that failed
  void run(unsigned program);

 private:
  /// What a replica brings to a collective.
  struct Post {
    const Collective* collective = nullptr;
    const void* in = nullptr;
    void* out = nullptr;
  };
  /// One group of replicas, and the collective it is in.
  struct Table {
    std::vector<unsigned> here;  // the members of this process, as indices of engines
    std::vector<Post> posts;     // of these
    unsigned arrived = 0, done = 0;
    std::uint64_t round = 0;
    bool working = false;
    int tag = 0;
  };
  using Lock = std::unique_lock<std::mutex>;

  void meet(unsigned replica, const Collective& collective, const void* in, void* out);
  void work(const Table& table, unsigned replica);
  void workWithPeers(Table& table, unsigned replica);
  void reduceWithPeers(const Table& table, const std::vector<unsigned>& ranks,
                       const std::vector<std::size_t>& counts, std::size_t own);
  Table& tableOf(const Grouping& grouping, unsigned replica);
  void check(const Table& table) const;
  template <class Ready>
  void wait(Lock& lock, const Table& table, unsigned replica, Ready ready);
  void runOne(unsigned index, unsigned program);

  std::vector<EngineImpl*> engines_;
  std::shared_ptr<Peers> peers_;
  std::uint64_t session_ = 0;  // of this process, in the order in which they were made
  unsigned first_ = 0;         // the number of the first replica of this process
  unsigned replicas_;          // in all processes
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::vector<unsigned>, Table> tables_;  // by members
  std::vector<Grouping> groupings_;                // in the order in which engines have them
  std::vector<bool> left_;                         // the replicas that have ended their run
  std::exception_ptr failure_;
  unsigned failed_ = 0;  // the replica that failed
  std::string closed_;   // why nothing can be run any more
  Crew* crew_ = nullptr;
  int process_ = 0;  // the process whose threads the crew has
};

}  // namespace popir

#endif
