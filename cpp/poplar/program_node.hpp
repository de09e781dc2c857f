// The program tree behind poplar::program. Copies of a program share nodes. A shared node is never
// modified, but that of poprand::setSeed(), which is empty until there is what it sets.
#ifndef popir_poplar_program_node_hpp
#define popir_poplar_program_node_hpp

#include <poplar/Program.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace popir {

struct ProgramNode {
  enum class Kind {
    Sequence,     // children
    Execute,      // computeSet
    Copy,         // src -> dst
    StreamToDst,  // stream -> dst
    SrcToStream,  // src -> stream
    Repeat,       // count times children[0]
    While,        // children[0] computes src; while src == expected: children[1]
    If,           // src ? children[0] : children[1]; not `expected`: src == count ? ...
    Call,         // function
    HostCall,     // calls hostFunction with inputs and outputs
    Sync,
    Print,         // prints src, with title `name` and `format`; not `expected`: ends the run,
                   // where src may be no valid tensor
    WriteUndef,    // dst
    SetRounding,   // stochastic if `expected`, else to nearest, for the following steps
    SeedRounding,  // seeds stochastic rounding: src is the seed, count the modifier
    Loop,          // children[0], again and again
    // Floating-point behaviour: dst gets how it was, a number of inputs[0] (0 to 31) for each element;
    // then `count` is cleared and `count >> 8` set, as bits of Target::makeFpIctlValue().
    ModifyRounding,
    RestoreRounding,  // as it was when src was written
  };
  friend constexpr Kind lastOf(Kind) { return Kind::RestoreRounding; }

  Kind kind = Kind::Sequence;
  std::string name;
  std::vector<std::shared_ptr<ProgramNode>> children;
  poplar::ComputeSet computeSet;
  poplar::Function function;
  poplar::HostFunction hostFunction;
  std::vector<poplar::Tensor> inputs, outputs;
  poplar::Tensor src, dst;
  poplar::DataStream stream;
  unsigned count = 0;
  bool expected = true;
  bool isBlock = false;  // a Sequence with its own entry in profiles
  bool onHost = false;   // the host puts a stream's data in order, not the tiles
  poplar::PrintTensorFmt format;
};

std::vector<std::shared_ptr<ProgramNode>> nodesOf(
    poplar::ArrayRef<poplar::program::Program> programs);

}  // namespace popir

#endif
