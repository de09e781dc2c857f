// snap/Program.hpp: programs of SDK 2.x's thin layer over Poplar.
#ifndef snap_Program_hpp
#define snap_Program_hpp

#include <poplar/Program.hpp>
#include <snap/Graph.hpp>
#include <snap/Tensor.hpp>

namespace snap {
namespace program {

/// Adds to a Poplar sequence that is made elsewhere, or to one of its own.
class Sequence {
 public:
  Sequence() : own_(), prog_(nullptr) {}
  explicit Sequence(poplar::program::Sequence& prog) : own_(), prog_(&prog) {}

  poplar::program::Sequence& getPoplarSequence() { return prog_ == nullptr ? own_ : *prog_; }
  void add(const poplar::program::Program& program) { getPoplarSequence().add(program); }

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

}  // namespace program
}  // namespace snap

#endif
