// Crash reports: when a fatal signal (SIGSEGV, SIGABRT, ...) ends the process, a line on stderr
// names the library that crashed.
#ifndef popir_support_crash_hpp
#define popir_support_crash_hpp

namespace popir {

/// Registers the library loaded at `base`: a crash in it is reported on stderr before the process
/// ends. Earlier signal handlers, for example those of Python's faulthandler, run after the report.
/// A crash in a library that is not registered goes to the earlier handlers only.
void nameInCrashes(const void* base);
/// Removes the library at `base`. Call it when the library is unloaded.
void forgetInCrashes(const void* base);

}  // namespace popir

#endif
