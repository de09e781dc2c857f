// popart/popx/inputcreatortype.hpp: what an Opx can do for the layout of its inputs.
#ifndef popart_popx_inputcreatortype_hpp
#define popart_popx_inputcreatortype_hpp

namespace popart {
namespace popx {

enum class InputCreatorType {
  CanCreate = 0,      ///< it makes the tensor
  CanUnwind,          ///< it maps a layout that is wanted of its output back to its input
  CanCreateOrUnwind,  ///< either
  Deadend,            ///< neither
  CanDelegate,        ///< what it calls decides
  CanDelegateOrUnwind
};

}  // namespace popx
}  // namespace popart

#endif
