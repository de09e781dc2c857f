// Maps the compiler's operators to the classes of popart/op/.
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
  /// The object's attributes, with the names of the operator's schema. Null where the compiler adds
  /// the operator, and what a library makes of the class is the library's own.
  popart::Attributes (*attributes)(const popart::Op&);
};

/// The class for an operator of the compiler, by domain and name. Null if there is none.
const BuiltinClass* builtinClass(const popart::OperatorIdentifier& opid);
/// The row for an object of exactly this class (not a derived one) with the operator's name. Null
/// if there is none.
const BuiltinClass* builtinClass(const popart::Op& op);

#pragma GCC visibility pop

}  // namespace popir

#endif
