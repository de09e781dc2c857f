// EngineImpl, remote buffers: memory of the host that programs copy rows from and to.
#include "poplar/remote_buffer.hpp"

#include <poplar/exceptions.hpp>

#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/replica_engines.hpp"
#include "poplar/graph_impl.hpp"
#include "support/host_memory.hpp"

namespace popir {

void EngineImpl::connectRemoteBuffers() {
  for (const auto& f : grown_->hostFunctions) {
    const auto id = static_cast<std::size_t>(f.id());
    const auto copy = remoteCopyOf(f);
    if (!copy || id >= parts_.hostFunctions.size() || !parts_.hostFunctions[id]) continue;
    const auto& end = parts_.hostFunctions[id];
    const auto [found, isNew] = remote_.try_emplace(copy->buffer);
    auto& memory = found->second;
    if (!isNew && (memory.rowBytes != copy->rowBytes || memory.rows != copy->rows))
      throw poplar::poplar_error(
          "remote buffer '" + copy->buffer + "' has " + std::to_string(memory.rows) + " rows of " +
          std::to_string(memory.rowBytes) + " bytes, and in another copy " +
          std::to_string(copy->rows) + " of " + std::to_string(copy->rowBytes));
    memory.rowBytes = copy->rowBytes;
    memory.rows = copy->rows;
    requireMemory("Engine: remote buffer '" + copy->buffer + "'", copy->rowBytes * copy->rows);
    memory.bytes.resize(copy->rowBytes * copy->rows);
    end->function = [&memory, copy = *copy](poplar::ArrayRef<const void*> inputs,
                                            poplar::ArrayRef<void*> outputs) {
      const auto* rows = static_cast<const std::uint32_t*>(copy.indexed ? inputs[0] : nullptr);
      for (std::size_t i = 0; i < copy.copied; ++i) {
        const std::size_t row = rows ? rows[i] : 0;
        if (row >= copy.rows)
          throw poplar::application_runtime_error(
              "Engine::run: remote buffer '" + copy.buffer + "' has " + std::to_string(copy.rows) +
              " rows, a program copies row " + std::to_string(row));
        char* at = memory.bytes.data() + row * copy.rowBytes;
        if (copy.reads)
          std::memcpy(static_cast<char*>(outputs[0]) + i * copy.rowBytes, at, copy.rowBytes);
        else
          std::memcpy(at,
                      static_cast<const char*>(inputs[copy.indexed ? 1 : 0]) + i * copy.rowBytes,
                      copy.rowBytes);
      }
    };
  }
}

std::size_t EngineImpl::remoteRowBytes(const char* who, const std::string& handle) const {
  const auto found = remote_.find(handle);
  if (found == remote_.end())
    throw poplar::stream_connection_error(std::string(who) +
                                          ": no program of this engine uses a "
                                          "remote buffer '" +
                                          handle + "'");
  return found->second.rowBytes;
}

char* EngineImpl::remoteRow(const char* who, const std::string& handle, unsigned row,
                            unsigned replica) {
  const auto bytes = remoteRowBytes(who, handle);
  auto& memory = remote_[handle];
  if (replica != 0 || row >= memory.rows)
    throw poplar::stream_connection_error(std::string(who) + ": row " + std::to_string(row) +
                                          " of replica " + std::to_string(replica) + " given, '" +
                                          handle + "' has " + std::to_string(memory.rows) +
                                          " rows, and there is one replica, number 0");
  return memory.bytes.data() + row * bytes;
}

namespace {

/// The engine of a replica, and its number there.
std::pair<EngineImpl*, unsigned> engineOf(EngineImpl& engine, const char* who, unsigned replica) {
  if (auto* replicas = engine.together()) return {&replicas->of(who, replica), 0};
  return {&engine, replica};
}

}  // namespace
}  // namespace popir

namespace poplar {

void Engine::copyToRemoteBuffer(const void* source, const std::string& handle, unsigned row,
                                unsigned replica) {
  constexpr const char* who = "Engine::copyToRemoteBuffer";
  const popir::EngineLock::Use alone(impl_->lock(), who);
  const auto [engine, own] = popir::engineOf(*impl_, who, replica);
  std::memcpy(engine->remoteRow(who, handle, row, own), source,
              engine->remoteRowBytes(who, handle));
}
void Engine::copyFromRemoteBuffer(const std::string& handle, void* destination, unsigned row,
                                  unsigned replica) {
  constexpr const char* who = "Engine::copyFromRemoteBuffer";
  const popir::EngineLock::Use alone(impl_->lock(), who);
  const auto [engine, own] = popir::engineOf(*impl_, who, replica);
  std::memcpy(destination, engine->remoteRow(who, handle, row, own),
              engine->remoteRowBytes(who, handle));
}
void Engine::checkRemoteBytes(const char* who, const std::string& handle, std::size_t bytes) const {
  const auto own = impl_->remoteRowBytes(("Engine::" + std::string(who)).c_str(), handle);
  if (bytes != own)
    throw stream_connection_error("Engine::" + std::string(who) + ": a row of '" + handle +
                                  "' has " + std::to_string(own) + " bytes, " +
                                  std::to_string(bytes) + " given");
}

std::string Engine::reportTiming(const TimerTimePoint& start, const TimerTimePoint& end) {
  const std::chrono::duration<double> time = end - start;
  return std::to_string(time.count()) + " s";
}

}  // namespace poplar
