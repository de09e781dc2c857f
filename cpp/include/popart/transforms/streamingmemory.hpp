// Tensors in memory of the host. After popart/transforms/streamingmemory.hpp of PopART 3.
#ifndef popart_transforms_streamingmemory_hpp
#define popart_transforms_streamingmemory_hpp

#include <popart/transforms/transform.hpp>

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace popart {

/// In PopART, gives the operators of a graph phases, puts what its options place in streaming memory
/// into remote buffers, and shards it over replicas. popir's compiler does so with the models of
/// sessions, by the same options; of a graph that a program makes, the program exchanges the rows of
/// buffers itself.
class StreamingMemory : public Transform {
 public:
  static std::size_t id(int pass);

  explicit StreamingMemory(int pass) : pass_(pass) {}
  ~StreamingMemory() override;
  /// \throws error if the options ask for phases, or place tensors off chip or in shards. Else it
  /// changes nothing.
  bool apply(Graph& graph) const override;
  std::size_t getId() const override { return id(pass_); }
  std::string getName() const override { return "StreamingMemory " + std::to_string(pass_); }

 private:
  int pass_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
