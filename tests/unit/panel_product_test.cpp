// Products of panels: the same bits for every width of vectors, and those of a plain loop.
#include "ricochet/math/panel_product.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace ricochet::test::panel_product_test {
namespace {

std::vector<double> random_numbers(int count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> out(static_cast<std::size_t>(count));
  for (double& x : out) x = uniform(random);
  return out;
}

TEST(PanelProduct, EveryWidthGivesTheBitsOfAPlainLoop) {
  ASSERT_FALSE(PanelProduct::widths().empty());
  for (const int width : PanelProduct::widths()) {
    PanelProduct product(width);
    for (const int rows : {1, 7, 16, 37})
      for (const int columns : {1, 6, 9, 24})
        for (const int terms : {1, 5, 96}) {
          const int tall = rows + 3, stride = rows + 1;  // parts of larger matrices
          const std::vector<double> A = random_numbers(tall * terms, 1), B = random_numbers(columns * terms, 2);
          std::vector<double> C = random_numbers(stride * columns, 3), plain = C;
          product.subtract({A.data() + 2, rows, tall}, {B.data(), columns, columns}, terms, C.data(), stride);
          for (int c = 0; c < columns; ++c)
            for (int r = 0; r < rows; ++r) {
              double sum = 0;
              for (int k = 0; k < terms; ++k)
                sum += A[static_cast<std::size_t>(2 + r + k * tall)] * B[static_cast<std::size_t>(c + k * columns)];
              plain[static_cast<std::size_t>(r + c * stride)] -= sum;
            }
          EXPECT_EQ(std::memcmp(C.data(), plain.data(), C.size() * sizeof(double)), 0)
              << width << ": " << rows << " x " << columns << ", " << terms << " terms";
        }
  }
}

}  // namespace
}  // namespace ricochet::test::panel_product_test
