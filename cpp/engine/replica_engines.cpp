#include "engine/replica_engines.hpp"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <mutex>
#include <sstream>
#include <utility>

#include "poplar/graph_impl.hpp"

namespace popir {
namespace {

std::size_t bytesOf(const std::map<std::string, poplar::Tensor>& handles, const std::string& handle,
                    const char* who, std::size_t replicas, const void* begin, const void* end) {
  const auto found = handles.find(handle);
  if (found == handles.end()) return 0;  // the engine refuses it
  const std::size_t bytes = found->second.numElements() * found->second.elementType().sizeInBytes();
  const auto given =
      static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<const char*>(begin));
  if (end != nullptr && given < bytes * replicas)
    throw poplar::tensor_io_state_error(std::string(who) + ": '" + handle + "' has " +
                                        std::to_string(bytes) + " bytes on each of " +
                                        std::to_string(replicas) + " replicas, a buffer of " +
                                        std::to_string(given) + " given");
  return bytes;
}

}  // namespace

/// What one callback gives, for all replicas. A replica that is ahead asks for the next transfer;
/// those that come after it get the same.
class ReplicaEngines::Shared {
 public:
  Shared(StreamEnd source, std::size_t replicas)
      : source_(std::move(source)), taken_(replicas, 0) {}
  ~Shared() { source_.disconnect(); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  void give(std::size_t replica, void* buffer) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::size_t& taken = taken_[replica];
    if (taken == first_ + kept_.size()) kept_.push_back(fetched());
    if (source_.bytes > 0) std::memcpy(buffer, kept_[taken - first_].data(), source_.bytes);
    ++taken;
    const std::size_t least = *std::min_element(taken_.begin(), taken_.end());
    for (; first_ < least; ++first_) kept_.pop_front();
  }

  /// After a run that failed: the next transfer of each replica is the one that none has had.
  void align() {
    const std::lock_guard<std::mutex> lock(mutex_);
    first_ += kept_.size();
    kept_.clear();
    std::fill(taken_.begin(), taken_.end(), first_);
  }

 private:
  std::vector<char> fetched() {
    std::vector<char> data(source_.bytes);
    source_.call(data.data());
    return data;
  }

  StreamEnd source_;
  std::mutex mutex_;
  std::vector<std::size_t> taken_;      // transfers, by replica
  std::deque<std::vector<char>> kept_;  // those that not all have taken
  std::size_t first_ = 0;               // the number of the first of these
};

ReplicaEngines* EngineImpl::together() {
  if (isAlone_ || grown_->replicas == 1) return nullptr;
  std::call_once(isTogether_, [this] { together_ = std::make_unique<ReplicaEngines>(*this); });
  return together_.get();
}

ReplicaEngines::ReplicaEngines(EngineImpl& first) : all_{&first} {
  const unsigned replicas = first.graph().replicas;
  for (unsigned i = 1; i < replicas; ++i) {
    others_.push_back(
        std::make_unique<EngineImpl>(first.shared(), first.programs(), first.options(), nullptr));
    others_.back()->runAlone();
    all_.push_back(others_.back().get());
  }
  together_ = std::make_unique<Replicas>(all_);
}

ReplicaEngines::~ReplicaEngines() {
  for (const auto& engine : others_) engine->forgetRuns();  // profiles are those of the first
}

void ReplicaEngines::run(unsigned program) {
  const EngineLock::Use alone(all_[0]->lock(), "Engine::run");
  // What replicas print comes out in the order of their numbers.
  std::vector<std::ostringstream> printed(others_.size());
  for (std::size_t i = 0; i < others_.size(); ++i) others_[i]->printStream = &printed[i];
  const auto show = [&] {
    for (const auto& text : printed) *all_[0]->printStream << text.str();
  };
  try {
    together_->run(program);
  } catch (const EngineImpl::Halted&) {
    show();
    align();
    return;
  } catch (...) {
    show();
    align();
    throw;
  }
  show();
}

void ReplicaEngines::stop() {
  for (EngineImpl* engine : all_) engine->stop();
}

void ReplicaEngines::align() {
  for (const auto& [handle, shared] : shared_) shared->align();
  std::vector<std::size_t> most = all_[0]->transfers();
  for (const EngineImpl* engine : all_) {
    const auto its = engine->transfers();
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], its[i]);
  }
  for (EngineImpl* engine : all_) engine->skipTo(most);
}

void ReplicaEngines::load(const poplar::Device& device) {
  const EngineLock::Use alone(all_[0]->lock(), "Engine::load", true);
  for (EngineImpl* engine : all_) engine->load(device);
}

bool ReplicaEngines::isBroadcast(const std::string& handle) const {
  return all_[0]->graph().broadcast.count(handle) != 0;
}

void ReplicaEngines::connect(const std::string& handle, void* begin, void* end) {
  const EngineLock::Use alone(all_[0]->lock(), "Engine::connectStream");
  const bool isOne = isBroadcast(handle);
  shared_.erase(handle);
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i]->connect(handle, begin, end, isOne ? 0 : i, isOne ? 1 : all_.size());
}

void ReplicaEngines::connect(const std::string& handle, unsigned replica,
                             const poplar::StreamCallbackHandle& callback) {
  constexpr const char* who = "Engine::connectStreamToCallback";
  const EngineLock::Use alone(all_[0]->lock(), who);
  EngineImpl& engine = of(who, replica);
  if (!isBroadcast(handle)) return engine.connect(handle, callback);
  if (replica != 0)
    throw poplar::stream_connection_error(std::string(who) + ": replica " +
                                          std::to_string(replica) + " given, '" + handle +
                                          "' is broadcast: replica 0 has the callback");
  const auto shared = std::make_shared<Shared>(engine.endOf(handle, callback), all_.size());
  shared_[handle] = shared;
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i]->connect(handle, poplar::StreamCallbackHandle(
                                 [shared, i](void* buffer) { shared->give(i, buffer); }));
}

void ReplicaEngines::write(const std::string& handle, const void* begin, const void* end) {
  constexpr const char* who = "Engine::writeTensor";
  const EngineLock::Use alone(all_[0]->lock(), who);
  const std::size_t bytes =
      bytesOf(all_[0]->graph().hostWrites, handle, who, all_.size(), begin, end);
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i]->write(handle, static_cast<const char*>(begin) + i * bytes, nullptr);
}

void ReplicaEngines::read(const std::string& handle, void* begin, void* end) {
  constexpr const char* who = "Engine::readTensor";
  const EngineLock::Use alone(all_[0]->lock(), who, true);
  const std::size_t bytes =
      bytesOf(all_[0]->graph().hostReads, handle, who, all_.size(), begin, end);
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i]->read(handle, static_cast<char*>(begin) + i * bytes, nullptr);
}

EngineImpl& ReplicaEngines::of(const char* who, unsigned replica) const {
  if (replica < all_.size()) return *all_[replica];
  throw poplar::stream_connection_error(std::string(who) + ": replica " + std::to_string(replica) +
                                        " given, the graph has " + std::to_string(all_.size()) +
                                        ", counted from 0");
}

}  // namespace popir
