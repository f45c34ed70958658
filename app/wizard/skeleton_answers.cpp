// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/wizard/skeleton_answers.h"

namespace cubist {
namespace {

using Question = SkeletonQuestion;

struct Row {
    const char* en;
    const char* zh;
    bool withMatmul;     ///< asked when there is a matmul
    bool withoutMatmul;  ///< asked when there is none
};

constexpr std::array<Row, kSkeletonQuestions> kRows{{
    {"It has at least one matmul", "至少有一个矩阵乘", true, true},
    {"A gate chooses experts by top-k", "门控用 top-k 选择专家", true, true},
    {"A softmax is accumulated from tile to tile (running maximum and sum)", "softmax 逐块累积（在线最大值与累加和）",
     true, false},
    {"A softmax over a fixed number of keys stands between two matmuls; keys that a list picks do not count",
     "两个矩阵乘之间有 softmax，且 key 数固定；由列表挑选 key 的不算", true, false},
    {"A norm or RoPE stands between projections", "投影之间有归一化或 RoPE", true, false},
    {"It is one norm that feeds one linear layer", "就是一个归一化接一个线性层", true, false},
    {"It is only two matmuls that share their input and merge in a SwiGLU",
     "只有两个矩阵乘，共享输入并在 SwiGLU 处汇合", true, false},
    {"Vector work is heavy and takes turns with the matmuls, three switches or more",
     "V 计算较重，且与矩阵乘交替切换三次及以上", true, false},
    {"A state is carried from iteration to iteration", "状态在迭代之间传递", false, true},
    {"The work is cut along several axes", "沿多个轴切分", false, true},
    {"It is element-wise work along the batch", "是沿 batch 的逐元素计算", false, true},
}};

const Row& rowOf(Question question) {
    return kRows[static_cast<std::size_t>(question)];
}

}  // namespace

BilingualText statementOf(Question question) {
    return {rowOf(question).en, rowOf(question).zh};
}

bool isAsked(Question question, const SkeletonAnswers& answers) {
    return answers[Question::HasMatmul] ? rowOf(question).withMatmul : rowOf(question).withoutMatmul;
}

SkeletonAdvice adviceFor(const SkeletonAnswers& answers) {
    const auto because = [](const char* skeleton, Question question) {
        return SkeletonAdvice{skeleton, statementOf(question)};
    };
    if (!answers[Question::HasMatmul]) {
        if (answers[Question::GateAndExperts]) return because("SK-12", Question::GateAndExperts);
        if (answers[Question::CarriedState]) return because("SK-10", Question::CarriedState);
        if (answers[Question::SeveralAxes]) return because("SK-09", Question::SeveralAxes);
        if (answers[Question::ElementWiseOnly]) return because("SK-08", Question::ElementWiseOnly);
        return {"SK-13", {"There is no matmul", "没有矩阵乘"}};
    }
    constexpr std::array<std::pair<Question, const char*>, 7> kOrder{{{Question::GateAndExperts, "SK-07"},
                                                                      {Question::RunningSoftmax, "SK-01"},
                                                                      {Question::WholeSoftmax, "SK-02"},
                                                                      {Question::NormBetween, "SK-04"},
                                                                      {Question::NormAndLinear, "SK-03"},
                                                                      {Question::OnlySwiglu, "SK-06"},
                                                                      {Question::HeavyVector, "SK-15"}}};
    for (const auto& [question, skeleton] : kOrder)
        if (answers[question]) return because(skeleton, question);
    return {"SK-14",
            {"Matmuls with light vector work, and nothing that a more special skeleton is for",
             "矩阵乘加轻量 V 计算，且没有更专门骨架对应的特征"}};
}

}  // namespace cubist
