// Sizes of stacks that a codelet declares for its functions. The host's stack needs none, so the
// declarations are accepted and say nothing. After poplar/StackSizeDefs.hpp of the Poplar SDK 3.
#ifndef poplar_StackSizeDefs_hpp
#define poplar_StackSizeDefs_hpp

#define DEF_STACK_USAGE(SIZE, FUNCTION) static_assert((SIZE) >= 0, "a stack has no negative size")
#define DEF_STACK_SIZE_OWN(SIZE, FUNCTION) DEF_STACK_USAGE(SIZE, FUNCTION)
#define DEF_FUNC_CALL_PTRS(FUNCTION, CALLED) static_assert(true, "")
#define DEF_FUNC_CALLS(FUNCTION, CALLED) static_assert(true, "")

#endif
