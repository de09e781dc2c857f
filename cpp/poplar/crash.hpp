// The last words of a process that ends by a signal of the machine.
#ifndef popir_poplar_crash_hpp
#define popir_poplar_crash_hpp

namespace popir {

/// Has a crash in the library that is loaded at `base` say so, on stderr, before the process ends.
/// Handlers of signals that were there before, such as those of Python's faulthandler, run after
/// it; a crash elsewhere is theirs alone.
void nameInCrashes(const void* base);
/// The library at `base` is not there any more.
void forgetInCrashes(const void* base);

}  // namespace popir

#endif
