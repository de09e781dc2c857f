// Collective operations over replicas: host functions of names that an engine knows, and in which it
// meets the engines of the other replicas.
#ifndef popir_poplar_collective_hpp
#define popir_poplar_collective_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <gcl/CollectiveOperator.hpp>
#include <optional>
#include <string>
#include <vector>

namespace popir {

class GraphImpl;

/// Replicas in groups of `size`, of which each is `stride` after the one before.
struct Grouping {
  unsigned replicas = 1, stride = 1, size = 1;

  /// The replicas of the group that `replica` is in, in their order.
  std::vector<unsigned> members(unsigned replica) const;
  unsigned indexOf(unsigned replica) const { return replica % (stride * size) / stride; }
  bool operator==(const Grouping& o) const {
    return replicas == o.replicas && stride == o.stride && size == o.size;
  }
};

/// What the handle of a host function says that stands for a collective. The replicas of a group
/// give `elements` elements each.
struct Collective {
  enum class Kind {
    AllReduce,      // each gets the reduction
    ReduceScatter,  // each gets its part of the reduction, of elements / size elements, rounded up
    AllGather,      // each gets what all gave, one after the other
    AllToAll,       // each gets, from each, the part with its number
    Permute         // each gets what the one of `sources` gave
  };
  Kind kind = Kind::AllReduce;
  gcl::CollectiveOperator op = gcl::CollectiveOperator::ADD;
  Grouping grouping;
  poplar::Type type;
  std::size_t elements = 0;
  /// Of Permute: for each of the group, by its index in it, the index of the one whose elements it
  /// gets. Each is there once.
  std::vector<unsigned> sources;
  std::string name;

  /// The elements of each part, of which a replica has one for each of its group.
  std::size_t part() const { return (elements + grouping.size - 1) / grouping.size; }
  /// The elements that each replica gets.
  std::size_t results() const;
  /// Kind and name, for messages.
  std::string text() const;
};
std::string handleOf(const Collective& collective);
/// Empty for other host functions.
/// \throws poplar::poplar_error if the arguments are not those of a collective
std::optional<Collective> collectiveOf(const poplar::HostFunction& function);

/// Adds a collective to a program: `data` are given, and the result is a new tensor of one
/// dimension. Type, elements and the replicas of the grouping are those of `data` and of its graph.
/// \throws poplar::poplar_error for groups that do not divide the replicas
poplar::Tensor addCollective(poplar::Graph& graph, poplar::program::Sequence& prog,
                             Collective collective, const poplar::Tensor& data,
                             const poplar::DebugContext& debugContext);

/// A program in which `data` are given, and the result is written to `out`. Both must have as many
/// elements as the collective has, and must not overlap.
poplar::program::Program callOf(GraphImpl& graph, const Collective& collective,
                                const poplar::Tensor& data, const poplar::Tensor& out,
                                const poplar::DebugContext& debugContext);

/// The handle by which the engine of a replica writes its number; see
/// Graph::addReplicationIndexConstant.
constexpr const char* kReplicationIndex = "replication index";

}  // namespace popir

#endif
