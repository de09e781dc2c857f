// What an operator has added to a graph, and the same again for an operator like it.
#ifndef popir_program_growth_hpp
#define popir_program_growth_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "poplar/graph_impl.hpp"

namespace popir {

/// What was added to a graph between two moments: variables, compute sets and a program, which
/// work on these variables and on the operator's inputs.
///
/// To repeat it is to add the same with other variables in the place of those of the inputs, and
/// other names. That is what the operator's code would do for them if it depends on nothing but what
/// the caller compares, the views of the inputs, and sizes, types and tiles of their variables. Of
/// variables that are spread linearly it may not depend on which tile is the first one.
class __attribute__((visibility("default"))) Growth {
 public:
  /// Begins: all that `graph` gets from now on.
  explicit Growth(const poplar::Graph& graph);

  /// Ends: `program` has what was added, `inputs` were read or written, `outputs` are the results.
  /// Returns false if it cannot be repeated, since
  /// - something else was added, such as a codelet's vertex, a stream, a function or a call;
  /// - a tensor shows a variable that is neither new nor an input's;
  /// - a name is neither `prefix` nor begins with it and a slash.
  bool end(const poplar::Graph& graph, const poplar::program::Program& program,
           std::vector<poplar::Tensor> inputs, std::vector<poplar::Tensor> outputs,
           const std::string& prefix);

  /// What a repetition has made.
  struct Repeated {
    std::vector<poplar::Tensor> outputs;
    /// The variables that it writes and that were there before, ascending.
    std::vector<unsigned> written;
  };
  /// Appends the same to `prog` for other inputs and another prefix of the names. Adds nothing, and
  /// returns nothing, if end() has not returned true or the inputs do not lie as its inputs.
  std::optional<Repeated> repeat(poplar::program::Sequence& prog,
                                 const std::vector<poplar::Tensor>& inputs,
                                 const std::string& prefix) const;

 private:
  struct Sizes {
    std::size_t variables, computeSets, others;
  };
  class Repetition;
  Sizes sizes() const;
  bool canRepeat(const poplar::Graph& graph, const poplar::program::Program& program);
  bool isOf(const poplar::Tensor& tensor) const;
  bool isOwn(const std::string& name) const;
  bool isOwn(const poplar::Tensor& tensor) const;
  bool isOwn(const ProgramNode& node) const;

  std::shared_ptr<GraphImpl> graph_;
  Sizes begin_, end_;
  std::uint64_t work_;
  bool canRepeat_ = false;
  std::string prefix_;
  std::vector<unsigned> read_, written_;  // variables that were there before, ascending
  std::vector<std::shared_ptr<ProgramNode>> program_;
  std::vector<poplar::Tensor> inputs_, outputs_;
};

}  // namespace popir

#endif
