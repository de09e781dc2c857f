// What creates the tensors of inputs. After popart/popx/creatorx.hpp of PopART 3. The compiler finds
// them itself (popir/lowering/layouts.py); a program may compare candidates of its own.
#ifndef popart_popx_creatorx_hpp
#define popart_popx_creatorx_hpp

#include <popart/names.hpp>
#include <popart/pointercomparators.hpp>
#include <popart/popx/debugcontextx.hpp>
#include <popart/popx/viewchangers.hpp>
#include <popart/region.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {

class Graph;
class Tensor;

namespace popx {

class ICreatorCandidate;
class Opx;
using ICreatorCandidatePtr = std::shared_ptr<ICreatorCandidate>;

/// A part of a tensor, and where it lies in the whole.
struct TensorRegion {
  TensorRegion(view::Region offset_, view::Region region_, poplar::Tensor tensor_)
      : offset(std::move(offset_)), region(std::move(region_)), tensor(std::move(tensor_)) {}
  view::Region offset;
  view::Region region;
  poplar::Tensor tensor;
};
using TensorRegions = std::vector<TensorRegion>;

/// A step from an input of a lowering to an output; of one that calls a graph, neither is known.
struct OpxInAndOutIndex {
  OpxInAndOutIndex() = default;
  explicit OpxInAndOutIndex(const Opx* opx_) : opx(opx_), isDelegate(true) {}
  OpxInAndOutIndex(const Opx* opx_, InIndex inIndex_, OutIndex outIndex_)
      : opx(opx_), inIndex(inIndex_), outIndex(outIndex_) {}
  bool operator==(const OpxInAndOutIndex& o) const {
    return opx == o.opx && inIndex == o.inIndex && outIndex == o.outIndex;
  }

  const Opx* opx = nullptr;
  InIndex inIndex = -1;
  OutIndex outIndex = -1;
  bool isDelegate = false;
};

template <typename T>
using ICreatorCandidateMap = std::map<ICreatorCandidate*, T, PICreatorCandidateCmp>;
template <typename T>
using ConstICreatorCandidateMap = std::map<const ICreatorCandidate*, T, PICreatorCandidateCmp>;
using ICreatorCandidateSet = std::set<ICreatorCandidate*, PICreatorCandidateCmp>;
using ConstICreatorCandidateSet = std::set<const ICreatorCandidate*, PICreatorCandidateCmp>;

/// One that may create a tensor.
class ICreatorCandidate {
 public:
  ICreatorCandidate() = default;
  virtual ~ICreatorCandidate() = default;

  virtual std::pair<poplar::Tensor, ViewChangers> createInput(
      const poplar::DebugNameAndId& name) = 0;
  /// Lists of tensors, of which one has to exist before.
  virtual DnfTensorIds mustExistBeforeCreate() = 0;
  virtual double getMaxCreatorPriority() const = 0;
  /// The elements that it lays out.
  virtual int64_t getNumElems() const = 0;
  virtual std::vector<std::vector<OpxInAndOutIndex>> getPathsFromInput() = 0;
  virtual std::string str() = 0;
  virtual std::pair<poplar::Tensor, ViewChangers> unwind(poplar::Tensor tensor) = 0;
  virtual std::vector<view::Region> unwind(view::Region region) = 0;
  virtual std::vector<view::Region> unwind() = 0;
  /// When its operator runs.
  virtual int64_t getScheduleIndex() const = 0;

  /// Whether `a` goes before `b`: by priority, then by elements, then the one that runs first.
  static bool greaterThan(ICreatorCandidatePtr a, ICreatorCandidatePtr b);
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
