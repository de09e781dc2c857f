#include "foreign/shared_library.hpp"

#include <dlfcn.h>
#include <elf.h>
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

/// A file in ELF's form, of 64 bits, as bytes.
class Elf {
 public:
  explicit Elf(const std::string& path) : path_(path), bytes_(readFile(path)) {}

  /// The integer that a dynamic symbol names; nothing if there is no such symbol.
  std::optional<std::int64_t> integer(const std::string& symbol) const {
    const std::string who = "The symbol '" + symbol + "' of the library '" + path_ + "' ";
    const auto entry = find(symbol);
    if (!entry) return std::nullopt;
    if (ELF64_ST_TYPE(entry->st_info) != STT_OBJECT || entry->st_shndx >= SHN_LORESERVE)
      throw LibraryError(who + "is no variable; it must be an integer");
    switch (entry->st_size) {
      case 1: return value<std::int8_t>(*entry);
      case 2: return value<std::int16_t>(*entry);
      case 4: return value<std::int32_t>(*entry);
      case 8: return value<std::int64_t>(*entry);
      default:
        throw LibraryError(who + "has " + std::to_string(entry->st_size) +
                           " bytes; it must be an integer of 1, 2, 4 or 8 bytes");
    }
  }

 private:
  template <class T>
  T at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T))
      throw LibraryError("The library '" + path_ + "' is damaged: its tables reach beyond its end");
    T found;
    std::memcpy(&found, bytes_.data() + offset, sizeof(T));
    return found;
  }
  Elf64_Shdr section(std::size_t i) const {
    const auto header = at<Elf64_Ehdr>(0);
    return at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
  }
  bool isNamed(std::uint64_t offset, const std::string& name) const {
    return offset <= bytes_.size() && bytes_.size() - offset > name.size() &&
           bytes_.compare(offset, name.size() + 1, name.c_str(), name.size() + 1) == 0;
  }
  /// The entry of a symbol that the library defines.
  std::optional<Elf64_Sym> find(const std::string& symbol) const {
    const auto header = at<Elf64_Ehdr>(0);
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      const auto table = section(i);
      if (table.sh_type != SHT_DYNSYM) continue;
      const auto names = section(table.sh_link).sh_offset;
      for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= table.sh_size;
           offset += sizeof(Elf64_Sym)) {
        const auto entry = at<Elf64_Sym>(table.sh_offset + offset);
        if (entry.st_shndx != SHN_UNDEF && isNamed(names + entry.st_name, symbol)) return entry;
      }
    }
    return std::nullopt;
  }
  template <class T>
  std::int64_t value(const Elf64_Sym& entry) const {
    const auto within = section(entry.st_shndx);
    if (within.sh_type == SHT_NOBITS) return 0;
    return at<T>(within.sh_offset + (entry.st_value - within.sh_addr));
  }

  const std::string path_, bytes_;
};

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

std::optional<std::int64_t> integerOf(const std::string& path, const std::string& symbol) {
  return Elf(path).integer(symbol);
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
