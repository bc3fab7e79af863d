package io.fibry.internal.scenario;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.BlockTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.DoWhileLoopTree;
import com.sun.source.tree.ExpressionStatementTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.ForLoopTree;
import com.sun.source.tree.IfTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.WhileLoopTree;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreeScanner;
import io.fibry.internal.scenario.Change.Edit;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The statement that a marker is before, or the {@code case}, and its parts. */
record Marked(String id, Source source, CompilationUnitTree unit, SourcePositions positions, TreePath path) {
    /** A source file: its path below the folder of sources, and its text. */
    record Source(String path, String text) {
        URI uri() {
            return URI.create("source:///" + path);
        }
    }

    Tree tree() {
        return path.getLeaf();
    }

    long start(Tree part) {
        return positions.getStartPosition(unit, part);
    }

    long end(Tree part) {
        return positions.getEndPosition(unit, part);
    }

    String text(Tree part) {
        return source.text().substring((int) start(part), (int) end(part));
    }

    /** Replaces a part; {@code $} in the new text is the old one. */
    Edit replace(Tree part, String text) {
        return new Edit(start(part), end(part), text.replace("$", text(part)));
    }

    /** Fails, and says where, if something is not as a change needs it. */
    void require(boolean is, String otherwise) {
        if (!is) {
            throw new AssertionError("mutant '" + id + "' in " + source.path()
                    + ": its change does not fit what follows the marker: " + otherwise + "\n"
                    + text(tree()));
        }
    }

    /** This statement and the ones after it in its block, so many in all. */
    List<? extends Tree> following(int count) {
        if (count == 1 && tree() instanceof StatementTree) {
            return List.of(tree());
        }
        var all = path.getParentPath().getLeaf() instanceof BlockTree block
                ? block.getStatements()
                : List.<StatementTree>of();
        var first = all.indexOf(tree());
        require(first >= 0 && first + count <= all.size(),
                "there are no " + count + " statements in one block");
        return all.subList(first, first + count);
    }

    /** What is done if a condition holds, or in a case. */
    Tree body() {
        var body = switch (tree()) {
            case IfTree branch when branch.getElseStatement() == null -> branch.getThenStatement();
            case CaseTree branch -> branch.getBody();
            default -> null;
        };
        require(body != null, "it is neither an if without an else nor a case with an arrow");
        return Objects.requireNonNull(body);
    }

    /** That of an if or of a loop, or of the first {@code ?:} in the statement. */
    ExpressionTree condition() {
        var found = conditionIfAny();
        require(found != null, "it has no condition");
        return Objects.requireNonNull(found);
    }

    private @Nullable ExpressionTree conditionIfAny() {
        var own = ownCondition();
        var choices = all(ConditionalExpressionTree.class, tree());
        return bare(own != null || choices.isEmpty() ? own : choices.getFirst().getCondition());
    }

    private @Nullable ExpressionTree ownCondition() {
        return switch (tree()) {
            case IfTree branch -> branch.getCondition();
            case WhileLoopTree loop -> loop.getCondition();
            case DoWhileLoopTree loop -> loop.getCondition();
            case ForLoopTree loop -> loop.getCondition();
            default -> null;
        };
    }

    private static @Nullable ExpressionTree bare(@Nullable ExpressionTree found) {
        var inner = found;
        while (inner instanceof ParenthesizedTree around) {
            inner = around.getExpression();
        }
        return inner;
    }

    /** What is returned, assigned, or given to a variable. */
    ExpressionTree value() {
        var found = switch (tree()) {
            case ReturnTree back -> back.getExpression();
            case VariableTree variable -> variable.getInitializer();
            case ExpressionStatementTree each when each.getExpression() instanceof AssignmentTree set ->
                set.getExpression();
            default -> null;
        };
        require(found != null, "it has no value");
        return Objects.requireNonNull(found);
    }

    /** Those of the condition or, if there is none, of the value: it is a chain of {@code &&} or of {@code ||}. */
    List<ExpressionTree> operands() {
        var condition = conditionIfAny();
        var whole = condition == null ? value() : condition;
        require(whole.getKind() == Tree.Kind.CONDITIONAL_AND || whole.getKind() == Tree.Kind.CONDITIONAL_OR,
                "its condition is no chain");
        var found = new ArrayList<ExpressionTree>();
        collect(whole, whole.getKind(), found);
        return found;
    }

    private static void collect(ExpressionTree from, Tree.Kind kind, List<ExpressionTree> found) {
        if (from.getKind() == kind && from instanceof BinaryTree both) {
            collect(both.getLeftOperand(), kind, found);
            collect(both.getRightOperand(), kind, found);
        } else {
            found.add(from);
        }
    }

    /** Those of the call that the statement is, or that makes its value. */
    List<? extends ExpressionTree> arguments() {
        var call = tree() instanceof ExpressionStatementTree each
                && !(each.getExpression() instanceof AssignmentTree) ? each.getExpression() : value();
        var found = switch (call) {
            case MethodInvocationTree method -> method.getArguments();
            case NewClassTree made -> made.getArguments();
            default -> List.<ExpressionTree>of();
        };
        require(!found.isEmpty(), "it has no call with arguments");
        return found;
    }

    /** The only one in the condition of an if or of a loop, or in another statement. */
    MethodInvocationTree compareAndSwap() {
        var condition = ownCondition();
        var found = all(MethodInvocationTree.class, condition == null ? tree() : condition).stream()
                .filter(call -> text(call.getMethodSelect())
                        .matches("(?s)(.*\\.\\s*)?compareAnd(Set|Exchange)"))
                .toList();
        require(found.size() == 1,
                "there are " + found.size() + " calls of compareAndSet or compareAndExchange");
        return found.getFirst();
    }

    /** All expressions that are written like this in the condition of an if or of a loop, or in another statement. */
    List<ExpressionTree> written(String expression) {
        var condition = ownCondition();
        return all(ExpressionTree.class, condition == null ? tree() : condition).stream()
                .filter(each -> text(each).equals(expression)).toList();
    }

    private <T extends Tree> List<T> all(Class<T> kind, Tree in) {
        var found = new ArrayList<T>();
        new TreeScanner<@Nullable Void, @Nullable Void>() {
            @Override
            public @Nullable Void scan(@Nullable Tree each, @Nullable Void unused) {
                if (kind.isInstance(each) && start(each) >= 0) {
                    found.add(kind.cast(each));
                }
                return super.scan(each, unused);
            }
        }.scan(in, null);
        return found;
    }
}
