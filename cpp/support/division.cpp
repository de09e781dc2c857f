#include "support/division.hpp"

#include <signal.h>

#include <atomic>
#include <mutex>

namespace {

std::atomic<bool> passedOn{false};
struct sigaction beforeDivisions {};

void onDivision(int number, siginfo_t* info, void*) {
  sigjmp_buf* const after = popir::afterDivision();
  if (after != nullptr && info->si_code == FPE_INTDIV) siglongjmp(*after, 1);
  // Not of a library's code: whoever had the signal before gets it, and the system after that.
  if (passedOn.exchange(true))
    signal(number, SIG_DFL);
  else
    sigaction(number, &beforeDivisions, nullptr);
  if (info->si_code <= 0) raise(number);
}

}  // namespace

namespace popir {

const char* const kDivision = "it divides an integer by zero, or the least integer by -1";

sigjmp_buf*& afterDivision() {
  thread_local sigjmp_buf* after = nullptr;
  return after;
}

void takeDivisions() {
  static std::mutex mutex;
  struct sigaction now {};
  if (sigaction(SIGFPE, nullptr, &now) == 0 && now.sa_sigaction == onDivision) return;
  const std::lock_guard lock(mutex);
  sigaction(SIGFPE, nullptr, &now);
  if (now.sa_sigaction == onDivision) return;
  beforeDivisions = now;
  struct sigaction ours {};
  ours.sa_sigaction = onDivision;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigaction(SIGFPE, &ours, nullptr);
}

}  // namespace popir
