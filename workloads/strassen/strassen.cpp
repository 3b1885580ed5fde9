#include "workloads/strassen/strassen.hpp"

namespace heist::workloads {

void form_factors(const quarters<const double>& a, const quarters<const double>& b,
                  const strassen_factors& to, std::size_t row) {
  const double* __restrict a11 = a.q11.row(row);
  const double* __restrict a12 = a.q12.row(row);
  const double* __restrict a21 = a.q21.row(row);
  const double* __restrict a22 = a.q22.row(row);
  double* __restrict s1 = to.s1.row(row);
  double* __restrict s2 = to.s2.row(row);
  double* __restrict s3 = to.s3.row(row);
  double* __restrict s4 = to.s4.row(row);
  const std::size_t columns = to.s1.columns;
  for (std::size_t j = 0; j < columns; ++j) {
    const double sum = a21[j] + a22[j];
    s1[j] = sum;
    s2[j] = sum - a11[j];
    s3[j] = a11[j] - a21[j];
    s4[j] = a12[j] - (sum - a11[j]);
  }
  const double* __restrict b11 = b.q11.row(row);
  const double* __restrict b12 = b.q12.row(row);
  const double* __restrict b21 = b.q21.row(row);
  const double* __restrict b22 = b.q22.row(row);
  double* __restrict t1 = to.t1.row(row);
  double* __restrict t2 = to.t2.row(row);
  double* __restrict t3 = to.t3.row(row);
  double* __restrict t4 = to.t4.row(row);
  for (std::size_t j = 0; j < columns; ++j) {
    const double difference = b12[j] - b11[j];
    t1[j] = difference;
    t2[j] = b22[j] - difference;
    t3[j] = b22[j] - b12[j];
    t4[j] = b22[j] - difference - b21[j];
  }
}

void add_products(const strassen_products& p, const quarters<double>& c, std::size_t row) {
  const double* __restrict p1 = p.p1.row(row);
  const double* __restrict p5 = p.p5.row(row);
  const double* __restrict p6 = p.p6.row(row);
  double* __restrict c11 = c.q11.row(row);
  double* __restrict c12 = c.q12.row(row);
  double* __restrict c21 = c.q21.row(row);
  double* __restrict c22 = c.q22.row(row);
  for (std::size_t j = 0; j < c.q11.columns; ++j) {
    const double with_sixth = p1[j] + p6[j];
    const double with_seventh = with_sixth + c22[j];
    c11[j] += p1[j];
    c12[j] += with_sixth + p5[j];
    c21[j] = with_seventh - c21[j];
    c22[j] = with_seventh + p5[j];
  }
}

}  // namespace heist::workloads
