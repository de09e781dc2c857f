// The name of popart/op/exchange/remote.hpp in PopART 2.0 to 2.2.
#ifndef popart_op_remote_hpp
#define popart_op_remote_hpp

#include <popart/op/exchange/remote.hpp>

#endif
