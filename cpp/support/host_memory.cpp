#include "support/host_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <poplar/exceptions.hpp>

namespace popir {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kSmall = 64u << 20;

// Reads a number from `file`. With a `key`: the number after it, in lines of the form "key number".
// Without: the first number of the file. The result is multiplied by `unit`. Returns `otherwise` if
// there is no number, for example where the file says "max".
std::uint64_t field(const std::string& file, const std::string& key, std::uint64_t unit,
                    std::uint64_t otherwise) {
  std::ifstream in(file);
  std::string word;
  std::uint64_t value = 0;
  while (key.empty() || in >> word) {
    if (!key.empty() && word != key) continue;
    return in >> value ? value * unit : otherwise;
  }
  return otherwise;
}

std::uint64_t left(std::uint64_t limit, std::uint64_t used) {
  return limit > used ? limit - used : 0;
}

struct Names {
  std::string root, limit, used, reclaimable;
};

const Names kVersion1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes",
                      "total_inactive_file"};
const Names kVersion2{"/sys/fs/cgroup", "/memory.max", "/memory.current", "inactive_file"};

std::uint64_t ofFolder(const std::string& folder, const Names& names) {
  const std::uint64_t limit = field(folder + names.limit, "", 1, kUnlimited);
  if (limit == kUnlimited) return kUnlimited;
  return left(limit, left(field(folder + names.used, "", 1, 0),
                          field(folder + "/memory.stat", names.reclaimable, 1, 0)));
}

// The process's control group is the folder named in /proc/self/cgroup. In a container it may be
// mounted as the root.
std::uint64_t ofGroups() {
  std::uint64_t least =
      std::min(ofFolder(kVersion1.root, kVersion1), ofFolder(kVersion2.root, kVersion2));
  std::ifstream in("/proc/self/cgroup");  // lines "number:controllers:path"
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!controllers.empty() && controllers != "memory") continue;
    const Names& names = controllers.empty() ? kVersion2 : kVersion1;
    least = std::min(least, ofFolder(names.root + line.substr(second + 1), names));
  }
  return least;
}

std::uint64_t ofAddressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
  return left(limit.rlim_cur, field("/proc/self/status", "VmSize:", 1024, 0));
}

}  // namespace

std::uint64_t availableMemory() {
  return std::min(
      {field("/proc/meminfo", "MemAvailable:", 1024, kUnlimited), ofGroups(), ofAddressSpace()});
}

void requireMemory(const std::string& who, std::uint64_t bytes) {
  if (bytes < kSmall) return;
  const std::uint64_t available = availableMemory();
  if (bytes > available)
    throw poplar::graph_memory_allocation_error(who + " needs " + std::to_string(bytes) +
                                                " bytes; the host has " +
                                                std::to_string(available) + " available");
}

}  // namespace popir
