#include "engine/replicas.hpp"

#include <unistd.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <utility>

#include "engine/reduce_parts.hpp"
#include "support/on_behalf.hpp"

namespace popir {

Peers::~Peers() = default;

namespace {

/// Ends the run of a replica because another one has failed, which is what run() tells of.
struct Stopped : poplar::runtime_error {
  using poplar::runtime_error::runtime_error;
};

/// Reductions of less bytes than this are made by every process, from all that was given: one
/// exchange instead of two.
constexpr std::size_t kSmall = 1 << 14;

char* at(void* data, std::size_t elements, std::size_t size) {
  return static_cast<char*>(data) + elements * size;
}
const char* at(const void* data, std::size_t elements, std::size_t size) {
  return static_cast<const char*>(data) + elements * size;
}
void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}

}  // namespace

/// Threads that run a function each, at once with the caller.
class Crew {
 public:
  explicit Crew(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this, i] { serve(i + 1); });
  }
  ~Crew() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls function(0) here and function(i) on thread i - 1. It does not throw.
  void run(const std::function<void(unsigned)>& function) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      function_ = &function;
      waiting_ = waitingHere();
      running_ = static_cast<unsigned>(threads_.size());
      ++jobs_;
    }
    changed_.notify_all();
    function(0);
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void serve(unsigned index) {
    std::unique_lock<std::mutex> lock(mutex_);
    for (std::uint64_t seen = 0;; seen = jobs_) {
      changed_.wait(lock, [&] { return ends_ || jobs_ > seen; });
      if (ends_) return;
      waitingThreads() = waiting_;
      const auto* function = function_;
      lock.unlock();
      (*function)(index);
      lock.lock();
      if (--running_ == 0) changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void(unsigned)>* function_ = nullptr;
  std::vector<pthread_t> waiting_;
  unsigned running_ = 0;
  std::uint64_t jobs_ = 0;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

Replicas::Replicas(std::vector<EngineImpl*> engines, std::shared_ptr<Peers> peers)
    : engines_(std::move(engines)), peers_(std::move(peers)) {
  if (engines_.empty())
    throw poplar::poplar_error("Replicas: no engines given; each replica has one");
  const std::set<EngineImpl*> different(engines_.begin(), engines_.end());
  if (different.size() != engines_.size())
    throw poplar::poplar_error(
        "Replicas: an engine is given twice; each replica has one of its own");
  static std::atomic<std::uint64_t> sessions{0};
  session_ = ++sessions;
  const auto count = static_cast<unsigned>(engines_.size());
  replicas_ = count * (peers_ ? peers_->ranks() : 1);
  if (peers_) first_ = count * peers_->rank();
  for (unsigned i = 0; i < count; ++i) {
    const auto found = engines_[i]->connectCollectives(first_ + i, *this);
    for (const auto& grouping : found)
      if (grouping.replicas != replicas_)
        throw poplar::poplar_error("Replicas: engines of " + std::to_string(replicas_) +
                                   " replicas given, their graph was made for " +
                                   std::to_string(grouping.replicas));
    if (i == 0) groupings_ = found;
  }
  addTravels();
}

Replicas::~Replicas() {
  if (process_ != getpid()) return;  // the threads of another process are not here
  delete crew_;
  stopCarrying();
}

void Replicas::run(unsigned program) {
  if (!closed_.empty())
    throw poplar::runtime_error("the replicas in other processes have stopped: " + closed_ +
                                " Start the job again.");
  if (process_ != getpid()) {
    crew_ = new Crew(static_cast<unsigned>(engines_.size()) - 1);
    if (!travels_.empty()) carrier_ = new std::thread([this] { carry(); });
    process_ = getpid();
  }
  failure_ = nullptr;
  left_.assign(replicas_, false);
  for (auto& [members, table] : tables_) {
    table.arrived = table.done = 0;
    table.working = false;
  }
  for (auto& travel : travels_) {
    travel.begun = travel.rounds = 0;
    travel.ended.assign(engines_.size(), 0);
  }
  crew_->run([&](unsigned index) { runOne(index, program); });
  if (!failure_) return;
  if (replicas_ > engines_.size()) {
    try {
      std::rethrow_exception(failure_);
    } catch (const std::exception& e) {
      closed_ = e.what();
    } catch (...) {
      closed_ = "a callback has failed.";
    }
    peers_->fail("replica " + std::to_string(failed_) + " has failed: " + closed_);
  }
  {
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.empty(); });
  }
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Replicas::runOne(unsigned index, unsigned program) {
  std::exception_ptr error;
  try {
    engines_[index]->run(program);
  } catch (...) {
    error = std::current_exception();
  }
  {
    const Lock lock(mutex_);
    left_[first_ + index] = true;
    if (error && !failure_) {
      failure_ = error;
      failed_ = first_ + index;
    }
  }
  changed_.notify_all();
}

Replicas::Table Replicas::newTable(const Grouping& grouping, unsigned replica) const {
  Table table;
  const auto members = grouping.members(replica);
  for (const unsigned member : members)
    if (member >= first_ && member - first_ < engines_.size())
      table.here.push_back(member - first_);
  table.posts.resize(table.here.size());
  const auto found = std::find(groupings_.begin(), groupings_.end(), grouping);
  const auto number = static_cast<unsigned>(found - groupings_.begin());
  table.tag = static_cast<int>(number * replicas_ + members.front());
  return table;
}

Replicas::Table& Replicas::tableOf(const Grouping& grouping, unsigned replica) {
  auto& table = tables_[grouping.members(replica)];
  if (table.posts.empty()) table = newTable(grouping, replica);
  return table;
}

void Replicas::checkOthers(const Table& table, unsigned replica) const {
  const auto isLeft = [&](unsigned index) { return left_[first_ + index]; };
  if (failure_) throw Stopped("replica " + std::to_string(failed_) + " has failed");
  const auto gone = std::find_if(table.here.begin(), table.here.end(), isLeft);
  if (gone != table.here.end() && !table.working)
    throw poplar::runtime_error("replica " + std::to_string(first_ + *gone) +
                                " has ended its program, and replica " + std::to_string(replica) +
                                " waits for it in a collective: replicas have to come to the "
                                "same ones, whatever their data are");
}

void Replicas::check(const Table& table) const {
  const auto first = handleOf(*table.posts[0].collective);
  for (std::size_t i = 1; i < table.posts.size(); ++i)
    if (handleOf(*table.posts[i].collective) != first)
      throw poplar::runtime_error("replica " + std::to_string(first_ + table.here[0]) +
                                  " is in the collective " + table.posts[0].collective->text() +
                                  ", replica " + std::to_string(first_ + table.here[i]) + " in " +
                                  table.posts[i].collective->text() +
                                  ": replicas have to come to the same ones in the same order");
}

void Replicas::meet(unsigned replica, const Collective& collective, const void* in, void* out) {
  Lock lock(mutex_);
  Table& table = tableOf(collective.grouping, replica);
  const auto place = std::find(table.here.begin(), table.here.end(), replica - first_);
  const auto index = static_cast<std::size_t>(place - table.here.begin());
  const auto size = static_cast<unsigned>(table.here.size());
  wait(lock, table, replica, [&] { return !table.working; });
  table.posts[index] = {&collective, in, out};
  const bool spans = size < collective.grouping.size;
  if (++table.arrived == size) {
    check(table);
    if (spans) {
      lock.unlock();
      workWithPeers(table, replica);
      lock.lock();
    }
    table.working = true;
    changed_.notify_all();
  } else {
    wait(lock, table, replica, [&] { return table.working; });
  }
  if (!spans) {
    lock.unlock();
    work(table, replica);
    lock.lock();
  }
  const auto round = table.round;
  if (++table.done == size) {
    table.arrived = table.done = 0;
    table.working = false;
    ++table.round;
    changed_.notify_all();
  } else {
    wait(lock, table, replica, [&] { return table.round != round; });
  }
}

void Replicas::work(const Table& table, unsigned replica) {
  const Collective& c = *table.posts[0].collective;
  const std::size_t size = c.type.sizeInBytes(), group = table.posts.size();
  const std::size_t own = c.grouping.indexOf(replica);
  const Post& mine = table.posts[own];
  const auto reduced = [&](std::size_t begin, std::size_t end, void* out) {
    if (begin >= end) return;
    std::vector<const void*> in;
    for (const auto& post : table.posts) in.push_back(at(post.in, begin, size));
    reduceParts(c.op, c.type, in, out, end - begin);
  };
  switch (c.kind) {
    case Collective::Kind::AllReduce: {
      const std::size_t begin = c.elements * own / group, end = c.elements * (own + 1) / group;
      char* out = at(table.posts[0].out, begin, size);
      reduced(begin, end, out);
      for (std::size_t i = 1; i < group; ++i)
        copy(at(table.posts[i].out, begin, size), out, (end - begin) * size);
      return;
    }
    case Collective::Kind::ReduceScatter: {
      const std::size_t begin = std::min(own * c.part(), c.elements);
      const std::size_t end = std::min(begin + c.part(), c.elements);
      reduced(begin, end, mine.out);
      std::memset(at(mine.out, end - begin, size), 0, (c.part() - (end - begin)) * size);
      return;
    }
    case Collective::Kind::AllGather:
      for (std::size_t i = 0; i < group; ++i)
        copy(at(mine.out, i * c.elements, size), table.posts[i].in, c.elements * size);
      return;
    case Collective::Kind::AllToAll:
      for (std::size_t i = 0; i < group; ++i)
        copy(at(mine.out, i * c.part(), size), at(table.posts[i].in, own * c.part(), size),
             c.part() * size);
      return;
    case Collective::Kind::Permute:
      copy(mine.out, table.posts[c.sources[own]].in, c.elements * size);
      return;
  }
}

namespace {

/// What processes compare before they exchange data.
struct Header {
  std::uint64_t session, collective, count;
};

}  // namespace

/// The same with members in other processes: what one thread does for all replicas of this one.
void Replicas::workWithPeers(Table& table, unsigned replica) {
  const Collective& c = *table.posts[0].collective;
  const std::size_t size = c.type.sizeInBytes(), n = c.elements, part = c.part();
  const auto members = c.grouping.members(replica);
  const auto local = static_cast<unsigned>(engines_.size());
  const unsigned self = peers_->rank();
  std::vector<unsigned> ranks;      // those of the members
  std::vector<std::size_t> counts;  // how many members each has
  for (const unsigned m : members) {
    if (ranks.empty() || ranks.back() != m / local) {
      ranks.push_back(m / local);
      counts.push_back(0);
    }
    ++counts.back();
  }
  const auto own =
      static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), self) - ranks.begin());
  std::vector<Parcel> out, in;
  const auto exchange = [&] {
    peers_->exchange(out, in, table.tag, table.awaiting);
    out.clear();
    in.clear();
  };

  const Header mine{session_, std::hash<std::string>()(handleOf(c)), table.round};
  std::vector<Header> theirs(ranks.size(), mine);
  for (std::size_t q = 0; q < ranks.size(); ++q) {
    if (q == own) continue;
    out.push_back({ranks[q], const_cast<Header*>(&mine), sizeof mine});
    in.push_back({ranks[q], &theirs[q], sizeof mine});
  }
  exchange();
  for (std::size_t q = 0; q < ranks.size(); ++q)
    if (std::memcmp(&theirs[q], &mine, sizeof mine) != 0)
      throw poplar::runtime_error(
          "rank " + std::to_string(self) + " is in the collective " + c.text() + " of session " +
          std::to_string(session_) + ", and rank " + std::to_string(ranks[q]) + " in another one" +
          (theirs[q].session == session_ ? ""
                                         : ", of session " + std::to_string(theirs[q].session)) +
          ": all have to run the same steps in the same order");

  // Each local member i needs the elements [begin, end) of all members.
  std::vector<std::vector<char>> received;
  const auto collect = [&](auto begin, auto end) {
    // In the order of the members, on both sides.
    std::vector<std::vector<const void*>> all(table.posts.size());
    for (auto& each : all) each.resize(members.size());
    for (std::size_t to = 0; to < members.size(); ++to)
      for (std::size_t from = 0; from < members.size(); ++from) {
        const bool isHere = members[from] / local == self, isFor = members[to] / local == self;
        const std::size_t first = begin(to), bytes = (end(to) - first) * size;
        const auto place = [&](unsigned member) {
          const auto found = std::find(table.here.begin(), table.here.end(), member - first_);
          return static_cast<std::size_t>(found - table.here.begin());
        };
        if (isHere && isFor) {
          all[place(members[to])][from] = at(table.posts[place(members[from])].in, first, size);
        } else if (isHere) {
          const void* data = at(table.posts[place(members[from])].in, first, size);
          out.push_back({members[to] / local, const_cast<void*>(data), bytes});
        } else if (isFor) {
          received.emplace_back(bytes);
          all[place(members[to])][from] = received.back().data();
          in.push_back({members[from] / local, received.back().data(), bytes});
        }
      }
    exchange();
    return all;
  };
  switch (c.kind) {
    case Collective::Kind::AllReduce: reduceWithPeers(table, ranks, counts, own); return;
    case Collective::Kind::ReduceScatter: {
      const auto begin = [&](std::size_t to) { return std::min(to * part, n); };
      const auto end = [&](std::size_t to) { return std::min((to + 1) * part, n); };
      const auto all = collect(begin, end);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t to = c.grouping.indexOf(first_ + table.here[i]);
        const std::size_t count = end(to) - begin(to);
        void* result = table.posts[i].out;
        if (count > 0) reduceParts(c.op, c.type, all[i], result, count);
        std::memset(at(result, count, size), 0, (part - count) * size);
      }
      return;
    }
    case Collective::Kind::AllGather:
    case Collective::Kind::AllToAll: {
      const bool isWhole = c.kind == Collective::Kind::AllGather;
      const std::size_t count = isWhole ? n : part;
      const auto begin = [&](std::size_t to) { return isWhole ? 0 : to * part; };
      const auto all = collect(begin, [&](std::size_t to) { return begin(to) + count; });
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t from = 0; from < members.size(); ++from)
          copy(at(table.posts[i].out, from * count, size), all[i][from], count * size);
      return;
    }
    case Collective::Kind::Permute: {
      const auto all =
          collect([](std::size_t) { return std::size_t(0); }, [&](std::size_t) { return n; });
      for (std::size_t i = 0; i < all.size(); ++i)
        copy(table.posts[i].out, all[i][c.sources[c.grouping.indexOf(first_ + table.here[i])]],
             n * size);
      return;
    }
  }
}

/// AllReduce: each process reduces one share of the elements, and gives it to the others; or, if
/// there are few, everything.
void Replicas::reduceWithPeers(Table& table, const std::vector<unsigned>& ranks,
                               const std::vector<std::size_t>& counts, std::size_t own) {
  const Collective& c = *table.posts[0].collective;
  const std::size_t size = c.type.sizeInBytes(), n = c.elements, here = table.posts.size();
  const bool isSmall = n * size < kSmall;
  const auto begin = [&](std::size_t q) { return isSmall ? 0 : n * q / ranks.size(); };
  const auto end = [&](std::size_t q) { return isSmall ? n : n * (q + 1) / ranks.size(); };
  const std::size_t first = begin(own), count = end(own) - first;
  std::vector<Parcel> out, in;
  // Kept for the next time: new memory costs about as much as the exchange.
  table.received.resize(count * size * (c.grouping.size - here));
  std::vector<const void*> all;  // in the order of the members, which is that of the processes
  char* next = table.received.data();
  for (std::size_t q = 0; q < ranks.size(); ++q) {
    for (const auto& post : table.posts) {
      const void* data = at(post.in, begin(q), size);
      if (q == own)
        all.push_back(data);
      else
        out.push_back({ranks[q], const_cast<void*>(data), (end(q) - begin(q)) * size});
    }
    for (std::size_t i = 0; q != own && i < counts[q]; ++i, next += count * size) {
      in.push_back({ranks[q], next, count * size});
      all.push_back(next);
    }
  }
  peers_->exchange(out, in, table.tag, table.awaiting);
  void* result = table.posts[0].out;
  if (count > 0) reduceParts(c.op, c.type, all, at(result, first, size), count);
  if (!isSmall) {
    out.clear();
    in.clear();
    for (std::size_t q = 0; q < ranks.size(); ++q) {
      if (q == own) continue;
      out.push_back({ranks[q], at(result, first, size), count * size});
      in.push_back({ranks[q], at(result, begin(q), size), (end(q) - begin(q)) * size});
    }
    peers_->exchange(out, in, table.tag, table.awaiting);
  }
  for (std::size_t i = 1; i < here; ++i) copy(table.posts[i].out, result, n * size);
}

}  // namespace popir
