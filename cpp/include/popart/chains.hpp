// How elements of one tensor come to lie in another. After popart/chains.hpp of PopART 3.
#ifndef popart_chains_hpp
#define popart_chains_hpp

#include <popart/names.hpp>
#include <popart/region.hpp>

#include <ostream>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace view {

/// A map of regions of one tensor to regions of the next, of the elements of a filter alone.
class Link {
 public:
  Link(const Region& filter, const RegMap& map, const std::string& name = "")
      : filter_(filter), map_(map), name_(name) {}
  static Link getIdentity(const Region& filter);

  Regions apply(const Region& region) const { return map_(filter_.intersect(region)); }
  const Region& getFilter() const { return filter_; }
  /// Whether this one has the filter of `other` in its own, and maps it to the same regions.
  bool contains(const Link& other) const;
  void append(std::ostream& os) const;

 private:
  Region filter_;
  RegMap map_;
  std::string name_;
};

std::ostream& operator<<(std::ostream& os, const Link& link);

/// Links, one after another.
class Chain {
 public:
  Chain(const Link& link) : links_{link} {}
  static Chain getIdentity(const Region& region) { return Link::getIdentity(region); }

  /// Without empty regions, and without those that lie in others.
  Regions apply(const Region& region) const;
  /// Goes on with the links of `other`.
  void append(const Chain& other);
  const std::vector<Link>& getLinks() const { return links_; }
  /// True if no element comes through.
  bool untraversable() const;
  /// Link by link.
  bool contains(const Chain& other) const;

 private:
  std::vector<Link> links_;
};

std::ostream& operator<<(std::ostream& os, const Chain& chain);

/// All ways from one tensor to another.
class Chains {
 public:
  Chains() = default;
  Chains(const Link& link) : Chains(std::vector<Chain>{link}) {}
  /// Leaves out what no element comes through.
  Chains(const std::vector<Chain>& chains);
  static Chains getIdentity(const Region& region) { return Link::getIdentity(region); }
  static Chains getIdentity(const Shape& shape) { return getIdentity(Region::getFull(shape)); }

  /// These, then those of `next`.
  Chains series(const Chains& next) const;
  /// These, and those of `other` that they do not contain.
  Chains parallel(const Chains& other) const;
  Regions apply(const Region& region) const;
  bool isEmpty() const { return chains_.empty(); }
  const std::vector<Chain>& getChainUnion() const { return chains_; }

 private:
  std::vector<Chain> chains_;
};

std::ostream& operator<<(std::ostream& os, const Chains& chains);

}  // namespace view
}  // namespace popart

#pragma GCC visibility pop

#endif
