// Abseil's path for what popir has in tf/values.hpp.
#ifndef popir_habana_absl_container_node_hash_map_h
#define popir_habana_absl_container_node_hash_map_h
#include "../../tf/values.hpp"
#endif
