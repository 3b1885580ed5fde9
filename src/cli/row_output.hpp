// Prints each row when it is finished, in the requested form, so that an interrupt leaves whole
// rows.
#pragma once

#include "cli/output.hpp"
#include "report/columns.hpp"

namespace heist::cli {

// The columns that each form shows.
struct row_views {
  report::view text, csv, json;
};

template <class Row>
class row_output {
 public:
  // The arguments must outlive it.
  row_output(output& out, report::form form, const report::columns<Row>& columns, row_views views)
      : out_(out), form_(form), columns_(columns), views_(std::move(views)) {}

  // Prints the columns' names. JSON has them in each row.
  void print_head() {
    if (form_ == report::form::text) out_.print("{}", columns_.text_head(views_.text));
    if (form_ == report::form::csv) out_.print("{}", columns_.csv_head(views_.csv));
    out_.flush();
  }

  void print(const Row& row) {
    if (form_ == report::form::text) out_.print("{}", columns_.text_line(views_.text, row));
    if (form_ == report::form::csv) out_.print("{}", columns_.csv_line(views_.csv, row));
    if (form_ == report::form::json) out_.print("{}\n", columns_.json_line(views_.json, row));
    out_.flush();
  }

 private:
  output& out_;
  report::form form_;
  const report::columns<Row>& columns_;
  row_views views_;
};

}  // namespace heist::cli
