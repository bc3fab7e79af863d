package io.fibry.bench;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Other languages, for which small programs repeat the same experiments. */
enum Language {
    GO("Go, goroutines + channels", "twin.go", "go", "golang-go, or https://go.dev/dl") {
        @Override
        List<String> compile(Path folder) {
            return List.of("go", "build", "-o", folder.resolve("twin").toString(),
                    folder.resolve("twin.go").toString());
        }

        @Override
        List<String> start(Path folder) {
            return List.of(folder.resolve("twin").toString());
        }

        @Override
        List<String> version() {
            return List.of("go", "version");
        }
    },
    ERLANG("Erlang, processes", "twin.erl", "erlc", "erlang-base, or https://www.erlang.org/downloads") {
        @Override
        List<String> compile(Path folder) {
            return List.of("erlc", "-o", folder.toString(), folder.resolve("twin.erl").toString());
        }

        /** Allows more processes at once than the default does. */
        @Override
        List<String> start(Path folder) {
            return List.of("erl", "+P", "4000000", "-noshell", "-pa", folder.toString(), "-run", "twin",
                    "main");
        }

        @Override
        List<String> version() {
            return List.of("erl", "-noshell", "-eval",
                    "io:format(\"Erlang/OTP ~s\", [erlang:system_info(otp_release)]), halt().");
        }
    };

    private static final int MINUTES = 10;

    final String peer;
    private final String source;
    private final String compiler;
    private final String whereToGetIt;

    Language(String peer, String source, String compiler, String whereToGetIt) {
        this.peer = peer;
        this.source = source;
        this.compiler = compiler;
        this.whereToGetIt = whereToGetIt;
    }

    abstract List<String> compile(Path folder);

    abstract List<String> start(Path folder);

    abstract List<String> version();

    boolean isInstalled() {
        return isOnPath(compiler);
    }

    static boolean isOnPath(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    String howToGetIt() {
        return "%s is not installed, its twins are left out; Debian and Ubuntu: apt-get install %s"
                .formatted(compiler, whereToGetIt);
    }

    /** Runs the program. Compiles it first if this has not been done in this folder. */
    List<String> run(Path folder, List<String> args) throws IOException, InterruptedException {
        var place = folder.resolve("twins").toAbsolutePath();
        if (Files.notExists(place.resolve(name() + ".ready"))) {
            Files.createDirectories(place);
            try (var in =
                    Objects.requireNonNull(Language.class.getResourceAsStream("twins/" + source), source)) {
                Files.write(place.resolve(source), in.readAllBytes());
            }
            output(compile(place));
            Files.createFile(place.resolve(name() + ".ready"));
        }
        return output(Stream.concat(start(place).stream(), args.stream()).toList());
    }

    static List<String> output(List<String> command) throws IOException, InterruptedException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var endWithUs = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(endWithUs);
        // A process that ends by itself is not destroyed, because its output would be closed before it is read.
        process.onExit().orTimeout(MINUTES, TimeUnit.MINUTES).whenComplete((ended, late) -> {
            if (late != null) {
                process.destroyForcibly();
            }
        });
        try (var lines = process.inputReader()) {
            var all = lines.lines().toList();
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + process.exitValue() + ": "
                        + String.join("\n", all));
            }
            return all;
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(endWithUs);
        }
    }
}
