package io.fibry.architecture;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a set of sources that threads share by an access that is not plain: those that are volatile, those for
 * whose name a {@code VarHandle} or a field updater is made in their class, and those that hold an object of
 * {@code java.util.concurrent} that carries a protocol, as the declared type or the expression that is assigned tells.
 */
final class SharedFields extends TreeScanner<@Nullable Void, @Nullable Void> {
    private static final Pattern CONCURRENT = Pattern.compile(
            "\\b(?:CompletableFuture|Atomic[A-Z]\\w*|Concurrent[A-Z]\\w*|CopyOnWrite\\w+|(?:Long|Double)(?:Adder|Accumulator)"
                    + "|(?:Linked|Array|Priority)(?:Blocking|Transfer)\\w+|SynchronousQueue|DelayQueue|Exchanger|Phaser"
                    + "|Semaphore|CountDownLatch|CyclicBarrier|\\w*Lock)\\b");

    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final List<String> lines;
    private final List<Field> found;
    private final Deque<String> names = new ArrayDeque<>();
    /** Names that are given away or accessed, perhaps before their field is read. */
    private final Deque<Set<String>> marked = new ArrayDeque<>();

    /** A field, named as {@code Class.Nested.field}, and the comment before its declaration, or that of its group. */
    record Field(String name, boolean isFinal, String comment) {
    }

    private SharedFields(CompilationUnitTree unit, SourcePositions positions, List<Field> found)
            throws IOException {
        this.unit = unit;
        this.positions = positions;
        this.found = found;
        lines = unit.getSourceFile().getCharContent(true).toString().lines().map(String::strip).toList();
    }

    /** Reads some sources. */
    static List<Field> in(List<Path> sources) throws IOException {
        var found = new ArrayList<Field>();
        var compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromPaths(sources));
            for (var unit : task.parse()) {
                unit.accept(new SharedFields(unit, Trees.instance(task).getSourcePositions(), found), null);
            }
        }
        return found;
    }

    @Override
    public @Nullable Void visitClass(ClassTree tree, @Nullable Void unused) {
        var simple = tree.getSimpleName().toString();
        names.push(names.isEmpty() ? simple : names.peek() + "." + simple);
        marked.push(new HashSet<>());
        super.visitClass(tree, unused);
        var accessed = marked.pop();
        var name = names.pop();
        Map<Long, String> comments = new HashMap<>();
        for (var member : tree.getMembers()) {
            if (member instanceof VariableTree field) {
                var comment = comment(field, comments);
                if (isShared(field) || accessed.contains(field.getName().toString())) {
                    found.add(new Field(name + "." + field.getName(),
                            field.getModifiers().getFlags().contains(Modifier.FINAL), comment));
                }
            }
        }
        return null;
    }

    /**
     * Returns the comment that ends in the line before a declaration. If there is none, and a field ends in that line,
     * it is the comment of that field.
     *
     * @param comments those of the fields before, by the line that follows the field
     */
    private String comment(VariableTree field, Map<Long, String> comments) {
        long first = line(positions.getStartPosition(unit, field));
        var start = (int) first - 1;
        if (start > 0 && lines.get(start - 1).endsWith("*/")) {
            do {
                start--;
            } while (start > 0 && !lines.get(start).startsWith("/*"));
        } else {
            while (start > 0 && lines.get(start - 1).startsWith("//")) {
                start--;
            }
        }
        var own = lines.subList(start, (int) first - 1).stream().map(line -> line.replaceFirst("^\\* ", ""))
                .collect(Collectors.joining(" "));
        var comment = own.isEmpty() ? comments.getOrDefault(first, "") : own;
        comments.put(line(positions.getEndPosition(unit, field)) + 1, comment);
        return comment;
    }

    private long line(long position) {
        return unit.getLineMap().getLineNumber(position);
    }

    private static boolean isShared(VariableTree field) {
        return field.getModifiers().getFlags().contains(Modifier.VOLATILE)
                || CONCURRENT.matcher(String.valueOf(field.getType())).find()
                || field.getInitializer() != null && isConcurrent(field.getInitializer());
    }

    /** Whether an expression makes such an object; code inside a lambda or a class is another matter. */
    private static boolean isConcurrent(ExpressionTree made) {
        return !(made instanceof MethodInvocationTree call && isAccess(call))
                && Set.of(Tree.Kind.NEW_CLASS, Tree.Kind.METHOD_INVOCATION, Tree.Kind.NEW_ARRAY,
                        Tree.Kind.CONDITIONAL_EXPRESSION, Tree.Kind.PARENTHESIZED).contains(made.getKind())
                && !made.toString().contains("->") && CONCURRENT.matcher(made.toString()).find();
    }

    @Override
    public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Void unused) {
        if (!marked.isEmpty() && isConcurrent(tree.getExpression())) {
            var target = tree.getVariable();
            marked.element()
                    .add(target instanceof MemberSelectTree of && of.getExpression().toString().equals("this")
                            ? of.getIdentifier().toString()
                            : target.toString());
        }
        return super.visitAssignment(tree, unused);
    }

    @Override
    public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void unused) {
        if (isAccess(call) && !marked.isEmpty()) {
            for (var argument : call.getArguments()) {
                if (argument instanceof LiteralTree literal && literal.getValue() instanceof String field) {
                    marked.element().add(field);
                }
            }
        }
        return super.visitMethodInvocation(call, unused);
    }

    private static boolean isAccess(MethodInvocationTree call) {
        var method = call.getMethodSelect().toString();
        return method.equals("FieldAccess.of") || method.endsWith("VarHandle")
                || method.endsWith("FieldUpdater.newUpdater");
    }
}
