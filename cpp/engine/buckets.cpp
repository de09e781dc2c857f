// Replicas, buckets: collectives that a thread carries while the programs of the replicas go on.
//
// A replica that begins a part of a bucket leaves its data, or a copy, and goes on. When all replicas
// of this process have begun all parts, the carrier meets the other processes, for each group of
// replicas. All processes come to their buckets in one order, so no two wait for each other. A
// replica that ends a part waits until its bucket has arrived.
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "engine/replicas.hpp"

namespace popir {
namespace {

/// Counts a thread that waits.
class Awaiting {
 public:
  explicit Awaiting(std::atomic<unsigned>& count) : count_(count) { ++count_; }
  ~Awaiting() { --count_; }
  Awaiting(const Awaiting&) = delete;
  Awaiting& operator=(const Awaiting&) = delete;

 private:
  std::atomic<unsigned>& count_;
};

/// Copies what a replica gives for a part of a bucket to its places in `given`. What fills up is
/// never written, and stays zero.
void give(const Bucket& bucket, std::size_t part, const void* in, char* given) {
  const auto& [first, elements, made, begin, end] = bucket.parts[part];
  const bool scatters = bucket.whole.kind == Collective::Kind::ReduceScatter;
  const std::size_t size = bucket.whole.type.sizeInBytes();
  for (std::size_t to = 0; to < (scatters ? bucket.whole.grouping.size : 1); ++to) {
    const std::size_t from = std::min(to * made, elements), count = std::min(made, elements - from);
    if (count > 0)
      std::memcpy(given + (to * bucket.whole.results() + first) * size,
                  static_cast<const char*>(in) + from * size, count * size);
  }
}

}  // namespace

void Replicas::addTravels() {
  const auto count = static_cast<unsigned>(engines_.size());
  for (const auto& bucket : engines_.front()->buckets()) {
    auto& travel = travels_.emplace_back();
    const auto size = bucket.inPlace ? 0 : bucket.whole.type.sizeInBytes();
    const auto made = bucket.whole.results() * size;
    const bool scatters = bucket.whole.kind == Collective::Kind::ReduceScatter;
    travel.bucket = &bucket;
    travel.given.assign(count, std::vector<char>(bucket.whole.elements * size));
    travel.got.resize(count);
    for (unsigned i = 0; i < count; ++i) {
      const auto isHere = [&](const Table& group) { return group.here.front() == i; };
      auto table = newTable(bucket.whole.grouping, first_ + i);
      if (!isHere(table)) {
        const auto first = table.here.front();
        travel.groupOf.push_back(travel.groupOf[first]);
        continue;
      }
      travel.groupOf.push_back(travel.groups.size());
      for (std::size_t m = 0; m < table.here.size(); ++m) {
        if (m == 0 || scatters) travel.made.emplace_back(made);
        table.posts[m] = {&bucket.whole, travel.given[table.here[m]].data(),
                          travel.made.back().data()};
        travel.got[table.here[m]] = travel.made.back().data();
      }
      table.tag += static_cast<int>(groupings_.size()) * static_cast<int>(replicas_);
      table.awaiting = &awaiting_;
      travel.groups.push_back(std::move(table));
    }
  }
}

void Replicas::begin(unsigned replica, std::size_t bucket, std::size_t part, const void* in,
                     void* out) {
  auto& travel = travels_[bucket];
  // The replica has ended the round before, so nobody reads this any more.
  if (travel.bucket->inPlace) {
    auto& table = travel.groups[travel.groupOf[replica - first_]];
    const auto place = std::find(table.here.begin(), table.here.end(), replica - first_);
    auto& post = table.posts[static_cast<std::size_t>(place - table.here.begin())];
    post.in = in;
    post.out = out;
  } else {
    give(*travel.bucket, part, in, travel.given[replica - first_].data());
  }
  const Lock lock(mutex_);
  if (++travel.begun % (travel.bucket->parts.size() * engines_.size()) != 0 || failure_) return;
  ready_.push_back(&travel);
  changed_.notify_all();
}

void Replicas::end(unsigned replica, std::size_t bucket, std::size_t part, void* out) {
  auto& travel = travels_[bucket];
  const auto group = travel.groupOf[replica - first_];
  {
    Lock lock(mutex_);
    const auto round = travel.ended[replica - first_]++ / travel.bucket->parts.size();
    const Awaiting one(awaiting_);
    wait(lock, travel.groups[group], replica, [&] { return travel.rounds > round; });
  }
  if (travel.bucket->inPlace) return;
  const auto& place = travel.bucket->parts[part];
  const auto size = travel.bucket->whole.type.sizeInBytes();
  std::memcpy(out, travel.got[replica - first_] + place.first * size, place.made * size);
}

void Replicas::carry() {
  prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds: it sleeps for short times
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !ready_.empty(); });
    if (ends_) return;
    auto& travel = *ready_.front();
    std::exception_ptr error;
    lock.unlock();
    try {
      carryOne(travel);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (!error)
      ++travel.rounds;
    else if (!failure_)
      std::tie(failure_, failed_) = std::make_pair(error, first_);
    ready_.pop_front();
    if (failure_) ready_.clear();
    changed_.notify_all();
  }
}

void Replicas::carryOne(Travel& travel) {
  for (auto& table : travel.groups) {
    if (table.here.size() < travel.bucket->whole.grouping.size)
      workWithPeers(table, first_ + table.here.front());
    else
      for (const unsigned member : table.here) work(table, first_ + member);
    ++table.round;
  }
}

void Replicas::stopCarrying() {
  if (carrier_ == nullptr) return;
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  carrier_->join();
  delete carrier_;
}

}  // namespace popir
