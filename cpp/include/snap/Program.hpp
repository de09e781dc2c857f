// Wrappers of Poplar's programs for snap's tensors (see snap/Tensor.hpp).
// After snap/Program.hpp of PopART 2.3 to 3.1.
#ifndef snap_Program_hpp
#define snap_Program_hpp

#include <poplar/Program.hpp>
#include <snap/Graph.hpp>
#include <snap/Tensor.hpp>

#include <string>

namespace snap {
namespace program {

using Program = poplar::program::Program;

/// Appends to a given poplar::program::Sequence, or to its own.
class Sequence {
 public:
  Sequence() : own_(), prog_(nullptr) {}
  explicit Sequence(Graph&) : Sequence() {}
  Sequence(const poplar::DebugContext& debugContext, Graph&) : own_(debugContext), prog_(nullptr) {}
  explicit Sequence(poplar::program::Sequence& prog) : own_(), prog_(&prog) {}

  poplar::program::Sequence& getPoplarSequence() { return prog_ == nullptr ? own_ : *prog_; }
  const poplar::program::Sequence& getPoplarSequence() const {
    return prog_ == nullptr ? own_ : *prog_;
  }
  void add(const Program& program) { getPoplarSequence().add(program); }
  void add(const Sequence& program) { add(program.getPoplarSequence()); }

 private:
  poplar::program::Sequence own_;
  poplar::program::Sequence* prog_;
};

class Copy : public poplar::program::Copy {
 public:
  Copy(const Tensor& from, const Tensor& to, bool dontOutline = false,
       const poplar::DebugContext& debugContext = {})
      : poplar::program::Copy(from.getPoplarTensor(), to.getPoplarTensor(), dontOutline,
                              debugContext) {}
};

class Repeat : public poplar::program::Repeat {
 public:
  Repeat(unsigned count, const Sequence& body, const poplar::DebugContext& debugContext = {})
      : poplar::program::Repeat(count, body.getPoplarSequence(), debugContext) {}
};

class If : public poplar::program::If {
 public:
  If(const Tensor& predicate, const Sequence& trueBody, const Sequence& falseBody,
     const poplar::DebugContext& debugContext = {})
      : poplar::program::If(predicate.getPoplarTensor(), trueBody.getPoplarSequence(),
                            falseBody.getPoplarSequence(), debugContext) {}
};

class PrintTensor : public poplar::program::PrintTensor {
 public:
  explicit PrintTensor(const Tensor& tensor, const poplar::DebugContext& debugContext = {})
      : poplar::program::PrintTensor(tensor.getPoplarTensor(), debugContext) {}
  PrintTensor(const std::string& title, const Tensor& tensor,
              const poplar::DebugContext& debugContext = {})
      : poplar::program::PrintTensor(title, tensor.getPoplarTensor(), debugContext) {}
};

class WriteUndef : public poplar::program::WriteUndef {
 public:
  explicit WriteUndef(const Tensor& tensor, const poplar::DebugContext& debugContext = {})
      : poplar::program::WriteUndef(tensor.getPoplarTensor(), debugContext) {}
};

}  // namespace program
}  // namespace snap

#endif
