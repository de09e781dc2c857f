// popart/alias/aliasmodel.hpp: what operators say of aliases to PopART's in-placing.
//
// popir decides which operators work in place from aliases(), modifies(), uses() and their
// priorities alone, so what is put in here is kept and not read.
#ifndef popart_alias_aliasmodel_hpp
#define popart_alias_aliasmodel_hpp

#include <popart/names.hpp>

#include <vector>

#pragma GCC visibility push(default)

namespace poprithms {
namespace memory {
namespace inplace {

/// That an operator's input at an index share memory with its output.
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

class AliasModel {
 public:
  AliasModel() = default;
  AliasModel(const AliasModel&) = delete;
  AliasModel& operator=(const AliasModel&) = delete;

  /// Output 0 may be input 0, changed.
  void insertUnaryModifier0(const Op& op) { insertUnaryModifier(op, 0); }
  void insertUnaryModifier(const Op& op, InIndex index) { modifiers_.push_back({&op, {index}}); }
  /// Output 0 may be any one of inputs 0 and 1, changed.
  void insertBinaryModifier(const Op& op) { modifiers_.push_back({&op, {0, 1}}); }
  /// Output 0 may be input 0 seen in another way.
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
