package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The weight of fibry-core does not grow unnoticed. Each figure has a limit: a change that exceeds it makes something
 * else lighter, or raises the limit and says in its commit why that is worth it. A figure that has fallen well below its
 * limit takes the limit along.
 */
class WeightTest {
    private static final Map<String, Integer> LIMITS = Map.of(
            "classes in the largest circle", 40,
            "files of the kernel", 43,
            "lines of the kernel", 7_260,
            "lines of the servers", 4_450,
            "public types", 143,
            "public methods", 915,
            "lines", 53_000);

    /** By how many percent a figure may be below its limit. */
    private static final int SLACK = 5;

    @Test
    void theWeightDoesNotGrow() throws IOException {
        var weight = weight();
        assertThat(weight.keySet()).isEqualTo(LIMITS.keySet());
        var advice = new ArrayList<String>();
        weight.forEach((figure, value) -> {
            int limit = LIMITS.get(figure);
            if (value > limit) {
                advice.add(figure + ": " + value + ", and the limit is " + limit
                        + "; make something lighter, or raise the limit and say why");
            } else if (value * 100L < limit * (100L - SLACK)) {
                advice.add(figure + ": " + value + "; lower the limit of " + limit + " to this");
            }
        });
        assertThat(advice).as("the weight of fibry-core, beside the limits in WeightTest").isEmpty();
    }

    private static Map<String, Integer> weight() throws IOException {
        var kernel = MainCode.SOURCES.resolve(Path.of("io", "fibry", "internal", "actor"));
        var types = MainCode.exportedTypes();
        var weight = new TreeMap<String, Integer>();
        weight.put("classes in the largest circle",
                circles(uses()).stream().mapToInt(Set::size).max().orElse(0));
        weight.put("files of the kernel", sources(kernel).size());
        weight.put("lines of the kernel", lines(kernel));
        weight.put("lines of the servers",
                lines(MainCode.SOURCES.resolve(Path.of("io", "fibry", "internal", "net"))));
        weight.put("public types", types.size());
        weight.put("public methods", (int) types.stream()
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()).count());
        weight.put("lines", lines(MainCode.SOURCES));
        return weight;
    }

    private static List<Path> sources(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files
                    .filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
                    .toList();
        }
    }

    private static int lines(Path folder) throws IOException {
        var count = 0;
        for (var file : sources(folder)) {
            count += Files.readAllLines(file).size();
        }
        return count;
    }

    /** By class, the other classes that it uses; a nested class is a part of the one around it. */
    private static Map<String, Set<String>> uses() {
        var uses = new LinkedHashMap<String, Set<String>>();
        for (var type : MainCode.classes()) {
            var user = outermost(type);
            var used = uses.computeIfAbsent(user, any -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream()
                    .map(arrow -> outermost(arrow.getTargetClass().getBaseComponentType()))
                    .filter(other -> !other.equals(user)).forEach(used::add);
        }
        uses.values().forEach(used -> used.retainAll(uses.keySet()));
        return uses;
    }

    private static String outermost(JavaClass type) {
        return type.getName().replaceFirst("\\$.*", "");
    }

    @Test
    void aCircleIsFound() {
        var graph = Map.of("a", Set.of("b"), "b", Set.of("c", "d"), "c", Set.of("a"),
                "d", Set.of("e"), "e", Set.of("d"), "f", Set.of("a"));

        assertThat(circles(graph))
                .containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("d", "e"), Set.of("f"));
    }

    /** Returns the sets of nodes that reach one another. */
    private static List<Set<String>> circles(Map<String, Set<String>> graph) {
        var search = new Search(graph);
        graph.keySet().forEach(search::visit);
        return search.found;
    }

    /** Tarjan's search for strongly connected components. */
    private static final class Search {
        final List<Set<String>> found = new ArrayList<>();
        private final Map<String, Set<String>> graph;
        private final Map<String, Integer> numbers = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();

        Search(Map<String, Set<String>> graph) {
            this.graph = graph;
        }

        /** Visits a node and all that it reaches. Returns the lowest number of the open nodes among them. */
        int visit(String node) {
            var known = numbers.get(node);
            if (known != null) {
                return open.contains(node) ? known : Integer.MAX_VALUE;
            }
            int number = numbers.size();
            numbers.put(node, number);
            open.push(node);
            int lowest = number;
            for (var next : graph.getOrDefault(node, Set.of())) {
                lowest = Math.min(lowest, visit(next));
            }
            if (lowest == number) {
                var circle = new TreeSet<String>();
                do {
                    circle.add(open.pop());
                } while (!circle.contains(node));
                found.add(circle);
            }
            return lowest;
        }
    }
}
