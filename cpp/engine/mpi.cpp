#include "engine/mpi.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace popir {

using MpiHandle = void*;

namespace {

// What is used of the standard ABI: handles are pointers, and constants are numbers of MPI 5.0,
// chapter 20.
MpiHandle handle(std::uintptr_t value) { return reinterpret_cast<MpiHandle>(value); }
const MpiHandle kWorld = handle(0x101), kByte = handle(0x247), kErrorsReturn = handle(0x143);
constexpr int kThreadMultiple = 4096, kSuccess = 0, kAnySource = -1, kMostErrorText = 512;

/// Tags: those of collectives begin at kFirstTag.
constexpr int kWordTag = 1, kCallTag = 2, kFirstTag = 8;
/// How often a thread looks that leaves its core to others, and then for how long it does. Large
/// messages come in several parts, each at another look.
constexpr unsigned kLooks = 32;
constexpr std::chrono::microseconds kIdle{20};
/// How long a message may still be under way when a later word of its sender has arrived, and how
/// long a failed exchange waits for MPI to let go of its memory.
constexpr std::chrono::seconds kLate{1};
/// How long a process in a step waits for one that is in a call of its session.
constexpr std::chrono::seconds kApart{5};
/// The longest word to another process, and the first letter of one that tells of an end.
constexpr std::size_t kMostWord = 4096;
constexpr char kEnds = 'e', kFails = 'f';

}  // namespace

struct MpiStatus {
  int source, tag, error;
  int reserved[5];
};

/// The functions of the library.
class Mpi {
 public:
  explicit Mpi(const std::string& library) : library_(library) {
    handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle_ == nullptr)
      throw poplar::runtime_error("MPI: " + library + " cannot be loaded: " + dlerror());
    find(initThread, "MPI_Init_thread");
    find(initialized, "MPI_Initialized");
    find(queryThread, "MPI_Query_thread");
    find(finalize, "MPI_Finalize");
    find(commRank, "MPI_Comm_rank");
    find(commSize, "MPI_Comm_size");
    find(setErrhandler, "MPI_Comm_set_errhandler");
    find(isend, "MPI_Isend_c");
    find(irecv, "MPI_Irecv_c");
    find(test, "MPI_Test");
    find(testall, "MPI_Testall");
    find(cancel, "MPI_Cancel");
    find(iprobe, "MPI_Iprobe");
    find(errorString, "MPI_Error_string");
  }

  void check(int code, const char* what) const {
    if (code == kSuccess) return;
    char text[kMostErrorText + 1] = {};
    int length = 0;
    errorString(code, text, &length);
    throw poplar::runtime_error(std::string("MPI: ") + what + " failed: " + text);
  }

  int (*initThread)(int*, char***, int, int*);
  int (*initialized)(int*);
  int (*queryThread)(int*);
  int (*finalize)();
  int (*commRank)(MpiHandle, int*);
  int (*commSize)(MpiHandle, int*);
  int (*setErrhandler)(MpiHandle, MpiHandle);
  int (*isend)(const void*, std::int64_t, MpiHandle, int, int, MpiHandle, MpiHandle*);
  int (*irecv)(void*, std::int64_t, MpiHandle, int, int, MpiHandle, MpiHandle*);
  int (*test)(MpiHandle*, int*, MpiStatus*);
  int (*testall)(int, MpiHandle*, int*, MpiStatus*);
  int (*cancel)(MpiHandle*);
  int (*iprobe)(int, int, MpiHandle, int*, MpiStatus*);
  int (*errorString)(int, char*, int*);

  std::mutex mutex;    // of what follows
  std::string closed;  // why nothing can be exchanged any more
  std::vector<bool> ended;
  std::deque<std::vector<char>> words;  // that are sent, and last as long as this object
  std::vector<MpiHandle> sending;

 private:
  template <class F>
  void find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    if (function == nullptr)
      throw poplar::runtime_error("MPI: " + library_ + " has no function " + name +
                                  "; a library of the standard ABI of MPI 5.0 has it");
  }

  std::string library_;
  void* handle_;
};

MpiPeers::MpiPeers(const std::string& library, double limit)
    : mpi_(std::make_unique<Mpi>(library)), limit_(limit) {
  int before = 0, threads = 0, rank = 0, ranks = 0;
  mpi_->check(mpi_->initialized(&before), "MPI_Initialized");
  if (before)
    mpi_->check(mpi_->queryThread(&threads), "MPI_Query_thread");
  else
    mpi_->check(mpi_->initThread(nullptr, nullptr, kThreadMultiple, &threads), "MPI_Init_thread");
  if (threads < kThreadMultiple)
    throw poplar::runtime_error("MPI: " + library +
                                " does not let several threads communicate at once "
                                "(MPI_THREAD_MULTIPLE)");
  mpi_->check(mpi_->setErrhandler(kWorld, kErrorsReturn), "MPI_Comm_set_errhandler");
  mpi_->check(mpi_->commRank(kWorld, &rank), "MPI_Comm_rank");
  mpi_->check(mpi_->commSize(kWorld, &ranks), "MPI_Comm_size");
  rank_ = static_cast<unsigned>(rank);
  ranks_ = static_cast<unsigned>(ranks);
  mpi_->ended.assign(ranks_, false);
}

MpiPeers::~MpiPeers() = default;

/// Receives words of other processes. Fills Mpi::closed if one has failed, or has ended.
void MpiPeers::check() {
  const std::lock_guard<std::mutex> lock(mpi_->mutex);
  while (mpi_->closed.empty()) {
    int flag = 0;
    MpiStatus status = {};
    mpi_->check(mpi_->iprobe(kAnySource, kWordTag, kWorld, &flag, &status), "MPI_Iprobe");
    if (!flag) return;
    std::vector<char> word(kMostWord, '\0');
    MpiHandle request;
    mpi_->check(
        mpi_->irecv(word.data(), kMostWord, kByte, status.source, kWordTag, kWorld, &request),
        "MPI_Irecv");
    for (int done = 0; !done;) {
      MpiStatus ignored;
      mpi_->check(mpi_->testall(1, &request, &done, &ignored), "MPI_Testall");
    }
    word.back() = '\0';
    const std::string who = "rank " + std::to_string(status.source);
    if (word.front() == kFails)
      mpi_->closed = who + " has failed: " + (word.data() + 1);
    else
      mpi_->ended[static_cast<std::size_t>(status.source)] = true;
  }
}

void MpiPeers::exchange(const std::vector<Parcel>& out, const std::vector<Parcel>& in, int tag,
                        const std::atomic<unsigned>* awaiting) {
  std::vector<MpiHandle> requests;
  requests.reserve(out.size() + in.size());
  try {
    for (const auto& p : in) {
      MpiHandle request;
      mpi_->check(mpi_->irecv(p.data, static_cast<std::int64_t>(p.bytes), kByte,
                              static_cast<int>(p.rank), kFirstTag + tag, kWorld, &request),
                  "MPI_Irecv");
      requests.push_back(request);
    }
    for (const auto& p : out) {
      MpiHandle request;
      mpi_->check(mpi_->isend(p.data, static_cast<std::int64_t>(p.bytes), kByte,
                              static_cast<int>(p.rank), kFirstTag + tag, kWorld, &request),
                  "MPI_Isend");
      requests.push_back(request);
    }
    wait(requests, in, kFirstTag + tag == kCallTag, awaiting);
  } catch (...) {
    giveUp(requests, in.size());
    throw;
  }
}

/// Whether the process has sent a message of a call, which no call of this one has received.
bool MpiPeers::isInCall(unsigned rank) {
  int flag = 0;
  MpiStatus status = {};
  mpi_->check(mpi_->iprobe(static_cast<int>(rank), kCallTag, kWorld, &flag, &status), "MPI_Iprobe");
  return flag != 0;
}

/// Waits for the requests of an exchange, of which those of `in` are the first.
void MpiPeers::wait(std::vector<MpiHandle>& requests, const std::vector<Parcel>& in, bool isCall,
                    const std::atomic<unsigned>* awaiting) {
  using Clock = std::chrono::steady_clock;
  std::vector<MpiStatus> statuses(requests.size());
  const auto begin = Clock::now();
  // Since when a message is missed of a rank that has ended, and of one that is in a call.
  std::optional<Clock::time_point> late, apart;
  for (unsigned tries = 1;; ++tries) {
    int done = 0;
    mpi_->check(
        mpi_->testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data()),
        "MPI_Testall");
    if (done) return;
    const bool hurries = awaiting == nullptr || *awaiting > 0;
    if (!hurries && tries % kLooks == 0) std::this_thread::sleep_for(kIdle);
    if (tries % 256 != 0) continue;
    check();
    {
      const std::lock_guard<std::mutex> lock(mpi_->mutex);
      if (!mpi_->closed.empty()) throw poplar::runtime_error(mpi_->closed);
      const auto now = Clock::now();
      for (std::size_t i = 0; i < in.size(); ++i) {
        const bool ended = mpi_->ended[in[i].rank];
        if (!ended && (isCall || !isInCall(in[i].rank))) continue;
        int arrived = 0;
        mpi_->check(mpi_->test(&requests[i], &arrived, statuses.data()), "MPI_Test");
        if (arrived) continue;
        auto& since = ended ? late : apart;
        if (!since) since = now;
        if (now - *since < (ended ? kLate : kApart)) break;
        mpi_->closed = "rank " + std::to_string(in[i].rank) +
                       (ended ? " has ended its program, and rank "
                              : " is in a call of its session, and in its step rank ") +
                       std::to_string(rank_) + " waits for it: all have to run the same steps";
        throw poplar::runtime_error(mpi_->closed);
      }
      const std::chrono::duration<double> waited = now - begin;
      if (waited.count() > limit_) {
        std::string whom;
        for (const auto& p : in) whom += (whom.empty() ? "" : ", ") + std::to_string(p.rank);
        mpi_->closed = "rank " + std::to_string(rank_) + " has waited " +
                       std::to_string(static_cast<long>(limit_)) + " s for rank " + whom;
        throw poplar::runtime_error(mpi_->closed);
      }
    }
    // Give the core to a process that may have to run first.
    if (tries < 4096)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

/// Ends the requests of an exchange that has failed, as far as other processes let it: their memory
/// is the caller's, who is about to free it.
void MpiPeers::giveUp(std::vector<MpiHandle>& requests, std::size_t receives) {
  // A request that is done is a null handle, which MPI_Cancel refuses: test it first.
  int done = 0;
  MpiStatus status;
  for (std::size_t i = 0; i < std::min(receives, requests.size()); ++i)
    if (mpi_->test(&requests[i], &done, &status) == kSuccess && !done) mpi_->cancel(&requests[i]);
  std::vector<MpiStatus> statuses(requests.size());
  for (const auto begin = std::chrono::steady_clock::now();
       std::chrono::steady_clock::now() - begin < kLate;
       std::this_thread::sleep_for(std::chrono::microseconds(50)))
    if (mpi_->testall(static_cast<int>(requests.size()), requests.data(), &done, statuses.data()) !=
            kSuccess ||
        done)
      return;
}

void MpiPeers::tell(const std::string& word) {
  const std::lock_guard<std::mutex> lock(mpi_->mutex);
  std::vector<char> bytes(word.begin(), word.end());
  bytes.resize(std::min(bytes.size(), kMostWord - 1));
  mpi_->words.push_back(std::move(bytes));
  const auto& sent = mpi_->words.back();
  for (unsigned rank = 0; rank < ranks_; ++rank) {
    if (rank == rank_) continue;
    mpi_->sending.emplace_back();
    mpi_->isend(sent.data(), static_cast<std::int64_t>(sent.size()), kByte, static_cast<int>(rank),
                kWordTag, kWorld, &mpi_->sending.back());
  }
}

void MpiPeers::fail(const std::string& why) {
  {
    const std::lock_guard<std::mutex> lock(mpi_->mutex);
    if (!mpi_->closed.empty()) return;  // the others know, or have told this one
    mpi_->closed = "this process has failed: " + why;
  }
  tell(kFails + why);
}

std::vector<std::string> MpiPeers::gather(const std::string& own) {
  std::vector<std::uint64_t> sizes(ranks_);
  std::uint64_t size = own.size();
  std::vector<Parcel> out, in;
  const auto others = [&](auto each) {
    out.clear();
    in.clear();
    for (unsigned rank = 0; rank < ranks_; ++rank)
      if (rank != rank_) each(rank);
    exchange(out, in, kCallTag - kFirstTag);
  };
  others([&](unsigned rank) {
    out.push_back({rank, &size, sizeof size});
    in.push_back({rank, &sizes[rank], sizeof size});
  });
  std::vector<std::string> all(ranks_);
  all[rank_] = own;
  std::string sent = own;
  others([&](unsigned rank) {
    all[rank].resize(sizes[rank]);
    out.push_back({rank, sent.data(), sent.size()});
    in.push_back({rank, all[rank].data(), all[rank].size()});
  });
  return all;
}

void MpiPeers::broadcast(void* data, std::size_t bytes, unsigned root) {
  std::vector<Parcel> out, in;
  if (rank_ != root) in.push_back({root, data, bytes});
  for (unsigned rank = 0; rank_ == root && rank < ranks_; ++rank)
    if (rank != root) out.push_back({rank, data, bytes});
  exchange(out, in, kCallTag - kFirstTag);
}

void MpiPeers::end() {
  tell(std::string(1, kEnds));
  for (;;) {
    check();
    const std::lock_guard<std::mutex> lock(mpi_->mutex);
    if (!mpi_->closed.empty()) return;  // a process has failed; MPI ends the others
    bool all = true;
    for (unsigned rank = 0; rank < ranks_; ++rank)
      all = all && (rank == rank_ || mpi_->ended[rank]);
    if (all) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::vector<MpiStatus> statuses(mpi_->sending.size());
  int done = 0;
  while (!done)
    mpi_->check(mpi_->testall(static_cast<int>(mpi_->sending.size()), mpi_->sending.data(), &done,
                              statuses.data()),
                "MPI_Testall");
  mpi_->finalize();
}

}  // namespace popir
