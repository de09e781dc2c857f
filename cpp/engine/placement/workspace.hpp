// The workspace of steps: bytes of the arena for what one step alone needs, which are dense copies of
// operands and its kernel's scratch.
#ifndef popir_engine_placement_workspace_hpp
#define popir_engine_placement_workspace_hpp

#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/plan/plan.hpp"
#include "poplar/graph_impl.hpp"

namespace popir {

/// Finds those bytes: in the first gap that is large enough between the buffers that are live at the
/// step, or behind all of them. So they add to the arena only where it is full.
class Workspace {
 public:
  Workspace(const BufferAssignment& assignment, const std::deque<Variable>& variables);

  /// Goes to the first step of a program.
  void begin(std::size_t program);
  /// Goes to a later step of that program, and frees what was taken before.
  void advance(std::size_t step);
  /// \returns the offset in the arena of bytes that nothing else uses at this step; a multiple of
  /// kAlign
  std::size_t take(std::size_t bytes);
  /// From here on the steps of a group run beside those of the groups before it: what these took
  /// stays taken, until endGroups().
  void beginGroup();
  void endGroups();
  /// The end of all that was taken, and of all buffers.
  std::size_t end() const { return end_; }

 private:
  using Range = std::pair<std::size_t, std::size_t>;  // begin, end
  Range rangeOf(unsigned variable) const;

  const BufferAssignment& assignment_;
  const std::deque<Variable>& variables_;
  std::vector<std::vector<unsigned>> shared_;  // by program: its variables, by first step
  std::size_t program_ = 0, next_ = 0;         // of shared_: the first that is not live yet
  std::multimap<std::size_t, Range> lasts_;    // of live variables, by last step
  std::multiset<Range> used_;                  // by live variables, and what was taken
  std::vector<Range> taken_;
  std::set<Range> ofGroup_,
      ofGroups_;  // taken by steps that run side by side: by this group, others
  bool inGroup_ = false;
  std::size_t end_;
};

}  // namespace popir

#endif
