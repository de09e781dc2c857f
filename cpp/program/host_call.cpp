#include "program/host_call.hpp"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "poplar/bulk_vertex.hpp"
#include "support/division.hpp"
#include "support/on_behalf.hpp"

namespace popir {
namespace {

/// What all calls of one step share.
struct Callee {
  std::string who;
  HostCall function;
  std::size_t inputs;
  HostCallOptions options;

  /// Calls the function.
  /// \throws poplar::application_runtime_error for whatever it throws
  void call(void* const* operands) const {
    try {
      if (!completes([&] { function(operands, operands + inputs); }))
        throw std::runtime_error(kDivision);
    } catch (const std::exception& e) {
      throw poplar::application_runtime_error(who + ": " + e.what());
    } catch (...) {
      throw poplar::application_runtime_error(who + ": it threw what is no std::exception");
    }
  }
};

/// One call in a thread of its own, on copies that it owns together with the thread.
struct TimedCall {
  std::vector<std::vector<char>> copies;
  std::vector<void*> operands;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  std::exception_ptr error;
};

class Direct final : public Runner {
 public:
  explicit Direct(std::shared_ptr<const Callee> callee) : callee_(std::move(callee)) {}
  void run(void* const* operands, void*) const override { callee_->call(operands); }

 private:
  std::shared_ptr<const Callee> callee_;
};

class Timed final : public Runner {
 public:
  Timed(std::shared_ptr<const Callee> callee, std::vector<std::size_t> bytes)
      : callee_(std::move(callee)), bytes_(std::move(bytes)) {}

  void run(void* const* operands, void*) const override {
    auto call = std::make_shared<TimedCall>();
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      call->copies.emplace_back(bytes_[i]);
      call->operands.push_back(call->copies.back().data());
      if (i < callee_->inputs && bytes_[i] > 0)
        std::memcpy(call->operands.back(), operands[i], bytes_[i]);
    }
    std::thread([call, callee = callee_, waiting = waitingHere()] {
      waitingThreads() = waiting;
      std::exception_ptr error;
      try {
        callee->call(call->operands.data());
      } catch (...) {
        error = std::current_exception();
      }
      const std::lock_guard lock(call->mutex);
      call->done = true;
      call->error = error;
      call->changed.notify_one();
    }).detach();
    std::unique_lock lock(call->mutex);
    const auto limit = callee_->options.limit;
    if (!call->changed.wait_for(lock, limit, [&] { return call->done; }))
      throw HostCallTimeout(callee_->who + ": it has not returned within " +
                            std::to_string(limit.count()) +
                            " ms, the limit that was set; its thread is left behind");
    if (call->error) std::rethrow_exception(call->error);
    for (std::size_t i = callee_->inputs; i < bytes_.size(); ++i)
      if (bytes_[i] > 0) std::memcpy(operands[i], call->operands[i], bytes_[i]);
  }

 private:
  std::shared_ptr<const Callee> callee_;
  std::vector<std::size_t> bytes_;
};

class HostCallKernel final : public Kernel {
 public:
  explicit HostCallKernel(std::shared_ptr<const Callee> callee) : callee_(std::move(callee)) {}
  const char* name() const override { return "host call"; }
  std::unique_ptr<Runner> prepare(const std::vector<Layout>& operands,
                                  const Setting&) const override {
    takeDivisions();
    if (callee_->options.limit.count() == 0) return std::make_unique<Direct>(callee_);
    std::vector<std::size_t> bytes;
    for (const Layout& each : operands) bytes.push_back(each.bytes());
    return std::make_unique<Timed>(callee_, std::move(bytes));
  }
  /// The results are the function's own, so nothing is rounded.
  Rounds rounds(bool) const override { return Rounds::Nothing; }
  Work work(const std::vector<Layout>&) const override { return callee_->options.work; }
  bool hasEffects() const override { return callee_->options.hasEffects; }

 private:
  std::shared_ptr<const Callee> callee_;
};

}  // namespace

void addHostCall(poplar::Graph& graph, poplar::program::Sequence& prog, const std::string& who,
                 HostCall function, const std::vector<poplar::Tensor>& inputs,
                 const std::vector<poplar::Tensor>& outputs,
                 const poplar::DebugContext& debugContext, const HostCallOptions& options) {
  auto callee =
      std::make_shared<const Callee>(Callee{who, std::move(function), inputs.size(), options});
  std::vector<BulkOperand> operands;
  for (const auto& t : inputs) operands.push_back({t, Access::Read});
  for (const auto& t : outputs) operands.push_back({t, Access::Write});
  addBulkVertex(graph, prog, std::make_shared<HostCallKernel>(std::move(callee)),
                std::move(operands), debugContext);
}

}  // namespace popir
