package io.fibry.internal.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tries one mutant after another in one JVM. Each has a class loader of its own, so that all of the engine and of the
 * scenarios is loaded anew, and a thread of its own. The argument is the class of their suite. A line of the input is a trial, with tabs between: a folder with the
 * classes that are not the engine's own, or "-"; the scenarios; how many seeds; the seed to play first. A line of the output
 * is its verdict.
 */
public final class MutantWorker {
    private MutantWorker() {
    }

    public static void main(String[] args) throws Exception {
        var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err); // what is logged is no verdict
        var trials = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (var line = trials.readLine(); line != null; line = trials.readLine()) {
            var trial = line.split("\t");
            var verdict = new String[1];
            var start = System.nanoTime();
            var thread = new Thread(() -> verdict[0] = verdict(args[0], trial), "trial");
            thread.start();
            thread.join();
            System.err.println(line + "\t" + (System.nanoTime() - start) / 1_000_000 + " ms\t" + verdict[0]);
            answers.println(verdict[0].lines().findFirst().orElse(""));
        }
        System.exit(0);
    }

    private static String verdict(String suite, String... trial) {
        try {
            var loader = new Loader(trial[0].equals("-") ? null : Path.of(trial[0]));
            var play = loader.loadClass(MutantTrial.class.getName())
                    .getMethod("of", String.class, String.class, int.class, long.class);
            return (String) play.invoke(null, suite, trial[1], Integer.parseInt(trial[2]),
                    Long.parseLong(trial[3]));
        } catch (Throwable failure) {
            failure.printStackTrace();
            return "BROKEN " + failure;
        }
    }

    /** Loads all of Fibry itself, and the rest by the JVM's own loader. */
    private static final class Loader extends ClassLoader {
        private final @Nullable Path changed;

        Loader(@Nullable Path changed) {
            super(MutantWorker.class.getClassLoader());
            this.changed = changed;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.fibry.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                var known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            var path = name.replace('.', '/') + ".class";
            var file = changed == null ? null : changed.resolve(path);
            try (var input = file != null && Files.exists(file)
                    ? Files.newInputStream(file)
                    : Objects.requireNonNull(getParent()).getResourceAsStream(path)) {
                if (input == null) {
                    throw new ClassNotFoundException(name);
                }
                var bytes = input.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
