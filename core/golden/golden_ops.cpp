// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/elementary.h"
#include "core/golden/golden_types.h"

namespace cubist::golden {
namespace {

/// Larger (or smaller) of two numbers; NaN wins.
double extreme(double a, double b, bool larger) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return (a > b) == larger ? a : b;
}

constexpr double kTwoRootTwoByPi = 1.5957691216057308;  // the tanh form is a sigmoid of twice its argument

double truth(bool holds) {
    return holds ? 1.0 : 0.0;
}

}  // namespace

double elementOf(VectorOpCode op, double a, double b, double c) {
    switch (op) {
        case VectorOpCode::Add: return a + b;
        case VectorOpCode::Sub: return a - b;
        case VectorOpCode::Mul: return a * b;
        case VectorOpCode::Div: return a / b;
        case VectorOpCode::Maximum: return extreme(a, b, true);
        case VectorOpCode::Minimum: return extreme(a, b, false);
        case VectorOpCode::Neg: return -a;
        case VectorOpCode::Abs: return std::abs(a);
        case VectorOpCode::Relu: return extreme(a, 0.0, true);
        case VectorOpCode::Exp: return elementary::exp(a);
        case VectorOpCode::Log: return elementary::log(a);
        case VectorOpCode::Sqrt: return std::sqrt(a);
        case VectorOpCode::Rsqrt: return 1.0 / std::sqrt(a);
        case VectorOpCode::Reciprocal: return 1.0 / a;
        case VectorOpCode::Sigmoid: return elementary::sigmoid(a);
        case VectorOpCode::Silu: return a * elementary::sigmoid(a);
        case VectorOpCode::Gelu: return a * elementary::sigmoid(kTwoRootTwoByPi * (a + 0.044715 * a * a * a));
        case VectorOpCode::Pow: return elementary::pow(a, b);
        case VectorOpCode::Clip: return extreme(extreme(a, b, true), c, false);
        case VectorOpCode::Where: return a != 0.0 ? b : c;
        case VectorOpCode::Eq: return truth(a == b);
        case VectorOpCode::Ne: return truth(a != b);
        case VectorOpCode::Lt: return truth(a < b);
        case VectorOpCode::Le: return truth(a <= b);
        case VectorOpCode::Gt: return truth(a > b);
        case VectorOpCode::Ge: return truth(a >= b);
        case VectorOpCode::Cast:
        case VectorOpCode::Amax:
        case VectorOpCode::Amin:
        case VectorOpCode::Sum:
        case VectorOpCode::Prod:
        case VectorOpCode::Rope:
        case VectorOpCode::Full:
        case VectorOpCode::Arange:
        case VectorOpCode::FillPad:
        case VectorOpCode::Gather:
        case VectorOpCode::IndexSelect:
        case VectorOpCode::Scatter:
        case VectorOpCode::IndexAdd:
        case VectorOpCode::IndexPut:
        case VectorOpCode::TopK:
        case VectorOpCode::Argsort:
        case VectorOpCode::CumSum:
        case VectorOpCode::Quantize:
        case VectorOpCode::Dequantize:
        case VectorOpCode::QuantMx:
        case VectorOpCode::Softmax:
        case VectorOpCode::RmsNorm:
        case VectorOpCode::Slice:
        case VectorOpCode::Concat:
        case VectorOpCode::Transpose:
        case VectorOpCode::ExpandClone:
        case VectorOpCode::Unsqueeze:
        case VectorOpCode::Reshape: return a;
    }
    return a;
}

bool hasIntegerForm(VectorOpCode op) {
    using enum VectorOpCode;
    constexpr std::array ops{Add, Sub, Mul, Maximum, Minimum, Neg, Abs, Relu, Clip, Where, Eq, Ne, Lt, Le, Gt, Ge};
    return std::find(ops.begin(), ops.end(), op) != ops.end();
}

std::int64_t integerElementOf(VectorOpCode op, std::int64_t a, std::int64_t b, std::int64_t c) {
    using enum VectorOpCode;
    if (op == Add) return wrappingSum(a, b);
    if (op == Sub) return wrappingSum(a, wrappingProduct(b, -1));
    if (op == Mul) return wrappingProduct(a, b);
    if (op == Maximum) return std::max(a, b);
    if (op == Minimum) return std::min(a, b);
    if (op == Neg) return wrappingProduct(a, -1);
    if (op == Abs) return a < 0 ? wrappingProduct(a, -1) : a;
    if (op == Relu) return std::max<std::int64_t>(a, 0);
    if (op == Clip) return std::min(std::max(a, b), c);
    if (op == Where) return a != 0 ? b : c;
    const bool holds = op == Eq   ? a == b
                       : op == Ne ? a != b
                       : op == Lt ? a < b
                       : op == Le ? a <= b
                       : op == Gt ? a > b
                                  : a >= b;
    return holds ? 1 : 0;
}

void accumulate(VectorOpCode op, std::span<const double> x, std::span<double> total) {
    for (std::size_t i = 0; i < total.size(); ++i)
        total[i] = op == VectorOpCode::Sum    ? total[i] + x[i]
                   : op == VectorOpCode::Prod ? total[i] * x[i]
                                              : extreme(total[i], x[i], op == VectorOpCode::Amax);
}

std::int64_t accumulated(VectorOpCode op, std::int64_t total, std::int64_t x) {
    if (op == VectorOpCode::Sum) return wrappingSum(total, x);
    if (op == VectorOpCode::Prod) return wrappingProduct(total, x);
    return op == VectorOpCode::Amax ? std::max(total, x) : std::min(total, x);
}

std::int64_t neutralInteger(VectorOpCode op) {
    if (op == VectorOpCode::Sum) return 0;
    if (op == VectorOpCode::Prod) return 1;
    return op == VectorOpCode::Amax ? std::numeric_limits<std::int64_t>::min()
                                    : std::numeric_limits<std::int64_t>::max();
}

double neutral(VectorOpCode op) {
    if (op == VectorOpCode::Sum) return 0.0;
    if (op == VectorOpCode::Prod) return 1.0;
    const double infinity = std::numeric_limits<double>::infinity();
    return op == VectorOpCode::Amax ? -infinity : infinity;
}

void softmax(std::span<double> row) {
    double largest = neutral(VectorOpCode::Amax);
    for (const double x : row) largest = extreme(largest, x, true);
    double sum = 0.0;
    for (double& x : row) {
        x = elementary::exp(x - largest);
        sum += x;
    }
    for (double& x : row) x /= sum;
}

void rmsNorm(std::span<double> row, double epsilon) {
    double squares = 0.0;
    for (const double x : row) squares += x * x;
    const double root = std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
    for (double& x : row) x /= root;
}

}  // namespace cubist::golden
