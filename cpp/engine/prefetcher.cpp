#include "engine/prefetcher.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "support/on_behalf.hpp"

namespace popir {

Prefetcher::Prefetcher(std::shared_ptr<poplar::StreamCallback> callback, std::size_t bytes)
    : callback_(std::move(callback)),
      data_(std::max<std::size_t>(bytes, 1)),
      process_(getpid()),
      thread_([this] { serve(); }) {}

Prefetcher::~Prefetcher() {
  if (getpid() != process_) {
    thread_.detach();  // it does not exist here
    return;
  }
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::ask() {
  if (getpid() != process_) return;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    askers_ = waitingHere();
    asked_ = true;
  }
  changed_.notify_all();
}

std::unique_lock<std::mutex> Prefetcher::quiet() {
  std::unique_lock<std::mutex> guard(mutex_);
  changed_.wait(guard, [this] { return !asked_; });
  return guard;
}

bool Prefetcher::drop() {
  if (getpid() != process_) return false;
  const auto guard = quiet();
  thrown_ = nullptr;
  return std::exchange(isThere_, false);
}

const char* Prefetcher::take() {
  if (getpid() != process_) return nullptr;
  const auto guard = quiet();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return std::exchange(isThere_, false) ? data_.data() : nullptr;
}

void Prefetcher::serve() {
  std::unique_lock<std::mutex> guard(mutex_);
  for (;;) {
    changed_.wait(guard, [this] { return asked_ || ends_; });
    if (!asked_) return;
    waitingThreads() = askers_;
    guard.unlock();
    bool isThere = false;
    std::exception_ptr thrown;
    try {
      isThere = callback_->prefetch(data_.data()) == poplar::StreamCallback::Result::Success;
    } catch (...) {
      thrown = std::current_exception();
    }
    guard.lock();
    isThere_ = isThere;
    thrown_ = thrown;
    asked_ = false;
    changed_.notify_all();
  }
}

}  // namespace popir
