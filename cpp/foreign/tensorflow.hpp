// Operators that were written for TensorFlow on the IPU: functions with C linkage in a library.
//
// A library says which API level it was written for. The level decides with which arguments its
// functions are called, by the table in tensorflow.cpp. Nothing can check that a function really
// has them: a function that takes fewer than it is given ignores the last ones.
#ifndef popir_foreign_tensorflow_hpp
#define popir_foreign_tensorflow_hpp

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "foreign/shared_library.hpp"

#pragma GCC visibility push(default)

namespace popir::foreign::tensorflow {

/// A function of the library did what its caller cannot use: the text says which and what.
struct UserOpError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What `<name>_metadata` says of an operator; the defaults if there is no such function.
struct Metadata {
  /// The inputs whose layout the library chooses.
  std::vector<std::int64_t> allocating;
  /// The inputs that are written in place, each with the output that shows it.
  std::map<std::int64_t, std::int64_t> aliasing;
  /// The outputs that are equal on all replicas; from level 5.
  std::vector<std::int64_t> replicaIdentical;
  bool isElementwise = false;
  bool isStateless = false;
  /// Whether a program with the operator may be kept; before level 4 any may.
  bool isHashable = true;
};

/// The outputs of an operator; without a value for one that the library left invalid.
using Outputs = std::vector<std::optional<poplar::Tensor>>;

struct Built {
  poplar::program::Program program;
  Outputs outputs;
};

/// The gradient that `<name>_grad` is asked for.
struct GradientArguments {
  /// The forward input that it is of, where each has an operator of its own.
  std::int64_t index = 0;
  std::vector<poplar::Tensor> gradients, inputs, outputs;
};

/// The API level of a library, which `custom_op_api_level` says, read from its file: nothing of the
/// library runs. Messages say that it was asked for the operator `name`, if that is given.
/// \throws LibraryError for a library without a level, or of one that is not supported
int requireLevel(const std::string& path, const std::string& name = "");

/// One operator of a library.
class UserOp {
 public:
  /// \throws LibraryError for a library without an API level, or of one that is not supported,
  /// before anything else of it is looked at; and for a library without the symbol `name`
  UserOp(const std::string& path, const std::string& name);

  const std::string& path() const { return library_.path(); }
  const std::string& name() const { return name_; }
  int level() const { return level_; }
  /// Whether the library has a function that chooses layouts of inputs.
  bool hasAllocator() const;

  /// Calls `<name>_metadata`.
  /// \throws UserOpError for indices beyond the inputs and outputs, and for values that cannot be
  /// of the types that the level demands
  Metadata metadata(std::uint32_t inputs, std::uint32_t outputs) const;

  /// Calls `<name>`, which adds to the graph; the first `outputs` of what it gives are kept.
  /// \throws UserOpError if it gives fewer
  Built build(poplar::Graph& graph, const std::vector<poplar::Tensor>& inputs, std::size_t outputs,
              const std::string& attributes, const std::string& debugPrefix) const;
  /// The same for an operator that is a gradient; its name ends in _grad.
  Built buildGradient(poplar::Graph& graph, const GradientArguments& arguments, std::size_t outputs,
                      const std::string& attributes, const std::string& debugPrefix) const;
  /// Calls `<name>_allocator`.
  /// \throws UserOpError for a tensor of another shape or type
  poplar::Tensor allocate(poplar::Graph& graph, std::int64_t operand,
                          const std::vector<std::size_t>& shape, poplar::Type type,
                          const std::string& attributes, const std::string& debugPrefix) const;

  struct CallOptions {
    std::string attributes;
    /// The name that the callback gets.
    std::string name;
    /// How messages begin.
    std::string who;
    /// Calls it without `attributes`, as the documents of levels 2 to 5 say.
    bool asDocumented = false;
    /// The longest time that a call may take; 0 for any.
    std::chrono::milliseconds limit{0};
  };
  /// Adds a step that calls `<name>` as a function on the host.
  /// \throws UserOpError for an input of more elements than the interface can count
  void addCallback(poplar::Graph& graph, poplar::program::Sequence& prog,
                   const std::vector<poplar::Tensor>& inputs,
                   const std::vector<poplar::Tensor>& outputs, const CallOptions& options) const;

 private:
  /// "The function 'NAMEsuffix' of 'PATH'".
  std::string function(const std::string& suffix = "") const;
  /// Calls `code`, which calls that function.
  /// \throws UserOpError if it divides an integer by zero
  template <class Code>
  void call(const std::string& suffix, const Code& code) const;
  Built built(poplar::Graph& graph, const poplar::program::Program& program,
              const std::vector<poplar::Tensor>& made, std::size_t outputs) const;

  int level_;
  SharedLibrary library_;
  std::string name_;
  void* symbol_ = nullptr;
};

}  // namespace popir::foreign::tensorflow

#pragma GCC visibility pop

#endif
