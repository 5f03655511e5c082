// The finding record (internal to report/).
#pragma once

#include "base/json.h"
#include "report/report.h"

namespace ungate::report {

void write_finding(JsonWriter& w, const audit::Report& report, const gate::Gate& gate,
                   const gate::Standing& standing);

}  // namespace ungate::report
