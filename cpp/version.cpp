#include <elf.h>
#include <link.h>
#include <popir/sdk_symbol.hpp>
#include <popir/version.hpp>

#include <cstring>
#include <string>

namespace {

/// The build id among the notes of a loaded part of a library, in hexadecimal digits; "" without.
std::string buildIdOf(const char* notes, std::size_t bytes) {
  constexpr std::size_t kAlign = 4;
  const auto padded = [](std::size_t n) { return (n + kAlign - 1) / kAlign * kAlign; };
  const char* const end = notes + bytes;
  while (notes + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof note);
    const char* const name = notes + sizeof note;
    const char* const id = name + padded(note.n_namesz);
    if (note.n_type == NT_GNU_BUILD_ID &&
        std::string(name, note.n_namesz) == std::string("GNU\0", 4)) {
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(id[i]);
        for (const int digit : {byte >> 4, byte & 15}) text += "0123456789abcdef"[digit];
      }
      return text;
    }
    notes = id + padded(note.n_descsz);
  }
  return "";
}

/// Finds the build id of the library that has the function popir_version.
int findBuildId(dl_phdr_info* library, std::size_t, void* found) {
  const auto own = reinterpret_cast<ElfW(Addr)>(&popir_version);
  bool isThis = false;
  std::string id;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& part = library->dlpi_phdr[i];
    const auto begin = library->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && begin <= own && own < begin + part.p_memsz) isThis = true;
    if (part.p_type == PT_NOTE && id.empty())
      id = buildIdOf(reinterpret_cast<const char*>(begin), part.p_memsz);
  }
  if (isThis) *static_cast<std::string*>(found) = id;
  return isThis;
}

}  // namespace

extern "C" {
extern __attribute__((visibility("default"))) const char POPIR_SDK_SYMBOL;
const char POPIR_SDK_SYMBOL = 0;
}

const char* popir_version() { return POPIR_VERSION; }

const char* popir_build_id() {
  static const std::string found = [] {
    std::string id;
    dl_iterate_phdr(findBuildId, &id);
    return id;
  }();
  return found.c_str();
}
