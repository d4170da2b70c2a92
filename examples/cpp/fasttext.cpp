// Lets rankspec check the precision and the recall of fastText's Meter:  apt-get install g++ libfasttext-dev nlohmann-json3-dev
//   g++ -O1 -o fasttext_harness fasttext.cpp -lfasttext
//   rankspec identify jsonl:./fasttext_harness --measure P@3
// A document is a label, as in `fasttext test MODEL FILE K`, for which the model predicts K labels at most.

#include <map>
#include <string>
#include <vector>

#include <fasttext/meter.h>

#include "line_protocol.hpp"

double value(const line_protocol::json& call) {
  std::map<std::string, int32_t> numbers;
  const auto number = [&](const std::string& name) { return numbers.emplace(name, numbers.size()).first->second; };
  std::vector<int32_t> labels;
  fasttext::Predictions predictions;
  for (const std::string name : call["arguments"]["actual"]) labels.push_back(number(name));
  for (const std::string name : call["arguments"]["predicted"]) {
    if (predictions.size() < call["k"]) predictions.emplace_back(0.0f, number(name));
  }
  fasttext::Meter meter(false);
  meter.log(labels, predictions);
  return call["measure"] == "P" ? meter.precision() : meter.recall();
}

int main() {
  const line_protocol::json takes = {{"k", "required"}};
  line_protocol::serve(
      {{"name", "fastText"}, {"version", "0.9.2"}, {"shape", "actual-predicted"}, {"measures", {{"P", takes}, {"R", takes}}}},
      value);
}
