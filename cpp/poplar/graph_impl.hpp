// The contents of a poplar::Graph.
#ifndef popir_poplar_graph_impl_hpp
#define popir_poplar_graph_impl_hpp

#include <poplar/Graph.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codelets/library.hpp"
#include "poplar/bulk_vertex.hpp"
#include "poplar/program_node.hpp"
#include "poplar/tile_mapping.hpp"
#include "poplar/user_vertex.hpp"
#include "poplar/view.hpp"

namespace popir {

class PlanCache;

/// Immutable bytes, shared between copies.
class SharedBytes {
 public:
  SharedBytes() = default;
  explicit SharedBytes(std::vector<unsigned char> bytes)
      : bytes_(std::make_shared<std::vector<unsigned char>>(std::move(bytes))) {}
  bool empty() const { return !bytes_ || bytes_->empty(); }
  const unsigned char* data() const { return bytes_ ? bytes_->data() : nullptr; }
  std::size_t size() const { return bytes_ ? bytes_->size() : 0; }
  /// Allocates `n` bytes to fill in. \pre not shared yet
  unsigned char* fill(std::size_t n) {
    if (empty()) bytes_ = std::make_shared<std::vector<unsigned char>>(n);
    return bytes_->data();
  }

 private:
  std::shared_ptr<std::vector<unsigned char>> bytes_;
};

struct Variable {
  poplar::Type type;
  Dims shape;
  std::int64_t elements;
  std::string name;
  bool constant = false;
  /// The value of a constant, or the initial value of a variable; else empty.
  SharedBytes data;
  TileMapping mapping;

  std::size_t bytes() const { return static_cast<std::size_t>(elements) * type.sizeInBytes(); }
};

struct ComputeSetImpl {
  std::string name;
  std::vector<BulkVertex> bulk;
  std::vector<unsigned> vertices;  // vertices of codelets
  // The vertex that draws from the words of a worker, by tile and worker.
  std::map<std::pair<unsigned, unsigned>, unsigned> drawing{};
};

class __attribute__((visibility("default"))) GraphImpl
    : public std::enable_shared_from_this<GraphImpl> {
 public:
  explicit GraphImpl(poplar::Target t);

  Variable& variable(unsigned id) { return variables[id]; }
  const Variable& variable(unsigned id) const { return variables[id]; }
  poplar::Tensor addVariable(poplar::Type type, Dims shape, std::string name, bool constant);

  poplar::Target target;  // that of one replica
  unsigned replicas = 1;
  std::set<std::string> broadcast;   // streams from the host of which all replicas get the same
  std::shared_ptr<PlanCache> plans;  // plans of contractions
  std::deque<Variable> variables;
  std::deque<ComputeSetImpl> computeSets;
  CodeletLibrary codelets;
  std::map<unsigned, poplar::Tensor> metadata;  // of variables of QUARTER
  std::deque<UserVertex> vertices;
  std::map<std::string, poplar::PerfEstimateFunc> perfEstimators;  // by vertex type
  std::vector<poplar::DataStream> streams;
  std::vector<poplar::HostFunction> hostFunctions;
  std::set<std::string> remoteBuffers;  // their handles
  std::vector<std::shared_ptr<ProgramNode>> functions;
  std::map<std::string, poplar::Tensor> hostWrites, hostReads;
  poplar::Tensor workerSeeds;  // of worker_seeds.hpp; invalid until they are asked for
  std::vector<std::function<void(poplar::Graph&)>> withWorkerSeeds;  // called then
};

/// The metadata of a tensor of QUARTER.
/// \throws poplar::type_error, by the name of `caller`, if it is of another type or has none, or
///         joins tensors of different ones
poplar::Tensor metadataOf(const GraphImpl& graph, const poplar::Tensor& t,
                          const std::string& caller);
/// The elements of a tensor of QUARTER with metadata of their own, one UNSIGNED_CHAR, and not those
/// of their variables. Poplar makes a copy for it, and elides that.
/// \throws poplar::type_error for other types, and for another number of elements
__attribute__((visibility("default"))) poplar::Tensor withMetadata(const poplar::Tensor& t,
                                                                   const poplar::Tensor& metadata);

/// Converts `n` host values from one type to another.
/// \throws poplar::type_error for types that have no host representation
__attribute__((visibility("default"))) void convertValues(poplar::Type from, const void* src,
                                                          poplar::Type to, void* dst,
                                                          std::size_t n);

}  // namespace popir

#endif
