// Alias information for PopART's in-placing. After popart/alias/aliasmodel.hpp of PopART 3.
//
// popir decides about in-placing from aliases(), modifies(), uses() and the priorities only.
// Contents of an AliasModel are stored, but not used.
#ifndef popart_alias_aliasmodel_hpp
#define popart_alias_aliasmodel_hpp

#include <popart/names.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace poprithms {
namespace memory {
namespace inplace {

/// The proposal that an operator's output aliases the input at an index.
class Proposal {
 public:
  Proposal() = default;
  explicit Proposal(popart::InIndex index) : index_(index) {}
  popart::InIndex inIndex() const { return index_; }

 private:
  popart::InIndex index_ = 0;
};

}  // namespace inplace
}  // namespace memory
}  // namespace poprithms

namespace popart {

/// Stores what operators report about their aliases.
class AliasModel {
 public:
  AliasModel() = default;
  AliasModel(const AliasModel&) = delete;
  AliasModel& operator=(const AliasModel&) = delete;

  /// Output 0 may be input 0, modified in place.
  void insertUnaryModifier0(const Op& op) { insertUnaryModifier(op, 0); }
  void insertUnaryModifier(const Op& op, InIndex index) { modifiers_.push_back({&op, {index}}); }
  /// Output 0 may be input 0 or input 1, modified in place.
  void insertBinaryModifier(const Op& op) { modifiers_.push_back({&op, {0, 1}}); }
  /// Output 0 may be a view of input 0.
  void insertViewChange(const Op& op) { views_.push_back(&op); }

  struct Modifier {
    const Op* op;
    std::vector<InIndex> inputs;
  };
  const std::vector<Modifier>& modifiers() const { return modifiers_; }
  const std::vector<const Op*>& views() const { return views_; }

 private:
  std::vector<Modifier> modifiers_;
  std::vector<const Op*> views_;
};

}  // namespace popart

#pragma GCC visibility pop

#endif
