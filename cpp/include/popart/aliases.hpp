// Which tensors of a graph share elements. After popart/aliases.hpp of PopART 3.
#ifndef popart_aliases_hpp
#define popart_aliases_hpp

#include <popart/chains.hpp>
#include <popart/names.hpp>
#include <popart/pointercomparators.hpp>

#include <set>
#include <string>
#include <unordered_map>

#pragma GCC visibility push(default)

namespace popart {

/// A program's own: the compiler asks an operator's aliases() when it needs to know.
class Aliases {
 public:
  Aliases() = default;
  Aliases(const Aliases&) = delete;
  Aliases& operator=(const Aliases&) = default;
  virtual ~Aliases();

  void clearAliases();
  /// Regions of `from` that lie in `to`, and what has either of them: `forward` maps regions of
  /// `from` to those of `to`, `backward` the reverse. The names are for texts.
  void updateAliases(Tensor* from, Tensor* to, view::Regions regions, view::RegMap forward,
                     view::RegMap backward, std::string forwardName = "None",
                     std::string backwardName = "None");
  /// The regions of `to` in which elements of `from` lie.
  view::Regions getAliasRegions(Tensor* from, Tensor* to) const;
  /// From each tensor that shares elements with `to`, and from itself.
  std::unordered_map<Tensor*, view::Chains> aliasChainsTo(Tensor* to) const;
  std::unordered_map<Tensor*, view::Chains> aliasChainsFrom(Tensor* from) const;
  view::Chains getChainsFromTo(Tensor* from, Tensor* to) const;
  void addAllAliases(const Aliases& other);
  /// Those that share elements with another one.
  std::set<Tensor*, PTensorCmp> getTensors() const;

 private:
  using Table = std::unordered_map<Tensor*, std::unordered_map<Tensor*, view::Chains>>;

  void add(Tensor* from, Tensor* to, const view::Chains& chains);

  Table to_;    // to_[a][b]: from b to a
  Table from_;  // from_[a][b]: from a to b
};

}  // namespace popart

#pragma GCC visibility pop

#endif
