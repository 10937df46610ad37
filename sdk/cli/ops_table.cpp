#include <cstdio>
#include <iostream>

#include "schema/program/op.h"
#include "sdk/cli/connection.h"

namespace penstock::cli {
namespace {

using program::OpRow;

std::string attributes_text(const OpRow& row) {
  std::string text;
  for (const program::AttributeSpec& attribute : row.attributes) {
    text += (text.empty() ? "" : ", ") + std::string(attribute.name) + ": " +
            std::string(program::name(attribute.kind));
    if (attribute.fallback) text += " = " + program::to_text(*attribute.fallback);
  }
  return text;
}

const char* made_of(const OpRow& row) {
  return row.is_region() ? "region" : "kernel";
}

void print_plain(const OpRow& row) {
  const std::string attributes = attributes_text(row);
  std::printf("%-26s %s%s\n", std::string(row.name).c_str(), std::string(row.summary).c_str(),
              attributes.empty() ? "" : (" {" + attributes + "}").c_str());
}

void print_json(const OpRow& row) {
  std::cout << "{\"op\":" << json_string(std::string(row.name)) << ",\"operands\":" << row.arity
            << ",\"attributes\":" << json_string(attributes_text(row)) << ",\"made_of\":\""
            << made_of(row) << "\",\"gradient\":" << (row.differentiable() ? "true" : "false")
            << ",\"summary\":" << json_string(std::string(row.summary)) << "}\n";
}

void print_markdown(const OpRow& row) {
  std::cout << "| `" << row.name << "` | " << row.summary << " | "
            << (row.arity == program::kVariadic ? "1 .." : std::to_string(row.arity)) << " | "
            << attributes_text(row) << " | " << made_of(row) << " | "
            << (row.differentiable() ? "yes" : "no") << " |\n";
}

}  // namespace

ExitCode run_ops(const OpsArguments& arguments) {
  if (arguments.markdown)
    std::cout << "# Ops\n\nMade by `penstock ops --markdown` from the list in "
                 "`schema/program/op_list.h`; a test holds it up to date.\nA kernel is computed by "
                 "every backend; a region is made of other ops, and a backend may run it whole.\n\n"
                 "| op | does | operands | attributes | made of | gradient |\n"
                 "| --- | --- | --- | --- | --- | --- |\n";
  for (const OpRow& row : program::op_table()) {
    if (arguments.json)
      print_json(row);
    else if (arguments.markdown)
      print_markdown(row);
    else
      print_plain(row);
  }
  return ExitCode::ok;
}

}  // namespace penstock::cli
