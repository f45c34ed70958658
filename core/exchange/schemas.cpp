// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/schemas.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/chip/chip_spec.h"
#include "core/exchange/json_text.h"
#include "core/exchange/schema_writer.h"

namespace cubist {

#define CUBIST_SCHEMA_NAME(Type, text, sentence)                  \
    template <>                                                   \
    struct SchemaName<Type> {                                     \
        static constexpr std::string_view name = text;            \
        static constexpr std::string_view description = sentence; \
    }

CUBIST_SCHEMA_NAME(Design, "design", "A kernel design.");
CUBIST_SCHEMA_NAME(Skeleton, "skeleton", "Loop variant and data-flow patterns.");
CUBIST_SCHEMA_NAME(Symbol, "symbol", "A free dimension, such as the number of tokens.");
CUBIST_SCHEMA_NAME(Case, "case", "A named set of symbol and list values, and of other values by their path (`set`).");
CUBIST_SCHEMA_NAME(List, "list", "Integers known on the host, such as a group list.");
CUBIST_SCHEMA_NAME(Tensor, "tensor", "A tensor in global memory with 1 to 4 axes.");
CUBIST_SCHEMA_NAME(DataSource, "data", "Where the elements of an input come from.");
CUBIST_SCHEMA_NAME(CubeTile, "cube_tile",
                   "m = [mL0, mL1], k = [kL0, kL1] or [kL0, kAL1, kBL1], n = [nL0, nL1], in elements.");
CUBIST_SCHEMA_NAME(TileTable, "tile_table", "A tile that follows the shape: the first row with value <= up_to counts.");
CUBIST_SCHEMA_NAME(TileRow, "tile_row", "The tile for values up to `up_to`.");
CUBIST_SCHEMA_NAME(View, "view", "A window of a tensor or view; elements beyond `valid` read as zero.");
CUBIST_SCHEMA_NAME(CubeStage, "cube", "One matmul on the cube core.");
CUBIST_SCHEMA_NAME(VectorOp, "vector_op", "One operation of a vector stage.");
CUBIST_SCHEMA_NAME(VectorStage, "vector", "Vector operations that share one tile.");
CUBIST_SCHEMA_NAME(Store, "store", "Writes a value into an output tensor, as a rectangle or by an index.");
CUBIST_SCHEMA_NAME(Loop, "loop", "Runs its body once for each tile of an axis, or for each step of an unrolled one.");
CUBIST_SCHEMA_NAME(Options, "options", "Pass and runtime options by PyPTO's names; an empty object is automatic.");
CUBIST_SCHEMA_NAME(Tolerance, "tolerance", "How outputs are judged.");
CUBIST_SCHEMA_NAME(Position, "position", "Place on the canvas.");
CUBIST_SCHEMA_NAME(CanvasNote, "canvas_note", "A text on the canvas.");
CUBIST_SCHEMA_NAME(ChipSpec, "chip", "What the emulated core knows about a chip; cycles are AI-core cycles.");
CUBIST_SCHEMA_NAME(Constant, "constant", "One hardware number with its unit, confidence and origin.");
CUBIST_SCHEMA_NAME(VectorRate, "vector_rate", "Cycles of some vector operations: head and tail, and for each repeat.");
CUBIST_SCHEMA_NAME(CubeRate, "cube_rate", "Cycles of the cube for one fractal of 16 x k0 x 16.");
#undef CUBIST_SCHEMA_NAME

namespace {

JsonValue schemaOfTypes(std::string_view a, std::string_view b) {
    JsonValue schema = JsonValue::object();
    JsonValue& types = schema.add("type", JsonValue::array());
    types.push(JsonValue::fromString(std::string(a)));
    types.push(JsonValue::fromString(std::string(b)));
    return schema;
}

template <class T>
void addBlockKind(SchemaDefs& defs, JsonValue& choices, BlockKind kind) {
    const std::string name(SchemaName<T>::name);
    defs.add(name, JsonValue());
    JsonValue schema = objectSchema<T>(defs, "kind", JsonValue::fromString(std::string(toText(kind))));
    *defs.find(name) = std::move(schema);
    choices.push(schemaReference(name));
}

/// What the optional keys of a struct fall back to, as JSON.
class Fallbacks {
public:
    template <class T>
    explicit Fallbacks(const T& example) {
        T::visitFields(example, *this);
    }
    template <class T>
    void required(std::string_view /*key*/, const T& /*value*/) {}
    template <class T>
    void optional(std::string_view /*key*/, const T& /*value*/) {}
    template <class T>
    void optional(std::string_view key, const T& /*value*/, const T& fallback) {
        m_values.emplace_back(key, prettyJson(jsonOf(fallback, Defaults::Omit)));
    }
    void unknown(const UnknownFields& /*fields*/) {}

    /// Keys of which two examples of one struct have different fallbacks.
    [[nodiscard]] std::vector<std::string> differing(const Fallbacks& other) const {
        std::vector<std::string> keys;
        for (std::size_t i = 0; i < m_values.size(); ++i)
            if (m_values[i].second != other.m_values[i].second) keys.push_back(m_values[i].first);
        return keys;
    }

private:
    std::vector<std::pair<std::string, std::string>> m_values;
};

/// Optional keys of a chip whose defaults follow from other keys: no one value is the default.
std::vector<std::string> derivedKeys() {
    ChipSpec chip;
    chip.arch = "2201";
    chip.hbmBytesPerCycle.value = Rational(1);
    return Fallbacks(chip).differing(Fallbacks(ChipSpec()));
}

template <class Root>
std::string rootSchema(std::string_view title, std::string_view versionKey,
                       const std::vector<std::string>& derived = {}) {
    JsonValue root = JsonValue::object();
    root.add("$schema", JsonValue::fromString("https://json-schema.org/draft/2020-12/schema"));
    root.add("title", JsonValue::fromString(std::string(title)));
    JsonValue defs = JsonValue::object();
    JsonValue body = objectSchema<Root>(defs, versionKey, JsonValue::fromInteger(Root::kFormatVersion));
    for (const std::string& key : derived)
        std::erase_if(body.find("properties")->find(key)->members,
                      [](const JsonMember& member) { return member.key == "default"; });
    for (JsonMember& member : body.members) root.add(std::move(member.key), std::move(member.value));
    root.add("$defs", std::move(defs));
    return prettyJson(root);
}

}  // namespace

JsonValue schemaOfType(std::string_view type) {
    JsonValue schema = JsonValue::object();
    schema.add("type", JsonValue::fromString(std::string(type)));
    return schema;
}

JsonValue schemaReference(std::string_view name) {
    JsonValue schema = JsonValue::object();
    schema.add("$ref", JsonValue::fromString("#/$defs/" + std::string(name)));
    return schema;
}

JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<Rational> /*type*/) {
    return schemaOfTypes("number", "string");
}

JsonValue schemaOf(SchemaDefs& defs, SchemaType<Expression> /*type*/) {
    constexpr std::string_view kName = "expression";
    if (defs.find(kName) == nullptr) {
        JsonValue& schema = defs.add(std::string(kName), JsonValue::object());
        schema.add("description",
                   JsonValue::fromString("An integer, or a formula over symbols and loop indices: + - * // %, "
                                         "min(a, b), max(a, b), ceildiv(a, b)."));
        schema.members.push_back(std::move(schemaOfTypes("integer", "string").members.front()));
    }
    return schemaReference(kName);
}

JsonValue schemaOf(SchemaDefs& /*defs*/, SchemaType<Operand> /*type*/) {
    return schemaOfTypes("string", "number");
}

JsonValue schemaOf(SchemaDefs& defs, SchemaType<Block> /*type*/) {
    constexpr std::string_view kName = "block";
    if (defs.find(kName) == nullptr) {
        defs.add(std::string(kName), JsonValue());
        JsonValue schema = JsonValue::object();
        schema.add("description", JsonValue::fromString("One element of the block tree."));
        JsonValue choices = JsonValue::array();
        addBlockKind<View>(defs, choices, BlockKind::View);
        addBlockKind<CubeStage>(defs, choices, BlockKind::Cube);
        addBlockKind<VectorStage>(defs, choices, BlockKind::Vector);
        addBlockKind<Store>(defs, choices, BlockKind::Store);
        addBlockKind<Loop>(defs, choices, BlockKind::Loop);
        schema.add("oneOf", std::move(choices));
        *defs.find(kName) = std::move(schema);
    }
    return schemaReference(kName);
}

void SchemaWriter::numberOrList(std::string_view key, const std::vector<std::int64_t>& /*values*/) {
    JsonValue schema = schemaOfTypes("null", "integer");
    schema.find("type")->push(JsonValue::fromString("array"));
    schema.add("items", schemaOfType("integer"));
    schema.add("default", JsonValue());
    m_properties.add(std::string(key), std::move(schema));
}

std::string designSchema() {
    return rootSchema<Design>("Cubist design", "cubist");
}

std::string chipSchema() {
    return rootSchema<ChipSpec>("Cubist chip", "cubist_chip", derivedKeys());
}

}  // namespace cubist
