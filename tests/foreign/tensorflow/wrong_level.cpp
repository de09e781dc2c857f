// A library of no API level that is there. None of its code may run.
#include <cstdint>
#include <cstdlib>

extern "C" {
#if LEVEL != 0
std::int32_t custom_op_api_level = LEVEL;
#endif
void Build() { std::abort(); }
void Build_metadata() { std::abort(); }
void Build_allocator() { std::abort(); }
void Build_grad() { std::abort(); }
void Callback() { std::abort(); }
}
