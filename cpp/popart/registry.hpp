// What operator libraries have made known, and which library each piece came from.
//
// Static creators run while a library loads, where an exception would end the process; so they only
// record here, and what is wrong is kept as a fault until the compiler asks.
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

/// The library that an address lies in.
struct Origin {
  /// As loaded, made absolute; or the name that `Registry::nameLibrary` has given to that path.
  std::string path;
  /// Where it was loaded; tells a rebuild of a library from the library.
  const void* base = nullptr;

  /// The first of the two addresses that lies in a library; `path` is "" if neither does.
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

/// Where schemas go at once, since ONNX asks nobody before it looks one up. Returns a fault, or "".
using SchemaSink = std::string (*)(const SchemaRecord& record);
void installSchemaSink(SchemaSink sink);

class Registry {
 public:
  static Registry& instance();

  // Each refuses, as a fault, what another library has, or this library twice; a rebuild of the
  // library replaces.
  void addOp(const popart::OpManager::OpInfo& info, const Origin& origin);
  void addOpx(const popart::OperatorIdentifier& opid,
              const popart::popx::OpxManager::OpxFactoryFunc& factory, const Origin& origin);
  void addPattern(PatternRecord record);
  /// A later function of an operator replaces an earlier one.
  void addShapeFunction(const popart::OperatorIdentifier& opid,
                        popart::ShapeInferenceFunction function, const Origin& origin);
  /// What is loaded from `path`, an absolute path, after this call is called `name` instead. So
  /// what is built anew from the same sources, into another file, replaces what was built before.
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
  /// In the order of their registration.
  const std::vector<PatternRecord>& patterns() const { return patterns_; }
  const std::vector<SchemaRecord>& schemas() const { return schemas_; }
  /// The faults since the last call.
  std::vector<std::string> takeFaults();
  /// Changes whenever something is added.
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

/// Runs `add`; what it throws becomes a fault. For static initialisers, which nothing may leave.
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
