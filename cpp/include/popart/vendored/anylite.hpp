// A value of any type, as nonstd:: names it. After popart/vendored/anylite.hpp of PopART 3.
#ifndef popart_vendored_anylite_hpp
#define popart_vendored_anylite_hpp

#if __cplusplus >= 201703L
#include <any>

namespace nonstd {

using std::any;
using std::any_cast;
using std::bad_any_cast;
using std::make_any;

}  // namespace nonstd
#else
#error "popart/vendored/anylite.hpp needs C++17: compile with -std=c++17"
#endif

#endif
