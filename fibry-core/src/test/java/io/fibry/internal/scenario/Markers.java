package io.fibry.internal.scenario;

import com.sun.source.tree.CaseTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.StatementTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import io.fibry.internal.scenario.Marked.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The places in the sources that mutants change. A place is the statement, or the {@code case}, that follows a comment with
 * the ids of mutants: {@code // mutant: first-id, second-id}.
 */
final class Markers {
    static final Path SOURCES = Path.of("src", "main", "java");

    private static final String ID = "[a-z0-9]+(?:-[a-z0-9]+)*";
    private static final Pattern MARKER =
            Pattern.compile("(?<=\\n) *// mutant: (" + ID + "(?:, " + ID + ")*)(?=\\n)");
    private static final Pattern LIKE_A_MARKER = Pattern.compile("//\\s*[Mm]utants?\\b.*");
    private static final Pattern COMMENTS_AND_SPACE =
            Pattern.compile("(?:\\s|//[^\\n]*\\n|/\\*.*?\\*/)*", Pattern.DOTALL);

    private final Map<String, Marked> byId = new LinkedHashMap<>();

    private Markers(List<Source> sources) {
        var marked = sources.stream().filter(source -> LIKE_A_MARKER.matcher(source.text()).find())
                .collect(Collectors.toMap(Source::uri, Function.identity()));
        var compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
        var task = (JavacTask) compiler.getTask(null, null, null, List.of("-proc:none"), null,
                marked.values().stream().map(Markers::file).toList());
        var positions = Trees.instance(task).getSourcePositions();
        try {
            for (var unit : task.parse()) {
                read(Objects.requireNonNull(marked.get(unit.getSourceFile().toUri())), unit, positions);
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Those of all sources below a folder. */
    static Markers below(Path folder) throws IOException {
        try (var walk = Files.walk(folder)) {
            var sources = new ArrayList<Source>();
            for (var file : walk.filter(each -> each.toString().endsWith(".java")).sorted().toList()) {
                sources.add(new Source(folder.relativize(file).toString(), Files.readString(file)));
            }
            return new Markers(sources);
        }
    }

    static Markers in(Source... sources) {
        return new Markers(List.of(sources));
    }

    /** A source as the compiler reads it. */
    static JavaFileObject file(Source source) {
        return new SimpleJavaFileObject(source.uri(), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreErrors) {
                return source.text();
            }
        };
    }

    /** The place of each mutant; fails unless there is just one marker for each mutant and one mutant for each marker. */
    Map<Mutant, Marked> placesOf(List<Mutant> mutants) {
        var wrong = new ArrayList<String>();
        var found = new LinkedHashMap<Mutant, Marked>();
        var ids = new HashSet<String>();
        for (var mutant : mutants) {
            var place = byId.get(mutant.id());
            if (!ids.add(mutant.id())) {
                wrong.add("two mutants are called '" + mutant.id() + "': give one another id");
            } else if (place == null) {
                wrong.add("mutant '" + mutant.id() + "' has no place: put '// mutant: " + mutant.id()
                        + "' on a line before the statement that it changes");
            } else {
                found.put(mutant, place);
            }
        }
        byId.forEach((id, place) -> {
            if (!ids.contains(id)) {
                wrong.add("the marker '" + id + "' in " + place.source().path()
                        + " has no mutant: add one to the list in Mutants, or take the marker away");
            }
        });
        if (!wrong.isEmpty()) {
            throw new AssertionError(String.join("\n", wrong));
        }
        return found;
    }

    private void read(Source source, CompilationUnitTree unit, SourcePositions positions) {
        var markers = MARKER.matcher(source.text());
        var found = new HashSet<Integer>();
        while (markers.find()) {
            found.add(source.text().indexOf("//", markers.start()));
            var path = following(markers.end(), source, unit, positions);
            for (var id : markers.group(1).split(", ")) {
                var before = byId.put(id, new Marked(id, source, unit, positions, path));
                if (before != null) {
                    throw new AssertionError(
                            "the marker '" + id + "' is in " + before.source().path() + " and in "
                                    + source.path() + ", or twice in one: one mutant changes one place");
                }
            }
        }
        LIKE_A_MARKER.matcher(source.text()).results().filter(like -> !found.contains(like.start()))
                .findFirst()
                .ifPresent(like -> {
                    throw new AssertionError("'" + like.group() + "' in " + source.path()
                            + " is no marker: write '// mutant: some-id, another-id' on a line of its own");
                });
    }

    /** The statement or case that begins first after a marker: nothing but comments may be between them. */
    private static TreePath following(int end, Source source, CompilationUnitTree unit,
            SourcePositions positions) {
        var space = COMMENTS_AND_SPACE.matcher(source.text()).region(end, source.text().length());
        var start = space.lookingAt() ? space.end() : end;
        var finder = new TreePathScanner<@Nullable Void, @Nullable Void>() {
            private @Nullable TreePath found;

            @Override
            public @Nullable Void scan(@Nullable Tree tree, @Nullable Void unused) {
                if (found == null && (tree instanceof StatementTree || tree instanceof CaseTree)
                        && positions.getStartPosition(unit, tree) == start) {
                    found = new TreePath(getCurrentPath(), tree);
                }
                return found == null ? super.scan(tree, unused) : null;
            }
        };
        finder.scan(new TreePath(unit), null);
        if (finder.found == null) {
            throw new AssertionError("no statement follows the marker in " + source.path() + ":"
                    + source.text().substring(0, end).lines().count() + ", but '"
                    + source.text().substring(start).lines().findFirst().orElse("") + "'");
        }
        return finder.found;
    }
}
