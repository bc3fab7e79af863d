package io.fibry.internal.scenario;

import io.fibry.internal.scenario.Marked.Source;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Compiles mutants, each against the classes of the engine as it is. Those of different sources are compiled together, which
 * takes a small part of the time; if that fails, they are compiled one by one, to name the ones that do.
 */
final class MutantCompiler {
    private final Path folder;
    private final String classPath;

    /**
     * @param folder for each mutant there will be a folder in it, called by the mutant's id
     * @param classPath has the engine
     */
    MutantCompiler(Path folder, String classPath) {
        this.folder = folder;
        this.classPath = classPath;
    }

    /** Fails if any does not compile. */
    void compile(Map<Mutant, Source> mutants) throws IOException {
        var rounds = new ArrayList<Map<Source, Mutant>>();
        var places = new LinkedHashMap<String, Integer>();
        mutants.forEach((mutant, source) -> {
            var round = places.merge(source.path(), 0, (before, zero) -> before + 1);
            while (rounds.size() <= round) {
                rounds.add(new LinkedHashMap<>());
            }
            rounds.get(round).put(source, mutant);
        });
        try (var files = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler())
                .getStandardFileManager(null, null, null)) {
            files.setLocationFromPaths(StandardLocation.CLASS_PATH,
                    Stream.of(classPath.split(File.pathSeparator)).map(Path::of).toList());
            var wrong = new ArrayList<String>();
            for (var round : rounds) {
                if (!errors(round, files).isEmpty()) {
                    round.forEach((source, mutant) -> {
                        var errors = errors(Map.of(source, mutant), files);
                        if (!errors.isEmpty()) {
                            wrong.add("mutant '" + mutant.id() + "' does not compile:\n" + errors);
                        }
                    });
                }
            }
            if (!wrong.isEmpty()) {
                throw new AssertionError(String.join("\n", wrong));
            }
        }
    }

    private String errors(Map<Source, Mutant> round, StandardJavaFileManager files) {
        var output = new StringWriter();
        var folders = new HashMap<URI, Path>();
        round.forEach((source, mutant) -> folders.put(source.uri(), folder.resolve(mutant.id())));
        var task = ToolProvider.getSystemJavaCompiler().getTask(output, new Sorting(files, folders), null,
                List.of("-proc:none", "-nowarn", "-implicit:none"), null,
                round.keySet().stream().map(Markers::file).toList());
        return task.call() ? "" : output.toString();
    }

    /** Puts the classes of each source in a folder of their own. */
    private static final class Sorting extends ForwardingJavaFileManager<StandardJavaFileManager> {
        private final Map<URI, Path> folders;

        Sorting(StandardJavaFileManager files, Map<URI, Path> folders) {
            super(files);
            this.folders = folders;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(JavaFileManager.Location location, String className,
                JavaFileObject.Kind kind, FileObject sibling) throws IOException {
            var file = Objects.requireNonNull(folders.get(sibling.toUri()))
                    .resolve(className.replace('.', '/') + kind.extension);
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            return fileManager.getJavaFileObjects(file).iterator().next();
        }
    }
}
