// EngineImpl, the part that runs programs; and poplar::Engine, which forwards to it.
#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>

#include "engine/engine.hpp"
#include "engine/print_tensor.hpp"
#include "engine/replica_engines.hpp"
#include "kernels/parallel.hpp"
#include "machine/target_spec.hpp"
#include "program/host_call.hpp"

namespace popir {

// A stream of no elements may have a null buffer, which memcpy does not accept.
static void copyBytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
namespace {

constexpr std::size_t kMostRuns = 1u << 16;

/// While it exists, outputs whose buffers overlap an input's are written aside; when it ends they go
/// where they belong. Until then steps read what the host gave.
class OutputsAside {
 public:
  explicit OutputsAside(std::vector<StreamEnd>& streams) : streams_(streams) {
    for (StreamEnd& end : streams_) {
      if (isInput(end) || !isOverInput(end)) continue;
      end.aside.resize(static_cast<std::size_t>(end.end - end.begin));
      outputs_.push_back({&end, end.begin, end.next - end.begin, end.transfers});
      end.moveTo(end.aside.data());
    }
  }
  ~OutputsAside() {
    for (const Output& output : outputs_) {
      StreamEnd& end = *output.end;
      end.moveTo(output.begin);
      // Of the transfers alone: the rest of the buffer may be another replica's.
      std::ptrdiff_t at = output.first;
      for (std::size_t n = output.transfers; n != end.transfers; ++n) {
        copyBytes(end.begin + at, end.aside.data() + at, end.bytes);
        at += static_cast<std::ptrdiff_t>(end.step);
        if (at >= end.end - end.begin) at = static_cast<std::ptrdiff_t>(end.offset);
      }
    }
  }
  OutputsAside(const OutputsAside&) = delete;
  OutputsAside& operator=(const OutputsAside&) = delete;

 private:
  static bool isInput(const StreamEnd& end) {
    return end.stream.direction() == poplar::DataStream::Direction::HostToDevice;
  }
  bool isOverInput(const StreamEnd& output) const {
    if (output.begin == nullptr) return false;
    return std::any_of(streams_.begin(), streams_.end(), [&](const StreamEnd& end) {
      return isInput(end) && end.begin != nullptr && output.begin < end.end &&
             end.begin < output.end;
    });
  }

  std::vector<StreamEnd>& streams_;
  struct Output {
    StreamEnd* end;
    char* begin;
    std::ptrdiff_t first;  // place of the next transfer
    std::size_t transfers;
  };
  std::vector<Output> outputs_;
};

bool predicate(const void* p, poplar::Type type) {
  return type.sizeInBytes() == 1 ? *static_cast<const unsigned char*>(p) != 0
                                 : *static_cast<const std::uint32_t*>(p) != 0;
}

}  // namespace

char* StreamEnd::advance() {
  if (!begin)
    throw poplar::stream_connection_error("Engine::run: stream '" + stream.handle() +
                                          "' is not connected; use Engine::connectStream");
  char* at = next;
  next += step;
  ++transfers;
  if (next >= end) next = begin + offset;
  return at;
}

void StreamEnd::skipTo(std::size_t count) {
  if (!begin || count == transfers) return;
  transfers = count;
  const std::size_t rows = step > 0 ? static_cast<std::size_t>(end - begin) / step : 1;
  next = begin + offset + count % rows * step;
}

void StreamEnd::moveTo(char* to) {
  next = to + (next - begin);
  end = to + (end - begin);
  begin = to;
}

void StreamEnd::call(void* buffer) {
  if (function) return function(buffer);
  const char* const ahead = prefetcher ? prefetcher->take() : nullptr;
  if (ahead == nullptr)
    callback->fetch(buffer);
  else
    copyBytes(buffer, ahead, bytes);
  callback->complete();
  if (!prefetches || dynamic_cast<poplar::LegacyStreamCallback*>(callback.get()) != nullptr) return;
  if (!prefetcher) prefetcher = std::make_unique<Prefetcher>(callback, bytes);
  prefetcher->ask();
}

void StreamEnd::disconnect() {
  if (prefetcher && prefetcher->drop()) callback->invalidatePrefetched();
  prefetcher = nullptr;
  begin = next = end = nullptr;
  transfers = 0;
  callback = nullptr;
  function = nullptr;
}

void EngineImpl::setSlot(unsigned slot, char* base) {
  auto& s = slots_[slot];
  if (s.base == base) return;
  s.base = base;
  for (auto i : s.users) pointers_[i] = base + refs_[i].offset;
}

bool EngineImpl::overlapsBound(const char* begin, std::size_t bytes, unsigned except) const {
  for (unsigned i = 1; i < slots_.size(); ++i) {
    const auto& s = slots_[i];
    if (i != except && s.stream >= 0 && s.base && begin < s.base + s.bytes &&
        s.base < begin + bytes)
      return true;
  }
  return false;
}

void EngineImpl::run(unsigned program) {
  const EngineLock::Run alone(lock_, "Engine::run");
  if (program >= programNodes_.size())
    throw poplar::control_program_error("Engine::run: program " + std::to_string(program) +
                                        " given, the engine has " +
                                        std::to_string(programNodes_.size()));
  if (!closed_.empty())
    throw poplar::application_runtime_error("Engine::run: the engine is closed. " + closed_);
  if (device_ && device_->resets() != resets_)
    throw poplar::application_runtime_error(
        "Engine::run: the device was reset after the engine was loaded; load it again "
        "(Engine::load)");
  if (!errors_.empty()) throwError();
  stops_ = false;
  if (runs_.empty()) runs_.reserve(kMostRuns);  // so that no later run allocates
  if (runs_.size() < kMostRuns) runs_.push_back(program);
  touched_ = true;
  try {
    if (stale_) {
      const pool::Use threads(threads_, spin_);
      for (Original& each : originals_) each.packed = 0;
      execute(compiled_.back());
    }
    stale_ = false;
    const OutputsAside aside(streams_);
    runOnThreads(compiled_[program]);
  } catch (const HostCallTimeout& e) {
    closed_ = e.what();
    throw;
  }
}

void EngineImpl::runOnThreads(Compiled& program) {
  using Clock = std::chrono::steady_clock;
  const bool chooses = adaptsThreads_ && program.isShared && threads_ > 1;
  const auto begin = chooses ? Clock::now() : Clock::time_point();
  const bool alone = chooses && program.choice.alone(begin.time_since_epoch());
  const pool::Use threads(threads_, spin_, alone);
  const std::uint32_t regions = threads.team().sharedRegions();
  execute(program);
  program.isShared = threads.team().sharedRegions() != regions;
  if (chooses) program.choice.took(Clock::now() - begin);
}

void EngineImpl::execute(Compiled& program) {
  loopCounts_.clear();
  if (poisons_) {
    arena_->poison(assignment_.alwaysLiveBytes);
    pool::poisonOwnMemory(poison);
  }
  const auto& instrs = program.instrs;
  HostClock clock(program.times);
  for (std::size_t pc = 0; pc < instrs.size();) {
    if (stops_.load(std::memory_order_relaxed)) {
      if (isAlone_) throw Halted();
      return;
    }
    const std::size_t at = pc++;
    const Instr& in = instrs[at];
    switch (in.kind) {
      case Instr::Kind::RunDrawing: ++rounding_.number; [[fallthrough]];
      case Instr::Kind::Run:
        in.runner->run(&pointers_[in.first], arena_->data() + in.scratch);
        break;
      case Instr::Kind::Pack: {
        Original& original = originals_[in.count];
        if (original.isAway) break;  // as it was packed before
        in.runner->run(&pointers_[in.first], arena_->data() + in.scratch);
        if (++original.packed == original.packs && original.mayLeave) giveBack(original);
        break;
      }
      case Instr::Kind::BindIn: {
        auto& end = streams_[static_cast<std::size_t>(in.stream)];
        if (end.hasCallback()) {
          auto& slot = slots_[in.slot];
          slot.staging.resize(slot.bytes);
          end.call(slot.staging.data());
          setSlot(in.slot, slot.staging.data());
        } else {
          setSlot(in.slot, end.advance());
        }
        break;
      }
      case Instr::Kind::BindOut: {
        auto& end = streams_[static_cast<std::size_t>(in.stream)];
        auto& slot = slots_[in.slot];
        slot.staged =
            end.hasCallback() || (end.begin && overlapsBound(end.next, end.bytes, in.slot));
        if (slot.staged) {
          slot.staging.resize(slot.bytes);
          setSlot(in.slot, slot.staging.data());
        } else {
          setSlot(in.slot, end.advance());
        }
        if (poisons_) poison(slot.base, slot.bytes);
        break;
      }
      case Instr::Kind::OutDone: {
        auto& end = streams_[static_cast<std::size_t>(in.stream)];
        auto& slot = slots_[in.slot];
        if (!slot.staged) break;
        if (end.hasCallback())
          end.call(slot.staging.data());
        else
          copyBytes(end.advance(), slot.staging.data(), slot.bytes);
        break;
      }
      case Instr::Kind::StreamIn:
      case Instr::Kind::StreamOut: {
        auto& end = streams_[static_cast<std::size_t>(in.stream)];
        void* device = pointers_[in.first];
        if (end.hasCallback())
          end.call(device);
        else if (in.kind == Instr::Kind::StreamIn)
          copyBytes(device, end.advance(), end.bytes);
        else
          copyBytes(end.advance(), device, end.bytes);
        break;
      }
      case Instr::Kind::RepeatBegin: loopCounts_.push_back(in.count); break;
      case Instr::Kind::RepeatEnd:
        if (--loopCounts_.back() > 0)
          pc = in.target;
        else
          loopCounts_.pop_back();
        break;
      case Instr::Kind::JumpUnless:
        if (in.compares ? *reinterpret_cast<const std::uint32_t*>(pointers_[in.first]) != in.count
                        : predicate(pointers_[in.first], in.type) != in.expected)
          pc = in.target;
        break;
      case Instr::Kind::Jump: pc = in.target; break;
      case Instr::Kind::SideBySide:
        runSideBySide(program, program.sideBySide[in.count]);
        pc = in.target;
        clock = HostClock(program.times);
        continue;
      case Instr::Kind::Print: print(in); break;
      case Instr::Kind::SeedRounding: {
        const auto* seed = static_cast<const std::uint32_t*>(pointers_[in.first]);
        rounding_ = {{seed[0], seed[1]}, in.count, 0};
        break;
      }
    }
    clock.charge(at);
  }
}

void EngineImpl::runSideBySide(Compiled& program, const SideBySideSteps& groups) {
  const auto count = static_cast<std::int64_t>(groups.size()) - 1;
  parallelParts(count, 1, threads_, [&](std::int64_t first, std::int64_t last, unsigned) {
    HostClock clock(program.times);
    for (std::size_t i = groups[static_cast<std::size_t>(first)];
         i < groups[static_cast<std::size_t>(last)]; ++i) {
      const Instr& in = program.instrs[i];
      in.runner->run(&pointers_[in.first], arena_->data() + in.scratch);
      clock.charge(i);
    }
  });
}

void EngineImpl::print(const Instr& in) const {
  if (in.type == poplar::Type())
    throw poplar::application_runtime_error("Abort: " + labelOf(in.names));
  const auto text =
      labelOf(in.names) + ": " + tensorText(in.type, pointers_[in.first], in.shape, in.format);
  if (!in.expected) throw poplar::application_runtime_error("ErrorProgram: " + text);
  *printStream << text << "\n";
}

void EngineImpl::load(const poplar::Device& device) {
  const EngineLock::Use alone(lock_, "Engine::load", true);
  if (device.getTarget().getNumTiles() != graph_->target.getNumTiles())
    throw poplar::poplar_error(
        "Engine::load: the device has " + std::to_string(device.getTarget().getNumTiles()) +
        " tiles, the graph was made for " + std::to_string(graph_->target.getNumTiles()));
  lock_.forget();
  device_ = device;
  resets_ = device.resets();
  if (!touched_) return;
  arena_->clear();
  for (unsigned v = 0; v < lendable_.size(); ++v) takeBack(v);
  setInitialValues();
  writeReplicationIndex();
  rounding_ = seededRounding(options_);
  parts_.codelets.reset();
  stale_ = true;
  touched_ = false;
}

StreamEnd& EngineImpl::streamOf(const std::string& handle, const char* who) {
  if (streamIds_.empty())
    for (std::size_t i = 0; i < streams_.size(); ++i) streamIds_[streams_[i].stream.handle()] = i;
  const auto found = streamIds_.find(handle);
  if (found != streamIds_.end()) return streams_[found->second];
  std::string known;
  for (const auto& s : streams_) known += (known.empty() ? "" : ", ") + s.stream.handle();
  throw poplar::stream_connection_error(std::string(who) + ": no stream '" + handle +
                                        "'; the graph has: " + (known.empty() ? "none" : known));
}

void EngineImpl::connect(const std::string& handle, void* begin, void* end, std::size_t index,
                         std::size_t of) {
  const EngineLock::Use alone(lock_, "Engine::connectStream");
  auto& s = streamOf(handle, "Engine::connectStream");
  s.disconnect();
  s.begin = static_cast<char*>(begin);
  s.step = of * s.bytes;
  s.end = end ? static_cast<char*>(end) : s.begin + s.step;
  const auto given = static_cast<std::size_t>(s.end - s.begin);
  if (s.step && (given < s.step || given % s.step != 0)) {
    s.begin = nullptr;
    throw poplar::stream_connection_error(
        "Engine::connectStream: stream '" + handle + "' moves " + std::to_string(s.bytes) +
        " bytes at a time" + (of > 1 ? ", on each of " + std::to_string(of) + " replicas" : "") +
        ", a buffer of " + std::to_string(given) + " bytes given");
  }
  s.offset = index * s.bytes;
  s.next = s.begin + s.offset;
}

void EngineImpl::connect(const std::string& handle, const poplar::StreamCallbackHandle& callback) {
  if (dynamic_cast<poplar::StreamCallbackWithMetadata*>(callback.callback().get()) != nullptr)
    throw poplar::stream_connection_error(
        "Engine::connectStreamToCallback: the callback of stream '" + handle +
        "' has metadata, and streams move none; give its tensor metadata (Graph::addVariable), and "
        "connect a StreamCallback");
  const EngineLock::Use alone(lock_, "Engine::connectStreamToCallback");
  auto& s = streamOf(handle, "Engine::connectStreamToCallback");
  s.disconnect();
  s.callback = callback.callback();
  s.function = callback.function();
}

StreamEnd EngineImpl::endOf(const std::string& handle,
                            const poplar::StreamCallbackHandle& callback) {
  const StreamEnd& own = streamOf(handle, "Engine::connectStreamToCallback");
  StreamEnd other;
  other.stream = own.stream;
  other.bytes = own.bytes;
  other.prefetches = own.prefetches;
  other.callback = callback.callback();
  other.function = callback.function();
  return other;
}

std::vector<std::size_t> EngineImpl::transfers() const {
  std::vector<std::size_t> all;
  for (const StreamEnd& end : streams_) all.push_back(end.transfers);
  return all;
}

void EngineImpl::skipTo(const std::vector<std::size_t>& transfers) {
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i].skipTo(transfers[i]);
}

void EngineImpl::connect(const std::string& handle, const poplar::HostCallbackHandle& callback) {
  const EngineLock::Use alone(lock_, "Engine::connectHostFunction");
  std::string known;
  for (const auto& f : grown_->hostFunctions) {
    known += (known.empty() ? "" : ", ") + f.handle();
    if (f.handle() != handle) continue;
    const auto id = static_cast<std::size_t>(f.id());
    if (id < parts_.hostFunctions.size() && parts_.hostFunctions[id])
      parts_.hostFunctions[id]->function = callback.function();
    return;  // a function that no program calls needs no connection
  }
  throw poplar::runtime_error("Engine::connectHostFunction: no host function '" + handle +
                              "'; the graph has: " + (known.empty() ? "none" : known));
}

void EngineImpl::hostCopy(const poplar::Tensor& t, char* host, bool toHost) {
  const auto size = t.elementType().sizeInBytes();
  std::map<unsigned, std::vector<char>> unpacked;
  for (const Original& each : originals_) {
    if (!toHost || !each.isAway) continue;
    const auto variables = t.view().variables();
    if (std::find(variables.begin(), variables.end(), each.variable) == variables.end()) continue;
    auto& values = unpacked[each.variable];
    values.resize(graph_->variables[each.variable].bytes());
    unpack(each, values.data());
  }
  for (const auto& piece : t.view().pieces()) {
    const auto known = unpacked.find(piece.variable);
    void* device = known != unpacked.end() ? known->second.data() : memoryOf(piece.variable);
    auto nest = piece.nest;
    if (!toHost) {
      std::swap(nest.from, nest.to);
      for (auto& d : nest.dims) std::swap(d.from, d.to);
    }
    void* operands[] = {toHost ? device : host, toHost ? host : device};
    makeStridedCopy({{0, 1, std::move(nest)}}, size, threads_)->run(operands, nullptr);
  }
}

namespace {

const poplar::Tensor& handleOf(const std::map<std::string, poplar::Tensor>& handles,
                               const std::string& handle, const char* who, const void* begin,
                               const void* end) {
  const auto found = handles.find(handle);
  if (found == handles.end())
    throw poplar::tensor_io_state_error(std::string(who) + ": no tensor was given the handle '" +
                                        handle + "'");
  const auto& t = found->second;
  const auto bytes = t.numElements() * t.elementType().sizeInBytes();
  const auto given =
      static_cast<std::size_t>(static_cast<const char*>(end) - static_cast<const char*>(begin));
  if (end && given < bytes)
    throw poplar::tensor_io_state_error(std::string(who) + ": '" + handle + "' has " +
                                        std::to_string(bytes) + " bytes, a buffer of " +
                                        std::to_string(given) + " given");
  return t;
}

}  // namespace

void EngineImpl::write(const std::string& handle, const void* begin, const void* end) {
  const EngineLock::Use alone(lock_, "Engine::writeTensor");
  const auto& t = handleOf(graph_->hostWrites, handle, "Engine::writeTensor", begin, end);
  touched_ = true;
  for (auto v : t.view().variables()) takeBack(v);
  hostCopy(t, static_cast<char*>(const_cast<void*>(begin)), false);
  for (auto v : t.view().variables()) stale_ = stale_ || (!invariant_.empty() && invariant_[v]);
}

void EngineImpl::read(const std::string& handle, void* begin, void* end) {
  const auto& t = handleOf(graph_->hostReads, handle, "Engine::readTensor", begin, end);
  const EngineLock::Use alone(lock_, "Engine::readTensor", true);
  // No step changes packed forms, so a fork in the middle of one has left them whole.
  const auto variables = t.view().variables();
  const bool isPacked = std::all_of(variables.begin(), variables.end(), [&](unsigned v) {
    return std::any_of(originals_.begin(), originals_.end(),
                       [&](const Original& each) { return each.variable == v && each.isAway; });
  });
  if (!isPacked) EngineLock::Use(lock_, "Engine::readTensor");
  hostCopy(t, static_cast<char*>(begin), true);
}

}  // namespace popir

namespace poplar {

Engine::Engine(const Graph& graph, const program::Program& program, const OptionFlags& options,
               ProgressFunc progress, const DebugContext& debugContext)
    : Engine(graph, ArrayRef<program::Program>(&program, 1), options, std::move(progress),
             debugContext) {}
Engine::Engine(const Graph& graph, ArrayRef<program::Program> programs, const OptionFlags& options,
               ProgressFunc progress, const DebugContext&)
    : impl_(new popir::EngineImpl(graph.impl(), popir::nodesOf(programs), options, progress)) {}
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;
Engine::~Engine() = default;

namespace {

/// What does something for all replicas, or else the engine itself.
template <class Do>
void onAll(popir::EngineImpl& engine, Do&& act) {
  if (auto* replicas = engine.together())
    act(*replicas);
  else
    act(engine);
}

/// The engine of a replica.
popir::EngineImpl& replicaOf(popir::EngineImpl& engine, const char* who, const std::string& handle,
                             unsigned replica) {
  if (auto* replicas = engine.together()) return replicas->of(who, replica);
  if (replica != 0)
    throw stream_connection_error(std::string(who) + ": replica " + std::to_string(replica) +
                                  " given for '" + handle + "', there is one, number 0");
  return engine;
}

}  // namespace

void Engine::load(const Device& device) {
  onAll(*impl_, [&](auto& engine) { engine.load(device); });
}
void Engine::run(unsigned program, const std::string&) {
  onAll(*impl_, [&](auto& engine) { engine.run(program); });
}
void Engine::connectStream(StringRef handle, void* begin, void* end) {
  onAll(*impl_, [&](auto& engine) { engine.connect(handle.str(), begin, end); });
}
void Engine::connectStream(StringRef handle, void* begin) { connectStream(handle, begin, nullptr); }
void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle callback) {
  connectStreamToCallback(handle, 0, std::move(callback));
}
void Engine::connectStreamToCallback(StringRef handle, unsigned index,
                                     StreamCallbackHandle callback) {
  if (auto* replicas = impl_->together()) return replicas->connect(handle.str(), index, callback);
  replicaOf(*impl_, "Engine::connectStreamToCallback", handle.str(), index)
      .connect(handle.str(), callback);
}
void Engine::connectHostFunction(StringRef handle, unsigned index, HostCallbackHandle callback) {
  constexpr const char* who = "Engine::connectHostFunction";
  const popir::EngineLock::Use alone(impl_->lock(), who);
  replicaOf(*impl_, who, handle.str(), index).connect(handle.str(), callback);
}
void Engine::writeTensor(StringRef handle, const void* buffer, const void* bufferEnd) {
  onAll(*impl_, [&](auto& engine) { engine.write(handle.str(), buffer, bufferEnd); });
}
void Engine::writeTensor(StringRef handle, const void* buffer) {
  writeTensor(handle, buffer, nullptr);
}
void Engine::readTensor(StringRef handle, void* buffer, void* bufferEnd) {
  onAll(*impl_, [&](auto& engine) { engine.read(handle.str(), buffer, bufferEnd); });
}
void Engine::readTensor(StringRef handle, void* buffer) { readTensor(handle, buffer, nullptr); }
void Engine::stop() {
  if (auto* replicas = impl_->together())
    replicas->stop();
  else
    impl_->stop();
}
void Engine::insertSimulatedError(ErrorCode code, const ErrorLocation& location) {
  impl_->insertError(code, location);
}
void Engine::eraseSimulatedError(const ErrorLocation& location) { impl_->eraseError(location); }
void Engine::clearSimulatedErrors() { impl_->clearErrors(); }
std::vector<ErrorLocation> Engine::getSimulatedErrorLocations(unsigned tile, unsigned most) const {
  return impl_->errorLocations(tile, most);
}
std::vector<ErrorLocation> Engine::getSimulatedErrorLocations(StringRef name, unsigned most) const {
  return impl_->errorLocations(name.str(), most);
}
std::vector<std::string> Engine::listStreams() const {
  std::vector<std::string> handles;
  for (const auto& stream : impl_->graph().streams) handles.push_back(stream.handle());
  return handles;
}
const OptionFlags& Engine::getEngineOptions() const { return impl_->options(); }
void Engine::setPrintStream(std::ostream& stream) { impl_->printStream = &stream; }

}  // namespace poplar
