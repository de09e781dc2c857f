// The registry of operators, lowerings, patterns and schemas of loaded libraries, and the library
// of each.
//
// Registrations run in static initializers while a library is loaded. An exception there would end
// the process. So errors are recorded as faults, which the compiler reads later.
#ifndef popir_popart_registry_hpp
#define popir_popart_registry_hpp

#include <onnx/defs/schema.h>
#include <popart/opmanager.hpp>
#include <popart/patterns/patterns.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/shapeinference.hpp>

#include <map>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <vector>

namespace popir {

#pragma GCC visibility push(default)

/// The library that contains an address.
struct Origin {
  /// The absolute path of the file, or the name that `Registry::nameLibrary` gave it.
  std::string path;
  /// The load address. It distinguishes a rebuilt library from the original.
  const void* base = nullptr;

  /// The library of `where`, or else of `otherwise`. `path` is "" if neither is in a library.
  static Origin of(const void* where, const void* otherwise);
};

struct OpRecord {
  popart::OpManager::OpInfo info;
  Origin origin;
};

struct OpxRecord {
  popart::popx::OpxManager::OpxFactoryFunc factory;
  Origin origin;
};

struct PatternRecord {
  std::string name;
  bool enabled;
  bool mandatory;
  std::type_index type;
  popart::PreAliasPatternManager::Factory factory;
  Origin origin;
};

struct ShapeRecord {
  popart::ShapeInferenceFunction function;
  Origin origin;
};

struct SchemaRecord {
  onnx::OpSchema schema;
  Origin origin;
};

/// Receives schemas at once, because ONNX does not ask before it looks up a schema. Returns a
/// fault, or "".
using SchemaSink = std::string (*)(const SchemaRecord& record);
void installSchemaSink(SchemaSink sink);

class Registry {
 public:
  static Registry& instance();

  // Each add function records a fault if another library, or the same one, has registered the item
  // before. A rebuilt library replaces the items of its predecessor.
  void addOp(const popart::OpManager::OpInfo& info, const Origin& origin);
  void addOpx(const popart::OperatorIdentifier& opid,
              const popart::popx::OpxManager::OpxFactoryFunc& factory, const Origin& origin);
  void addPattern(PatternRecord record);
  /// A later function replaces an earlier one of the same operator.
  void addShapeFunction(const popart::OperatorIdentifier& opid,
                        popart::ShapeInferenceFunction function, const Origin& origin);
  /// Libraries loaded from `path` (absolute) after this call are called `name`. So a library
  /// rebuilt from the same sources to another file replaces the previous build.
  void nameLibrary(const std::string& path, const std::string& name) { names_[path] = name; }
  std::string nameOf(const std::string& path) const;
  void addSchema(const onnx::OpSchema& schema, const Origin& origin);
  void addFault(const std::string& message) { faults_.push_back(message), ++generation_; }

  /// Null if there is none.
  const OpRecord* findOp(const popart::OperatorIdentifier& opid) const;
  const OpxRecord* findOpx(const popart::OperatorIdentifier& opid) const;
  const ShapeRecord* findShapeFunction(const popart::OperatorIdentifier& opid) const;
  const PatternRecord* findPattern(std::type_index type) const;

  const std::map<popart::OperatorIdentifier, OpRecord>& ops() const { return ops_; }
  const std::map<popart::OperatorIdentifier, OpxRecord>& opxs() const { return opxs_; }
  /// In the order of registration.
  const std::vector<PatternRecord>& patterns() const { return patterns_; }
  const std::vector<SchemaRecord>& schemas() const { return schemas_; }
  /// Returns the faults since the last call.
  std::vector<std::string> takeFaults();
  /// Changes with every registration.
  unsigned generation() const { return generation_; }

 private:
  bool admits(const std::string& what, const Origin& old, const Origin& fresh);

  std::map<popart::OperatorIdentifier, OpRecord> ops_;
  std::map<popart::OperatorIdentifier, OpxRecord> opxs_;
  std::map<popart::OperatorIdentifier, ShapeRecord> shapeFunctions_;
  std::vector<PatternRecord> patterns_;
  std::vector<std::string> faults_;
  std::map<std::string, std::string> names_;
  std::vector<SchemaRecord> schemas_;
  unsigned generation_ = 0;
};

/// Runs `add` and records an exception as a fault. For static initializers, which must not throw.
template <class Add>
void record(const char* what, const Add& add) noexcept {
  try {
    add();
  } catch (const std::exception& e) {
    try {
      Registry::instance().addFault(
          popart::logging::format("While {} was registered: {}", what, e.what()));
    } catch (...) {
    }
  }
}

#pragma GCC visibility pop

}  // namespace popir

#endif
