// Counts what libraries register besides operators of PopART, so that a trial can tell whether a
// library registers anything.
#ifndef popir_support_registrations_hpp
#define popir_support_registrations_hpp

#include <atomic>

namespace popir {

/// The count, failed registrations included.
inline std::atomic<unsigned>& otherRegistrations() {
  static std::atomic<unsigned> count{0};
  return count;
}

}  // namespace popir

#endif
