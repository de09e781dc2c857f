// Registration and construction of lowerings written in C++.
// After popart/popx/opxmanager.hpp of PopART 3.
#ifndef popart_popx_opxmanager_hpp
#define popart_popx_opxmanager_hpp

#include <popart/error.hpp>
#include <popart/names.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/popx/opx.hpp>
#include <popir/sdk.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace popart {
namespace popx {

/// The registry of lowerings.
class OpxManager {
 public:
  using OpxFactoryFunc = std::function<std::unique_ptr<OpxBase>(Op* op, Devicex* devicex)>;

  /// Registers a lowering. `where` is an address in the library that contains it. Never throws; a
  /// duplicate identifier is reported at the next use of the registry.
  static void registerOpx(const OperatorIdentifier& opid, const OpxFactoryFunc& factory,
                          const void* where = nullptr) noexcept;
  /// Null if no lowering is registered for the operator's identifier.
  static std::unique_ptr<OpxBase> createOpx(Op* op, Devicex* devicex);
};

/// Registers a lowering (Opx or PopOpx) when its library is loaded: define a static object of this
/// type. The lowering is created by its constructor from an operator and a Devicex, or by a
/// function. With a message instead of these, lowering is an error: a pattern must replace the
/// operator.
template <class OPX>
class OpxCreator {
 public:
  OpxCreator(const OperatorIdentifier& opid) { add({opid}, construct); }
  OpxCreator(const std::vector<OperatorIdentifier>& opids) { add(opids, construct); }
  OpxCreator(const OperatorIdentifier& opid, std::string message) {
    add({opid}, refusal(std::move(message)));
  }
  OpxCreator(const std::vector<OperatorIdentifier>& opids, std::string message) {
    add(opids, refusal(std::move(message)));
  }
  OpxCreator(const OperatorIdentifier& opid, OpxManager::OpxFactoryFunc factory) {
    add({opid}, factory);
  }
  OpxCreator(const std::vector<OperatorIdentifier>& opids, OpxManager::OpxFactoryFunc factory) {
    add(opids, factory);
  }

 private:
  static std::unique_ptr<OpxBase> construct(Op* op, Devicex* devicex) {
    return std::unique_ptr<OpxBase>(new OPX(op, devicex));
  }
  static OpxManager::OpxFactoryFunc refusal(std::string message) {
    return [message](Op*, Devicex*) -> std::unique_ptr<OpxBase> { throw error(message); };
  }
  void add(const std::vector<OperatorIdentifier>& opids, const OpxManager::OpxFactoryFunc& f) {
    for (const OperatorIdentifier& opid : opids) OpxManager::registerOpx(opid, f, this);
  }
};

}  // namespace popx
}  // namespace popart

#pragma GCC visibility pop

#endif
