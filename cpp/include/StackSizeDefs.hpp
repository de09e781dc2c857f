#include <poplar/StackSizeDefs.hpp>
