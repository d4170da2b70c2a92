// The line protocol of docs/line-protocol.md, for functions of the ranking of one query.

#pragma once

#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

namespace line_protocol {

using nlohmann::json;

// Answer every call on standard input: `hello` is the greeting, `function` gives the value of a call.
inline void serve(json hello, const std::function<double(const json&)>& function) {
  hello.update({{"type", "hello"}, {"protocol", 1}, {"convention", "default"}});
  for (std::string line; std::getline(std::cin, line);) {
    const json message = json::parse(line);
    if (message["type"] == "start") std::cout << hello << std::endl;
    for (const json& call : message.value("calls", json::array())) {
      char value[40];  // a text: JSON has no NaN and no Infinity
      std::snprintf(value, sizeof value, "%.17g", function(call));
      std::cout << json{{"type", "result"}, {"seq", call["seq"]}, {"outcome", "value"}, {"value", value}} << std::endl;
    }
  }
}

}  // namespace line_protocol
