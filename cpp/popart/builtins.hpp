// Which classes of popart/op/ stand for which operators of the compiler.
#ifndef popir_popart_builtins_hpp
#define popir_popart_builtins_hpp

#include <popart/attributes.hpp>
#include <popart/op.hpp>

#include <memory>
#include <typeindex>

namespace popir {

#pragma GCC visibility push(default)

struct BuiltinClass {
  const char* domain;
  const char* type;
  std::type_index cls;
  std::unique_ptr<popart::Op> (*make)(const popart::OperatorIdentifier&,
                                      const popart::Op::Settings&, const popart::Attributes&);
  /// The attributes of an object of the class, as the operator's schema names them.
  popart::Attributes (*attributes)(const popart::Op&);
};

/// The class for an operator of the compiler, by domain and name; null if there is none.
const BuiltinClass* builtinClass(const popart::OperatorIdentifier& opid);
/// The row of an object that is of such a class itself, not of one that derives from it, and has
/// the operator's name; null if there is none.
const BuiltinClass* builtinClass(const popart::Op& op);

#pragma GCC visibility pop

}  // namespace popir

#endif
