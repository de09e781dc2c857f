// The tree behind poplar::program. Nodes are shared between copies of a program and never changed
// while shared.
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
    Repeat,       // count x children[0]
    While,        // children[0] computes src; while src == expected: children[1]
    If,           // src ? children[0] : children[1]
    Call,         // function
    HostCall,     // hostFunction, from inputs to outputs
    Sync,
    Print,         // src, under name, in format
    WriteUndef,    // dst
    SetRounding,   // stochastic from here on if `expected`, else to nearest
    SeedRounding,  // of the draws: src, with count as modifier
  };
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
  bool isBlock = false;  // a Sequence that its name tells from others in profiles
  poplar::PrintTensorFmt format;
};

std::vector<std::shared_ptr<ProgramNode>> nodesOf(
    poplar::ArrayRef<poplar::program::Program> programs);

/// Variables that a program reads and writes, whatever way its branches go.
struct ProgramAccesses {
  std::set<unsigned> reads, writes;
};
__attribute__((visibility("default"))) ProgramAccesses programAccesses(
    const poplar::Graph& graph, const poplar::program::Program& program);

}  // namespace popir

#endif
