// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/exchange/pypto/list_checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/exchange/pypto/tile_writer.h"

namespace cubist::pypto {
namespace {

using Names = std::set<std::string>;

void namesOf(const SymbolicPtr& tree, Names& names) {
    for (const std::string& each : namesIn(tree)) names.insert(each);
}

class ListChecks {
public:
    ListChecks(const KernelPlan& plan, PythonWriter& out) : m_plan(plan), m_out(out) {
        for (const auto& [id, list] : plan.lists())
            if (list.source == PlannedList::Source::Parameter)
                m_lists[list.python] = {list.parameter, &list};
            else if (list.source == PlannedList::Source::Tensor)
                m_lists[list.python] = {list.python, &list};
    }

    void write() {
        const std::string windows = windowChecks();
        for (const auto& [name, each] : m_lists) {
            const bool plain = each.list->list->form == ListForm::Plain;
            const bool held = each.list->source == PlannedList::Source::Tensor;  // a tensor comes to the host if needed
            if (held && plain && windows.find(name + "[") == std::string::npos) continue;
            if (each.list->list->form == ListForm::Rows) checkRows(each.parameter, each.list->values.groups());
            m_out.line(name + " = " + (plain || held ? "list_of(" : each.list->startsOf + "(") + each.parameter + ")");
            if (each.list->list->form == ListForm::Counts || each.list->list->form == ListForm::PrefixSums) {
                m_out.line("if any(b < a for a, b in zip(" + name + ", " + name + "[1:])):");
                refuse("\"" + each.parameter + ": a group has less than no rows\"");
            }
        }
        walk(m_plan.design().blocks);
    }

private:
    struct Given {
        std::string parameter;
        const PlannedList* list = nullptr;
    };
    struct Window {
        std::string start, size, most, end;
    };
    /// Names in messages: of the window, of the tensor that it lies in, of the list that places it.
    struct Place {
        std::string window, tensor, parameter;
    };

    /// The checks of all windows, to see what they read.
    [[nodiscard]] std::string windowChecks() const {
        PythonWriter out;
        ListChecks(m_plan, out).walk(m_plan.design().blocks);
        return out.text();
    }

    /// What stands under an `if`. `message`: a literal.
    void refuse(const std::string& message) {
        const PythonIndent inner(m_out);
        m_out.statement("raise ", PyExpr::call("ValueError", {message}));
    }

    /// A list of form `rows` names the group of each row, in ascending order.
    void checkRows(const std::string& parameter, std::int64_t groups) {
        const std::string rows = parameter + "_rows", last = std::to_string(groups - 1);
        m_out.line(rows + " = list_of(" + parameter + ")");
        m_out.line("if any(b < a for a, b in zip(" + rows + ", " + rows + "[1:])):");
        refuse("\"" + parameter + ": groups must ascend\"");
        m_out.line("if any(not 0 <= row <= " + last + " for row in " + rows + "):");
        refuse("\"" + parameter + ": wanted groups from 0 to " + last + "\"");
    }

    void walk(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            if (const auto* loop = std::get_if<Loop>(&block.content)) {
                m_loops.push_back(loop);
                walk(loop->body);
                m_loops.pop_back();
            } else if (const auto* view = std::get_if<View>(&block.content)) {
                check(*view);
            } else if (const auto* store = std::get_if<Store>(&block.content)) {
                check(*store);
            }
        }
    }

    void check(const View& view) {
        const ResolvedValue* value = m_plan.resolved().value(view.of);
        if (value == nullptr || value->tensor == nullptr || value->tensor->id.text != view.of.text) return;
        const std::vector<Expression>& extents = value->tensor->shape;
        if (view.offset.size() != extents.size() || view.shape.size() > extents.size()) return;
        const std::size_t dropped = extents.size() - view.shape.size();
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            const SymbolicPtr start = m_plan.fold(view.offset[axis]);
            const SymbolicPtr shape = axis < dropped ? number(1) : m_plan.fold(view.shape[axis - dropped]);
            const bool cut = axis >= dropped && view.valid.size() == view.shape.size();
            const SymbolicPtr size = cut ? m_plan.fold(view.valid[axis - dropped]) : shape;
            const std::string* list = listIn(start);
            if (list == nullptr) list = listIn(size);
            if (list == nullptr) {
                checkLast(view, start, size, m_plan.fold(extents[axis]));
                continue;
            }
            const Window window{text(start), text(size), text(shape), text(m_plan.fold(extents[axis]))};
            Names names;
            namesOf(start, names);
            namesOf(size, names);
            const Place place{m_plan.python(view.out), m_plan.python(view.of), m_lists.at(*list).parameter};
            write(place, window, std::move(names), {start, size});
        }
    }

    /// What a list places in the tensor that is written. Its size is that of a window, which is checked there.
    void check(const Store& store) {
        const ResolvedValue* value = m_plan.resolved().value(ValueId(store.to.text));
        if (value == nullptr || value->tensor == nullptr) return;
        const std::vector<Expression>& extents = value->tensor->shape;
        const std::vector<Axis>& axes = m_plan.axes(store.from);
        if (store.offset.size() != extents.size() || axes.size() > extents.size()) return;
        const std::size_t dropped = extents.size() - axes.size();
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            const SymbolicPtr start = m_plan.fold(store.offset[axis]);
            const std::string* list = listIn(start);
            if (list == nullptr) continue;
            SymbolicPtr size = number(1);
            if (axis >= dropped) size = axes[axis - dropped].valid;
            if (size == nullptr) size = axes[axis - dropped].extent;
            Names names;
            namesOf(start, names);
            namesOf(size, names);
            const Window window{text(start), text(size), text(size), text(m_plan.fold(extents[axis]))};
            const Place place{m_plan.python(store.from), m_plan.python(store.to), m_lists.at(*list).parameter};
            if (m_written.count(rangeKey(window)) == 0) write(place, window, std::move(names), {start, size});
        }
    }

    /// A window that is never cut: the length that the caller gives must be made of whole ones. Looked at in the last
    /// step of the loop that moves it.
    void checkLast(const View& view, const SymbolicPtr& start, const SymbolicPtr& size, const SymbolicPtr& end) {
        if (literal(end) || !literal(size)) return;
        const std::vector<std::string> names = namesIn(start);
        const Loop* moving = nullptr;
        for (const Loop* loop : m_loops) {
            const bool used = std::find(names.begin(), names.end(), loop->index) != names.end();
            if (used && (moving != nullptr || loop->form == LoopKind::Unroll)) return;
            if (used) moving = loop;
        }
        if (moving == nullptr || listIn(steps(*moving)) != nullptr) return;
        if (!literal(m_plan.fold(moving->tile)) || *literal(size) < 2) return;
        const std::string tile = text(m_plan.fold(moving->tile)), length = text(m_plan.fold(moving->axis));
        const bool whole = m_plan.key(start) == m_plan.key(m_plan.fold(Expression(moving->index + " * " + tile))) &&
                           text(size) == tile && m_plan.key(end) == m_plan.key(m_plan.fold(moving->axis));
        if (!whole || !m_written.insert("whole|" + length + "|" + tile).second) return;
        const bool plain = length.find_first_of(" (") == std::string::npos;
        const std::string shown = plain ? length : "(" + length + ")";
        m_out.line("if " + shown + " % " + tile + " != 0:");
        refuse("f\"" + m_plan.python(view.of) + ": wanted a multiple of " + tile + " for the windows " +
               m_plan.python(view.out) + ", got {" + length + "}\"");
    }

    static std::string rangeKey(const Window& window) {
        return "range|" + window.start + "|" + window.size + "|" + window.end;
    }

    void write(const Place& place, const Window& window, Names names, std::vector<SymbolicPtr> read) {
        // The loops whose indices the window needs, and those that their lengths need.
        std::vector<const Loop*> needed;
        for (auto loop = m_loops.rbegin(); loop != m_loops.rend(); ++loop) {
            const bool unrolled = (*loop)->form == LoopKind::Unroll;
            if (names.count((*loop)->index) == 0 && !(unrolled && names.count((*loop)->factor) != 0)) continue;
            needed.insert(needed.begin(), *loop);
            namesOf(steps(**loop), names);
            read.push_back(steps(**loop));
        }
        m_written.insert(rangeKey(window));
        if (!m_written.insert(window.start + "|" + window.size + "|" + window.most + "|" + window.end).second) return;
        for (const Loop* loop : needed) {
            const bool unrolled = loop->form == LoopKind::Unroll;
            const SymbolicPtr length = unrolled ? m_plan.fold(loop->axis) : steps(*loop);
            const std::string count = text(length);
            for (const SymbolicPtr& tree : read) checkLength(tree, *loop, length);
            std::vector<PyExpr> factors;
            if (unrolled)
                for (const std::int64_t each : factorsOf(*loop)) factors.emplace_back(each);
            if (unrolled)
                m_out.statement("for " + m_plan.scalar(loop->index) + ", " + m_plan.scalar(loop->factor) + " in ",
                                PyExpr::call("unrolled", {count, PyExpr::list(factors)}), ":");
            else
                m_out.line("for " + m_plan.scalar(loop->index) + " in range(" + count + "):");
            m_out.indent();
        }
        m_out.line("window_start = " + window.start);
        m_out.line("window_size = " + window.size);
        if (window.size != window.most) {
            m_out.line("if not 0 <= window_size <= " + window.most + ":");
            refuse("f\"" + place.parameter + ": {window_size} rows in the window " + place.window + " of " +
                   window.most + "\"");
        }
        m_out.line("if window_start < 0 or window_start + window_size > " + window.end + ":");
        refuse("f\"" + place.parameter + ": rows from {window_start} on are outside of " + place.tensor + "\"");
        for (std::size_t i = 0; i < needed.size(); ++i) m_out.dedent();
    }

    /// `values[i]` or `values[i + c]` in a loop over i of `count` rows or steps.
    void checkLength(const SymbolicPtr& tree, const Loop& loop, const SymbolicPtr& count) {
        if (tree->kind == Symbolic::Kind::Entry) {
            const auto found = m_lists.find(tree->name);
            const auto behind = behindIndex(tree->arg[0], loop.index);
            if (found != m_lists.end() && behind) {
                const SymbolicPtr needed = simplified(binary(Symbolic::Kind::Add, count, number(*behind)));
                if (!hasEntries(*found->second.list, needed) &&
                    m_written.insert("length|" + tree->name + "|" + text(needed)).second) {
                    m_out.line("if " + text(needed) + " > len(" + tree->name + "):");
                    refuse("\"" + found->second.parameter + ": the kernel reads an entry for each step of '" +
                           loop.id.text + "'\"");
                }
            }
        }
        for (const SymbolicPtr& argument : tree->arg) checkLength(argument, loop, count);
    }

    /// c of `i + c`.
    static std::optional<std::int64_t> behindIndex(const SymbolicPtr& tree, const std::string& index) {
        if (tree->kind == Symbolic::Kind::Name && tree->name == index) return 0;
        if (tree->kind != Symbolic::Kind::Add || tree->arg[0]->kind != Symbolic::Kind::Name) return std::nullopt;
        return tree->arg[0]->name == index ? literal(tree->arg[1]) : std::nullopt;
    }

    /// Is it known, from what is checked before, that the list has so many?
    [[nodiscard]] bool hasEntries(const PlannedList& list, const SymbolicPtr& needed) const {
        const auto fixed = literal(needed);
        if (list.source == PlannedList::Source::Parameter)
            return list.list->form != ListForm::Plain ||
                   (fixed && *fixed <= static_cast<std::int64_t>(list.values.values.size()));
        for (const Tensor& tensor : m_plan.design().tensors) {
            if (m_plan.python(tensor.id) != list.python || tensor.shape.empty()) continue;
            const auto [unit, more] = parted(m_plan.tensorShape(tensor).front());
            const auto [neededUnit, neededMore] = parted(needed);
            return unit == neededUnit && neededMore <= more;
        }
        return false;
    }

    /// `x + c` as the text of x and c; a number as no text and itself.
    [[nodiscard]] std::pair<std::string, std::int64_t> parted(const SymbolicPtr& tree) const {
        if (const auto fixed = literal(tree)) return {std::string(), *fixed};
        if (tree->kind == Symbolic::Kind::Add)
            if (const auto more = literal(tree->arg[1])) return {text(tree->arg[0]), *more};
        return {text(tree), 0};
    }

    static SymbolicPtr simplified(const SymbolicPtr& tree) {
        return folded(
            tree, [](const auto&) { return std::nullopt; }, [](const auto&, const auto&) { return nullptr; });
    }

    [[nodiscard]] SymbolicPtr steps(const Loop& loop) const {
        return simplified(binary(Symbolic::Kind::CeilDiv, m_plan.fold(loop.axis), m_plan.fold(loop.tile)));
    }

    [[nodiscard]] const std::string* listIn(const SymbolicPtr& tree) const {
        if (tree->kind == Symbolic::Kind::Entry) {
            const auto found = m_lists.find(tree->name);
            if (found != m_lists.end()) return &found->first;
        }
        for (const SymbolicPtr& argument : tree->arg)
            if (const std::string* found = listIn(argument)) return found;
        return nullptr;
    }

    [[nodiscard]] std::string text(const SymbolicPtr& tree) const {
        return pythonText(tree, {[&](const std::string& each) { return m_plan.scalar(each); }, false});
    }

    const KernelPlan& m_plan;
    PythonWriter& m_out;
    std::map<std::string, Given> m_lists;  ///< by the name in the kernel
    std::vector<const Loop*> m_loops;
    Names m_written;
};

}  // namespace

void writeListChecks(const KernelPlan& plan, PythonWriter& out) {
    ListChecks(plan, out).write();
}

}  // namespace cubist::pypto
