// Threads that make a call for another thread, which waits for it.
#ifndef popir_support_on_behalf_hpp
#define popir_support_on_behalf_hpp

#include <pthread.h>

#include <vector>

namespace popir {

#pragma GCC visibility push(default)

/// The threads that wait for a call which this one makes: the caller, the thread for which that one
/// makes a call, and so on.
std::vector<pthread_t>& waitingThreads();

#pragma GCC visibility pop

/// This thread, and those that wait for it: what a thread that makes a call for this one puts into
/// waitingThreads().
inline std::vector<pthread_t> waitingHere() {
  std::vector<pthread_t> all = waitingThreads();
  all.push_back(pthread_self());
  return all;
}

}  // namespace popir

#endif
