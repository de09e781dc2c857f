// The functions of GNU OpenMP that oneDNN's library calls. The build renames them in our copy of
// that library (cmake/Library.cmake), so that it calls these, and nothing else in the process does.
#if POPIR_HAVE_ONEDNN
#include "kernels/contraction/onednn_threads.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace popir {
namespace onednn {
namespace {

using pool::Sharing;

/// Shares of a primitive for each thread. With one, a thread could not take over what another one
/// is late with.
constexpr unsigned kSharesOfThread = 2;

/// A parallel region of oneDNN, from GOMP_parallel_start() to GOMP_parallel_end(). In between the
/// thread that began it executes share 0.
struct Region {
  void (*call)(void*);
  void* data;
  unsigned shares;  // omp_get_num_threads()
  unsigned most;    // omp_get_max_threads()
  pool::Team* team;
  Sharing sharing;
};

/// What a thread executes: share `number` of `region`; no region, and number 0, outside of one.
struct Part {
  const Region* region = nullptr;
  unsigned number = 0;
};

/// The loop that a thread divides by GOMP_loop_static_start().
struct Loop {
  long begin = 0, step = 1, count = 0, chunk = 0, next = 0;
};

struct Here {
  const Threads* threads = nullptr;  // the innermost
  Part part;
  Region own{};
  unsigned inner = 0;  // regions of one thread inside of the part
  Loop loop;
};
thread_local Here here;

unsigned shares() { return here.inner == 0 && here.part.region ? here.part.region->shares : 1; }
unsigned number() { return here.inner == 0 ? here.part.number : 0; }

void executeShares(const void* context, std::int64_t first, std::int64_t last, unsigned) {
  const auto* const region = static_cast<const Region*>(context);
  const Part before = here.part;
  for (std::int64_t i = first; i < last; ++i) {
    here.part = {region, static_cast<unsigned>(i)};
    region->call(region->data);
  }
  here.part = before;
}

}  // namespace

Threads::Threads(unsigned threads, Sharing sharing)
    : threads_(threads),
      shares_(threads == 1 || sharing == Sharing::Together ? threads : threads * kSharesOfThread),
      sharing_(sharing),
      around_(here.threads) {
  if (threads > 1 && !pool::inRegion()) {
    team_.emplace(threads);
    if (sharing == Sharing::Together) (*team_)->need(threads);
  }
  here.threads = this;
}

Threads::~Threads() { here.threads = around_; }

#pragma GCC visibility push(default)
extern "C" {

int popir_omp_get_max_threads() {
  if (here.part.region != nullptr) return static_cast<int>(here.part.region->most);
  return here.threads == nullptr ? 1 : static_cast<int>(here.threads->shares());
}
int popir_omp_get_num_threads() { return static_cast<int>(shares()); }
int popir_omp_get_thread_num() { return static_cast<int>(number()); }
int popir_omp_in_parallel() { return here.part.region != nullptr ? 1 : 0; }

void popir_GOMP_parallel_start(void (*call)(void*), void* data, unsigned wanted) {
  const Threads* const threads = here.threads;
  const auto count = wanted == 0 ? static_cast<unsigned>(popir_omp_get_max_threads()) : wanted;
  if (count <= 1 || here.part.region != nullptr || threads == nullptr || !threads->team()) {
    ++here.inner;  // the caller executes it alone
    return;
  }
  // A region may have fewer shares than the primitive was made for.
  here.own = {call, data, count, threads->shares(), threads->team(), threads->sharing()};
  const auto team = std::min(count, threads->threads());
  here.own.team->begin({executeShares, &here.own}, 1, count, 1, team, here.own.sharing);
  here.part = {&here.own, 0};
}

void popir_GOMP_parallel_end() {
  if (here.inner > 0) {
    --here.inner;
    return;
  }
  here.part = {};
  here.own.team->finish();
}

void popir_GOMP_barrier() {
  if (shares() == 1) return;
  if (here.part.region->sharing == Sharing::Dynamic) {
    std::fputs("popir: error: a primitive of oneDNN waits whose shares were said never to wait\n",
               stderr);
    std::abort();
  }
  here.part.region->team->barrier();
}

bool popir_GOMP_loop_static_next(long* begin, long* end) {
  Loop& loop = here.loop;
  if (loop.next >= loop.count) return false;
  const long first = loop.next, last = std::min(first + loop.chunk, loop.count);
  loop.next += loop.chunk * static_cast<long>(shares());
  *begin = loop.begin + first * loop.step;
  *end = loop.begin + last * loop.step;
  return true;
}

bool popir_GOMP_loop_static_start(long begin, long end, long step, long chunk, long* first,
                                  long* last) {
  const long all = static_cast<long>(shares());
  const long count = std::max(0L, (end - begin + step + (step > 0 ? -1 : 1)) / step);
  if (chunk == 0) chunk = std::max(1L, (count + all - 1) / all);
  here.loop = {begin, step, count, chunk, static_cast<long>(number()) * chunk};
  return popir_GOMP_loop_static_next(first, last);
}

void popir_GOMP_loop_end_nowait() {}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace onednn
}  // namespace popir
#endif
