// Conversion of reduction operations to and from text. After popops/Operation.hpp of PopLibs 3.
#ifndef popops_Operation_hpp
#define popops_Operation_hpp

#include <iosfwd>
#include <popops/OperationDef.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// Reads or writes the enumerator's name ("ADD"). An unknown name sets the stream's failbit.
std::istream& operator>>(std::istream& is, Operation& op);
std::ostream& operator<<(std::ostream& os, const Operation& op);

}  // namespace popops
#pragma GCC visibility pop

#endif
