// How an Opx can determine the layout of an input.
// After popart/popx/inputcreatortype.hpp of PopART 3.
#ifndef popart_popx_inputcreatortype_hpp
#define popart_popx_inputcreatortype_hpp

namespace popart {
namespace popx {

enum class InputCreatorType {
  CanCreate = 0,      ///< it creates the input tensor
  CanUnwind,          ///< it derives the input's layout from the output's layout
  CanCreateOrUnwind,  ///< either
  Deadend,            ///< neither
  CanDelegate,        ///< decided by the graph that it calls
  CanDelegateOrUnwind,
  // Their names up to SDK 2.3.
  CANCREATE = CanCreate,
  CANUNWIND = CanUnwind,
  CANCREATE_OR_UNWIND = CanCreateOrUnwind,
  CANCREATEORUNWIND = CanCreateOrUnwind,
  DEADEND = Deadend,
  CANDELEGATE = CanDelegate,
  CANDELEGATEORUNWIND = CanDelegateOrUnwind
};

}  // namespace popx
}  // namespace popart

#endif
