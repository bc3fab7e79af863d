package io.fibry.docs;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a set of sources, by class, and which of them threads share by an access that is not plain. A nested
 * class is named with the one around it: {@code Help.OnItsWay}. Of several classes with one name, those outside of
 * {@code io.fibry.internal} are named with their package: {@code internal.net.Pause}, {@code web.internal.Engine}.
 *
 * <p>A field is <em>shared</em> if it is volatile, if a {@code VarHandle} or a field updater is made for its name in its
 * class, or if it holds an object of {@code java.util.concurrent} that carries a protocol: the type it is declared with,
 * or the expression it is given, names one.
 */
final class SharedFields {
    private static final Pattern CONCURRENT = Pattern.compile(
            "\\b(?:CompletableFuture|Atomic[A-Z]\\w*|Concurrent[A-Z]\\w*|CopyOnWrite\\w+|(?:Long|Double)(?:Adder|Accumulator)"
                    + "|(?:Linked|Array|Priority)(?:Blocking|Transfer)\\w+|SynchronousQueue|DelayQueue|Exchanger|Phaser"
                    + "|Semaphore|CountDownLatch|CyclicBarrier|\\w*Lock)\\b");
    private static final String ROOT = "io.fibry.";
    private static final String PLAIN_NAMES = "internal";

    private final Map<String, Map<String, Boolean>> fields = new HashMap<>();
    private final Set<String> concurrentClasses = new TreeSet<>();

    /** A class as it is read; its package is without what all of them begin with. */
    private record Found(String inPackage, String name, Map<String, Boolean> fields, boolean isConcurrent) {
        String nameAmong(List<Found> all) {
            var isOnly = all.stream().filter(other -> other.name.equals(name)).count() == 1;
            return isOnly || inPackage.equals(PLAIN_NAMES) ? name : inPackage + "." + name;
        }
    }

    private SharedFields(List<Found> all) {
        for (var each : all) {
            var name = each.nameAmong(all);
            fields.put(name, each.fields());
            if (each.isConcurrent()) {
                concurrentClasses.add(name);
            }
        }
    }

    /** Reads all sources of some folders. */
    static SharedFields of(Path... folders) throws IOException {
        var found = new ArrayList<Found>();
        var compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        for (var folder : folders) {
            try (var files = compiler.getStandardFileManager(null, null, null);
                    var walk = Files.walk(folder)) {
                var sources = walk.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !file.endsWith("module-info.java")).toList();
                var task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                        files.getJavaFileObjectsFromPaths(sources));
                for (var unit : task.parse()) {
                    var inPackage = String.valueOf(unit.getPackageName());
                    unit.accept(new Reader(inPackage.replaceFirst("^" + Pattern.quote(ROOT), ""), found),
                            null);
                }
            }
        }
        return new SharedFields(found);
    }

    boolean hasClass(String name) {
        return fields.containsKey(name);
    }

    /** The names of all fields of a class that is there. */
    Collection<String> namesIn(String className) {
        return Collections.unmodifiableSet(Objects.requireNonNull(fields.get(className)).keySet());
    }

    boolean isShared(String className, String field) {
        return Objects.requireNonNull(fields.get(className)).getOrDefault(field, false);
    }

    /** As {@code Class.field}, sorted. */
    Set<String> shared() {
        var found = new TreeSet<String>();
        fields.forEach((name, ofIt) -> ofIt.forEach((field, isShared) -> {
            if (isShared) {
                found.add(name + "." + field);
            }
        }));
        return found;
    }

    /** Those that extend a class of {@code java.util.concurrent} which is itself shared state. */
    Set<String> concurrentClasses() {
        return Collections.unmodifiableSet(concurrentClasses);
    }

    private static final class Reader extends TreeScanner<@Nullable Void, @Nullable Void> {
        private final String inPackage;
        private final List<Found> all;
        private int anonymous;
        private final Deque<String> names = new ArrayDeque<>();
        private final Deque<Map<String, Boolean>> open = new ArrayDeque<>();
        /** Names that are given away or accessed before their field is read. */
        private final Deque<Set<String>> marked = new ArrayDeque<>();

        Reader(String inPackage, List<Found> all) {
            this.inPackage = inPackage;
            this.all = all;
        }

        @Override
        public @Nullable Void visitClass(ClassTree tree, @Nullable Void unused) {
            var simple = tree.getSimpleName().toString();
            var name =
                    names.isEmpty() ? simple : names.peek() + "." + (simple.isEmpty() ? anonymous++ : simple);
            names.push(name);
            open.push(new LinkedHashMap<>());
            marked.push(new HashSet<>());
            for (var member : tree.getMembers()) {
                if (member instanceof VariableTree field) {
                    open.element().put(field.getName().toString(), isShared(field));
                }
            }
            super.visitClass(tree, unused);
            var found = open.pop();
            marked.pop().forEach(field -> found.replace(field, true));
            names.pop();
            var parent = tree.getExtendsClause();
            all.add(new Found(inPackage, name, found,
                    parent != null && CONCURRENT.matcher(parent.toString()).find()));
            return null;
        }

        private boolean isShared(VariableTree field) {
            return field.getModifiers().getFlags().contains(Modifier.VOLATILE)
                    || CONCURRENT.matcher(String.valueOf(field.getType())).find()
                    || field.getInitializer() != null && isConcurrent(field.getInitializer());
        }

        /** Whether an expression makes such an object; code inside a lambda or a class is another matter. */
        private boolean isConcurrent(ExpressionTree made) {
            if (made instanceof MethodInvocationTree call && isAccess(call)) {
                return false;
            }
            return switch (made.getKind()) {
                case NEW_CLASS, METHOD_INVOCATION, NEW_ARRAY, CONDITIONAL_EXPRESSION, PARENTHESIZED ->
                    !made.toString().contains("->") && CONCURRENT.matcher(made.toString()).find();
                default -> false;
            };
        }

        @Override
        public @Nullable Void visitAssignment(AssignmentTree tree, @Nullable Void unused) {
            var target = tree.getVariable();
            if (!marked.isEmpty() && isConcurrent(tree.getExpression())) {
                if (target instanceof MemberSelectTree of && of.getExpression().toString().equals("this")) {
                    marked.element().add(of.getIdentifier().toString());
                } else {
                    marked.element().add(target.toString());
                }
            }
            return super.visitAssignment(tree, unused);
        }

        @Override
        public @Nullable Void visitMethodInvocation(MethodInvocationTree call, @Nullable Void unused) {
            if (isAccess(call)) {
                for (var argument : call.getArguments()) {
                    if (argument instanceof LiteralTree literal
                            && literal.getValue() instanceof String field) {
                        marked.element().add(field);
                    }
                }
            }
            return super.visitMethodInvocation(call, unused);
        }

        private boolean isAccess(MethodInvocationTree call) {
            var method = call.getMethodSelect().toString();
            return method.equals("FieldAccess.of") || method.endsWith("VarHandle")
                    || method.endsWith("FieldUpdater.newUpdater");
        }
    }
}
