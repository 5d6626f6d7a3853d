#pragma once
// Inside of io/scenario: blocks of the tables that stand in a file of their own.
#include <vector>

#include "ricochet/io/yaml/schema.hpp"

namespace ricochet::scenario {

/// The keys that say how a contact behaves, at the end of a block.
std::vector<schema::Field> with_law(std::vector<schema::Field> fields);
/// Those of moments that resist rolling and spinning, where bodies touch.
std::vector<schema::Field> with_rolling(std::vector<schema::Field> fields);
schema::Field named_parameters(const char* doc);
/// Several formulas as a list.
schema::Field expressions(const char* key, std::size_t count, const char* fallback, const char* unit, const char* doc);
/// `frames` of a system of formulas or matrices.
schema::Field frames();

const schema::Block& formulas();
const schema::Block& linear();
const schema::Block& bar();
const schema::Block& joint();
const schema::Block& body_contact();
const schema::Block& force();
const schema::Block& drawn();              ///< a shape of `draw`
const schema::Block& expectation_table();  ///< a sentence of `expect`

}  // namespace ricochet::scenario
