#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "penstock/weights.h"

namespace penstock::weights {

/// How the foreign tensor lies beside Penstock's.
enum class Layout {
  same,        // bytes as they are
  transposed,  // [out, in] there, [in, out] here
  query,       // transposed, and heads may be ordered for the other rotary embedding
  key,         // the same for the heads of keys
};

enum class Presence { required, optional };

/// One tensor, or one of each layer where `#` stands for the layer's number.
struct NameRule {
  std::string_view ours;
  std::string_view theirs;
  Layout layout = Layout::same;
  std::size_t rank = 1;
  Presence presence = Presence::required;
};

struct FamilyTable {
  std::string_view name;
  std::string_view theirs_prefix;  // that some of their files leave out
  Rotary rotary;                   // of their queries and keys
  std::vector<NameRule> rules;
  std::vector<std::string_view> ignored;  // theirs, with # as above: tables that are no weights
};

const FamilyTable& family_table(Family family);
inline constexpr Family kFamilies[] = {Family::gpt2, Family::llama, Family::meta_llama,
                                       Family::bert};

}  // namespace penstock::weights
