// The replicas of a program that this process runs: an engine each, in threads that meet in
// collectives.
#ifndef popir_engine_replicas_hpp
#define popir_engine_replicas_hpp

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
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
class __attribute__((visibility("default"))) Replicas final : private Meeting {
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
    std::vector<char> received;                       // from other processes
    const std::atomic<unsigned>* awaiting = nullptr;  // as Peers::exchange has it
  };
  /// A bucket, and its way: what each replica of this process gives, and what it gets, which may be
  /// the same for all of a group. The counts are those of this run.
  struct Travel {
    const Bucket* bucket = nullptr;
    std::vector<Table> groups;             // those with members in this process
    std::vector<std::vector<char>> given;  // by replica of this process
    std::vector<std::vector<char>> made;
    std::vector<const char*> got;      // which of them, by replica of this process
    std::vector<std::size_t> groupOf;  // by replica of this process
    std::size_t begun = 0;             // parts, of all replicas
    std::vector<std::size_t> ended;    // parts, by replica of this process
    std::size_t rounds = 0;            // in which it has arrived
  };
  using Lock = std::unique_lock<std::mutex>;

  void meet(unsigned replica, const Collective& collective, const void* in, void* out) override;
  void begin(unsigned replica, std::size_t bucket, std::size_t part, const void* in,
             void* out) override;
  void end(unsigned replica, std::size_t bucket, std::size_t part, void* out) override;
  void addTravels();
  void carry();
  void carryOne(Travel& travel);
  void stopCarrying();
  void work(const Table& table, unsigned replica);
  void workWithPeers(Table& table, unsigned replica);
  void reduceWithPeers(Table& table, const std::vector<unsigned>& ranks,
                       const std::vector<std::size_t>& counts, std::size_t own);
  Table newTable(const Grouping& grouping, unsigned replica) const;
  Table& tableOf(const Grouping& grouping, unsigned replica);
  void check(const Table& table) const;
  template <class Ready>
  void wait(Lock& lock, const Table& table, unsigned replica, Ready ready) {
    for (; !ready(); changed_.wait(lock)) checkOthers(table, replica);
  }
  /// \throws if another replica has failed, or has ended its program and is waited for
  void checkOthers(const Table& table, unsigned replica) const;
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
  unsigned failed_ = 0;                // the replica that failed
  std::string closed_;                 // why nothing can be run any more
  std::deque<Travel> travels_;         // by bucket
  std::deque<Travel*> ready_;          // those whose parts all have begun, for the carrier
  std::atomic<unsigned> awaiting_{0};  // how many replicas wait for one
  bool ends_ = false;
  Crew* crew_ = nullptr;
  std::thread* carrier_ = nullptr;  // runs carry(), if there are buckets
  int process_ = 0;                 // the process whose threads these are
};

}  // namespace popir

#endif
