<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<!-- SPDX-License-Identifier: GPL-3.0-or-later -->
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>QKeySequenceEdit</name>
        <message>
            <source>Press shortcut</source>
            <translation>按下快捷键</translation>
        </message>
        <message>
            <source>%1, ...</source>
            <translation>%1，...</translation>
        </message>
    </context>
    <context>
        <name>cubist::AccuracyPanel</name>
        <message>
            <source>Metric</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>Value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>Element</source>
            <translation>元素</translation>
        </message>
        <message>
            <source>Tile</source>
            <translation>切分块</translation>
        </message>
        <message>
            <source>Got</source>
            <translation>实际</translation>
        </message>
        <message>
            <source>Golden</source>
            <translation>标杆</translation>
        </message>
        <message>
            <source>|error|</source>
            <translation>|误差|</translation>
        </message>
        <message>
            <source>Metrics</source>
            <translation>指标</translation>
        </message>
        <message>
            <source>Worst elements</source>
            <translation>最差元素</translation>
        </message>
        <message>
            <source>The design changed after this run.</source>
            <translation>本次运行之后设计已改动。</translation>
        </message>
        <message>
            <source>Run again</source>
            <translation>重新运行</translation>
        </message>
        <message>
            <source>Error histogram</source>
            <translation>误差直方图</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>No design is open</source>
            <translation>没有打开的设计</translation>
        </message>
        <message>
            <source>Open a sample from the library on the left, or a file (Ctrl+O).</source>
            <translation>从左侧资源库打开样例，或打开文件（Ctrl+O）。</translation>
        </message>
        <message>
            <source>Running %1 ...</source>
            <translation>正在运行 %1 ...</translation>
        </message>
        <message>
            <source>Values are computed on the emulated core and compared with the golden.</source>
            <translation>在仿真 NPU 核上计算数值并与标杆比较。</translation>
        </message>
        <message>
            <source>The run failed</source>
            <translation>运行失败</translation>
        </message>
        <message>
            <source>Show problems</source>
            <translation>查看检查项</translation>
        </message>
        <message>
            <source>The run stopped before it began</source>
            <translation>运行未能开始</translation>
        </message>
        <message>
            <source>The design breaks a rule. Fix it, then run again.</source>
            <translation>设计违反一条规则。请修复后重新运行。</translation>
        </message>
        <message>
            <source>The design breaks %1 rules. Fix them, then run again.</source>
            <translation>设计违反 %1 条规则。请修复后重新运行。</translation>
        </message>
        <message>
            <source>Nothing to compare yet</source>
            <translation>还没有可比较的结果</translation>
        </message>
        <message>
            <source>Press Run (Ctrl+R) to compare %1 with its golden.</source>
            <translation>按“运行”（Ctrl+R）将 %1 与标杆比较。</translation>
        </message>
        <message>
            <source>case %1</source>
            <translation>用例 %1</translation>
        </message>
        <message>
            <source>%1 golden</source>
            <translation>%1标杆</translation>
        </message>
        <message>
            <source>golden from %1</source>
            <translation>标杆来自 %1</translation>
        </message>
        <message>
            <source>values in %1, golden in %2</source>
            <translation>数值 %1，标杆 %2</translation>
        </message>
        <message>
            <source>%1 elements sampled</source>
            <translation>抽样 %1 个元素</translation>
        </message>
        <message>
            <source>%1 outside</source>
            <translation>%1 个超出</translation>
        </message>
        <message>
            <source>order of the sum</source>
            <translation>求和次序</translation>
        </message>
        <message>
            <source>MARE / benchmark</source>
            <translation>MARE / 基准</translation>
        </message>
        <message>
            <source>MERE / benchmark</source>
            <translation>MERE / 基准</translation>
        </message>
        <message>
            <source>RMSE / benchmark</source>
            <translation>RMSE / 基准</translation>
        </message>
        <message>
            <source>max |error|</source>
            <translation>最大绝对误差</translation>
        </message>
        <message>
            <source>max relative</source>
            <translation>最大相对误差</translation>
        </message>
        <message>
            <source>over golden elements that are not 0</source>
            <translation>仅统计标杆不为 0 的元素</translation>
        </message>
        <message>
            <source>mean |error|</source>
            <translation>平均绝对误差</translation>
        </message>
        <message>
            <source>RMSE</source>
            <translation>RMSE</translation>
        </message>
        <message>
            <source>max ULP</source>
            <translation>最大 ULP</translation>
        </message>
        <message>
            <source>steps between neighbouring %1 values</source>
            <translation>以相邻 %1 数值的间距为单位</translation>
        </message>
        <message>
            <source>cosine</source>
            <translation>余弦相似度</translation>
        </message>
        <message>
            <source>exact elements</source>
            <translation>完全一致的元素</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>NaN / inf</source>
            <translation>NaN / inf</translation>
        </message>
        <message>
            <source>%1 / %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>stage %1 added / inherited</source>
            <translation>阶段 %1 本阶段引入 / 上游传入误差</translation>
        </message>
        <message>
            <source>Nothing to run yet</source>
            <translation>还没有可运行的内容</translation>
        </message>
        <message>
            <source>Add stages on the canvas first, then run them.</source>
            <translation>请先在画布上添加阶段，然后再运行。</translation>
        </message>
        <message>
            <source>Output</source>
            <translation>输出</translation>
        </message>
    </context>
    <context>
        <name>cubist::BufferBar</name>
        <message>
            <source>unused</source>
            <translation>未使用</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <comment>bytes used of capacity</comment>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>Slot %1 of %2
%3</source>
            <translation>缓冲槽 %1 / %2
%3</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasContent</name>
        <message>
            <source>%1 = slice of %2, shape %3</source>
            <translation>%1 = %2 的窗口，形状 %3</translation>
        </message>
        <message>
            <source>valid: %1</source>
            <translation>有效形状：%1</translation>
        </message>
        <message>
            <source>M × K × N of one execution: %1</source>
            <translation>单次执行的 M × K × N：%1</translation>
        </message>
        <message>
            <source>tile M, K, N: %1</source>
            <translation>切分 M、K、N：%1</translation>
        </message>
        <message>
            <source>tile: %1</source>
            <translation>切分：%1</translation>
        </message>
        <message>
            <source>writes %1 into %2</source>
            <translation>将 %1 写入 %2</translation>
        </message>
        <message>
            <source>for %1 in ceildiv(%2, %3)</source>
            <translation>for %1 in ceildiv(%2, %3)</translation>
        </message>
        <message>
            <source>parallel loop</source>
            <translation>并行循环</translation>
        </message>
        <message>
            <source>loop</source>
            <translation>循环</translation>
        </message>
        <message>
            <source>%1 in 0..%2</source>
            <translation>%1 取 0..%2</translation>
        </message>
        <message>
            <source>no tail</source>
            <translation>无尾块</translation>
        </message>
        <message>
            <source>tail %1</source>
            <translation>尾块 %1</translation>
        </message>
        <message>
            <source>rows %1</source>
            <translation>行 %1</translation>
        </message>
        <message>
            <source>columns %1</source>
            <translation>列 %1</translation>
        </message>
        <message>
            <source>tile %1</source>
            <translation>切分块 %1</translation>
        </message>
        <message>
            <source>input %1: nothing is connected</source>
            <translation>输入 %1：未连接</translation>
        </message>
        <message>
            <source>%1 groups</source>
            <translation>%1 个分组</translation>
        </message>
        <message>
            <source>%1 groups · %2 empty</source>
            <translation>%1 个分组 · %2 个为空</translation>
        </message>
        <message>
            <source>err %1</source>
            <translation>误差 %1</translation>
        </message>
        <message>
            <source>label in the kernel: %1</source>
            <translation>kernel 中的标签：%1</translation>
        </message>
        <message>
            <source>exact</source>
            <translation>完全一致</translation>
        </message>
        <message>
            <source>Error by stage: nothing was run yet</source>
            <translation>按误差着色：尚未运行</translation>
        </message>
        <message>
            <source>Error by stage: this run does not tell</source>
            <translation>按误差着色：本次运行未给出各阶段误差</translation>
        </message>
        <message>
            <source>Error by stage: all exact</source>
            <translation>按误差着色：全部完全一致</translation>
        </message>
        <message>
            <source>Relative error that the stage adds</source>
            <translation>本阶段引入的相对误差</translation>
        </message>
        <message>
            <source>%1, the tolerance</source>
            <translation>%1（容差）</translation>
        </message>
        <message>
            <source>%1, the largest</source>
            <translation>%1（最大）</translation>
        </message>
        <message>
            <source>Time by stage: nothing is predicted</source>
            <translation>按时间着色：暂无预测</translation>
        </message>
        <message>
            <source>Time of the stage</source>
            <translation>阶段耗时</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasEditor</name>
        <message>
            <source>Delete %1</source>
            <translation>删除 %1</translation>
        </message>
        <message>
            <source>The clipboard holds no part of a design.</source>
            <translation>剪贴板中没有设计的内容。</translation>
        </message>
        <message>
            <source>Paste</source>
            <translation>粘贴</translation>
        </message>
        <message>
            <source>Duplicate</source>
            <translation>复制一份</translation>
        </message>
        <message>
            <source>Add %1</source>
            <translation>添加 %1</translation>
        </message>
        <message>
            <source>Swap %1</source>
            <translation>替换 %1</translation>
        </message>
        <message>
            <source>Add an operation to %1</source>
            <translation>给 %1 添加运算</translation>
        </message>
        <message>
            <source>Connect %1</source>
            <translation>连接 %1</translation>
        </message>
        <message>
            <source>Disconnect %1</source>
            <translation>断开 %1</translation>
        </message>
        <message>
            <source>Add a note</source>
            <translation>添加便签</translation>
        </message>
        <message>
            <source>Change a note</source>
            <translation>修改便签</translation>
        </message>
        <message>
            <source>Dissolve the loop %1</source>
            <translation>解散循环 %1</translation>
        </message>
        <message>
            <source>Align</source>
            <translation>对齐</translation>
        </message>
        <message>
            <source>Distribute</source>
            <translation>均匀分布</translation>
        </message>
        <message>
            <source>Delete an element</source>
            <translation>删除一个元素</translation>
        </message>
        <message>
            <source>Delete %1 elements</source>
            <translation>删除 %1 个元素</translation>
        </message>
        <message>
            <source>Cut a wire</source>
            <translation>剪断一条连线</translation>
        </message>
        <message>
            <source>Cut %1 wires</source>
            <translation>剪断 %1 条连线</translation>
        </message>
        <message>
            <source>Put a loop around %1</source>
            <translation>为 %1 加上循环</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasEmptyState</name>
        <message>
            <source>No design is open</source>
            <translation>没有打开的设计</translation>
        </message>
        <message>
            <source>Open a sample to see a finished kernel, or create a design of your own.</source>
            <translation>打开样例查看完整的 kernel，或新建自己的设计。</translation>
        </message>
        <message>
            <source>Open a sample</source>
            <translation>打开样例</translation>
        </message>
        <message>
            <source>New design</source>
            <translation>新建设计</translation>
        </message>
        <message>
            <source>Open a file…</source>
            <translation>打开文件…</translation>
        </message>
        <message>
            <source>Empty canvas</source>
            <translation>空白画布</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasMenu</name>
        <message>
            <source>Add here...</source>
            <translation>在此添加...</translation>
        </message>
        <message>
            <source>Connect...</source>
            <translation>连接...</translation>
        </message>
        <message>
            <source>Swap for...</source>
            <translation>替换为...</translation>
        </message>
        <message>
            <source>Name, type and shape...</source>
            <translation>名称、类型与形状...</translation>
        </message>
        <message>
            <source>Cut</source>
            <translation>剪切</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>Paste</source>
            <translation>粘贴</translation>
        </message>
        <message>
            <source>Duplicate</source>
            <translation>复制一份</translation>
        </message>
        <message>
            <source>Cut this wire</source>
            <translation>剪断此连线</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>Put a loop around</source>
            <translation>加上循环</translation>
        </message>
        <message>
            <source>Dissolve the loop</source>
            <translation>解散循环</translation>
        </message>
        <message>
            <source>Edit the groups...</source>
            <translation>编辑分组...</translation>
        </message>
        <message>
            <source>Arrange</source>
            <translation>排列</translation>
        </message>
        <message>
            <source>Left edges</source>
            <translation>左对齐</translation>
        </message>
        <message>
            <source>Centres</source>
            <translation>水平居中</translation>
        </message>
        <message>
            <source>Right edges</source>
            <translation>右对齐</translation>
        </message>
        <message>
            <source>Upper edges</source>
            <translation>顶部对齐</translation>
        </message>
        <message>
            <source>Middles</source>
            <translation>垂直居中</translation>
        </message>
        <message>
            <source>Lower edges</source>
            <translation>底部对齐</translation>
        </message>
        <message>
            <source>Equal gaps, left to right</source>
            <translation>水平等距</translation>
        </message>
        <message>
            <source>Equal gaps, top to bottom</source>
            <translation>垂直等距</translation>
        </message>
        <message>
            <source>Everything automatically</source>
            <translation>全部自动排列</translation>
        </message>
        <message>
            <source>Colour the cards</source>
            <translation>卡片着色</translation>
        </message>
        <message>
            <source>by kind</source>
            <translation>按种类</translation>
        </message>
        <message>
            <source>by time</source>
            <translation>按耗时</translation>
        </message>
        <message>
            <source>by error</source>
            <translation>按误差</translation>
        </message>
        <message>
            <source>Snap to the grid</source>
            <translation>对齐到网格</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasScene</name>
        <message>
            <source>Move %1</source>
            <translation>移动 %1</translation>
        </message>
        <message numerus="yes">
            <source>Move %n elements</source>
            <translation>
                <numerusform>移动 %n 个元素</numerusform>
            </translation>
        </message>
        <message>
            <source>Arrange automatically</source>
            <translation>自动排列</translation>
        </message>
        <message>
            <source>Insert on this wire</source>
            <translation>插入到此连线</translation>
        </message>
        <message>
            <source>Into the loop %1, with the slices it needs</source>
            <translation>移入循环 %1，并生成所需切片</translation>
        </message>
        <message>
            <source>Out of the loop %1, reading whole tensors</source>
            <translation>移出循环 %1，读取整个张量</translation>
        </message>
        <message>
            <source>Resize %1</source>
            <translation>调整 %1 的大小</translation>
        </message>
        <message>
            <source>Insert on a wire</source>
            <translation>插入到连线</translation>
        </message>
        <message>
            <source>Move into a loop</source>
            <translation>移入循环</translation>
        </message>
        <message>
            <source>Move out of a loop</source>
            <translation>移出循环</translation>
        </message>
        <message>
            <source>Double-click to write</source>
            <translation>双击输入文字</translation>
        </message>
        <message>
            <source>Move note</source>
            <translation>移动便签</translation>
        </message>
        <message>
            <source>Duplicate</source>
            <translation>复制一份</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasStartHint</name>
        <message>
            <source>The canvas is empty</source>
            <translation>画布为空</translation>
        </message>
        <message>
            <source>Press Tab, or double-click here, and type what to add: matmul, cast, input, loop ...</source>
            <translation>按 Tab 或在此处双击，然后输入要添加的内容：matmul、cast、input、loop 等</translation>
        </message>
        <message>
            <source>Or drag a stage from the library to this place.</source>
            <translation>也可以从资源库把阶段拖到这里。</translation>
        </message>
        <message>
            <source>Then pull wires from port to port; Ctrl+R runs the design.</source>
            <translation>然后在端口之间拉出连线；按 Ctrl+R 运行设计。</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasTools</name>
        <message>
            <source>Let go to disconnect</source>
            <translation>松开以断开</translation>
        </message>
        <message>
            <source>Let go to add what comes here</source>
            <translation>松开以添加后续元素</translation>
        </message>
        <message>
            <source>%1 to %2</source>
            <translation>%1 到 %2</translation>
        </message>
        <message>
            <source>Shift: connect all the same</source>
            <translation>按住 Shift：仍然连接</translation>
        </message>
        <message>
            <source>Add %1</source>
            <translation>添加 %1</translation>
        </message>
        <message>
            <source>Add %1 in the loop %2</source>
            <translation>在循环 %2 中添加 %1</translation>
        </message>
        <message>
            <source>Add %1 to %2
Shift: swap</source>
            <translation>将 %1 加入 %2
按住 Shift：替换</translation>
        </message>
        <message>
            <source>Swap %2 for %1</source>
            <translation>用 %1 替换 %2</translation>
        </message>
        <message>
            <source>Insert %1 on this wire</source>
            <translation>在此连线上插入 %1</translation>
        </message>
        <message>
            <source>Cut a wire</source>
            <translation>剪断一条连线</translation>
        </message>
        <message>
            <source>Cut %1 wires</source>
            <translation>剪断 %1 条连线</translation>
        </message>
    </context>
    <context>
        <name>cubist::CanvasView</name>
        <message>
            <source>Canvas</source>
            <translation>画布</translation>
        </message>
        <message>
            <source>The design as a graph: tensors, loops, stages and the values between them</source>
            <translation>以图表示的设计：张量、循环、阶段以及它们之间的值</translation>
        </message>
        <message>
            <source>Read %1 with</source>
            <translation>由以下元素读取 %1</translation>
        </message>
        <message>
            <source>What is read here?</source>
            <translation>这里读取什么？</translation>
        </message>
        <message>
            <source>Tab, double-click	Add; after the selection, or at the pointer</source>
            <translation>Tab、双击	添加；在所选元素之后，或在指针处</translation>
        </message>
        <message>
            <source>Enter	To the inspector</source>
            <translation>Enter	转到属性面板</translation>
        </message>
        <message>
            <source>Arrows	Move the selection</source>
            <translation>方向键	移动选择</translation>
        </message>
        <message>
            <source>Alt+Arrows	Move what is selected</source>
            <translation>Alt+方向键	移动所选元素</translation>
        </message>
        <message>
            <source>Space+drag	Move the view</source>
            <translation>空格+拖动	平移视图</translation>
        </message>
        <message>
            <source>F	Show everything</source>
            <translation>F	显示全部</translation>
        </message>
        <message>
            <source>Add after %1</source>
            <translation>在 %1 之后添加</translation>
        </message>
        <message>
            <source>Add in the loop %1</source>
            <translation>在循环 %1 中添加</translation>
        </message>
        <message>
            <source>Add a stage, tensor, loop ...</source>
            <translation>添加阶段、张量、循环 ...</translation>
        </message>
        <message>
            <source>A slice is cut from a tensor.</source>
            <translation>切片取自张量。</translation>
        </message>
        <message>
            <source>input %1</source>
            <translation>输入 %1</translation>
        </message>
        <message>
            <source>%1 from %2</source>
            <translation>%1 来自 %2</translation>
        </message>
        <message>
            <source>to %1</source>
            <translation>到 %1</translation>
        </message>
        <message>
            <source>to %1, %2</source>
            <translation>到 %1，%2</translation>
        </message>
        <message>
            <source>Connect %1</source>
            <translation>连接 %1</translation>
        </message>
        <message>
            <source>Swap %1 for</source>
            <translation>将 %1 替换为</translation>
        </message>
        <message>
            <source>Ctrl+drag	Duplicate a card (or Alt+drag)</source>
            <translation>Ctrl+拖动	复制卡片（或 Alt+拖动）</translation>
        </message>
        <message>
            <source>Ctrl+Shift+drag	On free ground: cut wires (or Alt+drag)</source>
            <translation>Ctrl+Shift+拖动	在空白处：剪断连线（或 Alt+拖动）</translation>
        </message>
        <message>
            <source>Not connected to what is selected</source>
            <translation>不与所选内容相连</translation>
        </message>
        <message>
            <source>Empty note</source>
            <translation>空便签</translation>
        </message>
        <message>
            <source>note</source>
            <translation>便签</translation>
        </message>
        <message>
            <source>Find a stage, tensor, loop or note</source>
            <translation>查找阶段、张量、循环或便签</translation>
        </message>
        <message>
            <source>input tensor</source>
            <translation>输入张量</translation>
        </message>
        <message>
            <source>output tensor</source>
            <translation>输出张量</translation>
        </message>
        <message>
            <source>slice</source>
            <translation>切片</translation>
        </message>
        <message>
            <source>C stage</source>
            <translation>C 阶段</translation>
        </message>
        <message>
            <source>V stage</source>
            <translation>V 阶段</translation>
        </message>
        <message>
            <source>store</source>
            <translation>写出</translation>
        </message>
        <message>
            <source>%1, %2</source>
            <translation>%1，%2</translation>
        </message>
        <message>
            <source>reads %1</source>
            <translation>读取 %1</translation>
        </message>
        <message>
            <source>1 open input</source>
            <translation>1 个未连接的输入</translation>
        </message>
        <message>
            <source>%1 open inputs</source>
            <translation>%1 个未连接的输入</translation>
        </message>
        <message>
            <source>%1 elements are selected</source>
            <translation>已选择 %1 个元素</translation>
        </message>
    </context>
    <context>
        <name>cubist::CaseValues</name>
        <message>
            <source>Symbols of this case</source>
            <translation>本用例的符号</translation>
        </message>
        <message>
            <source>Lists</source>
            <translation>列表</translation>
        </message>
        <message>
            <source>This case</source>
            <translation>本用例</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>aliases</source>
            <translation>别名</translation>
        </message>
        <message>
            <source>notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>symbols</source>
            <translation>符号</translation>
        </message>
        <message>
            <source>The symbols that this case sets: T: 64, K: 1024</source>
            <translation>本用例设定的符号，例如 T: 64, K: 1024</translation>
        </message>
        <message>
            <source>New case</source>
            <translation>新建用例</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>A copy of this case under another name</source>
            <translation>以另一名称复制本用例</translation>
        </message>
        <message>
            <source>Symbols</source>
            <translation>符号</translation>
        </message>
        <message>
            <source>Remove case</source>
            <translation>删除用例</translation>
        </message>
        <message>
            <source>Change %1</source>
            <translation>修改%1</translation>
        </message>
        <message>
            <source>Name of %1</source>
            <translation>%1 的名称</translation>
        </message>
        <message>
            <source>Rename symbol</source>
            <translation>重命名符号</translation>
        </message>
        <message>
            <source>Value of %1 when the case has none</source>
            <translation>用例未设定时 %1 的值</translation>
        </message>
        <message>
            <source>Used when the chosen case does not set the symbol</source>
            <translation>所选用例未设定该符号时使用</translation>
        </message>
        <message>
            <source>Notes on %1</source>
            <translation>%1 的备注</translation>
        </message>
        <message>
            <source>Change notes</source>
            <translation>修改备注</translation>
        </message>
        <message>
            <source>what it stands for</source>
            <translation>它的含义</translation>
        </message>
        <message>
            <source>Name of the list %1</source>
            <translation>列表 %1 的名称</translation>
        </message>
        <message>
            <source>Rename list</source>
            <translation>重命名列表</translation>
        </message>
        <message>
            <source>Form of %1</source>
            <translation>%1 的形式</translation>
        </message>
        <message>
            <source>Change the form of a list</source>
            <translation>修改列表形式</translation>
        </message>
        <message>
            <source>counts: rows of each group; prefix_sums: the row where each group ends; rows: the group of each row</source>
            <translation>counts：每组的行数；prefix_sums：每组结束的行号（前缀和）；rows：每一行所属的组</translation>
        </message>
        <message>
            <source>Values of %1</source>
            <translation>%1 的值</translation>
        </message>
        <message>
            <source>Total of %1</source>
            <translation>%1 的总长</translation>
        </message>
        <message>
            <source>Change total</source>
            <translation>修改总长</translation>
        </message>
        <message>
            <source>not known</source>
            <translation>未知</translation>
        </message>
        <message>
            <source>Length of the axis that the groups cut</source>
            <translation>分组所切轴的长度</translation>
        </message>
        <message>
            <source>Notes on the list %1</source>
            <translation>列表 %1 的备注</translation>
        </message>
        <message>
            <source>Edit groups...</source>
            <translation>编辑分组...</translation>
        </message>
        <message>
            <source>list</source>
            <translation>列表</translation>
        </message>
        <message>
            <source>form</source>
            <translation>形式</translation>
        </message>
        <message>
            <source>values</source>
            <translation>值</translation>
        </message>
        <message>
            <source>total</source>
            <translation>总长</translation>
        </message>
        <message>
            <source>static</source>
            <translation>静态</translation>
        </message>
        <message>
            <source>%1 is known when the kernel is compiled</source>
            <translation>%1 在编译 kernel 时已知</translation>
        </message>
        <message>
            <source>settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>What else is different in this case, by the path in the file: {&quot;/options/device_sched_mode&quot;: 1}</source>
            <translation>该用例的其他不同之处，按文件中的路径：{&quot;/options/device_sched_mode&quot;: 1}</translation>
        </message>
    </context>
    <context>
        <name>cubist::Choice</name>
        <message>
            <source>input</source>
            <translation>输入</translation>
        </message>
        <message>
            <source>output</source>
            <translation>输出</translation>
        </message>
        <message>
            <source>inout</source>
            <translation>输入输出</translation>
        </message>
        <message>
            <source>workspace</source>
            <translation>工作区</translation>
        </message>
        <message>
            <source>default</source>
            <translation>默认</translation>
        </message>
        <message>
            <source>none_cacheable</source>
            <translation>不进缓存</translation>
        </message>
        <message>
            <source>plain</source>
            <translation>普通列表</translation>
        </message>
        <message>
            <source>counts</source>
            <translation>各组行数</translation>
        </message>
        <message>
            <source>prefix_sums</source>
            <translation>前缀和</translation>
        </message>
        <message>
            <source>rows</source>
            <translation>行号</translation>
        </message>
        <message>
            <source>runtime</source>
            <translation>运行时循环</translation>
        </message>
        <message>
            <source>static</source>
            <translation>静态展开</translation>
        </message>
        <message>
            <source>unroll</source>
            <translation>循环展开</translation>
        </message>
        <message>
            <source>enforced</source>
            <translation>按实际校验</translation>
        </message>
        <message>
            <source>documented</source>
            <translation>按文档</translation>
        </message>
        <message>
            <source>ieee</source>
            <translation>IEEE 精度</translation>
        </message>
        <message>
            <source>rint</source>
            <translation>就近取偶</translation>
        </message>
        <message>
            <source>round</source>
            <translation>四舍五入</translation>
        </message>
        <message>
            <source>element</source>
            <translation>逐元素</translation>
        </message>
        <message>
            <source>fractal</source>
            <translation>逐分形</translation>
        </message>
        <message>
            <source>mx_group</source>
            <translation>逐 MX 组</translation>
        </message>
        <message>
            <source>down</source>
            <translation>向下</translation>
        </message>
        <message>
            <source>up</source>
            <translation>向上</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>multiply</source>
            <translation>相乘</translation>
        </message>
        <message>
            <source>NONE</source>
            <translation>不指定</translation>
        </message>
        <message>
            <source>RINT</source>
            <translation>就近取偶</translation>
        </message>
        <message>
            <source>ROUND</source>
            <translation>四舍五入</translation>
        </message>
        <message>
            <source>FLOOR</source>
            <translation>向下取整</translation>
        </message>
        <message>
            <source>CEIL</source>
            <translation>向上取整</translation>
        </message>
        <message>
            <source>TRUNC</source>
            <translation>向零截断</translation>
        </message>
        <message>
            <source>ODD</source>
            <translation>取奇</translation>
        </message>
        <message>
            <source>uniform</source>
            <translation>均匀分布</translation>
        </message>
        <message>
            <source>normal</source>
            <translation>正态分布</translation>
        </message>
        <message>
            <source>integers</source>
            <translation>随机整数</translation>
        </message>
        <message>
            <source>constant</source>
            <translation>常数</translation>
        </message>
        <message>
            <source>ideal</source>
            <translation>理想</translation>
        </message>
        <message>
            <source>framework</source>
            <translation>框架</translation>
        </message>
        <message>
            <source>allclose_actual</source>
            <translation>近似相等（以输出为准）</translation>
        </message>
        <message>
            <source>two_threshold</source>
            <translation>双阈值</translation>
        </message>
        <message>
            <source>error_ratio</source>
            <translation>误差比例</translation>
        </message>
        <message>
            <source>three_way</source>
            <translation>三方比对</translation>
        </message>
        <message>
            <source>exact</source>
            <translation>完全相等</translation>
        </message>
        <message>
            <source>order_bound</source>
            <translation>求和顺序界</translation>
        </message>
        <message>
            <source>allclose</source>
            <translation>近似相等</translation>
        </message>
        <message>
            <source>cast</source>
            <translation>类型转换</translation>
        </message>
        <message>
            <source>add</source>
            <translation>加</translation>
        </message>
        <message>
            <source>sub</source>
            <translation>减</translation>
        </message>
        <message>
            <source>mul</source>
            <translation>乘</translation>
        </message>
        <message>
            <source>div</source>
            <translation>除</translation>
        </message>
        <message>
            <source>maximum</source>
            <translation>逐元素最大</translation>
        </message>
        <message>
            <source>minimum</source>
            <translation>逐元素最小</translation>
        </message>
        <message>
            <source>neg</source>
            <translation>取负</translation>
        </message>
        <message>
            <source>abs</source>
            <translation>绝对值</translation>
        </message>
        <message>
            <source>exp</source>
            <translation>指数</translation>
        </message>
        <message>
            <source>log</source>
            <translation>对数</translation>
        </message>
        <message>
            <source>sqrt</source>
            <translation>平方根</translation>
        </message>
        <message>
            <source>rsqrt</source>
            <translation>平方根倒数</translation>
        </message>
        <message>
            <source>reciprocal</source>
            <translation>倒数</translation>
        </message>
        <message>
            <source>clip</source>
            <translation>限幅</translation>
        </message>
        <message>
            <source>where</source>
            <translation>按条件选择</translation>
        </message>
        <message>
            <source>eq</source>
            <translation>等于</translation>
        </message>
        <message>
            <source>ne</source>
            <translation>不等于</translation>
        </message>
        <message>
            <source>lt</source>
            <translation>小于</translation>
        </message>
        <message>
            <source>le</source>
            <translation>小于等于</translation>
        </message>
        <message>
            <source>gt</source>
            <translation>大于</translation>
        </message>
        <message>
            <source>ge</source>
            <translation>大于等于</translation>
        </message>
        <message>
            <source>amax</source>
            <translation>沿轴最大</translation>
        </message>
        <message>
            <source>amin</source>
            <translation>沿轴最小</translation>
        </message>
        <message>
            <source>sum</source>
            <translation>求和</translation>
        </message>
        <message>
            <source>slice</source>
            <translation>切片</translation>
        </message>
        <message>
            <source>concat</source>
            <translation>拼接</translation>
        </message>
        <message>
            <source>transpose</source>
            <translation>转置</translation>
        </message>
        <message>
            <source>expand_clone</source>
            <translation>广播复制</translation>
        </message>
        <message>
            <source>unsqueeze</source>
            <translation>增加轴</translation>
        </message>
        <message>
            <source>reshape</source>
            <translation>变形</translation>
        </message>
        <message>
            <source>pow</source>
            <translation>乘方</translation>
        </message>
        <message>
            <source>prod</source>
            <translation>连乘</translation>
        </message>
        <message>
            <source>rope</source>
            <translation>旋转位置编码</translation>
        </message>
        <message>
            <source>full</source>
            <translation>填充常数</translation>
        </message>
        <message>
            <source>arange</source>
            <translation>等差序列</translation>
        </message>
        <message>
            <source>fillpad</source>
            <translation>填充尾块</translation>
        </message>
        <message>
            <source>gather</source>
            <translation>按下标取值</translation>
        </message>
        <message>
            <source>index_select</source>
            <translation>按下标选行</translation>
        </message>
        <message>
            <source>scatter</source>
            <translation>按下标散写</translation>
        </message>
        <message>
            <source>index_add</source>
            <translation>按下标累加</translation>
        </message>
        <message>
            <source>index_put</source>
            <translation>按下标写入</translation>
        </message>
        <message>
            <source>topk</source>
            <translation>前 k 个</translation>
        </message>
        <message>
            <source>argsort</source>
            <translation>排序下标</translation>
        </message>
        <message>
            <source>cumsum</source>
            <translation>累积和</translation>
        </message>
        <message>
            <source>quantize</source>
            <translation>量化</translation>
        </message>
        <message>
            <source>dequantize</source>
            <translation>反量化</translation>
        </message>
        <message>
            <source>quant_mx</source>
            <translation>MX 量化</translation>
        </message>
        <message>
            <source>rms_norm</source>
            <translation>RMS 归一化</translation>
        </message>
        <message>
            <source>assemble</source>
            <translation>拼装写入</translation>
        </message>
        <message>
            <source>atomic_add</source>
            <translation>原子累加</translation>
        </message>
        <message>
            <source>matmul</source>
            <translation>矩阵乘</translation>
        </message>
        <message>
            <source>scaled_mm</source>
            <translation>带缩放的矩阵乘</translation>
        </message>
        <message>
            <source>inputs</source>
            <translation>生成输入</translation>
        </message>
        <message>
            <source>checks</source>
            <translation>检查</translation>
        </message>
        <message>
            <source>lowering</source>
            <translation>生成程序</translation>
        </message>
        <message>
            <source>program</source>
            <translation>程序</translation>
        </message>
        <message>
            <source>values</source>
            <translation>计算数值</translation>
        </message>
        <message>
            <source>compare</source>
            <translation>对比</translation>
        </message>
        <message>
            <source>time</source>
            <translation>预测时间</translation>
        </message>
        <message>
            <source>done</source>
            <translation>完成</translation>
        </message>
    </context>
    <context>
        <name>cubist::Chooser</name>
        <message>
            <source>Nothing fits</source>
            <translation>没有匹配项</translation>
        </message>
        <message>
            <source>Choices</source>
            <translation>选项</translation>
        </message>
    </context>
    <context>
        <name>cubist::CommandPalette</name>
        <message>
            <source>Find a command - Cubist</source>
            <translation>查找命令 - Cubist</translation>
        </message>
        <message>
            <source>Type a command, a stage, a tensor, a sample ...</source>
            <translation>输入命令、阶段、张量或样例 ...</translation>
        </message>
        <message>
            <source>Find a command</source>
            <translation>查找命令</translation>
        </message>
        <message>
            <source>What fits</source>
            <translation>匹配项</translation>
        </message>
        <message>
            <source>Nothing is called that</source>
            <translation>没有匹配的项</translation>
        </message>
    </context>
    <context>
        <name>cubist::Commands</name>
        <message>
            <source>About Cubist - Cubist</source>
            <translation>关于 Cubist - Cubist</translation>
        </message>
        <message>
            <source>Cubist %1</source>
            <translation>Cubist %1</translation>
        </message>
        <message>
            <source>A workbench for PyPTO kernels of the General Multi-MatMul family. Values and times come from an emulated core: no NPU is needed, and none is asked.</source>
            <translation>面向通用多矩阵乘（General Multi-MatMul）类 PyPTO kernel 的工作台。数值与耗时来自仿真 NPU 核：不需要也不访问任何 NPU。</translation>
        </message>
        <message>
            <source>instruction sets</source>
            <translation>指令集</translation>
        </message>
        <message>
            <source>Free software under the GNU General Public License, version 3 or later.</source>
            <translation>自由软件，遵循 GNU 通用公共许可证第 3 版或更新版本。</translation>
        </message>
        <message>
            <source>New &amp;window</source>
            <translation>新建窗口(&amp;W)</translation>
        </message>
        <message>
            <source>&amp;Open...</source>
            <translation>打开(&amp;O)...</translation>
        </message>
        <message>
            <source>Re&amp;load from disk</source>
            <translation>从磁盘重新加载(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Save</source>
            <translation>保存(&amp;S)</translation>
        </message>
        <message>
            <source>Save &amp;as...</source>
            <translation>另存为(&amp;A)...</translation>
        </message>
        <message>
            <source>&amp;Close window</source>
            <translation>关闭窗口(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Quit</source>
            <translation>退出(&amp;Q)</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>重做(&amp;R)</translation>
        </message>
        <message>
            <source>Select &amp;nothing</source>
            <translation>取消选择(&amp;N)</translation>
        </message>
        <message>
            <source>Fix all &amp;problems that have a safe fix</source>
            <translation>修复所有可安全修复的检查项(&amp;P)</translation>
        </message>
        <message>
            <source>&amp;Settings...</source>
            <translation>设置(&amp;S)...</translation>
        </message>
        <message>
            <source>Zoom &amp;in</source>
            <translation>放大(&amp;I)</translation>
        </message>
        <message>
            <source>Zoom &amp;out</source>
            <translation>缩小(&amp;O)</translation>
        </message>
        <message>
            <source>Zoom to &amp;100 %</source>
            <translation>缩放到 100 %(&amp;1)</translation>
        </message>
        <message>
            <source>&amp;Fit the design</source>
            <translation>适应窗口(&amp;F)</translation>
        </message>
        <message>
            <source>Layout for &amp;designing</source>
            <translation>设计布局(&amp;D)</translation>
        </message>
        <message>
            <source>Layout for a&amp;ccuracy</source>
            <translation>精度布局(&amp;C)</translation>
        </message>
        <message>
            <source>Layout for ti&amp;ming</source>
            <translation>时间线布局(&amp;M)</translation>
        </message>
        <message>
            <source>&amp;Reset layout</source>
            <translation>重置布局(&amp;R)</translation>
        </message>
        <message>
            <source>Show li&amp;brary</source>
            <translation>显示资源库(&amp;B)</translation>
        </message>
        <message>
            <source>Show ins&amp;pector</source>
            <translation>显示属性面板(&amp;P)</translation>
        </message>
        <message>
            <source>Show &amp;problems</source>
            <translation>显示检查项(&amp;P)</translation>
        </message>
        <message>
            <source>Show &amp;accuracy</source>
            <translation>显示精度(&amp;A)</translation>
        </message>
        <message>
            <source>Show &amp;timing</source>
            <translation>显示时间线(&amp;T)</translation>
        </message>
        <message>
            <source>Show e&amp;xport preview</source>
            <translation>显示导出预览(&amp;X)</translation>
        </message>
        <message>
            <source>Show undo &amp;history</source>
            <translation>显示撤销历史(&amp;H)</translation>
        </message>
        <message>
            <source>Theme of the des&amp;ktop</source>
            <translation>跟随桌面主题(&amp;K)</translation>
        </message>
        <message>
            <source>&amp;Light theme</source>
            <translation>浅色主题(&amp;L)</translation>
        </message>
        <message>
            <source>Dar&amp;k theme</source>
            <translation>深色主题(&amp;K)</translation>
        </message>
        <message>
            <source>Hi&amp;gh contrast theme</source>
            <translation>高对比度主题(&amp;G)</translation>
        </message>
        <message>
            <source>F&amp;ull screen</source>
            <translation>全屏(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Run</source>
            <translation>运行(&amp;R)</translation>
        </message>
        <message>
            <source>&amp;Stop</source>
            <translation>停止(&amp;S)</translation>
        </message>
        <message>
            <source>&amp;Find a command...</source>
            <translation>查找命令(&amp;F)...</translation>
        </message>
        <message>
            <source>&amp;Help on this view</source>
            <translation>当前视图的帮助(&amp;H)</translation>
        </message>
        <message>
            <source>Guided &amp;tour</source>
            <translation>引导教程(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Keyboard shortcuts...</source>
            <translation>快捷键(&amp;K)...</translation>
        </message>
        <message>
            <source>&amp;About Cubist</source>
            <translation>关于 Cubist(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;File</source>
            <translation>文件(&amp;F)</translation>
        </message>
        <message>
            <source>&amp;Edit</source>
            <translation>编辑(&amp;E)</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>视图(&amp;V)</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>帮助(&amp;H)</translation>
        </message>
        <message>
            <source>&amp;New</source>
            <translation>新建(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Import PyPTO kernel...</source>
            <translation>导入 PyPTO kernel(&amp;I)...</translation>
        </message>
        <message>
            <source>&amp;PyPTO kernel folder...</source>
            <translation>PyPTO kernel 文件夹(&amp;P)...</translation>
        </message>
        <message>
            <source>&amp;Copy tiles and options as Python</source>
            <translation>以 Python 复制切分与选项(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Kernel config...</source>
            <translation>kernel 配置(&amp;K)...</translation>
        </message>
        <message>
            <source>Tile &amp;tuner config...</source>
            <translation>切分调优器配置(&amp;T)...</translation>
        </message>
        <message>
            <source>Trace for P&amp;erfetto...</source>
            <translation>Perfetto 轨迹(&amp;E)...</translation>
        </message>
        <message>
            <source>PyPTO &amp;swimlane (merged_swimlane.json)...</source>
            <translation>PyPTO 泳道图 (merged_swimlane.json)(&amp;S)...</translation>
        </message>
        <message>
            <source>Trace for &amp;MindStudio...</source>
            <translation>MindStudio 轨迹(&amp;M)...</translation>
        </message>
        <message>
            <source>Times as CS&amp;V tables...</source>
            <translation>时间表 CSV(&amp;V)...</translation>
        </message>
        <message>
            <source>&amp;Outputs...</source>
            <translation>输出(&amp;O)...</translation>
        </message>
        <message>
            <source>&amp;Report as a page...</source>
            <translation>报告网页(&amp;R)...</translation>
        </message>
        <message>
            <source>&amp;Bundle that reproduces the run...</source>
            <translation>可复现本次运行的包(&amp;B)...</translation>
        </message>
        <message>
            <source>&amp;Tensor files...</source>
            <translation>张量文件(&amp;T)...</translation>
        </message>
        <message>
            <source>Compare with a &amp;measured trace...</source>
            <translation>与实测轨迹对比(&amp;M)...</translation>
        </message>
        <message>
            <source>&amp;Export</source>
            <translation>导出(&amp;E)</translation>
        </message>
        <message>
            <source>Cu&amp;t</source>
            <translation>剪切(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>P&amp;aste</source>
            <translation>粘贴(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;Duplicate</source>
            <translation>复制一份(&amp;D)</translation>
        </message>
        <message>
            <source>De&amp;lete</source>
            <translation>删除(&amp;L)</translation>
        </message>
        <message>
            <source>Na&amp;me, type and shape...</source>
            <translation>名称、类型与形状(&amp;M)...</translation>
        </message>
        <message>
            <source>Select &amp;everything</source>
            <translation>全选(&amp;E)</translation>
        </message>
        <message>
            <source>&amp;Find an element...</source>
            <translation>查找元素(&amp;F)...</translation>
        </message>
        <message>
            <source>Ne&amp;xt element</source>
            <translation>下一个元素(&amp;X)</translation>
        </message>
        <message>
            <source>Pre&amp;vious element</source>
            <translation>上一个元素(&amp;V)</translation>
        </message>
        <message>
            <source>Colour cards by &amp;kind</source>
            <translation>按种类着色(&amp;K)</translation>
        </message>
        <message>
            <source>Colour cards by tim&amp;e</source>
            <translation>按耗时着色(&amp;E)</translation>
        </message>
        <message>
            <source>Colour cards by err&amp;or</source>
            <translation>按误差着色(&amp;O)</translation>
        </message>
        <message>
            <source>&amp;Add a stage, tensor, loop...</source>
            <translation>添加阶段、张量、循环(&amp;A)...</translation>
        </message>
        <message>
            <source>&amp;Connect...</source>
            <translation>连接(&amp;C)...</translation>
        </message>
        <message>
            <source>&amp;Swap for...</source>
            <translation>替换为(&amp;S)...</translation>
        </message>
        <message>
            <source>&amp;Put a loop around</source>
            <translation>加上循环(&amp;P)</translation>
        </message>
        <message>
            <source>&amp;Dissolve the loop</source>
            <translation>解散循环(&amp;D)</translation>
        </message>
        <message>
            <source>Align &amp;left edges</source>
            <translation>左对齐(&amp;L)</translation>
        </message>
        <message>
            <source>Align c&amp;entres</source>
            <translation>水平居中对齐(&amp;E)</translation>
        </message>
        <message>
            <source>Align &amp;right edges</source>
            <translation>右对齐(&amp;R)</translation>
        </message>
        <message>
            <source>Align &amp;upper edges</source>
            <translation>上对齐(&amp;U)</translation>
        </message>
        <message>
            <source>Align &amp;middles</source>
            <translation>垂直居中对齐(&amp;M)</translation>
        </message>
        <message>
            <source>Align l&amp;ower edges</source>
            <translation>下对齐(&amp;O)</translation>
        </message>
        <message>
            <source>Equal gaps, left to ri&amp;ght</source>
            <translation>水平等距分布(&amp;G)</translation>
        </message>
        <message>
            <source>Equal gaps, top to &amp;bottom</source>
            <translation>垂直等距分布(&amp;B)</translation>
        </message>
        <message>
            <source>Arrange everything au&amp;tomatically</source>
            <translation>自动排列全部(&amp;T)</translation>
        </message>
        <message>
            <source>S&amp;nap to the grid</source>
            <translation>对齐到网格(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Arrange</source>
            <translation>排列(&amp;A)</translation>
        </message>
        <message>
            <source>New e&amp;mpty design</source>
            <translation>新建空白设计(&amp;M)</translation>
        </message>
        <message>
            <source>Values between sta&amp;ges...</source>
            <translation>阶段间的值(&amp;G)...</translation>
        </message>
        <message>
            <source>Compare &amp;loop variants...</source>
            <translation>对比循环形式(&amp;L)...</translation>
        </message>
    </context>
    <context>
        <name>cubist::ConnectionRules</name>
        <message>
            <source>A stage cannot read its own result.</source>
            <translation>阶段不能读取自己的结果。</translation>
        </message>
        <message>
            <source>A store writes into a tensor; nothing else can follow it.</source>
            <translation>写出（store）写入张量，其后不能再接其他元素。</translation>
        </message>
        <message>
            <source>%1 is %2, %3 is %4: cast before the store.</source>
            <translation>%1 为 %2，%3 为 %4：请在 store 之前 cast。</translation>
        </message>
        <message>
            <source>%1 does not fit into %2.</source>
            <translation>%1 放不进 %2。</translation>
        </message>
        <message>
            <source>the other operand</source>
            <translation>另一个操作数</translation>
        </message>
    </context>
    <context>
        <name>cubist::CubeForm</name>
        <message>
            <source>Tile</source>
            <translation>切分块</translation>
        </message>
        <message>
            <source>Change tile</source>
            <translation>修改切分</translation>
        </message>
        <message>
            <source>Operands</source>
            <translation>操作数</translation>
        </message>
        <message>
            <source>kind</source>
            <translation>种类</translation>
        </message>
        <message>
            <source>scaled_mm multiplies each 32 elements along K by an E8M0 scale of either operand (MXFP8, MXFP4)</source>
            <translation>scaled_mm：沿 K 每 32 个元素乘以两侧操作数各自的 E8M0 缩放因子（MXFP8、MXFP4）</translation>
        </message>
        <message>
            <source>A</source>
            <translation>A</translation>
        </message>
        <message>
            <source>Left operand: a tensor, a view or a result</source>
            <translation>左操作数：张量、view 或结果</translation>
        </message>
        <message>
            <source>A is stored transposed, [K, M]</source>
            <translation>A 转置存放，[K, M]</translation>
        </message>
        <message>
            <source>scales of A</source>
            <translation>A 的缩放因子</translation>
        </message>
        <message>
            <source>FP8E8M0 [M, ceil(K / 64), 2]</source>
            <translation>FP8E8M0 [M, ceil(K / 64), 2]</translation>
        </message>
        <message>
            <source>they are stored [ceil(K / 64), M, 2]</source>
            <translation>按 [ceil(K / 64), M, 2] 存放</translation>
        </message>
        <message>
            <source>B</source>
            <translation>B</translation>
        </message>
        <message>
            <source>Right operand: a tensor, a view or a result</source>
            <translation>右操作数：张量、view 或结果</translation>
        </message>
        <message>
            <source>B is stored transposed, [N, K]</source>
            <translation>B 转置存放，[N, K]</translation>
        </message>
        <message>
            <source>scales of B</source>
            <translation>B 的缩放因子</translation>
        </message>
        <message>
            <source>FP8E8M0 [ceil(K / 64), N, 2]</source>
            <translation>FP8E8M0 [ceil(K / 64), N, 2]</translation>
        </message>
        <message>
            <source>they are stored [N, ceil(K / 64), 2]</source>
            <translation>按 [N, ceil(K / 64), 2] 存放</translation>
        </message>
        <message>
            <source>bias</source>
            <translation>偏置</translation>
        </message>
        <message>
            <source>[1, N]: every sum starts from it. Empty: none</source>
            <translation>[1, N]：每个累加以它为初值。留空：无</translation>
        </message>
        <message>
            <source>Result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Name of the result for the stages that read it</source>
            <translation>供其他阶段读取的结果名称</translation>
        </message>
        <message>
            <source>type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>negative sums become 0 (ReLU)</source>
            <translation>负的累加值变为 0（ReLU）</translation>
        </message>
        <message>
            <source>Before the scale</source>
            <translation>在缩放之前</translation>
        </message>
        <message>
            <source>scale</source>
            <translation>缩放</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>FIXPIPE multiplies by it; the low 13 mantissa bits are dropped</source>
            <translation>FIXPIPE 乘以该值；尾数低 13 位被丢弃</translation>
        </message>
        <message>
            <source>scale tensor</source>
            <translation>缩放张量</translation>
        </message>
        <message>
            <source>[1, N]: a factor for each column. Not together with a scale</source>
            <translation>[1, N]：逐列的因子。不能与单一缩放同时使用</translation>
        </message>
        <message>
            <source>Arithmetic</source>
            <translation>算术</translation>
        </message>
        <message>
            <source>FP32 operands</source>
            <translation>FP32 操作数</translation>
        </message>
        <message>
            <source>rint and round drop mantissa bits before the product (TF32 on the 950)</source>
            <translation>rint 与 round 在乘之前舍去尾数位（950 上为 TF32）</translation>
        </message>
        <message>
            <source>sums</source>
            <translation>累加</translation>
        </message>
        <message>
            <source>In which order products are added: one by one, by fractals, or by MX groups</source>
            <translation>乘积的累加次序：逐个、按分形或按 MX 组</translation>
        </message>
        <message>
            <source>split K over cores</source>
            <translation>沿 K 拆分到多个核（split K）</translation>
        </message>
        <message>
            <source>Slices of K are computed by different cores and added in global memory</source>
            <translation>K 的各段由不同核计算，在全局内存中相加</translation>
        </message>
        <message>
            <source>partial sums</source>
            <translation>部分和</translation>
        </message>
        <message>
            <source>Type of the slices' sums in global memory</source>
            <translation>各段部分和在全局内存中的类型</translation>
        </message>
        <message>
            <source>matrix size</source>
            <translation>矩阵尺寸</translation>
        </message>
        <message>
            <source>not set</source>
            <translation>未设置</translation>
        </message>
        <message>
            <source>set_matrix_size(m, k, n): needed for NZ operands with batch axes</source>
            <translation>set_matrix_size(m, k, n)：带 batch 轴的 NZ 操作数需要</translation>
        </message>
        <message>
            <source>Options</source>
            <translation>选项</translation>
        </message>
        <message>
            <source>, %1 times</source>
            <comment>so often the stage runs</comment>
            <translation>，执行 %1 次</translation>
        </message>
        <message>
            <source>%1 x %2 x %3 (M x K x N)%4</source>
            <translation>%1 x %2 x %3（M x K x N）%4</translation>
        </message>
        <message>
            <source>%1 = %2 @ %3</source>
            <translation>%1 = %2 @ %3</translation>
        </message>
    </context>
    <context>
        <name>cubist::DesignCheckPanel</name>
        <message>
            <source>&amp;Fix what has a safe fix</source>
            <translation>修复可安全修复的问题(&amp;F)</translation>
        </message>
        <message>
            <source>No template is chosen</source>
            <translation>未选择模板</translation>
        </message>
        <message>
            <source>It runs as it is</source>
            <translation>可以直接运行</translation>
        </message>
        <message>
            <source>No rule objects.</source>
            <translation>没有规则报错。</translation>
        </message>
        <message>
            <source>1 error</source>
            <translation>1 个错误</translation>
        </message>
        <message>
            <source>%1 errors</source>
            <translation>%1 个错误</translation>
        </message>
        <message>
            <source>and %1 more</source>
            <translation>另有 %1 个</translation>
        </message>
        <message>
            <source>%1 (%2) fits better: %3</source>
            <translation>%1（%2）更合适：%3</translation>
        </message>
        <message>
            <source>Fix problems</source>
            <translation>修复问题</translation>
        </message>
        <message>
            <source>By its arithmetic SK-14 fits: %1</source>
            <translation>从运算量看 SK-14 合适：%1</translation>
        </message>
        <message>
            <source>By the answers of step 1 %1 (%2) fits better: %3</source>
            <translation>根据第 1 步的回答，%1（%2）更合适：%3</translation>
        </message>
    </context>
    <context>
        <name>cubist::DesignForm</name>
        <message>
            <source>Select a stage, tensor or loop on the canvas to edit it.</source>
            <translation>在画布上选择阶段、张量或循环进行编辑。</translation>
        </message>
        <message>
            <source>Design</source>
            <translation>设计</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>title</source>
            <translation>标题</translation>
        </message>
        <message>
            <source>variant</source>
            <translation>变体</translation>
        </message>
        <message>
            <source>Loop form of SK-14: A no loop, B parallel groups, B' unrolled groups, C serial tiles, D serial multi-matmul</source>
            <translation>SK-14 的循环形式：A 无循环，B 并行分组，B' 展开分组，C 串行切分块，D 串行多矩阵乘</translation>
        </message>
        <message>
            <source>pattern</source>
            <translation>编排模式</translation>
        </message>
        <message>
            <source>Data-flow patterns 1 to 4 of SK-14; empty: none</source>
            <translation>SK-14 的数据流编排模式 1 至 4；留空：无</translation>
        </message>
        <message>
            <source>Notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>What this design is for, what was measured, what to try next</source>
            <translation>设计的用途、测得的结果、下一步的尝试</translation>
        </message>
        <message>
            <source>Change notes</source>
            <translation>修改备注</translation>
        </message>
        <message>
            <source>Runs on</source>
            <translation>运行环境</translation>
        </message>
        <message>
            <source>Chip</source>
            <translation>芯片</translation>
        </message>
        <message>
            <source>Case</source>
            <translation>用例</translation>
        </message>
        <message>
            <source>Case that runs when none is named</source>
            <translation>未指定时运行的用例</translation>
        </message>
        <message>
            <source>The case that opens with the design, and that the command line runs</source>
            <translation>打开设计时显示、命令行默认运行的用例</translation>
        </message>
        <message>
            <source>chip</source>
            <translation>芯片</translation>
        </message>
        <message>
            <source>case</source>
            <translation>用例</translation>
        </message>
        <message>
            <source>at first</source>
            <translation>默认</translation>
        </message>
        <message>
            <source>Change chip</source>
            <translation>更换芯片</translation>
        </message>
        <message>
            <source>Change first case</source>
            <translation>修改默认用例</translation>
        </message>
        <message>
            <source>Values and checks</source>
            <translation>数值与检查</translation>
        </message>
        <message>
            <source>seed</source>
            <translation>随机种子</translation>
        </message>
        <message>
            <source>Of the generated inputs</source>
            <translation>生成输入数据所用</translation>
        </message>
        <message>
            <source>rules</source>
            <translation>规则</translation>
        </message>
        <message>
            <source>enforced: what the compiler checks; documented: everything that is documented</source>
            <translation>enforced：编译器会检查的；documented：文档中的全部限制</translation>
        </message>
        <message>
            <source>Merging</source>
            <translation>合图</translation>
        </message>
        <message>
            <source>Keys: a subgraph number, DEFAULT, func0_1 (both dialects of PyPTO), or a stage's label. As in DEFAULT: 4, func0_1: 2. Empty: automatic</source>
            <translation>键：子图编号、DEFAULT、func0_1（PyPTO 的两种写法）或阶段标签。例如 DEFAULT: 4, func0_1: 2。留空：自动</translation>
        </message>
        <message>
            <source>automatic</source>
            <translation>自动</translation>
        </message>
        <message>
            <source>How many cube subgraphs share what is in L1</source>
            <translation>共用 L1 内容的 Cube 子图数</translation>
        </message>
        <message>
            <source>left, right or auto, by the same keys</source>
            <translation>left、right 或 auto，键同上</translation>
        </message>
        <message>
            <source>How many cube subgraphs are merged into one</source>
            <translation>合并为一个的 Cube 子图数</translation>
        </message>
        <message>
            <source>How many vector subgraphs are merged into one</source>
            <translation>合并为一个的 Vector 子图数</translation>
        </message>
        <message>
            <source>950: neighbouring cube and vector subgraphs become one task</source>
            <translation>950：相邻的 Cube 与 Vector 子图合为一个任务</translation>
        </message>
        <message>
            <source>Whole blocks are compiled with fixed shapes, the tail with its own</source>
            <translation>整块按固定形状编译，尾块单独处理</translation>
        </message>
        <message>
            <source>Scheduling</source>
            <translation>调度</translation>
        </message>
        <message>
            <source>How the device hands out tasks: 0 to 3</source>
            <translation>设备下发任务的方式：0 至 3</translation>
        </message>
        <message>
            <source>Loop iterations in flight</source>
            <translation>同时进行的循环迭代数</translation>
        </message>
        <message>
            <source>Loop iterations that are stitched into one schedule: 1 to 1024</source>
            <translation>拼接（stitch）到一次调度中的循环迭代数：1 至 1024</translation>
        </message>
        <message>
            <source>0: stitching is driven by stitch_function_max_num</source>
            <translation>0：拼接由 stitch_function_max_num 决定</translation>
        </message>
        <message>
            <source>Scheduler threads</source>
            <translation>调度线程数</translation>
        </message>
        <message>
            <source>DEFAULT: 1, as where a kernel says nothing: off</source>
            <translation>DEFAULT: 1（kernel 未设置时的默认值）：不合图</translation>
        </message>
        <message>
            <source>Hand-written kernel (launch bare)</source>
            <translation>手写 kernel（bare 启动方式）</translation>
        </message>
        <message>
            <source>FIXPIPE follows the last mmad block by block</source>
            <translation>FIXPIPE 逐块跟随最后的 mmad</translation>
        </message>
        <message>
            <source>of the stages</source>
            <translation>按各阶段设置</translation>
        </message>
        <message>
            <source>Slots of L1, L0A, L0B and L0C, as in L1: 2, L0C: 1. As many as fit</source>
            <translation>L1、L0A、L0B、L0C 的缓冲槽数，如 L1: 2, L0C: 1；最多取放得下的数量</translation>
        </message>
        <message>
            <source>of the chip</source>
            <translation>由芯片决定</translation>
        </message>
        <message>
            <source>host tensors</source>
            <translation>host 张量</translation>
        </message>
        <message>
            <source>ready_on_host_tensors: inputs whose values the host reads before the launch</source>
            <translation>ready_on_host_tensors：启动前由 host 读取其值的输入</translation>
        </message>
        <message>
            <source>the first</source>
            <translation>第一个</translation>
        </message>
    </context>
    <context>
        <name>cubist::DockLayout</name>
        <message>
            <source>Library</source>
            <translation>资源库</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>属性面板</translation>
        </message>
        <message>
            <source>Problems</source>
            <translation>检查项</translation>
        </message>
        <message>
            <source>Accuracy</source>
            <translation>精度</translation>
        </message>
        <message>
            <source>Timing</source>
            <translation>时间线</translation>
        </message>
        <message>
            <source>Export preview</source>
            <translation>导出预览</translation>
        </message>
        <message>
            <source>Undo history</source>
            <translation>撤销历史</translation>
        </message>
    </context>
    <context>
        <name>cubist::DocumentCommands</name>
        <message>
            <source>The design could not be opened</source>
            <translation>无法打开设计</translation>
        </message>
        <message>
            <source>There is no file or sample named %1.</source>
            <translation>没有名为 %1 的文件或样例。</translation>
        </message>
        <message>
            <source>Samples: %1</source>
            <translation>样例：%1</translation>
        </message>
        <message>
            <source>The sample could not be opened</source>
            <translation>无法打开样例</translation>
        </message>
        <message>
            <source>Open design</source>
            <translation>打开设计</translation>
        </message>
        <message>
            <source>New design</source>
            <translation>新建设计</translation>
        </message>
        <message>
            <source>The design could not be saved</source>
            <translation>无法保存设计</translation>
        </message>
        <message>
            <source>Save design</source>
            <translation>保存设计</translation>
        </message>
        <message>
            <source>design</source>
            <translation>设计</translation>
        </message>
        <message>
            <source>Unsaved changes</source>
            <translation>未保存的更改</translation>
        </message>
        <message>
            <source>Save the changes to %1?</source>
            <translation>是否保存对 %1 的更改？</translation>
        </message>
        <message>
            <source>Otherwise they are lost.</source>
            <translation>否则更改将丢失。</translation>
        </message>
        <message>
            <source>There is no template file for variant %1.</source>
            <translation>没有变体 %1 的模板文件。</translation>
        </message>
        <message>
            <source>The kernel could not be imported</source>
            <translation>无法导入 kernel</translation>
        </message>
        <message>
            <source>Import PyPTO kernel</source>
            <translation>导入 PyPTO kernel</translation>
        </message>
        <message>
            <source>Kernels and settings (*.py *.json);;All files (*)</source>
            <translation>kernel 与设置 (*.py *.json);;所有文件 (*)</translation>
        </message>
        <message>
            <source>The settings could not be applied</source>
            <translation>无法应用这些设置</translation>
        </message>
        <message>
            <source>Open the design that they are for first.</source>
            <translation>请先打开这些设置所属的设计。</translation>
        </message>
        <message>
            <source>Apply settings</source>
            <translation>应用设置</translation>
        </message>
        <message>
            <source>Some settings do not fit the design</source>
            <translation>部分设置与设计不符</translation>
        </message>
        <message>
            <source>Cubist designs (*.cubist.json);;PyPTO kernels (*.py);;Cubist bundles (*.zip);;All files (*)</source>
            <translation>Cubist 设计 (*.cubist.json);;PyPTO kernel (*.py);;Cubist 复现包 (*.zip);;所有文件 (*)</translation>
        </message>
        <message>
            <source>The bundle could not be opened</source>
            <translation>无法打开复现包</translation>
        </message>
    </context>
    <context>
        <name>cubist::DocumentModel</name>
        <message>
            <source>untitled</source>
            <translation>未命名</translation>
        </message>
        <message>
            <source>Reload</source>
            <translation>重新加载</translation>
        </message>
    </context>
    <context>
        <name>cubist::DroppedFiles</name>
        <message>
            <source>%1 is the data of</source>
            <translation>将 %1 用作以下张量的数据</translation>
        </message>
        <message>
            <source>Change data file</source>
            <translation>修改数据文件</translation>
        </message>
    </context>
    <context>
        <name>cubist::Enum</name>
        <message>
            <source>Change %1</source>
            <translation>修改%1</translation>
        </message>
    </context>
    <context>
        <name>cubist::ErrorMapPlot</name>
        <message>
            <source>Error map</source>
            <translation>误差热力图</translation>
        </message>
        <message>
            <source>Output %1, largest error %2</source>
            <translation>输出 %1，最大误差 %2</translation>
        </message>
        <message>
            <source>rows %1 to %2, columns %3 to %4</source>
            <translation>行 %1 至 %2，列 %3 至 %4</translation>
        </message>
        <message>
            <source>tile %1,%2: max |error| %3</source>
            <translation>切分块 %1,%2：最大绝对误差 %3</translation>
        </message>
        <message>
            <source>1 element beyond tolerance</source>
            <translation>1 个元素超出容差</translation>
        </message>
        <message>
            <source>%1 elements beyond tolerance</source>
            <translation>%1 个元素超出容差</translation>
        </message>
        <message>
            <source>all within tolerance</source>
            <translation>全部在容差内</translation>
        </message>
        <message>
            <source>%1 [%2], max |error| per cell</source>
            <translation>%1 [%2]，每格最大绝对误差</translation>
        </message>
        <message>
            <source>tile %1 x %2</source>
            <translation>切分块 %1 x %2</translation>
        </message>
        <message>
            <source>exact</source>
            <translation>完全一致</translation>
        </message>
        <message>
            <source>outside</source>
            <translation>超出</translation>
        </message>
        <message>
            <source>First row</source>
            <translation>首行</translation>
        </message>
        <message>
            <source>Last row</source>
            <translation>末行</translation>
        </message>
        <message>
            <source>First column</source>
            <translation>首列</translation>
        </message>
        <message>
            <source>Last column</source>
            <translation>末列</translation>
        </message>
        <message>
            <source>Max |error|</source>
            <translation>最大绝对误差</translation>
        </message>
        <message>
            <source>Outside</source>
            <translation>超出</translation>
        </message>
    </context>
    <context>
        <name>cubist::ExportCommands</name>
        <message>
            <source>JSON files (*.json)</source>
            <translation>JSON 文件 (*.json)</translation>
        </message>
        <message>
            <source>Save tile tuner config</source>
            <translation>保存切分调优器配置</translation>
        </message>
        <message>
            <source>Save Perfetto trace</source>
            <translation>保存 Perfetto 轨迹</translation>
        </message>
        <message>
            <source>Save merged_swimlane.json</source>
            <translation>保存 merged_swimlane.json</translation>
        </message>
        <message>
            <source>Save MindStudio trace</source>
            <translation>保存 MindStudio 轨迹</translation>
        </message>
        <message>
            <source>Save outputs</source>
            <translation>保存输出</translation>
        </message>
        <message>
            <source>Save report</source>
            <translation>保存报告</translation>
        </message>
        <message>
            <source>HTML pages (*.html)</source>
            <translation>HTML 网页 (*.html)</translation>
        </message>
        <message>
            <source>Save bundle</source>
            <translation>保存复现包</translation>
        </message>
        <message>
            <source>Cubist bundles (*.zip)</source>
            <translation>Cubist 复现包 (*.zip)</translation>
        </message>
        <message>
            <source>Written to %1</source>
            <translation>已写入 %1</translation>
        </message>
        <message>
            <source>Tiles and options are in the clipboard, as lines of Python</source>
            <translation>切分与选项已作为 Python 代码复制到剪贴板</translation>
        </message>
        <message>
            <source>Folder for CSV tables</source>
            <translation>CSV 表格的文件夹</translation>
        </message>
        <message>
            <source>the kernel has no tile that a tuner could change</source>
            <translation>kernel 中没有调优器可以修改的切分</translation>
        </message>
        <message>
            <source>the time of this design is not known</source>
            <translation>尚不知道该设计的时间</translation>
        </message>
        <message>
            <source>fix its errors, or wait for the prediction</source>
            <translation>请修复错误，或等待预测完成</translation>
        </message>
        <message>
            <source>the design as it stands has not been run</source>
            <translation>当前设计尚未运行</translation>
        </message>
        <message>
            <source>run it first (Ctrl+R)</source>
            <translation>请先运行 (Ctrl+R)</translation>
        </message>
        <message>
            <source>NumPy archives (*.npz);;safetensors (*.safetensors)</source>
            <translation>NumPy 归档 (*.npz);;safetensors (*.safetensors)</translation>
        </message>
        <message>
            <source>Save values between stages</source>
            <translation>保存阶段间的值</translation>
        </message>
        <message>
            <source>the run has not kept the values between stages</source>
            <translation>本次运行没有保留阶段间的值</translation>
        </message>
        <message>
            <source>runs of this window keep them from now on: run it again (Ctrl+R)</source>
            <translation>本窗口今后的运行会保留它们：请再次运行 (Ctrl+R)</translation>
        </message>
        <message>
            <source>no value passes between stages</source>
            <translation>没有在阶段间传递的值</translation>
        </message>
    </context>
    <context>
        <name>cubist::ExportPanel</name>
        <message>
            <source>Kernel config</source>
            <translation>kernel 配置</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
        <message>
            <source>Save...</source>
            <translation>保存...</translation>
        </message>
        <message>
            <source>what a build script needs: all numbers filled in for this chip and case</source>
            <translation>构建脚本所需的内容：已按当前芯片与用例填入全部数值</translation>
        </message>
        <message>
            <source>%1.config.json</source>
            <translation>%1.config.json</translation>
        </message>
        <message>
            <source>No design is open</source>
            <translation>没有打开的设计</translation>
        </message>
        <message>
            <source>Open a sample from the library on the left, or a file (Ctrl+O).</source>
            <translation>从左侧资源库打开样例，或打开文件（Ctrl+O）。</translation>
        </message>
        <message>
            <source>Nothing to export</source>
            <translation>没有可导出的内容</translation>
        </message>
        <message>
            <source>Save kernel config</source>
            <translation>保存 kernel 配置</translation>
        </message>
        <message>
            <source>JSON files (*.json)</source>
            <translation>JSON 文件 (*.json)</translation>
        </message>
    </context>
    <context>
        <name>cubist::FieldList</name>
        <message>
            <source>Change %1</source>
            <translation>修改%1</translation>
        </message>
    </context>
    <context>
        <name>cubist::FindingCard</name>
        <message>
            <source>PyPTO %1</source>
            <translation>PyPTO %1</translation>
        </message>
        <message>
            <source>The error code that PyPTO itself reports</source>
            <translation>PyPTO 自身报告的错误码</translation>
        </message>
        <message>
            <source>Source: %1</source>
            <translation>出处：%1</translation>
        </message>
    </context>
    <context>
        <name>cubist::FindingsModel</name>
        <message>
            <source>Error</source>
            <translation>错误</translation>
        </message>
        <message>
            <source>Warning</source>
            <translation>警告</translation>
        </message>
        <message>
            <source>Hint</source>
            <translation>提示</translation>
        </message>
        <message>
            <source>design</source>
            <translation>设计</translation>
        </message>
        <message>
            <source>Severity</source>
            <translation>级别</translation>
        </message>
        <message>
            <source>Rule</source>
            <translation>规则</translation>
        </message>
        <message>
            <source>Message</source>
            <translation>说明</translation>
        </message>
        <message>
            <source>Element</source>
            <translation>元素</translation>
        </message>
    </context>
    <context>
        <name>cubist::FitPage</name>
        <message>
            <source>What is the operator like?</source>
            <translation>算子是什么样的？</translation>
        </message>
        <message>
            <source>Tick what is true of it. The answers tell whether the general multi-matmul skeleton (SK-14) fits, or which one fits better.</source>
            <translation>勾选符合的描述。答案会说明通用多矩阵乘骨架（SK-14）是否适用，或哪个骨架更合适。</translation>
        </message>
        <message>
            <source>When it is chosen</source>
            <translation>何时选用</translation>
        </message>
        <message>
            <source>Stages in order</source>
            <translation>阶段顺序</translation>
        </message>
        <message>
            <source>Where it starts</source>
            <translation>起始配置</translation>
        </message>
        <message>
            <source>The templates here are those of SK-14. You can go on with one and change it, or build the other skeleton from an empty canvas.</source>
            <translation>此处的模板属于 SK-14。可以继续选用并修改，也可以从空白画布搭建另一个骨架。</translation>
        </message>
        <message>
            <source>SK-14 fits</source>
            <translation>SK-14 适用</translation>
        </message>
        <message>
            <source>%1 fits better</source>
            <translation>%1 更合适</translation>
        </message>
    </context>
    <context>
        <name>cubist::FormulaEditor</name>
        <message>
            <source>Formula</source>
            <translation>公式</translation>
        </message>
        <message>
            <source>Enter applies, Shift+Enter begins another line, Escape takes the typing back</source>
            <translation>Enter 应用，Shift+Enter 换行，Esc 取消输入</translation>
        </message>
        <message>
            <source>+ - * /, comparisons, and functions such as exp, cast, sum; F1 says more</source>
            <translation>支持 + - * /、比较以及 exp、cast、sum 等函数；按 F1 查看说明</translation>
        </message>
        <message>
            <source>no tensor or result is called %1</source>
            <translation>没有名为 %1 的张量或结果</translation>
        </message>
    </context>
    <context>
        <name>cubist::GroupBars</name>
        <message>
            <source>Rows of each group</source>
            <translation>每组的行数</translation>
        </message>
        <message>
            <source>group %1: empty</source>
            <translation>分组 %1：空</translation>
        </message>
        <message>
            <source>group %1: %2 rows</source>
            <translation>分组 %1：%2 行</translation>
        </message>
    </context>
    <context>
        <name>cubist::GroupEditor</name>
        <message>
            <source>counts: rows of each group</source>
            <translation>计数：每组的行数</translation>
        </message>
        <message>
            <source>prefix sums: end row of each group</source>
            <translation>前缀和：每组的结束行</translation>
        </message>
        <message>
            <source>rows: group of each row</source>
            <translation>行：每行所属的组</translation>
        </message>
        <message>
            <source>keep the total</source>
            <translation>保持总数</translation>
        </message>
        <message>
            <source>Groups of %1 - Cubist</source>
            <translation>%1 的分组 - Cubist</translation>
        </message>
        <message>
            <source>0 is even; the further right, the more rows go to few groups</source>
            <translation>0 为均匀；越靠右，行越集中于少数分组</translation>
        </message>
        <message>
            <source>rows of the chosen group</source>
            <translation>所选分组的行数</translation>
        </message>
        <message>
            <source>groups</source>
            <translation>分组数</translation>
        </message>
        <message>
            <source>Even</source>
            <translation>均匀</translation>
        </message>
        <message>
            <source>As a router</source>
            <translation>模拟路由</translation>
        </message>
        <message>
            <source>Random sizes like those of a mixture of experts; the same for the same seed and unevenness</source>
            <translation>类似混合专家的随机大小；种子与不均匀度相同则结果相同</translation>
        </message>
        <message>
            <source>seed</source>
            <translation>随机种子</translation>
        </message>
        <message>
            <source>uneven</source>
            <translation>不均匀度</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>随机种子</translation>
        </message>
        <message>
            <source>Unevenness</source>
            <translation>不均匀度</translation>
        </message>
        <message>
            <source>fill</source>
            <translation>填充</translation>
        </message>
        <message>
            <source>written as</source>
            <translation>写法</translation>
        </message>
        <message>
            <source>values</source>
            <translation>值</translation>
        </message>
        <message>
            <source>%1 rows in %2 groups · largest %3 · %4 times the mean · %5 empty</source>
            <translation>%2 个分组共 %1 行 · 最大 %3 · 为平均的 %4 倍 · %5 个为空</translation>
        </message>
        <message>
            <source> · the axis has %1 rows</source>
            <translation> · 轴共 %1 行</translation>
        </message>
        <message>
            <source>Integers, separated by commas</source>
            <translation>以逗号分隔的整数</translation>
        </message>
        <message>
            <source>A group has fewer than 0 rows</source>
            <translation>有分组的行数小于 0</translation>
        </message>
        <message>
            <source>There is no group</source>
            <translation>没有分组</translation>
        </message>
        <message>
            <source>Change the groups of %1</source>
            <translation>修改 %1 的分组</translation>
        </message>
        <message>
            <source>The list begins with 0, the start of the first group</source>
            <translation>列表以 0 开头，即第一组的起点</translation>
        </message>
        <message>
            <source> · the list begins with 0</source>
            <translation> · 列表以 0 开头</translation>
        </message>
    </context>
    <context>
        <name>cubist::HeatLegend</name>
        <message>
            <source>%1: %2 to %3</source>
            <translation>%1：%2 至 %3</translation>
        </message>
    </context>
    <context>
        <name>cubist::HelpWindow</name>
        <message>
            <source>silent</source>
            <translation>不报告</translation>
        </message>
        <message>
            <source>Formula</source>
            <translation>公式</translation>
        </message>
        <message>
            <source>Row of docs/formulas.md</source>
            <translation>docs/formulas.md 中的行</translation>
        </message>
        <message>
            <source>Profile of what the compiler checks</source>
            <translation>enforced 配置（编译器会检查）</translation>
        </message>
        <message>
            <source>Profile of all that is documented</source>
            <translation>documented 配置（文档中的全部）</translation>
        </message>
        <message>
            <source>PyPTO's own error</source>
            <translation>PyPTO 自身的错误码</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>注意</translation>
        </message>
        <message>
            <source>the compiler stays silent about it</source>
            <translation>编译器不会报错</translation>
        </message>
        <message>
            <source>Source</source>
            <translation>出处</translation>
        </message>
        <message>
            <source>Help</source>
            <translation>帮助</translation>
        </message>
        <message>
            <source>Back</source>
            <translation>返回</translation>
        </message>
        <message>
            <source>All pages</source>
            <translation>全部页面</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>%1 - Help - Cubist</source>
            <translation>%1 - 帮助 - Cubist</translation>
        </message>
    </context>
    <context>
        <name>cubist::HistogramPlot</name>
        <message>
            <source>log2 |error|</source>
            <translation>log2 |误差|</translation>
        </message>
        <message>
            <source>Error histogram</source>
            <translation>误差直方图</translation>
        </message>
        <message>
            <source>2^%1 to 2^%2 (%3 to %4): %5 elements</source>
            <translation>2^%1 至 2^%2（%3 至 %4）：%5 个元素</translation>
        </message>
        <message>
            <source>From (log2)</source>
            <translation>从（log2）</translation>
        </message>
        <message>
            <source>To (log2)</source>
            <translation>到（log2）</translation>
        </message>
        <message>
            <source>Elements</source>
            <translation>元素数</translation>
        </message>
        <message>
            <source>exact</source>
            <translation>完全一致</translation>
        </message>
        <message>
            <source>All %1 elements are exact: there is no error to show.</source>
            <translation>全部 %1 个元素完全一致，没有误差可显示。</translation>
        </message>
    </context>
    <context>
        <name>cubist::HistoryList</name>
        <message>
            <source>Start</source>
            <translation>起点</translation>
        </message>
        <message>
            <source>Undo history</source>
            <translation>撤销历史</translation>
        </message>
    </context>
    <context>
        <name>cubist::ImportNotes</name>
        <message>
            <source>Import of %1 - Cubist</source>
            <translation>导入 %1 - Cubist</translation>
        </message>
        <message>
            <source>1 place of the kernel was not understood</source>
            <translation>kernel 中有 1 处未能理解</translation>
        </message>
        <message>
            <source>%1 places of the kernel were not understood</source>
            <translation>kernel 中有 %1 处未能理解</translation>
        </message>
        <message>
            <source>%1 values of the kernel were guessed</source>
            <translation>kernel 中有 %1 个值是推测的</translation>
        </message>
        <message>
            <source>Only the caller of the kernel knows them. Set them before you trust the prediction; the file is not changed.</source>
            <translation>这些值只有 kernel 的调用者知道。采信预测之前请先设置；文件不会被改动。</translation>
        </message>
        <message>
            <source>Guessed: %1</source>
            <translation>推测：%1</translation>
        </message>
        <message>
            <source>The design has everything else. Add what is missing on the canvas; the file is not changed.</source>
            <translation>其余内容都已在设计中。请在画布上补充缺少的部分；原文件不会改变。</translation>
        </message>
        <message>
            <source>Lines that were not understood</source>
            <translation>未能理解的行</translation>
        </message>
        <message>
            <source>Line</source>
            <translation>行</translation>
        </message>
        <message>
            <source>Why</source>
            <translation>原因</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>内容</translation>
        </message>
        <message>
            <source>Copy</source>
            <translation>复制</translation>
        </message>
    </context>
    <context>
        <name>cubist::InPlaceEditor</name>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Rename %1</source>
            <translation>重命名 %1</translation>
        </message>
        <message>
            <source>Change %1</source>
            <translation>修改%1</translation>
        </message>
        <message>
            <source>%1, axis %2</source>
            <translation>%1，轴 %2</translation>
        </message>
        <message>
            <source>Change shape</source>
            <translation>修改形状</translation>
        </message>
        <message>
            <source>role</source>
            <translation>角色</translation>
        </message>
        <message>
            <source>type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>format</source>
            <translation>格式</translation>
        </message>
        <message>
            <source>shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Remove the first axis</source>
            <translation>移除第一个轴</translation>
        </message>
        <message>
            <source>Add an axis in front</source>
            <translation>在前面添加一个轴</translation>
        </message>
        <message>
            <source>offset</source>
            <translation>偏移</translation>
        </message>
        <message>
            <source>valid</source>
            <translation>有效形状</translation>
        </message>
        <message>
            <source>result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>A is stored transposed</source>
            <translation>A 转置存放</translation>
        </message>
        <message>
            <source>B is stored transposed</source>
            <translation>B 转置存放</translation>
        </message>
        <message>
            <source>tile</source>
            <translation>切分</translation>
        </message>
        <message>
            <source>Change tile</source>
            <translation>修改切分</translation>
        </message>
        <message>
            <source>%1 to</source>
            <translation>%1 到</translation>
        </message>
        <message>
            <source>Axis of %1</source>
            <translation>%1 的轴</translation>
        </message>
        <message>
            <source>axis of %1</source>
            <translation>%1 的轴</translation>
        </message>
        <message>
            <source>Change axis</source>
            <translation>修改轴</translation>
        </message>
        <message>
            <source>writes by</source>
            <translation>写入方式</translation>
        </message>
        <message>
            <source>form</source>
            <translation>形式</translation>
        </message>
        <message>
            <source>%1 is one number or formula</source>
            <translation>%1 应为一个数或公式</translation>
        </message>
        <message>
            <source>axis</source>
            <translation>轴</translation>
        </message>
        <message>
            <source>parallel</source>
            <translation>并行</translation>
        </message>
        <message>
            <source>submit before the loop</source>
            <translation>循环前先提交</translation>
        </message>
    </context>
    <context>
        <name>cubist::InspectorForm</name>
        <message>
            <source>Rename</source>
            <translation>重命名</translation>
        </message>
        <message>
            <source>Rename %1</source>
            <translation>重命名 %1</translation>
        </message>
    </context>
    <context>
        <name>cubist::InspectorPanel</name>
        <message>
            <source>No design is open</source>
            <translation>没有打开的设计</translation>
        </message>
        <message>
            <source>Its numbers appear here: tiles, buffers, types and the predicted time.</source>
            <translation>这里显示切分、缓冲区、类型和预测耗时。</translation>
        </message>
    </context>
    <context>
        <name>cubist::LanePainter</name>
        <message>
            <source>busy</source>
            <translation>工作中</translation>
        </message>
        <message>
            <source>waits for data</source>
            <translation>等待数据</translation>
        </message>
        <message>
            <source>waits for a buffer slot</source>
            <translation>等待缓冲槽</translation>
        </message>
        <message>
            <source>nothing left in the task</source>
            <translation>任务内已无工作</translation>
        </message>
        <message>
            <source>waits for a task</source>
            <translation>等待任务</translation>
        </message>
        <message>
            <source>waits for the scheduler to see that a task ended</source>
            <translation>等待调度器确认任务结束</translation>
        </message>
        <message>
            <source>waits for the device task before</source>
            <translation>等待前一个 device task</translation>
        </message>
        <message>
            <source>waits for the AICPU to build the device task</source>
            <translation>等待 AICPU 构建 device task</translation>
        </message>
        <message>
            <source>waits for dispatch</source>
            <translation>等待下发</translation>
        </message>
        <message>
            <source>gets no task</source>
            <translation>没有分到任务</translation>
        </message>
        <message>
            <source>no task is left</source>
            <translation>已无任务</translation>
        </message>
    </context>
    <context>
        <name>cubist::LibraryPanel</name>
        <message>
            <source>Skeletons</source>
            <translation>骨架</translation>
        </message>
        <message>
            <source>Samples</source>
            <translation>样例</translation>
        </message>
        <message>
            <source>Recent</source>
            <translation>最近打开</translation>
        </message>
    </context>
    <context>
        <name>cubist::LoopForm</name>
        <message>
            <source>Loop</source>
            <translation>循环</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Change %1</source>
            <translation>修改%1</translation>
        </message>
        <message>
            <source>Rename loop index</source>
            <translation>重命名循环变量</translation>
        </message>
        <message>
            <source>form</source>
            <translation>形式</translation>
        </message>
        <message>
            <source>runtime: pypto.loop, each iteration a root function; static: expanded when the kernel is compiled; unroll: pypto.loop_unroll</source>
            <translation>runtime：pypto.loop，每次迭代是一个 root function；static：编译时展开；unroll：pypto.loop_unroll</translation>
        </message>
        <message>
            <source>axis</source>
            <translation>轴</translation>
        </message>
        <message>
            <source>What is cut: an integer or a formula over symbols, as in T</source>
            <translation>被切的轴：整数或含符号的公式，例如 T</translation>
        </message>
        <message>
            <source>tile</source>
            <translation>切分</translation>
        </message>
        <message>
            <source>Elements of the axis in one iteration</source>
            <translation>一次迭代所含的轴元素数</translation>
        </message>
        <message>
            <source>index</source>
            <translation>循环变量</translation>
        </message>
        <message>
            <source>Name of the iteration's number in expressions of the body</source>
            <translation>循环体表达式中迭代序号的名称</translation>
        </message>
        <message>
            <source>factors</source>
            <translation>展开因子</translation>
        </message>
        <message>
            <source>Each step takes the largest of these that still fits, 1 at least</source>
            <translation>每步取仍放得下的最大者，至少为 1</translation>
        </message>
        <message>
            <source>factor</source>
            <translation>因子</translation>
        </message>
        <message>
            <source>Name of the step's factor in expressions of the body</source>
            <translation>循环体表达式中本步因子的名称</translation>
        </message>
        <message>
            <source>iterations are independent (parallel)</source>
            <translation>各次迭代相互独立（parallel）</translation>
        </message>
        <message>
            <source>Takes effect with device_sched_parallelism above 1</source>
            <translation>device_sched_parallelism 大于 1 时生效</translation>
        </message>
        <message>
            <source>all work so far is done first (submit_before_loop)</source>
            <translation>先完成此前的全部工作（submit_before_loop）</translation>
        </message>
        <message>
            <source>Notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>loop %1</source>
            <translation>循环 %1</translation>
        </message>
        <message>
            <source>%1 in 0..%2: %3 iterations of %4</source>
            <translation>%1 取 0..%2：%3 次迭代，每次 %4</translation>
        </message>
        <message>
            <source>, no tail</source>
            <translation>，无尾块</translation>
        </message>
        <message>
            <source>, the last one has %1 (tail)</source>
            <translation>，最后一次为 %1（尾块）</translation>
        </message>
        <message>
            <source>Compare loop variants...</source>
            <translation>对比循环形式...</translation>
        </message>
        <message>
            <source>Parallel or serial, written out or unrolled: compile size, resources and time side by side</source>
            <translation>并行或串行、编译期展开或 unroll：编译规模、资源与时间并列对比</translation>
        </message>
    </context>
    <context>
        <name>cubist::MainWindow</name>
        <message>
            <source>No loop</source>
            <translation>无循环</translation>
        </message>
        <message>
            <source>whole tensors at once</source>
            <translation>一次处理整个张量</translation>
        </message>
        <message>
            <source>Parallel groups</source>
            <translation>并行分组</translation>
        </message>
        <message>
            <source>a loop over groups</source>
            <translation>按组循环</translation>
        </message>
        <message>
            <source>Unrolled groups</source>
            <translation>展开分组</translation>
        </message>
        <message>
            <source>groups known beforehand</source>
            <translation>分组预先已知</translation>
        </message>
        <message>
            <source>Serial tiles</source>
            <translation>串行切分块</translation>
        </message>
        <message>
            <source>one matmul a row tile</source>
            <translation>每个行切分块一次矩阵乘</translation>
        </message>
        <message>
            <source>Serial, multi-matmul</source>
            <translation>串行多矩阵乘</translation>
        </message>
        <message>
            <source>a chain of stages a tile</source>
            <translation>每个切分块一串阶段</translation>
        </message>
        <message>
            <source>Open re&amp;cent</source>
            <translation>最近打开(&amp;C)</translation>
        </message>
        <message>
            <source>Pa&amp;nels</source>
            <translation>停靠面板(&amp;N)</translation>
        </message>
        <message>
            <source>Autosave failed: %1</source>
            <translation>自动保存失败：%1</translation>
        </message>
        <message>
            <source>Problems %1</source>
            <translation>检查项 %1</translation>
        </message>
        <message>
            <source>Problems</source>
            <translation>检查项</translation>
        </message>
        <message>
            <source>Reloaded from disk; undo brings back what was here</source>
            <translation>已从磁盘重新加载；撤销可恢复之前的内容</translation>
        </message>
        <message>
            <source>The file cannot be read: %1</source>
            <translation>无法读取文件：%1</translation>
        </message>
        <message>
            <source>%1 was changed by another program, and there are unsaved changes here.</source>
            <translation>%1 已被其他程序修改，而这里有未保存的更改。</translation>
        </message>
        <message>
            <source>Reload</source>
            <translation>重新加载</translation>
        </message>
        <message>
            <source>Keep mine</source>
            <translation>保留我的更改</translation>
        </message>
        <message>
            <source>%1 is gone from disk.</source>
            <translation>磁盘上的 %1 已不存在。</translation>
        </message>
        <message>
            <source>Save again</source>
            <translation>重新保存</translation>
        </message>
        <message>
            <source>Save as...</source>
            <translation>另存为...</translation>
        </message>
        <message>
            <source>Cubist</source>
            <translation>Cubist</translation>
        </message>
        <message>
            <source>%1[*] - Cubist</source>
            <translation>%1[*] - Cubist</translation>
        </message>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>重做(&amp;R)</translation>
        </message>
        <message>
            <source>New design of variant %1</source>
            <translation>新建变体 %1 的设计</translation>
        </message>
        <message>
            <source>Open a copy of the sample %1
%2</source>
            <translation>打开样例 %1 的副本
%2</translation>
        </message>
        <message>
            <source>file is gone</source>
            <translation>文件已不存在</translation>
        </message>
        <message>
            <source>&amp;Clear this list</source>
            <translation>清空列表(&amp;C)</translation>
        </message>
        <message>
            <source>No template of variant %1 is installed.</source>
            <translation>没有安装变体 %1 的模板。</translation>
        </message>
        <message>
            <source>Measured trace</source>
            <translation>实测轨迹</translation>
        </message>
        <message>
            <source>Traces of PyPTO (*.json);;All files (*)</source>
            <translation>PyPTO 轨迹 (*.json);;所有文件 (*)</translation>
        </message>
    </context>
    <context>
        <name>cubist::ManyForm</name>
        <message>
            <source>What is entered here is given to all of them, as one step.</source>
            <translation>在此输入的值会一次性写入所有选中的阶段，算作一步。</translation>
        </message>
        <message>
            <source>Tile</source>
            <translation>切分块</translation>
        </message>
        <message>
            <source>axis %1</source>
            <translation>轴 %1</translation>
        </message>
        <message>
            <source>Operands</source>
            <translation>操作数</translation>
        </message>
        <message>
            <source>A is stored transposed, [K, M]</source>
            <translation>A 转置存放，[K, M]</translation>
        </message>
        <message>
            <source>B is stored transposed, [N, K]</source>
            <translation>B 转置存放，[N, K]</translation>
        </message>
        <message>
            <source>Result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>negative sums become 0 (ReLU)</source>
            <translation>负的累加值变为 0（ReLU）</translation>
        </message>
        <message>
            <source>scale</source>
            <translation>缩放</translation>
        </message>
        <message>
            <source>none</source>
            <translation>无</translation>
        </message>
        <message>
            <source>Arithmetic</source>
            <translation>算术</translation>
        </message>
        <message>
            <source>FP32 operands</source>
            <translation>FP32 操作数</translation>
        </message>
        <message>
            <source>sums</source>
            <translation>累加</translation>
        </message>
        <message>
            <source>split K over cores</source>
            <translation>沿 K 拆分到多个核（split K）</translation>
        </message>
        <message>
            <source>partial sums</source>
            <translation>部分和</translation>
        </message>
        <message>
            <source>Options</source>
            <translation>选项</translation>
        </message>
        <message>
            <source>slots</source>
            <translation>缓冲槽</translation>
        </message>
        <message>
            <source>auto</source>
            <translation>自动</translation>
        </message>
        <message>
            <source>label</source>
            <translation>标签</translation>
        </message>
        <message>
            <source>notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>Change %1 of %2 stages</source>
            <translation>修改 %2 个阶段的%1</translation>
        </message>
        <message>
            <source>mixed</source>
            <translation>各不相同</translation>
        </message>
        <message>
            <source>Change the tile of %1 stages</source>
            <translation>修改 %1 个阶段的切分块</translation>
        </message>
        <message>
            <source>%1 stages</source>
            <translation>%1 个阶段</translation>
        </message>
    </context>
    <context>
        <name>cubist::StepSpinBox</name>
        <message>
            <source>mixed</source>
            <translation>不一</translation>
        </message>
    </context>
    <context>
        <name>cubist::TensorFilesDialog</name>
        <message>
            <source>Tensor files - Cubist</source>
            <translation>张量文件 - Cubist</translation>
        </message>
        <message>
            <source>Values of inputs and goldens of outputs for the runs of this window: .npy, .npz#NAME, .safetensors#NAME, or elements alone (.bin, .data, .raw). After a failed verdict other types and orders are tried.</source>
            <translation>本窗口运行所用的输入数值和输出标杆：.npy、.npz#名称、.safetensors#名称，或仅含元素的文件（.bin、.data、.raw）。判定失败后会尝试其他类型和排布。</translation>
        </message>
        <message>
            <source>No tensors</source>
            <translation>没有张量</translation>
        </message>
        <message>
            <source>The design has no inputs or outputs that a file could hold.</source>
            <translation>设计没有可由文件提供的输入或输出。</translation>
        </message>
        <message>
            <source>Shapes are not known</source>
            <translation>张量形状未知</translation>
        </message>
        <message>
            <source>The design has errors: fix them to see what its tensors are.</source>
            <translation>设计有错误：修复后即可看到其张量。</translation>
        </message>
        <message>
            <source>golden of %1</source>
            <translation>%1 的标杆</translation>
        </message>
        <message>
            <source>input %1</source>
            <translation>输入 %1</translation>
        </message>
        <message>
            <source>computed by Cubist</source>
            <translation>由 Cubist 计算</translation>
        </message>
        <message>
            <source>as the design says</source>
            <translation>按设计中的设置</translation>
        </message>
        <message>
            <source>File of %1</source>
            <translation>%1 的文件</translation>
        </message>
        <message>
            <source>as stored</source>
            <translation>按文件</translation>
        </message>
        <message>
            <source>Tensor</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>File</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Order</source>
            <translation>排布</translation>
        </message>
        <message>
            <source>Type of the elements of %1</source>
            <translation>%1 的元素类型</translation>
        </message>
        <message>
            <source>Order of the elements of %1</source>
            <translation>%1 的元素排布</translation>
        </message>
        <message>
            <source>Choose...</source>
            <translation>选择...</translation>
        </message>
        <message>
            <source>Choose the file of %1</source>
            <translation>选择 %1 的文件</translation>
        </message>
        <message>
            <source>Tensors (*.npy *.npz *.safetensors *.bin *.data *.raw);;All files (*)</source>
            <translation>张量 (*.npy *.npz *.safetensors *.bin *.data *.raw);;所有文件 (*)</translation>
        </message>
        <message>
            <source>A large file: the run reads it.</source>
            <translation>文件较大，运行时读取。</translation>
        </message>
        <message>
            <source>The file can be read.</source>
            <translation>文件可以读取。</translation>
        </message>
    </context>
    <context>
        <name>cubist::VariantsDialog</name>
        <message>
            <source>Loop variants - Cubist</source>
            <translation>循环形式 - Cubist</translation>
        </message>
        <message>
            <source>Progress of the comparison</source>
            <translation>对比进度</translation>
        </message>
        <message>
            <source>&amp;Stop</source>
            <translation>停止(&amp;S)</translation>
        </message>
        <message>
            <source>Forms of the design</source>
            <translation>设计的各种形式</translation>
        </message>
        <message>
            <source>All figures of the selected form</source>
            <translation>所选形式的全部数值</translation>
        </message>
        <message>
            <source>Compare a&amp;gain</source>
            <translation>重新对比(&amp;G)</translation>
        </message>
        <message>
            <source>&amp;Apply this form</source>
            <translation>应用此形式(&amp;A)</translation>
        </message>
        <message>
            <source>the chip of the design is unknown</source>
            <translation>设计的芯片未知</translation>
        </message>
        <message>
            <source>as it is</source>
            <translation>原设计</translation>
        </message>
        <message>
            <source>as it was</source>
            <translation>原来的设计</translation>
        </message>
        <message>
            <source>Apply the form as it was</source>
            <translation>恢复原来的循环形式</translation>
        </message>
        <message>
            <source>Apply form %1</source>
            <translation>应用形式 %1</translation>
        </message>
        <message>
            <source>Forms of %1</source>
            <translation>%1 的各种形式</translation>
        </message>
        <message>
            <source>Case %1 on %2. Changes of the time are against the form that the design has now.</source>
            <translation>用例 %1，芯片 %2。时间变化相对于设计当前的形式。</translation>
        </message>
        <message>
            <source>Looking for the forms of the design</source>
            <translation>正在查找设计的各种形式</translation>
        </message>
        <message>
            <source>%1 of %2 forms compared</source>
            <translation>已对比 %1 / %2 种形式</translation>
        </message>
        <message>
            <source>The design, its case, sizes or chip have changed: compare again.</source>
            <translation>设计、用例、尺寸或芯片已改变，请重新对比。</translation>
        </message>
        <message>
            <source>Stopped: forms without figures were not compared.</source>
            <translation>已停止：没有数值的形式未参与对比。</translation>
        </message>
        <message>
            <source>No loop of the design has a matmul in it: there is no other form.</source>
            <translation>设计中没有含矩阵乘的循环，因此没有其他形式。</translation>
        </message>
    </context>
    <context>
        <name>cubist::VariantRows</name>
        <message>
            <source>not possible</source>
            <translation>不可行</translation>
        </message>
        <message>
            <source>1 error</source>
            <translation>1 个错误</translation>
        </message>
        <message>
            <source>%1 errors</source>
            <translation>%1 个错误</translation>
        </message>
        <message>
            <source>1 warning</source>
            <translation>1 个警告</translation>
        </message>
        <message>
            <source>%1 warnings</source>
            <translation>%1 个警告</translation>
        </message>
        <message>
            <source>Form</source>
            <translation>形式</translation>
        </message>
        <message>
            <source>Stages</source>
            <translation>阶段数</translation>
        </message>
        <message>
            <source>Leaves</source>
            <translation>leaf 数</translation>
        </message>
        <message>
            <source>Instructions</source>
            <translation>指令数</translation>
        </message>
        <message>
            <source>Tasks</source>
            <translation>任务数</translation>
        </message>
        <message>
            <source>Buffer</source>
            <translation>缓冲区</translation>
        </message>
        <message>
            <source>Workspaces</source>
            <translation>工作区</translation>
        </message>
        <message>
            <source>Kernel</source>
            <translation>kernel</translation>
        </message>
        <message>
            <source>End to end</source>
            <translation>端到端</translation>
        </message>
        <message>
            <source>Change</source>
            <translation>变化</translation>
        </message>
        <message>
            <source>Findings</source>
            <translation>检查项</translation>
        </message>
        <message>
            <source>%1 (current)</source>
            <translation>%1（当前）</translation>
        </message>
        <message>
            <source>Figure</source>
            <translation>项目</translation>
        </message>
        <message>
            <source>Now</source>
            <translation>当前</translation>
        </message>
        <message>
            <source>This form</source>
            <translation>此形式</translation>
        </message>
        <message>
            <source>compiled stages</source>
            <translation>编译的阶段数</translation>
        </message>
        <message>
            <source>leaf functions</source>
            <translation>leaf 函数数</translation>
        </message>
        <message>
            <source>instructions of leaf functions</source>
            <translation>leaf 函数的指令数</translation>
        </message>
        <message>
            <source>expressions</source>
            <translation>表达式规模合计</translation>
        </message>
        <message>
            <source>largest expression (limit 18000)</source>
            <translation>最大表达式（上限 18000）</translation>
        </message>
        <message>
            <source>root functions run</source>
            <translation>运行的 root 函数数</translation>
        </message>
        <message>
            <source>tasks</source>
            <translation>任务数</translation>
        </message>
        <message>
            <source>instructions run</source>
            <translation>执行的指令数</translation>
        </message>
        <message>
            <source>%1, of %2</source>
            <translation>%1，共 %2</translation>
        </message>
        <message>
            <source>workspaces</source>
            <translation>workspace 数</translation>
        </message>
        <message>
            <source>bytes of workspaces</source>
            <translation>workspace 大小</translation>
        </message>
        <message>
            <source>cube cores used</source>
            <translation>使用的 cube 核数</translation>
        </message>
        <message>
            <source>vector cores used</source>
            <translation>使用的 vector 核数</translation>
        </message>
        <message>
            <source>kernel time</source>
            <translation>kernel 时间</translation>
        </message>
        <message>
            <source>end to end</source>
            <translation>端到端时间</translation>
        </message>
    </context>
    <context>
        <name>cubist::MeasuredDialog</name>
        <message>
            <source>Measured: %1 - Cubist</source>
            <translation>实测：%1 - Cubist</translation>
        </message>
        <message>
            <source>Stages, emulated and measured</source>
            <translation>各阶段的仿真与实测</translation>
        </message>
        <message>
            <source>Stage</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Tasks</source>
            <translation>任务</translation>
        </message>
        <message>
            <source>Measured tasks</source>
            <translation>实测任务</translation>
        </message>
        <message>
            <source>Span</source>
            <translation>时长</translation>
        </message>
        <message>
            <source>Measured span</source>
            <translation>实测时长</translation>
        </message>
        <message>
            <source>Ratio</source>
            <translation>比值</translation>
        </message>
        <message>
            <source>Busy</source>
            <translation>忙碌</translation>
        </message>
        <message>
            <source>Measured busy</source>
            <translation>实测忙碌</translation>
        </message>
        <message>
            <source>emulated %1, measured %2: %3 of the measured time</source>
            <translation>仿真 %1，实测 %2：为实测时间的 %3</translation>
        </message>
        <message>
            <source>Both begin at 0 with their first task. Measured bars are striped.</source>
            <translation>两者都从首个任务的 0 时刻开始。实测条带有斜纹。</translation>
        </message>
        <message>
            <source>Both begin at 0 with their first task. Measured bars are striped. No stage has the labels: %1</source>
            <translation>两者都从首个任务的 0 时刻开始。实测条带有斜纹。没有阶段使用这些标签：%1</translation>
        </message>
        <message>
            <source>Everything</source>
            <translation>全部</translation>
        </message>
        <message>
            <source>the time of this design is not known</source>
            <translation>尚不知道该设计的时间</translation>
        </message>
        <message>
            <source>fix its errors, or wait for the prediction</source>
            <translation>请修复错误，或等待预测完成</translation>
        </message>
    </context>
    <context>
        <name>cubist::Minimap</name>
        <message>
            <source>Overview of the canvas</source>
            <translation>画布概览</translation>
        </message>
    </context>
    <context>
        <name>cubist::NewDesignDialog</name>
        <message>
            <source>New design - Cubist</source>
            <translation>新建设计 - Cubist</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>步骤</translation>
        </message>
        <message>
            <source>1  Operator</source>
            <translation>1  算子</translation>
        </message>
        <message>
            <source>2  Structure</source>
            <translation>2  结构</translation>
        </message>
        <message>
            <source>3  Sizes and chip</source>
            <translation>3  尺寸与芯片</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>&amp;Back</source>
            <translation>上一步(&amp;B)</translation>
        </message>
        <message>
            <source>&amp;Next</source>
            <translation>下一步(&amp;N)</translation>
        </message>
        <message>
            <source>&amp;Create</source>
            <translation>创建(&amp;C)</translation>
        </message>
        <message>
            <source>Open the design in the window (Ctrl+Enter)</source>
            <translation>在窗口中打开该设计 (Ctrl+Enter)</translation>
        </message>
        <message>
            <source>&amp;Empty canvas</source>
            <translation>空白画布(&amp;E)</translation>
        </message>
        <message>
            <source>No skeleton: an empty design, to be filled from the library</source>
            <translation>不用骨架：从空白设计开始，用资源库填充</translation>
        </message>
    </context>
    <context>
        <name>cubist::NoteEditor</name>
        <message>
            <source>Text of the note</source>
            <translation>便签文字</translation>
        </message>
    </context>
    <context>
        <name>cubist::NoticeBar</name>
        <message>
            <source>Close this notice</source>
            <translation>关闭此通知</translation>
        </message>
    </context>
    <context>
        <name>cubist::OpAttributes</name>
        <message>
            <source>rounding</source>
            <translation>舍入</translation>
        </message>
        <message>
            <source>NONE is TRUNC from float to integer, else RINT (to nearest, ties to even)</source>
            <translation>NONE：浮点转整数时为 TRUNC，否则为 RINT（就近，平局取偶）</translation>
        </message>
        <message>
            <source>clamp what overflows (saturate)</source>
            <translation>溢出时饱和（saturate）</translation>
        </message>
        <message>
            <source>With it NaN becomes 0, as on the chip; without it floats become infinite (FP8E4M3: NaN) and integers keep their low bits</source>
            <translation>勾选时 NaN 变为 0，与芯片一致；否则浮点变为无穷大（FP8E4M3 为 NaN），整数保留低位</translation>
        </message>
        <message>
            <source>axis</source>
            <translation>轴</translation>
        </message>
        <message>
            <source>the last</source>
            <translation>最后一个</translation>
        </message>
        <message>
            <source>Negative axes count from the end: -1 is the last</source>
            <translation>负数从末尾数起：-1 为最后一个轴</translation>
        </message>
        <message>
            <source>keep the axis, with extent 1</source>
            <translation>保留该轴，长度为 1</translation>
        </message>
        <message>
            <source>two axes</source>
            <translation>两个轴</translation>
        </message>
        <message>
            <source>The axes that change places</source>
            <translation>互换位置的轴</translation>
        </message>
        <message>
            <source>shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Shape of the result</source>
            <translation>结果的形状</translation>
        </message>
        <message>
            <source>offset</source>
            <translation>偏移</translation>
        </message>
        <message>
            <source>Where the window starts; empty: zeros</source>
            <translation>窗口起点；留空：全 0</translation>
        </message>
        <message>
            <source>epsilon</source>
            <translation>epsilon</translation>
        </message>
        <message>
            <source>second result</source>
            <translation>第二结果</translation>
        </message>
        <message>
            <source>Name of the places that topk finds, or of the scales of quant_mx; empty: not kept</source>
            <translation>topk 所得位置或 quant_mx 缩放因子的名称；留空：不保留</translation>
        </message>
        <message>
            <source>how many</source>
            <translation>个数</translation>
        </message>
        <message>
            <source>the largest come first</source>
            <translation>从大到小</translation>
        </message>
        <message>
            <source>add instead of replacing</source>
            <translation>累加而非覆盖</translation>
        </message>
        <message>
            <source>factor</source>
            <translation>因子</translation>
        </message>
        <message>
            <source>What is added is multiplied by it</source>
            <translation>被加的值先乘以它</translation>
        </message>
        <message>
            <source>where it writes</source>
            <translation>写入方式</translation>
        </message>
        <message>
            <source>none replaces, add and multiply combine with what is there</source>
            <translation>none 覆盖，add 与 multiply 与原值合并</translation>
        </message>
        <message>
            <source>range</source>
            <translation>范围</translation>
        </message>
        <message>
            <source>End; start and end; or start, end and step</source>
            <translation>终点；起点与终点；或起点、终点与步长</translation>
        </message>
        <message>
            <source>scale</source>
            <translation>缩放指数</translation>
        </message>
        <message>
            <source>How the shared exponent is rounded</source>
            <translation>共享指数的舍入方式</translation>
        </message>
        <message>
            <source>pairs are neighbours, not halves</source>
            <translation>相邻元素成对，而非前后半成对</translation>
        </message>
    </context>
    <context>
        <name>cubist::OpsEditor</name>
        <message>
            <source>Add operation</source>
            <translation>添加运算</translation>
        </message>
        <message>
            <source>same type</source>
            <translation>类型不变</translation>
        </message>
        <message>
            <source>Operation</source>
            <translation>运算</translation>
        </message>
        <message>
            <source>Result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>Operands</source>
            <translation>操作数</translation>
        </message>
        <message>
            <source>Type of the result</source>
            <translation>结果的类型</translation>
        </message>
        <message>
            <source>Remove this operation</source>
            <translation>删除此运算</translation>
        </message>
        <message>
            <source>Change operation</source>
            <translation>修改运算</translation>
        </message>
        <message>
            <source>Change result type</source>
            <translation>修改结果类型</translation>
        </message>
        <message>
            <source>Rename result</source>
            <translation>重命名结果</translation>
        </message>
        <message>
            <source>Change operands</source>
            <translation>修改操作数</translation>
        </message>
        <message>
            <source>Remove operation</source>
            <translation>删除运算</translation>
        </message>
        <message>
            <source>values, numbers</source>
            <translation>值、数字</translation>
        </message>
        <message>
            <source>Values or numbers, separated by commas</source>
            <translation>值或数字，用逗号分隔</translation>
        </message>
    </context>
    <context>
        <name>cubist::OverlayPlot</name>
        <message>
            <source>Measured and emulated swimlane</source>
            <translation>实测与仿真泳道图</translation>
        </message>
        <message>
            <source>%1 emulated</source>
            <translation>%1 仿真</translation>
        </message>
        <message>
            <source>%1 measured</source>
            <translation>%1 实测</translation>
        </message>
        <message>
            <source>%1 on %2
%3 to %4, %5</source>
            <translation>%1，位于 %2
%3 至 %4，%5</translation>
        </message>
        <message>
            <source>Measured and emulated tasks</source>
            <translation>实测与仿真任务</translation>
        </message>
        <message>
            <source>Source</source>
            <translation>来源</translation>
        </message>
        <message>
            <source>Core</source>
            <translation>核</translation>
        </message>
        <message>
            <source>Task</source>
            <translation>任务</translation>
        </message>
        <message>
            <source>Start, us</source>
            <translation>开始 (us)</translation>
        </message>
        <message>
            <source>End, us</source>
            <translation>结束 (us)</translation>
        </message>
        <message>
            <source>measured</source>
            <translation>实测</translation>
        </message>
        <message>
            <source>emulated</source>
            <translation>仿真</translation>
        </message>
    </context>
    <context>
        <name>cubist::PaletteEntries</name>
        <message>
            <source>C stage</source>
            <translation>C 阶段</translation>
        </message>
        <message>
            <source>V stage</source>
            <translation>V 阶段</translation>
        </message>
        <message>
            <source>loop</source>
            <translation>循环</translation>
        </message>
        <message>
            <source>view</source>
            <translation>切片</translation>
        </message>
        <message>
            <source>store</source>
            <translation>写出</translation>
        </message>
        <message>
            <source>tensor</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Case %1</source>
            <translation>用例 %1</translation>
        </message>
        <message>
            <source>case</source>
            <translation>用例</translation>
        </message>
        <message>
            <source>Chip %1</source>
            <translation>芯片 %1</translation>
        </message>
        <message>
            <source>chip</source>
            <translation>芯片</translation>
        </message>
        <message>
            <source>Change chip</source>
            <translation>更换芯片</translation>
        </message>
        <message>
            <source>Open sample %1</source>
            <translation>打开样例 %1</translation>
        </message>
        <message>
            <source>sample</source>
            <translation>样例</translation>
        </message>
        <message>
            <source>recent</source>
            <translation>最近打开</translation>
        </message>
        <message>
            <source>Help: %1</source>
            <translation>帮助：%1</translation>
        </message>
        <message>
            <source>help</source>
            <translation>帮助</translation>
        </message>
        <message>
            <source>Open recent %1</source>
            <translation>打开最近的 %1</translation>
        </message>
        <message>
            <source>rule</source>
            <translation>规则</translation>
        </message>
    </context>
    <context>
        <name>cubist::PaletteItem</name>
        <message>
            <source>%1
Drag it onto the canvas, or press to add it beside the selection</source>
            <translation>%1
拖到画布上，或单击添加到所选元素旁</translation>
        </message>
    </context>
    <context>
        <name>cubist::PlotWidget</name>
        <message>
            <source>%1 files (*.%2)</source>
            <translation>%1 文件 (*.%2)</translation>
        </message>
        <message>
            <source>%1 could not be written.</source>
            <translation>无法写入 %1。</translation>
        </message>
        <message>
            <source>%1 - Cubist</source>
            <translation>%1 - Cubist</translation>
        </message>
        <message>
            <source>Show data as a table</source>
            <translation>以表格显示数据</translation>
        </message>
        <message>
            <source>Copy picture</source>
            <translation>复制图片</translation>
        </message>
        <message>
            <source>Save as PNG...</source>
            <translation>保存为 PNG...</translation>
        </message>
        <message>
            <source>Save plot</source>
            <translation>保存图</translation>
        </message>
        <message>
            <source>Save as SVG...</source>
            <translation>保存为 SVG...</translation>
        </message>
    </context>
    <context>
        <name>cubist::PredictionBox</name>
        <message>
            <source>Show problems</source>
            <translation>查看检查项</translation>
        </message>
        <message>
            <source>Change against the prediction before</source>
            <translation>与上一次预测相比的变化</translation>
        </message>
        <message>
            <source>Live prediction</source>
            <translation>实时预测</translation>
        </message>
        <message>
            <source>No time: the design cannot run as it stands.</source>
            <translation>没有耗时：设计目前无法运行。</translation>
        </message>
        <message>
            <source>Predicting ...</source>
            <translation>正在预测 ...</translation>
        </message>
        <message>
            <source>kernel %1</source>
            <translation>kernel 耗时 %1</translation>
        </message>
        <message>
            <source>%1 us</source>
            <translation>%1 us</translation>
        </message>
        <message>
            <source>emulated, %1; predicted in %2 ms</source>
            <translation>仿真，%1；预测用时 %2 ms</translation>
        </message>
        <message>
            <source>Nothing to run yet</source>
            <translation>还没有可运行的内容</translation>
        </message>
        <message>
            <source>The first stage brings its time.</source>
            <translation>添加第一个阶段后即显示时间。</translation>
        </message>
    </context>
    <context>
        <name>cubist::ProblemsPanel</name>
        <message>
            <source>Fix all</source>
            <translation>全部修复</translation>
        </message>
        <message>
            <source>Problems</source>
            <translation>检查项</translation>
        </message>
        <message>
            <source>Filter by text, rule or element</source>
            <translation>按文字、规则或元素筛选</translation>
        </message>
        <message>
            <source>Filter problems</source>
            <translation>筛选检查项</translation>
        </message>
        <message>
            <source>Group problems</source>
            <translation>检查项分组</translation>
        </message>
        <message>
            <source>Ungrouped</source>
            <translation>不分组</translation>
        </message>
        <message>
            <source>By severity</source>
            <translation>按级别</translation>
        </message>
        <message>
            <source>By rule</source>
            <translation>按规则</translation>
        </message>
        <message>
            <source>By element</source>
            <translation>按元素</translation>
        </message>
        <message>
            <source>Apply every fix that removes its problem and adds no error, as one step</source>
            <translation>应用所有能消除问题且不引入错误的修复，作为一步</translation>
        </message>
        <message>
            <source>1 error</source>
            <translation>1 个错误</translation>
        </message>
        <message>
            <source>%1 errors</source>
            <translation>%1 个错误</translation>
        </message>
        <message>
            <source>1 warning</source>
            <translation>1 个警告</translation>
        </message>
        <message>
            <source>%1 warnings</source>
            <translation>%1 个警告</translation>
        </message>
        <message>
            <source>1 hint</source>
            <translation>1 个提示</translation>
        </message>
        <message>
            <source>%1 hints</source>
            <translation>%1 个提示</translation>
        </message>
        <message>
            <source>No design is open</source>
            <translation>没有打开的设计</translation>
        </message>
        <message>
            <source>Open a sample from the library on the left, or a file (Ctrl+O).</source>
            <translation>从左侧资源库打开样例，或打开文件（Ctrl+O）。</translation>
        </message>
        <message>
            <source>No problems</source>
            <translation>没有检查项</translation>
        </message>
        <message>
            <source>All %1 rules were checked against this design, chip and case.</source>
            <translation>已就当前设计、芯片与用例检查全部 %1 条规则。</translation>
        </message>
        <message>
            <source>Fix 1 problem</source>
            <translation>修复 1 个检查项</translation>
        </message>
        <message>
            <source>Fix %1 problems</source>
            <translation>修复 %1 个检查项</translation>
        </message>
        <message>
            <source>Page of this rule</source>
            <translation>此规则的说明页</translation>
        </message>
        <message>
            <source>Select a problem to see its rule and the ways to fix it.</source>
            <translation>选择一个检查项以查看其规则与修复办法。</translation>
        </message>
        <message>
            <source>No problem matches the filter.</source>
            <translation>没有符合筛选条件的检查项。</translation>
        </message>
        <message>
            <source>Show on the canvas</source>
            <translation>在画布上显示</translation>
        </message>
    </context>
    <context>
        <name>cubist::PyptoExportDialog</name>
        <message>
            <source>Export PyPTO kernel - Cubist</source>
            <translation>导出 PyPTO kernel - Cubist</translation>
        </message>
        <message>
            <source>Keys of merge options</source>
            <translation>合并选项的键</translation>
        </message>
        <message>
            <source>Labels, as the documentation has them</source>
            <translation>标签（与文档一致）</translation>
        </message>
        <message>
            <source>Integers, as most kernels have them</source>
            <translation>整数（多数 kernel 的写法）</translation>
        </message>
        <message>
            <source>Files</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Contents of the file</source>
            <translation>文件内容</translation>
        </message>
        <message>
            <source>&amp;Write to folder...</source>
            <translation>写入文件夹(&amp;W)...</translation>
        </message>
        <message>
            <source>Nothing stands in the way</source>
            <translation>可以导出</translation>
        </message>
        <message>
            <source>A PyPTO kernel cannot say all of this design</source>
            <translation>PyPTO kernel 无法表达该设计的全部内容</translation>
        </message>
        <message>
            <source>Kernel, host wrapper, golden, test and documents, for the chip and case shown above the canvas.</source>
            <translation>kernel、host 封装、golden、测试与文档，针对画布上方所示的芯片与用例。</translation>
        </message>
        <message>
            <source>Folder for the kernel</source>
            <translation>kernel 的文件夹</translation>
        </message>
        <message>
            <source>Replace files?</source>
            <translation>替换文件？</translation>
        </message>
        <message>
            <source>The folder has these files already:
%1</source>
            <translation>文件夹中已有这些文件：
%1</translation>
        </message>
        <message>
            <source>The kernel could not be written</source>
            <translation>无法写入 kernel</translation>
        </message>
    </context>
    <context>
        <name>cubist::RecoveryDialog</name>
        <message>
            <source>%1 s</source>
            <translation>%1 秒</translation>
        </message>
        <message>
            <source>%1 min</source>
            <translation>%1 分钟</translation>
        </message>
        <message>
            <source>%1 h</source>
            <translation>%1 小时</translation>
        </message>
        <message>
            <source>%1 days</source>
            <translation>%1 天</translation>
        </message>
        <message>
            <source>The recovered version is newer by %1</source>
            <translation>恢复的版本较新，相差 %1</translation>
        </message>
        <message>
            <source>The file is newer by %1</source>
            <translation>文件较新，相差 %1</translation>
        </message>
        <message>
            <source>It never was a file</source>
            <translation>从未保存为文件</translation>
        </message>
        <message>
            <source>The file is gone</source>
            <translation>文件已不存在</translation>
        </message>
        <message>
            <source>Recovery - Cubist</source>
            <translation>恢复 - Cubist</translation>
        </message>
        <message>
            <source>Cubist did not end by itself last time</source>
            <translation>Cubist 上次没有正常退出</translation>
        </message>
        <message>
            <source>These designs had unsaved changes. What is recovered opens unsaved; no file is written before you save.</source>
            <translation>以下设计有未保存的更改。恢复后以未保存状态打开；在您保存之前不会写入任何文件。</translation>
        </message>
        <message>
            <source>Design</source>
            <translation>设计</translation>
        </message>
        <message>
            <source>Recovered version</source>
            <translation>恢复的版本</translation>
        </message>
        <message>
            <source>File</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Which is newer</source>
            <translation>哪个较新</translation>
        </message>
        <message>
            <source>Designs to recover</source>
            <translation>待恢复的设计</translation>
        </message>
        <message>
            <source>Recover what is ticked</source>
            <translation>恢复所选</translation>
        </message>
        <message>
            <source>Discard all</source>
            <translation>全部放弃</translation>
        </message>
        <message>
            <source>Ask again next time</source>
            <translation>下次再问</translation>
        </message>
    </context>
    <context>
        <name>cubist::ReportText</name>
        <message>
            <source>the cube</source>
            <translation>Cube</translation>
        </message>
        <message>
            <source>the vector unit</source>
            <translation>Vector 单元</translation>
        </message>
        <message>
            <source>task dispatch</source>
            <translation>任务下发</translation>
        </message>
        <message>
            <source>the launch</source>
            <translation>启动开销</translation>
        </message>
        <message>
            <source>latency</source>
            <translation>延迟</translation>
        </message>
        <message>
            <source>the cores&apos; loads (MTE2)</source>
            <translation>单核搬入（MTE2）</translation>
        </message>
        <message>
            <source>documented constants</source>
            <translation>文档常数</translation>
        </message>
        <message>
            <source>constants of a cost model</source>
            <translation>代价模型常数</translation>
        </message>
        <message>
            <source>rests on estimates</source>
            <translation>基于估计</translation>
        </message>
        <message>
            <source>Bound by %1. %2 of %3 %4 cores, %5</source>
            <translation>受限于：%1。%4 核 %2 / %3，%5</translation>
        </message>
        <message>
            <source>cube</source>
            <translation>Cube</translation>
        </message>
        <message>
            <source>vector</source>
            <translation>Vector</translation>
        </message>
        <message>
            <source>1 wave</source>
            <translation>1 轮</translation>
        </message>
        <message>
            <source>%1 waves</source>
            <translation>%1 轮</translation>
        </message>
        <message>
            <source>Pass</source>
            <translation>通过</translation>
        </message>
        <message>
            <source>Fail</source>
            <translation>未通过</translation>
        </message>
        <message>
            <source>Not compared</source>
            <translation>未比较</translation>
        </message>
        <message>
            <source>allclose</source>
            <translation>allclose</translation>
        </message>
        <message>
            <source>allclose to output</source>
            <translation>以输出为参考的 allclose</translation>
        </message>
        <message>
            <source>two thresholds</source>
            <translation>双阈值</translation>
        </message>
        <message>
            <source>error ratio %1</source>
            <translation>误差比例 %1</translation>
        </message>
        <message>
            <source>three-way %1</source>
            <translation>三方比较 %1</translation>
        </message>
        <message>
            <source>exact</source>
            <translation>完全一致</translation>
        </message>
        <message>
            <source>order of the sum</source>
            <translation>求和次序</translation>
        </message>
        <message>
            <source>|out - golden| &lt;= atol + rtol * |golden| for every element</source>
            <translation>每个元素 |out - golden| &lt;= atol + rtol * |golden|</translation>
        </message>
        <message>
            <source>|out - golden| &lt;= atol + rtol * |out| for every element</source>
            <translation>每个元素 |out - golden| &lt;= atol + rtol * |out|</translation>
        </message>
        <message>
            <source>a small share beyond (|out| + |golden|) * rtol / 2 + atol, none beyond 128 times that</source>
            <translation>仅少量元素超过 (|out| + |golden|) * rtol / 2 + atol，且无一超过其 128 倍</translation>
        </message>
        <message>
            <source>allclose but for a share of the elements, no NaN or infinity</source>
            <translation>除少量元素外满足 allclose，且无 NaN 或无穷</translation>
        </message>
        <message>
            <source>relative errors no worse than those of the framework, by a factor</source>
            <translation>相对误差不超过框架误差的若干倍</translation>
        </message>
        <message>
            <source>every element is the golden rounded to the type</source>
            <translation>每个元素等于标杆舍入到该类型的值</translation>
        </message>
        <message>
            <source>no element further off than some order of the sum explains</source>
            <translation>任何元素的偏差都可由某种求和次序解释</translation>
        </message>
        <message>
            <source>all %1 elements within %2</source>
            <translation>全部 %1 个元素满足 %2</translation>
        </message>
        <message>
            <source>%1 of %2 elements outside %3, %4 allowed</source>
            <translation>%2 个元素中 %1 个超出 %3，允许 %4 个</translation>
        </message>
    </context>
    <context>
        <name>cubist::RowsTable</name>
        <message>
            <source>%1 could not be written: %2</source>
            <translation>无法写入 %1：%2</translation>
        </message>
        <message>
            <source>Save table</source>
            <translation>保存表格</translation>
        </message>
        <message>
            <source>CSV files (*.csv)</source>
            <translation>CSV 文件 (*.csv)</translation>
        </message>
        <message>
            <source>Copy selected rows</source>
            <translation>复制所选行</translation>
        </message>
        <message>
            <source>Copy table</source>
            <translation>复制表格</translation>
        </message>
        <message>
            <source>Save table as CSV...</source>
            <translation>将表格保存为 CSV...</translation>
        </message>
    </context>
    <context>
        <name>cubist::SettingsDialog</name>
        <message>
            <source>Settings - Cubist</source>
            <translation>设置 - Cubist</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>语言</translation>
        </message>
        <message>
            <source>As the desktop</source>
            <translation>跟随桌面</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>主题</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>浅色</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>深色</translation>
        </message>
        <message>
            <source>High contrast</source>
            <translation>高对比度</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
        <message>
            <source>Holds from the next start on.</source>
            <translation>下次启动起生效。</translation>
        </message>
        <message>
            <source>Things jump instead of gliding</source>
            <translation>减少动画</translation>
        </message>
        <message>
            <source>Seconds between autosaves</source>
            <translation>自动保存间隔秒数</translation>
        </message>
        <message>
            <source> s</source>
            <translation> 秒</translation>
        </message>
        <message>
            <source>off</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Open what was open last</source>
            <translation>打开上次的窗口</translation>
        </message>
        <message>
            <source>Motion</source>
            <translation>动画</translation>
        </message>
        <message>
            <source>Autosave every</source>
            <translation>自动保存间隔</translation>
        </message>
        <message>
            <source>At the start</source>
            <translation>启动时</translation>
        </message>
        <message>
            <source>Stored in</source>
            <translation>存放于</translation>
        </message>
        <message>
            <source>Keyboard shortcuts...</source>
            <translation>快捷键...</translation>
        </message>
        <message>
            <source>Show the file</source>
            <translation>显示文件</translation>
        </message>
        <message>
            <source>Reset all</source>
            <translation>全部重置</translation>
        </message>
    </context>
    <context>
        <name>cubist::ShareBar</name>
        <message>
            <source>Where the time goes</source>
            <translation>时间去向</translation>
        </message>
    </context>
    <context>
        <name>cubist::ShortcutSheet</name>
        <message>
            <source>Built-in</source>
            <translation>恢复默认</translation>
        </message>
        <message>
            <source>Keyboard shortcuts - Cubist</source>
            <translation>快捷键 - Cubist</translation>
        </message>
        <message>
            <source>Filter by command or key</source>
            <translation>按命令或按键筛选</translation>
        </message>
        <message>
            <source>Filter shortcuts</source>
            <translation>筛选快捷键</translation>
        </message>
        <message>
            <source>Command</source>
            <translation>命令</translation>
        </message>
        <message>
            <source>Keys</source>
            <translation>按键</translation>
        </message>
        <message>
            <source>Shortcuts</source>
            <translation>快捷键</translation>
        </message>
        <message>
            <source>New keys</source>
            <translation>新按键</translation>
        </message>
        <message>
            <source>Set</source>
            <translation>设定</translation>
        </message>
        <message>
            <source>None</source>
            <translation>清除</translation>
        </message>
        <message>
            <source>All built-in</source>
            <translation>全部恢复默认</translation>
        </message>
        <message>
            <source>In the views</source>
            <translation>各视图中</translation>
        </message>
        <message>
            <source>Zoom and move the swimlane</source>
            <translation>缩放和移动泳道图</translation>
        </message>
        <message>
            <source>Step a number through its legal values</source>
            <translation>在合法值之间步进</translation>
        </message>
        <message>
            <source>up, down, wheel, drag</source>
            <translation>上、下、滚轮、拖动</translation>
        </message>
        <message>
            <source>%1 belongs to: %2</source>
            <translation>%1 已用于：%2</translation>
        </message>
        <message>
            <source>Canvas: %1</source>
            <translation>画布：%1</translation>
        </message>
        <message>
            <source>Fit the swimlane</source>
            <translation>泳道图适应窗口</translation>
        </message>
    </context>
    <context>
        <name>cubist::SizesPage</name>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Operand types</source>
            <translation>操作数类型</translation>
        </message>
        <message>
            <source>Chip</source>
            <translation>芯片</translation>
        </message>
        <message>
            <source>Types</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Shapes</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Change chip</source>
            <translation>更改芯片</translation>
        </message>
        <message>
            <source>Rename</source>
            <translation>重命名</translation>
        </message>
        <message>
            <source>Picture of the design</source>
            <translation>设计图</translation>
        </message>
        <message>
            <source>Tensors</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Tensor</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>大小</translation>
        </message>
        <message>
            <source>Change shape</source>
            <translation>更改形状</translation>
        </message>
        <message>
            <source>Extent of %1</source>
            <translation>%1 的长度</translation>
        </message>
        <message>
            <source>Groups of %1...</source>
            <translation>%1 的分组...</translation>
        </message>
    </context>
    <context>
        <name>cubist::SliceForm</name>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>window of</source>
            <translation>窗口所属</translation>
        </message>
        <message>
            <source>A tensor or another view</source>
            <translation>张量或另一个 view</translation>
        </message>
        <message>
            <source>result</source>
            <translation>结果</translation>
        </message>
        <message>
            <source>shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Must come to constants; fewer axes than the tensor's drop the ones in front</source>
            <translation>必须为常数；轴数少于张量时省略前面的轴</translation>
        </message>
        <message>
            <source>offset</source>
            <translation>偏移</translation>
        </message>
        <message>
            <source>Where it starts, all axes of the tensor</source>
            <translation>起点，须给出张量的全部轴</translation>
        </message>
        <message>
            <source>valid</source>
            <translation>有效形状</translation>
        </message>
        <message>
            <source>the whole shape</source>
            <translation>整个形状</translation>
        </message>
        <message>
            <source>Elements beyond it read as zero: min(T - i * 32, 32), 5120</source>
            <translation>超出部分读为 0，例如 min(T - i * 32, 32), 5120</translation>
        </message>
        <message>
            <source>how</source>
            <translation>方式</translation>
        </message>
        <message>
            <source>slice and assemble write a rectangle, atomic_add adds it; index_add and index_put pick rows</source>
            <translation>slice 与 assemble 写入一个矩形，atomic_add 累加；index_add 与 index_put 按索引选行</translation>
        </message>
        <message>
            <source>from</source>
            <translation>来自</translation>
        </message>
        <message>
            <source>to</source>
            <translation>写入</translation>
        </message>
        <message>
            <source>zeros</source>
            <translation>全 0</translation>
        </message>
        <message>
            <source>index</source>
            <translation>循环变量</translation>
        </message>
        <message>
            <source>INT32 or INT64, one entry for each row of the value: its row of the tensor. index_put also takes [n, 2] to [n, 4]: one entry for each of the first axes</source>
            <translation>INT32 或 INT64，值的每一行一项：对应张量的行号。index_put 也接受 [n, 2] 到 [n, 4]：前几个轴各一项</translation>
        </message>
        <message>
            <source>axis</source>
            <translation>轴</translation>
        </message>
        <message>
            <source>Axis of the tensor that the index picks from</source>
            <translation>索引所作用的张量轴</translation>
        </message>
        <message>
            <source>factor</source>
            <translation>因子</translation>
        </message>
        <message>
            <source>What is added is multiplied by it</source>
            <translation>被加的值先乘以它</translation>
        </message>
        <message>
            <source>add instead of replacing</source>
            <translation>累加而非覆盖</translation>
        </message>
        <message>
            <source>regions never overlap (parallel)</source>
            <translation>各区域互不重叠（parallel）</translation>
        </message>
        <message>
            <source>view %1</source>
            <translation>切片 %1</translation>
        </message>
        <message>
            <source>%1 = window of %2</source>
            <translation>%1 = %2 的窗口</translation>
        </message>
        <message>
            <source>store %1</source>
            <translation>写出 %1</translation>
        </message>
        <message>
            <source>%1 into %2</source>
            <translation>%1 写入 %2</translation>
        </message>
    </context>
    <context>
        <name>cubist::StageBars</name>
        <message>
            <source>Stage times</source>
            <translation>各阶段耗时</translation>
        </message>
    </context>
    <context>
        <name>cubist::StageCatalog</name>
        <message>
            <source>Dequant</source>
            <translation>反量化</translation>
        </message>
        <message>
            <source>cast to FP32, times row and column scales</source>
            <translation>转为 FP32，再乘行与列的缩放因子</translation>
        </message>
        <message>
            <source>SwiGLU</source>
            <translation>SwiGLU</translation>
        </message>
        <message>
            <source>silu(gate) * up</source>
            <translation>silu(gate) * up</translation>
        </message>
        <message>
            <source>Cast to BF16</source>
            <translation>转为 BF16</translation>
        </message>
        <message>
            <source>rounds to nearest even</source>
            <translation>就近舍入，平局取偶</translation>
        </message>
        <message>
            <source>Cast to FP32</source>
            <translation>转为 FP32</translation>
        </message>
        <message>
            <source>exact for shorter types</source>
            <translation>较短类型精确转换</translation>
        </message>
        <message>
            <source>Cast to FP16</source>
            <translation>转为 FP16</translation>
        </message>
        <message>
            <source>Scale by a number</source>
            <translation>乘以常数</translation>
        </message>
        <message>
            <source>value * 1.0</source>
            <translation>value * 1.0</translation>
        </message>
        <message>
            <source>Reduce (sum)</source>
            <translation>归约（求和）</translation>
        </message>
        <message>
            <source>Quantise</source>
            <translation>量化</translation>
        </message>
        <message>
            <source>RMS norm</source>
            <translation>RMS 归一化</translation>
        </message>
        <message>
            <source>MatMul</source>
            <translation>矩阵乘</translation>
        </message>
        <message>
            <source>C stage: a @ b</source>
            <translation>C 阶段：a @ b</translation>
        </message>
        <message>
            <source>Scaled MatMul (MX)</source>
            <translation>带缩放的矩阵乘（MX）</translation>
        </message>
        <message>
            <source>C stage with a scale for each 32 elements</source>
            <translation>C 阶段，每 32 个元素一个缩放因子</translation>
        </message>
        <message>
            <source>V stage: %1</source>
            <translation>V 阶段：%1</translation>
        </message>
        <message>
            <source>Input tensor</source>
            <translation>输入张量</translation>
        </message>
        <message>
            <source>given by the caller</source>
            <translation>由调用者给出</translation>
        </message>
        <message>
            <source>Output tensor</source>
            <translation>输出张量</translation>
        </message>
        <message>
            <source>written by the kernel</source>
            <translation>由 kernel 写出</translation>
        </message>
        <message>
            <source>Slice</source>
            <translation>切片</translation>
        </message>
        <message>
            <source>a window of a tensor</source>
            <translation>张量的窗口</translation>
        </message>
        <message>
            <source>Store</source>
            <translation>写出 (store)</translation>
        </message>
        <message>
            <source>writes a value into a tensor</source>
            <translation>将值写入张量</translation>
        </message>
        <message>
            <source>Index add</source>
            <translation>按索引累加</translation>
        </message>
        <message>
            <source>adds rows picked by an index</source>
            <translation>按索引选行累加</translation>
        </message>
        <message>
            <source>Loop</source>
            <translation>循环</translation>
        </message>
        <message>
            <source>runs its body for each tile of an axis</source>
            <translation>对轴的每个切分块执行循环体</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>便签</translation>
        </message>
        <message>
            <source>a text on the canvas</source>
            <translation>画布上的文字</translation>
        </message>
    </context>
    <context>
        <name>cubist::StageForm</name>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>Predicted time of this stage, from its first start to its last end</source>
            <translation>该阶段的预测耗时：从首次开始到最后结束</translation>
        </message>
        <message>
            <source>Change against the prediction before</source>
            <translation>与上一次预测相比的变化</translation>
        </message>
        <message>
            <source>Buffers</source>
            <translation>缓冲区</translation>
        </message>
        <message>
            <source>%1: %2 = %3 B</source>
            <translation>%1：%2 = %3 B</translation>
        </message>
        <message>
            <source>%1 of %2 B in one slot</source>
            <translation>单个缓冲槽，%1 / %2 B</translation>
        </message>
        <message>
            <source>%2 of %3 B in each of %1 slots</source>
            <translation>%1 个缓冲槽，每个 %2 / %3 B</translation>
        </message>
        <message>
            <source>slots</source>
            <translation>缓冲槽</translation>
        </message>
        <message>
            <source>auto</source>
            <translation>自动</translation>
        </message>
        <message>
            <source>Sets of tiles kept in each buffer; empty: two where two fit, else one</source>
            <translation>每个缓冲区中保留的切分块组数；留空：放得下两组则为两组，否则一组</translation>
        </message>
        <message>
            <source>label</source>
            <translation>标签</translation>
        </message>
        <message>
            <source>Semantic label in the exported kernel</source>
            <translation>导出 kernel 中的语义标签</translation>
        </message>
        <message>
            <source>notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>tile table</source>
            <translation>切分表</translation>
        </message>
        <message>
            <source>Other tiles by the value of an expression, as in the file: {&quot;value&quot;: &quot;T&quot;, &quot;rows&quot;: [{&quot;up_to&quot;: 64, &quot;m&quot;: [16, 16]}]}. Beyond the last row the tile above holds; empty: no table</source>
            <translation>按表达式的值选用其他切分，写法与文件一致：{&quot;value&quot;: &quot;T&quot;, &quot;rows&quot;: [{&quot;up_to&quot;: 64, &quot;m&quot;: [16, 16]}]}。超出最后一行时使用上方的切分；留空表示没有表</translation>
        </message>
    </context>
    <context>
        <name>cubist::StagePalette</name>
        <message>
            <source>Stages</source>
            <translation>阶段</translation>
        </message>
    </context>
    <context>
        <name>cubist::StatusStrip</name>
        <message>
            <source>Progress of the run</source>
            <translation>运行进度</translation>
        </message>
        <message>
            <source>Stop the run (Ctrl+.)</source>
            <translation>停止运行（Ctrl+.）</translation>
        </message>
        <message>
            <source>running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>stopping</source>
            <translation>正在停止</translation>
        </message>
        <message>
            <source>not run yet</source>
            <translation>尚未运行</translation>
        </message>
        <message>
            <source>no design</source>
            <translation>没有设计</translation>
        </message>
        <message>
            <source>run failed: %1</source>
            <translation>运行失败：%1</translation>
        </message>
        <message>
            <source>run stopped by 1 problem</source>
            <translation>运行被 1 个检查项阻止</translation>
        </message>
        <message>
            <source>run stopped by %1 problems</source>
            <translation>运行被 %1 个检查项阻止</translation>
        </message>
        <message>
            <source>Accuracy %1</source>
            <translation>精度%1</translation>
        </message>
        <message>
            <source>max |error| %1</source>
            <translation>最大绝对误差 %1</translation>
        </message>
        <message>
            <source>of an earlier state</source>
            <translation>为较早状态的结果</translation>
        </message>
        <message>
            <source>%1, bound by %2</source>
            <translation>%1，受限于：%2</translation>
        </message>
        <message>
            <source>no time</source>
            <translation>无耗时</translation>
        </message>
        <message>
            <source>unsaved changes</source>
            <translation>有未保存的更改</translation>
        </message>
        <message>
            <source>not a file yet</source>
            <translation>尚未保存为文件</translation>
        </message>
        <message>
            <source>saved</source>
            <translation>已保存</translation>
        </message>
    </context>
    <context>
        <name>cubist::TemplatePage</name>
        <message>
            <source>Loop variant</source>
            <translation>循环变体</translation>
        </message>
        <message>
            <source>Data flow</source>
            <translation>数据流</translation>
        </message>
        <message>
            <source>Picture of the template</source>
            <translation>模板图</translation>
        </message>
        <message>
            <source>%1  Not here: %2</source>
            <translation>%1  没有：%2</translation>
        </message>
    </context>
    <context>
        <name>cubist::TensorForm</name>
        <message>
            <source>input</source>
            <translation>输入</translation>
        </message>
        <message>
            <source>output</source>
            <translation>输出</translation>
        </message>
        <message>
            <source>in and out</source>
            <translation>输入兼输出</translation>
        </message>
        <message>
            <source>workspace</source>
            <translation>工作区</translation>
        </message>
        <message>
            <source>from</source>
            <translation>从</translation>
        </message>
        <message>
            <source>below</source>
            <translation>小于</translation>
        </message>
        <message>
            <source>mean</source>
            <translation>均值</translation>
        </message>
        <message>
            <source>deviation</source>
            <translation>标准差</translation>
        </message>
        <message>
            <source>up to</source>
            <translation>至</translation>
        </message>
        <message>
            <source>value</source>
            <translation>值</translation>
        </message>
        <message>
            <source>first</source>
            <translation>首值</translation>
        </message>
        <message>
            <source>step</source>
            <translation>步长</translation>
        </message>
        <message>
            <source>Notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>notes</source>
            <translation>备注</translation>
        </message>
        <message>
            <source>Tensor</source>
            <translation>张量</translation>
        </message>
        <message>
            <source>Name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>name</source>
            <translation>名称</translation>
        </message>
        <message>
            <source>role</source>
            <translation>角色</translation>
        </message>
        <message>
            <source>inout holds data before the kernel and is written in place; workspace is the kernel's own memory</source>
            <translation>inout：kernel 之前已有数据并原地写入；workspace：kernel 自用内存</translation>
        </message>
        <message>
            <source>type</source>
            <translation>类型</translation>
        </message>
        <message>
            <source>Element type</source>
            <translation>元素类型</translation>
        </message>
        <message>
            <source>Shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>Change shape</source>
            <translation>修改形状</translation>
        </message>
        <message>
            <source>1 to 4 extents: integers and formulas over symbols, as in T, 5120</source>
            <translation>1 至 4 个长度：整数或含符号的公式，例如 T, 5120</translation>
        </message>
        <message>
            <source>shape</source>
            <translation>形状</translation>
        </message>
        <message>
            <source>format</source>
            <translation>格式</translation>
        </message>
        <message>
            <source>Format</source>
            <translation>格式</translation>
        </message>
        <message>
            <source>L2</source>
            <translation>L2</translation>
        </message>
        <message>
            <source>none_cacheable keeps what is read once out of L2 (set_cache_policy)</source>
            <translation>none_cacheable 使只读一次的数据不进入 L2（set_cache_policy）</translation>
        </message>
        <message>
            <source>Data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>generator</source>
            <translation>生成方式</translation>
        </message>
        <message>
            <source>Generator</source>
            <translation>生成方式</translation>
        </message>
        <message>
            <source>Low</source>
            <translation>下限</translation>
        </message>
        <message>
            <source>High</source>
            <translation>上限</translation>
        </message>
        <message>
            <source>File</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>Change data file</source>
            <translation>修改数据文件</translation>
        </message>
        <message>
            <source>none: generated</source>
            <translation>无：按生成方式</translation>
        </message>
        <message>
            <source>A .npy, .npz#name, .safetensors#name or raw file, relative to the design's folder; it replaces the generator</source>
            <translation>.npy、.npz#名称、.safetensors#名称或裸数据文件，相对于设计所在目录；取代生成方式</translation>
        </message>
        <message>
            <source>Choose a file</source>
            <translation>选择文件</translation>
        </message>
        <message>
            <source>Use the generator</source>
            <translation>改用生成方式</translation>
        </message>
        <message>
            <source>file</source>
            <translation>文件</translation>
        </message>
        <message>
            <source>list</source>
            <translation>列表</translation>
        </message>
        <message>
            <source>The tensor holds the values of this list, as the host reads them; it replaces file and generator</source>
            <translation>张量的内容为该列表的值（由 host 读取）；取代文件与生成方式</translation>
        </message>
        <message>
            <source>Edit groups...</source>
            <translation>编辑分组...</translation>
        </message>
        <message>
            <source>Remove data file</source>
            <translation>移除数据文件</translation>
        </message>
        <message>
            <source>How it is judged</source>
            <translation>判定方式</translation>
        </message>
        <message>
            <source>by its own tolerance, not the design's</source>
            <translation>使用单独的容差，而非设计的容差</translation>
        </message>
        <message>
            <source>Change tolerance</source>
            <translation>修改容差</translation>
        </message>
        <message>
            <source>Data of %1</source>
            <translation>%1 的数据</translation>
        </message>
        <message>
            <source>Tensor files (*.npy *.npz *.safetensors *.bin *.data *.raw);;All files (*)</source>
            <translation>张量文件 (*.npy *.npz *.safetensors *.bin *.data *.raw);;所有文件 (*)</translation>
        </message>
        <message>
            <source>[%1], %2</source>
            <translation>[%1]，%2</translation>
        </message>
        <message>
            <source>modulo</source>
            <translation>取模</translation>
        </message>
        <message>
            <source>0: none; otherwise the counted values start again after so many</source>
            <translation>0：不取模；否则计数值达到该数后重新开始</translation>
        </message>
    </context>
    <context>
        <name>cubist::TileEditor</name>
        <message>
            <source>Tile %1 %2</source>
            <translation>切分 %1 %2</translation>
        </message>
        <message>
            <source>as A</source>
            <translation>同 A</translation>
        </message>
        <message>
            <source>K extent of B in L1; empty: the same as A's</source>
            <translation>B 在 L1 中的 K 长度；留空：与 A 相同</translation>
        </message>
    </context>
    <context>
        <name>cubist::TimeShares</name>
        <message>
            <source>cube</source>
            <translation>Cube</translation>
        </message>
        <message>
            <source>vector</source>
            <translation>Vector</translation>
        </message>
        <message>
            <source>dispatch</source>
            <translation>下发</translation>
        </message>
        <message>
            <source>launch</source>
            <translation>启动</translation>
        </message>
        <message>
            <source>latency</source>
            <translation>延迟</translation>
        </message>
        <message>
            <source>%1 on the critical path: %2</source>
            <translation>关键路径上的 %1：%2</translation>
        </message>
        <message>
            <source>The cube computes</source>
            <translation>Cube 计算</translation>
        </message>
        <message>
            <source>The vector unit computes</source>
            <translation>Vector 单元计算</translation>
        </message>
        <message>
            <source>MTE2 loads from global memory</source>
            <translation>MTE2 从全局内存搬入</translation>
        </message>
        <message>
            <source>MTE1 moves tiles from L1 to L0</source>
            <translation>MTE1 将切分块从 L1 搬到 L0</translation>
        </message>
        <message>
            <source>MTE3 stores from UB to global memory</source>
            <translation>MTE3 从 UB 搬出到全局内存</translation>
        </message>
        <message>
            <source>FIXPIPE writes results</source>
            <translation>FIXPIPE 写出结果</translation>
        </message>
        <message>
            <source>data</source>
            <translation>数据</translation>
        </message>
        <message>
            <source>slot</source>
            <translation>缓冲槽</translation>
        </message>
        <message>
            <source>The core waits for its next task</source>
            <translation>核在等待下一个任务</translation>
        </message>
        <message>
            <source>drained and tail</source>
            <translation>排空与收尾</translation>
        </message>
        <message>
            <source>The pipe has nothing left to do in its task, or the core in the kernel</source>
            <translation>流水单元在任务内、或核在 kernel 内已无工作</translation>
        </message>
    </context>
    <context>
        <name>cubist::TimelinePlot</name>
        <message>
            <source>Swimlane of cores and pipes</source>
            <translation>核与流水单元的泳道图</translation>
        </message>
        <message>
            <source>, %1, task %2, block %3,%4</source>
            <comment>stage, number, block coordinates</comment>
            <translation>，%1，任务 %2，块 %3,%4</translation>
        </message>
        <message>
            <source>, %1 blocks merged</source>
            <translation>，合并 %1 个块</translation>
        </message>
        <message>
            <source>%1 to %2 us, %3 us</source>
            <comment>start, end, duration</comment>
            <translation>%1 至 %2 us，%3 us</translation>
        </message>
        <message>
            <source>Show everything</source>
            <translation>显示全部</translation>
        </message>
        <message>
            <source>Cores without tasks too</source>
            <translation>也显示没有任务的核</translation>
        </message>
        <message>
            <source>Tasks</source>
            <translation>任务</translation>
        </message>
        <message>
            <source>Task</source>
            <translation>任务</translation>
        </message>
        <message>
            <source>Stage</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Block M</source>
            <translation>块 M</translation>
        </message>
        <message>
            <source>Block N</source>
            <translation>块 N</translation>
        </message>
        <message>
            <source>Core</source>
            <translation>核</translation>
        </message>
        <message>
            <source>Ready (us)</source>
            <translation>就绪 (us)</translation>
        </message>
        <message>
            <source>Start (us)</source>
            <translation>开始 (us)</translation>
        </message>
        <message>
            <source>End (us)</source>
            <translation>结束 (us)</translation>
        </message>
        <message>
            <source>Duration (us)</source>
            <translation>耗时 (us)</translation>
        </message>
        <message>
            <source> (%1 blocks)</source>
            <translation>（%1 个块）</translation>
        </message>
    </context>
    <context>
        <name>cubist::TimingPanel</name>
        <message>
            <source>Show problems</source>
            <translation>查看检查项</translation>
        </message>
        <message>
            <source>Used cores</source>
            <translation>使用中的核</translation>
        </message>
        <message>
            <source>All cores</source>
            <translation>全部核</translation>
        </message>
        <message>
            <source>Cores shown</source>
            <translation>显示的核</translation>
        </message>
        <message>
            <source>Zoom in (wheel, +)</source>
            <translation>放大（滚轮，+）</translation>
        </message>
        <message>
            <source>Zoom out (wheel, -)</source>
            <translation>缩小（滚轮，-）</translation>
        </message>
        <message>
            <source>Show everything (double click, F)</source>
            <translation>显示全部（双击，F）</translation>
        </message>
        <message>
            <source>Stages</source>
            <translation>阶段</translation>
        </message>
        <message>
            <source>Where the time goes: critical path</source>
            <translation>时间去向：关键路径</translation>
        </message>
        <message>
            <source>Lanes of the used cores</source>
            <translation>使用中的核的各泳道</translation>
        </message>
        <message>
            <source>No design is open</source>
            <translation>没有打开的设计</translation>
        </message>
        <message>
            <source>Open a sample from the library on the left, or a file (Ctrl+O).</source>
            <translation>从左侧资源库打开样例，或打开文件（Ctrl+O）。</translation>
        </message>
        <message>
            <source>No time can be predicted</source>
            <translation>无法预测耗时</translation>
        </message>
        <message>
            <source>The design breaks rules that keep it from running. Fix them to see its time.</source>
            <translation>设计违反了使其无法运行的规则。修复后即可看到耗时。</translation>
        </message>
        <message>
            <source>Predicting ...</source>
            <translation>正在预测 ...</translation>
        </message>
        <message>
            <source>The time of this design is being worked out.</source>
            <translation>正在计算此设计的耗时。</translation>
        </message>
        <message>
            <source>kernel %1</source>
            <translation>kernel 耗时 %1</translation>
        </message>
        <message>
            <source>utilisation %1 %</source>
            <translation>利用率 %1 %</translation>
        </message>
        <message>
            <source>emulated, %1</source>
            <translation>仿真，%1</translation>
        </message>
        <message>
            <source>%1, busy %2 summed over cores, %3 on the critical path</source>
            <translation>%1，各核工作合计 %2，关键路径上 %3</translation>
        </message>
        <message>
            <source>1 task</source>
            <translation>1 个任务</translation>
        </message>
        <message>
            <source>%1 tasks</source>
            <translation>%1 个任务</translation>
        </message>
        <message>
            <source>Longest wait: %1 for a buffer slot, %2</source>
            <comment>core and pipe, duration</comment>
            <translation>最长等待：%1 等待缓冲槽，%2</translation>
        </message>
        <message>
            <source>Longest wait: %1 for data, %2</source>
            <comment>core and pipe, duration</comment>
            <translation>最长等待：%1 等待数据，%2</translation>
        </message>
        <message>
            <source>%1 %2</source>
            <comment>core and pipe, what it waits for</comment>
            <translation>%1 %2</translation>
        </message>
        <message>
            <source>Nothing to time yet</source>
            <translation>还没有可计时的内容</translation>
        </message>
        <message>
            <source>The times of the stages stand here as soon as there is one on the canvas.</source>
            <translation>画布上有阶段后，这里会显示各阶段的时间。</translation>
        </message>
    </context>
    <context>
        <name>cubist::ToleranceFields</name>
        <message>
            <source>criterion</source>
            <translation>判据</translation>
        </message>
        <message>
            <source>limits by the output's type</source>
            <translation>按输出类型取容差</translation>
        </message>
        <message>
            <source>rtol and atol follow from the output's type</source>
            <translation>rtol 与 atol 由输出类型决定</translation>
        </message>
        <message>
            <source>Relative tolerance</source>
            <translation>相对容差</translation>
        </message>
        <message>
            <source>Absolute tolerance</source>
            <translation>绝对容差</translation>
        </message>
        <message>
            <source>share outside</source>
            <translation>超出比例</translation>
        </message>
        <message>
            <source>Share of the elements that may be outside, 0 to 1</source>
            <translation>允许超出的元素比例，0 至 1</translation>
        </message>
        <message>
            <source>level</source>
            <translation>级别</translation>
        </message>
        <message>
            <source>Strictness of the three-way comparison</source>
            <translation>三方比较的严格程度</translation>
        </message>
        <message>
            <source>golden</source>
            <translation>标杆</translation>
        </message>
        <message>
            <source>ideal: exact arithmetic, casts ignored but for those to 8 bits and fewer; framework: FP32 with every declared cast</source>
            <translation>ideal：精确算术，忽略类型转换（到 8 位及更窄类型的除外）；framework：FP32，包含所有声明的类型转换</translation>
        </message>
        <message>
            <source>Golden</source>
            <translation>标杆</translation>
        </message>
    </context>
    <context>
        <name>cubist::TopBar</name>
        <message>
            <source>There are unsaved changes</source>
            <translation>有未保存的更改</translation>
        </message>
        <message>
            <source> · pattern %1</source>
            <translation> · 模式 %1</translation>
        </message>
        <message>
            <source>Top bar</source>
            <translation>顶栏</translation>
        </message>
        <message>
            <source>Chip</source>
            <translation>芯片</translation>
        </message>
        <message>
            <source>Case</source>
            <translation>用例</translation>
        </message>
        <message>
            <source> Run</source>
            <translation> 运行</translation>
        </message>
        <message>
            <source> Stop</source>
            <translation> 停止</translation>
        </message>
        <message>
            <source>Compute values and time of this design (Ctrl+R)</source>
            <translation>计算此设计的数值与耗时（Ctrl+R）</translation>
        </message>
        <message>
            <source>Stop the run (Ctrl+.)</source>
            <translation>停止运行（Ctrl+.）</translation>
        </message>
        <message>
            <source>Variant</source>
            <translation>变体</translation>
        </message>
        <message>
            <source> Export</source>
            <translation> 导出</translation>
        </message>
        <message>
            <source>Find a command, a stage, a sample (%1)</source>
            <translation>查找命令、阶段、样例（%1）</translation>
        </message>
        <message>
            <source>Find a command</source>
            <translation>查找命令</translation>
        </message>
        <message>
            <source>Change chip</source>
            <translation>更换芯片</translation>
        </message>
        <message>
            <source>no design</source>
            <translation>没有设计</translation>
        </message>
        <message>
            <source>Switch to the light theme</source>
            <translation>切换到浅色主题</translation>
        </message>
        <message>
            <source>Switch to the dark theme</source>
            <translation>切换到深色主题</translation>
        </message>
        <message>
            <source>Write this design for other programs</source>
            <translation>将设计写成其他程序可用的文件</translation>
        </message>
    </context>
    <context>
        <name>cubist::Tour</name>
        <message>
            <source>Start from something that runs</source>
            <translation>从能运行的设计开始</translation>
        </message>
        <message>
            <source>Skeletons are empty kernels of the five loop forms; samples are published operators. This is GLMGate: a router of a mixture of experts.</source>
            <translation>骨架是五种循环形式的空 kernel；样例是已发布的算子。这里打开的是 GLMGate：混合专家的路由。</translation>
        </message>
        <message>
            <source>The canvas is the kernel</source>
            <translation>画布就是 kernel</translation>
        </message>
        <message>
            <source>Tensors, stages and loops. Wheel zooms, Space and drag moves, F fits everything. Click a stage to edit it, Tab adds one.</source>
            <translation>张量、阶段与循环。滚轮缩放，按住空格拖动平移，F 适应窗口。单击阶段进行编辑，Tab 添加阶段。</translation>
        </message>
        <message>
            <source>Numbers live in the inspector</source>
            <translation>数值在属性面板中</translation>
        </message>
        <message>
            <source>Every field steps through its legal values: arrow keys, wheel, or drag the number sideways. Buffers are drawn to scale.</source>
            <translation>每个字段都在合法值之间步进：方向键、滚轮，或横向拖动数字。缓冲区按比例绘制。</translation>
        </message>
        <message>
            <source>Time follows each edit</source>
            <translation>耗时随编辑更新</translation>
        </message>
        <message>
            <source>The prediction is renewed while you type, with what bounds the kernel and how much you gained.</source>
            <translation>输入时即重新预测，并给出瓶颈所在与收益多少。</translation>
        </message>
        <message>
            <source>Rules speak up at once</source>
            <translation>规则即时检查</translation>
        </message>
        <message>
            <source>Problems name the rule, the arithmetic and the source. A fix that is offered was tried against all rules.</source>
            <translation>检查项给出规则、算式与出处。提供的修复都已用全部规则验证。</translation>
        </message>
        <message>
            <source>Run computes the values</source>
            <translation>运行即计算数值</translation>
        </message>
        <message>
            <source>On an emulated core, tile by tile, compared with a golden. No NPU is needed. The verdict, the error map and the worst elements are one tab away.</source>
            <translation>在仿真 NPU 核上逐块计算并与标杆比较，无需 NPU。判定、误差热力图与最差元素就在旁边的标签页。</translation>
        </message>
        <message>
            <source>Every tick has one cause</source>
            <translation>每个时刻都有唯一的原因</translation>
        </message>
        <message>
            <source>The swimlane shows what each pipe does and what it waits for. Hatched is waiting; the list on the right says where the time goes.</source>
            <translation>泳道图显示每个流水单元在做什么、在等什么。斜纹表示等待；右侧列出时间去向。</translation>
        </message>
        <message>
            <source>Everything else: Ctrl+K</source>
            <translation>其他一切：Ctrl+K</translation>
        </message>
        <message>
            <source>Type a part of a command, a stage, a sample. F1 explains the view you are in, Shift+F1 lists the keys.</source>
            <translation>输入命令、阶段或样例的一部分。F1 说明当前视图，Shift+F1 列出快捷键。</translation>
        </message>
        <message>
            <source>End</source>
            <translation>结束</translation>
        </message>
        <message>
            <source>Back</source>
            <translation>返回</translation>
        </message>
        <message>
            <source>%1 of %2</source>
            <translation>%1 / %2</translation>
        </message>
        <message>
            <source>Next</source>
            <translation>下一步</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完成</translation>
        </message>
    </context>
    <context>
        <name>cubist::VectorForm</name>
        <message>
            <source>Tile</source>
            <translation>切分块</translation>
        </message>
        <message>
            <source>Formula</source>
            <translation>公式</translation>
        </message>
        <message>
            <source>Operations</source>
            <translation>运算</translation>
        </message>
        <message>
            <source>Options</source>
            <translation>选项</translation>
        </message>
        <message>
            <source>Change formula</source>
            <translation>修改公式</translation>
        </message>
        <message>
            <source>Tile axis %1</source>
            <translation>切分轴 %1</translation>
        </message>
        <message>
            <source>Change tile</source>
            <translation>修改切分</translation>
        </message>
        <message>
            <source>%1 [%2] %3</source>
            <translation>%1 [%2] %3</translation>
        </message>
    </context>
    <context>
        <name>cubist::ZoomBar</name>
        <message>
            <source>Zoom out (−)</source>
            <translation>缩小（−）</translation>
        </message>
        <message>
            <source>Zoom to 100 % (0)</source>
            <translation>缩放到 100 %（0）</translation>
        </message>
        <message>
            <source>Zoom in (+)</source>
            <translation>放大（+）</translation>
        </message>
        <message>
            <source>Show everything (F)</source>
            <translation>显示全部（F）</translation>
        </message>
        <message>
            <source>Fit</source>
            <translation>适应</translation>
        </message>
        <message>
            <source>%1 %</source>
            <translation>%1 %</translation>
        </message>
    </context>
    <context>
        <name>main</name>
        <message>
            <source>Workbench for PyPTO kernels of the General Multi-MatMul family</source>
            <translation>面向通用多矩阵乘类 PyPTO kernel 的工作台</translation>
        </message>
        <message>
            <source>design files, or samples by their names; one window for each</source>
            <translation>设计文件，或样例名称；每个一个窗口</translation>
        </message>
        <message>
            <source>write the pictures of the documentation to a folder and exit</source>
            <translation>将文档图片写入文件夹并退出</translation>
        </message>
        <message>
            <source>write a picture of every layout, theme and language to a folder and exit</source>
            <translation>将每种布局、主题与语言的图片写入文件夹并退出</translation>
        </message>
    </context>
    <context>
        <name>QPlatformTheme</name>
        <message>
            <source>OK</source>
            <translation>确定</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>保存</translation>
        </message>
        <message>
            <source>Save All</source>
            <translation>全部保存</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>打开</translation>
        </message>
        <message>
            <source>&amp;Yes</source>
            <translation>是(&amp;Y)</translation>
        </message>
        <message>
            <source>Yes to &amp;All</source>
            <translation>全部选是(&amp;A)</translation>
        </message>
        <message>
            <source>&amp;No</source>
            <translation>否(&amp;N)</translation>
        </message>
        <message>
            <source>N&amp;o to All</source>
            <translation>全部选否(&amp;O)</translation>
        </message>
        <message>
            <source>Abort</source>
            <translation>中止</translation>
        </message>
        <message>
            <source>Retry</source>
            <translation>重试</translation>
        </message>
        <message>
            <source>Ignore</source>
            <translation>忽略</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Discard</source>
            <translation>放弃</translation>
        </message>
        <message>
            <source>Help</source>
            <translation>帮助</translation>
        </message>
        <message>
            <source>Apply</source>
            <translation>应用</translation>
        </message>
        <message>
            <source>Reset</source>
            <translation>重置</translation>
        </message>
        <message>
            <source>Restore Defaults</source>
            <translation>恢复默认</translation>
        </message>
    </context>
    <context>
        <name>QDockWidget</name>
        <message>
            <source>Float</source>
            <translation>浮动</translation>
        </message>
        <message>
            <source>Undocks and re-attaches the dock widget</source>
            <translation>取消或恢复停靠</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
        <message>
            <source>Closes the dock widget</source>
            <translation>关闭停靠面板</translation>
        </message>
    </context>
    <context>
        <name>QWidgetTextControl</name>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>重做(&amp;R)</translation>
        </message>
        <message>
            <source>Cu&amp;t</source>
            <translation>剪切(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>Copy &amp;Link Location</source>
            <translation>复制链接地址(&amp;L)</translation>
        </message>
        <message>
            <source>&amp;Paste</source>
            <translation>粘贴(&amp;P)</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>Select All</source>
            <translation>全选</translation>
        </message>
    </context>
    <context>
        <name>QLineEdit</name>
        <message>
            <source>&amp;Undo</source>
            <translation>撤销(&amp;U)</translation>
        </message>
        <message>
            <source>&amp;Redo</source>
            <translation>重做(&amp;R)</translation>
        </message>
        <message>
            <source>Cu&amp;t</source>
            <translation>剪切(&amp;T)</translation>
        </message>
        <message>
            <source>&amp;Copy</source>
            <translation>复制(&amp;C)</translation>
        </message>
        <message>
            <source>&amp;Paste</source>
            <translation>粘贴(&amp;P)</translation>
        </message>
        <message>
            <source>Delete</source>
            <translation>删除</translation>
        </message>
        <message>
            <source>Select All</source>
            <translation>全选</translation>
        </message>
    </context>
    <context>
        <name>QUndoGroup</name>
        <message>
            <source>Undo %1</source>
            <translation>撤销 %1</translation>
        </message>
        <message>
            <source>Redo %1</source>
            <translation>重做 %1</translation>
        </message>
    </context>
</TS>
