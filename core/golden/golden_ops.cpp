// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/golden/golden_ops.h"

#include <cmath>
#include <limits>

#include "core/base/elementary.h"

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

void accumulate(VectorOpCode op, std::span<const double> x, std::span<double> total) {
    for (std::size_t i = 0; i < total.size(); ++i)
        total[i] = op == VectorOpCode::Sum    ? total[i] + x[i]
                   : op == VectorOpCode::Prod ? total[i] * x[i]
                                              : extreme(total[i], x[i], op == VectorOpCode::Amax);
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
