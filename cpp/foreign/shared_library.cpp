#include "foreign/shared_library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "support/host_process.hpp"

namespace popir::foreign {
namespace {

/// A file as it was when it was loaded.
struct Identity {
  dev_t device;
  ino_t inode;
  timespec changed;

  bool operator==(const Identity& o) const {
    return device == o.device && inode == o.inode && changed.tv_sec == o.changed.tv_sec &&
           changed.tv_nsec == o.changed.tv_nsec;
  }
};

struct Loaded {
  Identity identity;
  std::weak_ptr<void> handle;
};

std::shared_ptr<void> open(const std::string& path, const std::string& named) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw LibraryError("The library '" + named +
                       "' cannot be loaded: " + (why == nullptr ? "no reason is known" : why));
  }
  return {handle, [](void* h) { dlclose(h); }};
}

std::shared_ptr<void> loaded(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, Loaded> libraries;
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) throw LibraryError("There is no library '" + path + "'");
  const Identity now{found.st_dev, found.st_ino, found.st_mtim};
  const std::lock_guard lock(mutex);
  auto& entry = libraries[path];
  if (auto handle = entry.handle.lock(); handle && entry.identity == now) return handle;
  // The dynamic loader compares names: under this one it would return the file that was replaced.
  const bool replaced = !entry.handle.expired();
  std::shared_ptr<void> handle;
  if (replaced) {
    const TemporaryFolder folder;
    const auto copy = folder.path("library.so");
    writeFile(copy, readFile(path));
    handle = open(copy, path);
  } else {
    handle = open(path, path);
  }
  entry = {now, handle};
  return handle;
}

/// The entry of the symbol that lies at an address; null if none is known to.
const ElfW(Sym) * entryAt(void* address) {
  Dl_info info{};
  const ElfW(Sym)* entry = nullptr;
  const bool isKnown =
      address != nullptr &&
      dladdr1(address, &info, const_cast<void**>(reinterpret_cast<const void**>(&entry)),
              RTLD_DL_SYMENT) != 0 &&
      info.dli_saddr == address;
  return isKnown ? entry : nullptr;
}

template <class Integer>
std::int64_t read(const void* address) {
  Integer value;
  std::memcpy(&value, address, sizeof(value));
  return value;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::string& path) : path_(path), handle_(loaded(path)) {}

void* SharedLibrary::find(const std::string& symbol) const {
  if (symbol.find('\0') != std::string::npos) return nullptr;
  return dlsym(handle_.get(), symbol.c_str());
}

void* SharedLibrary::findFunction(const std::string& symbol) const {
  void* address = find(symbol);
  const auto* entry = entryAt(address);
  if (entry == nullptr) return address;
  const auto type = ELF64_ST_TYPE(entry->st_info);
  if (type == STT_OBJECT || type == STT_COMMON || type == STT_TLS)
    throw LibraryError("The symbol '" + symbol + "' of the library '" + path_ +
                       "' is data; it must be a function");
  return address;
}

std::optional<std::int64_t> SharedLibrary::integer(const std::string& symbol) const {
  void* address = find(symbol);
  if (address == nullptr) return std::nullopt;
  const auto* entry = entryAt(address);
  const std::string who = "The symbol '" + symbol + "' of the library '" + path_ + "' ";
  const auto type = entry == nullptr ? STT_NOTYPE : ELF64_ST_TYPE(entry->st_info);
  if (type != STT_OBJECT && type != STT_COMMON)
    throw LibraryError(who + "is no variable; it must be an integer");
  switch (entry->st_size) {
    case 1: return read<std::int8_t>(address);
    case 2: return read<std::int16_t>(address);
    case 4: return read<std::int32_t>(address);
    case 8: return read<std::int64_t>(address);
    default:
      throw LibraryError(who + "has " + std::to_string(entry->st_size) +
                         " bytes; it must be an integer of 1, 2, 4 or 8 bytes");
  }
}

void* SharedLibrary::at(const std::string& symbol) const {
  void* address = findFunction(symbol);
  if (address == nullptr) {
    std::string shown;  // Texts of errors end at a NUL.
    for (const char c : symbol) shown += c == 0 ? std::string("\\0") : std::string(1, c);
    throw LibraryError("The library '" + path_ + "' has no symbol '" + shown +
                       "'; it must be a function with C linkage (extern \"C\") and default "
                       "visibility");
  }
  return address;
}

}  // namespace popir::foreign
