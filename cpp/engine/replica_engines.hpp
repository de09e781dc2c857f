// The engines behind a poplar::Engine of a replicated graph.
#ifndef popir_engine_replica_engines_hpp
#define popir_engine_replica_engines_hpp

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/replicas.hpp"

namespace popir {

/// One engine for each replica. What the host writes and reads has a first dimension of the
/// replicas. Of a stream each replica takes its transfers in turn, in the order of their numbers; of a
/// stream that is broadcast all get the same.
///
/// Functions hold the lock of the first engine, and so do those who use an engine of of(): one thread
/// at a time, and no callback of a run.
class ReplicaEngines {
 public:
  /// `first` is the engine of replica 0, which outlives this object; the others are made as it was.
  explicit ReplicaEngines(EngineImpl& first);
  ~ReplicaEngines();

  void run(unsigned program);
  void stop();
  void load(const poplar::Device& device);
  void connect(const std::string& handle, void* begin, void* end);
  /// The callback of one replica. That of replica 0 gives a stream that is broadcast its data.
  /// \throws poplar::stream_connection_error for a replica that there is not, and for one but the
  /// first of a stream that is broadcast
  void connect(const std::string& handle, unsigned replica,
               const poplar::StreamCallbackHandle& callback);
  void write(const std::string& handle, const void* begin, const void* end);
  void read(const std::string& handle, void* begin, void* end);
  /// \throws poplar::stream_connection_error for a replica that there is not
  EngineImpl& of(const char* who, unsigned replica) const;

 private:
  class Shared;
  /// After a run that failed, in which each replica came as far as it came: each stream goes on for
  /// all of them behind the last transfer that any has had.
  void align();
  bool isBroadcast(const std::string& handle) const;

  std::vector<std::unique_ptr<EngineImpl>> others_;
  std::vector<EngineImpl*> all_;
  std::unique_ptr<Replicas> together_;
  std::map<std::string, std::shared_ptr<Shared>> shared_;  // by handle
};

}  // namespace popir

#endif
