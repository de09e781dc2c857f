// Code of libraries that divides integers without a result. An IPU and a TPC go on; a processor of
// the host sends a signal, which would end the process. Here it ends the call.
#ifndef popir_support_division_hpp
#define popir_support_division_hpp

#include <setjmp.h>

namespace popir {

#pragma GCC visibility push(default)

/// What happened where completes() returns false.
extern const char* const kDivision;

/// Where a division without a result goes on in this thread; null if it ends the process.
sigjmp_buf*& afterDivision();

/// Has the signal come here, whoever has taken it in between. To be called before completes().
void takeDivisions();

#pragma GCC visibility pop

/// Calls `code`, code of a library. Returns false if it divides an integer by zero, or the least by
/// -1: what it has not freed by then is lost. What it throws passes.
template <class Code>
bool completes(const Code& code) {
  sigjmp_buf*& after = afterDivision();
  sigjmp_buf here;
  sigjmp_buf* volatile outer = after;
  if (sigsetjmp(here, 0) != 0) {
    afterDivision() = outer;
    return false;
  }
  after = &here;
  try {
    code();
  } catch (...) {
    after = outer;
    throw;
  }
  after = outer;
  return true;
}

}  // namespace popir

#endif
