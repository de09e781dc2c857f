// XLA's registry of custom call targets: functions by name and platform.
//
//   void do_custom_call(void* out, const void** in) { ... }
//   XLA_REGISTER_CUSTOM_CALL_TARGET(do_custom_call, "Host");
//
// The platforms are "Host", "CUDA" and "ROCM". What is registered twice, with another function, is
// an error of popir.load_op_library().
#ifndef XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_
#define XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_

#include <string>
#include <unordered_map>

extern "C" {
void popir_xla_register(const char* symbol, void* function, const char* platform) noexcept;
void* popir_xla_lookup(const char* symbol, const char* platform);
void popir_xla_visit(const char* platform, void (*visit)(void*, const char*, void*), void* context);
}

namespace xla {

/// The functions by name and platform. One object, Global(), has all.
class CustomCallTargetRegistry {
 public:
  static CustomCallTargetRegistry* Global() {
    static CustomCallTargetRegistry registry;
    return &registry;
  }

  void Register(const std::string& symbol, void* address, const std::string& platform) {
    popir_xla_register(symbol.c_str(), address, platform.c_str());
  }
  /// Null if there is no such function.
  void* Lookup(const std::string& symbol, const std::string& platform) const {
    return popir_xla_lookup(symbol.c_str(), platform.c_str());
  }
  /// The functions of a platform by name.
  std::unordered_map<std::string, void*> registered_symbols(const std::string& platform) const {
    std::unordered_map<std::string, void*> found;
    popir_xla_visit(
        platform.c_str(),
        [](void* map, const char* symbol, void* function) {
          static_cast<std::unordered_map<std::string, void*>*>(map)->emplace(symbol, function);
        },
        &found);
    return found;
  }
};

/// Registers a function when it is made: a static object does so when its library is loaded.
class RegisterCustomCallTarget {
 public:
  explicit RegisterCustomCallTarget(const std::string& name, void* address,
                                    const std::string& platform) {
    CustomCallTargetRegistry::Global()->Register(name, address, platform);
  }
};

}  // namespace xla

#define XLA_REGISTER_CUSTOM_CALL_CONCAT(a, b) a##b
#define XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM_HELPER(symbol, address, platform, counter) \
  static ::xla::RegisterCustomCallTarget XLA_REGISTER_CUSTOM_CALL_CONCAT(                   \
      custom_call_target_register, counter)(symbol, reinterpret_cast<void*>(address), platform)

/// Registers `address` as `symbol`.
#define XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM_HELPER(symbol, address, platform, __COUNTER__)
/// Registers a function under its own name.
#define XLA_REGISTER_CUSTOM_CALL_TARGET(function, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, platform)

// For the platform "Host".
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function) \
  XLA_REGISTER_CUSTOM_CALL_TARGET(function, "Host")
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, address, "Host")

#endif  // XLA_SERVICE_CUSTOM_CALL_TARGET_REGISTRY_H_
