// popops/Operation.hpp: reduction operations as text.
#ifndef popops_Operation_hpp
#define popops_Operation_hpp

#include <iosfwd>
#include <popops/OperationDef.hpp>

#pragma GCC visibility push(default)
namespace popops {

/// Reads or writes the name of the enumerator ("ADD"). An unknown name sets the stream's failbit.
std::istream& operator>>(std::istream& is, Operation& op);
std::ostream& operator<<(std::ostream& os, const Operation& op);

}  // namespace popops
#pragma GCC visibility pop

#endif
