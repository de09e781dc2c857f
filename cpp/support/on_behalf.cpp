#include "support/on_behalf.hpp"

namespace popir {

std::vector<pthread_t>& waitingThreads() {
  thread_local std::vector<pthread_t> waiting;
  return waiting;
}

}  // namespace popir
