#ifndef popir_popart_transforms_remote_setup_hpp
#define popir_popart_transforms_remote_setup_hpp

namespace popart {

class Ir;

/// Throws an error for an operator that copies from or to a remote buffer what is not like the rows
/// that the Ir knows of it.
void checkRemoteRows(const Ir& ir);

}  // namespace popart

#endif
