// Steps joined and moved before they are placed: matters of the host alone. The machine reading
// flattens the program itself and sees nothing of this.
#ifndef popir_poplar_fuse_hpp
#define popir_poplar_fuse_hpp

#include <vector>

#include "poplar/plan.hpp"

namespace popir {

/// Joins an element-wise step with the step that computes what it reads: with a forward
/// convolution, which takes it along as its tail, or with another element-wise step of the same
/// shape. The joined step stands where the reader stood; the one before becomes Kind::None. What
/// nobody else reads is not written any more. A matrix product whose result is only added to
/// something, the gradient of a weight and its update, is added to it at once, where it stood.
void fuse(const GraphImpl& graph, std::vector<FlatProgram>& programs);

/// Lets convolutions read a whole variable where they leave out only last elements of its field
/// that their stride steps over anyway.
void widen(const GraphImpl& graph, std::vector<FlatProgram>& programs);

/// The variables, streams and handles of a graph, to which unshare() may add.
std::shared_ptr<GraphImpl> ofTheHost(const GraphImpl& graph);

/// Gives every value of a temporary a variable of its own, as far as nobody can tell: what a
/// function writes in each call, and what an element-wise step would overwrite. Who is given a copy
/// uses the original. The steps are then those of a program without functions and out of place,
/// which all else here makes the most of.
void unshare(GraphImpl& graph, std::vector<FlatProgram>& programs);

/// What does not change from run to run.
struct Settled {
  /// Steps taken out of the programs: what they write depends on constants, and on variables that
  /// only the host writes. To be run before the first program, and again after the host has
  /// written.
  FlatProgram prologue;
  /// By variable: its value lasts until the host writes.
  std::vector<bool> variables;
};

Settled settle(const GraphImpl& graph, std::vector<FlatProgram>& programs);

}  // namespace popir

#endif
