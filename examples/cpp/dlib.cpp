// Lets rankspec check dlib's average_precision:  apt-get install g++ libdlib-dev nlohmann-json3-dev
//   g++ -O1 -o dlib_harness dlib.cpp
//   rankspec identify jsonl:./dlib_harness --measure AP

#include <algorithm>
#include <vector>

#include <dlib/revision.h>
#include <dlib/statistics/average_precision.h>

#include "line_protocol.hpp"

double value(const line_protocol::json& call) {
  std::vector<bool> relevance;
  for (const auto& label : call["arguments"]["relevance"]) relevance.push_back(label.get<double>() > 0);
  const auto retrieved = std::count(relevance.begin(), relevance.end(), true);
  return dlib::average_precision(relevance, call["arguments"]["num_relevant"].get<long>() - retrieved);
}

int main() {
  const std::string version = std::to_string(DLIB_MAJOR_VERSION) + "." + std::to_string(DLIB_MINOR_VERSION);
  line_protocol::serve(
      {{"name", "dlib"}, {"version", version}, {"shape", "ranking"}, {"measures", {{"AP", line_protocol::json::object()}}}},
      value);
}
