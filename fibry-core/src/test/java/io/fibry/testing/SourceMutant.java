package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A mistake in a source that a test must find. A comment {@code // mutant: id} stands before the statement that is changed. The source is
 * compiled with the mistake, and all classes are loaded apart from all else.
 *
 * @param id what goes wrong
 * @param source the source
 * @param from what is replaced
 * @param to by what
 * @param tests a class of tests; what it runs before and after each of them takes no arguments
 * @param test the method that finds the mistake
 */
public record SourceMutant(String id, Path source, String from, String to, Class<?> tests, String test) {
    /** How many characters a statement and other markers before it may have. */
    private static final int FAR = 500;

    /** Checks that the test fails with the mistake, and not without it. */
    public void requireFound(Path folder) throws Exception {
        assertThat(passes(folder)).as("%s without the mistake", test).isTrue();
        compile(folder);
        assertThat(passes(folder)).as("%s with the mistake", test).isFalse();
    }

    /** Checks that each marker in the sources of some mutants has a mutant, and each mutant a marker. */
    public static void requireMarkers(Collection<SourceMutant> mutants) throws IOException {
        var marker = Pattern.compile("// mutant: ([a-z-]+)");
        var marked = new ArrayList<String>();
        for (var mutant : mutants) {
            mutant.requireMarker();
        }
        for (var source : mutants.stream().map(SourceMutant::source).distinct().toList()) {
            marker.matcher(Files.readString(source)).results().forEach(match -> marked.add(match.group(1)));
        }
        assertThat(marked).doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(mutants.stream().map(SourceMutant::id).toList());
    }

    /** Checks that the marker stands before the statement, with no more than other markers between them. */
    private void requireMarker() throws IOException {
        var behind = Files.readString(source).split("// mutant: " + id + "\n", -1);
        assertThat(behind).as("the marker '%s' in %s", id, source).hasSize(2);
        var statement = behind[1].substring(0, Math.min(behind[1].length(), FAR));
        assertThat(statement).as("the statement behind the marker '%s' in %s", id, source).contains(from);
    }

    /** Whether the test passes, with those classes in the folder that are there. */
    private boolean passes(Path folder) throws Exception {
        // It is not closed: threads of the test may still end, and need classes for that.
        var loader = new URLClassLoader(path(folder), ClassLoader.getPlatformClassLoader());
        var type = loader.loadClass(tests.getName());
        var constructor = type.getDeclaredConstructor();
        constructor.setAccessible(true);
        var instance = constructor.newInstance();
        try {
            callEach(type, BeforeEach.class, instance);
            return passes(type.getDeclaredMethod(test), instance);
        } finally {
            callEach(type, AfterEach.class, instance);
        }
    }

    private static boolean passes(Method method, Object instance) throws ReflectiveOperationException {
        try {
            call(method, instance);
            return true;
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof AssertionError) {
                return false;
            }
            throw thrown;
        }
    }

    private static void callEach(Class<?> type, Class<? extends Annotation> annotation, Object instance)
            throws ReflectiveOperationException {
        for (var method : type.getDeclaredMethods()) {
            // These are annotations of the other loader.
            if (Stream.of(method.getAnnotations())
                    .anyMatch(each -> each.annotationType().getName().equals(annotation.getName()))) {
                call(method, instance);
            }
        }
    }

    private static void call(Method method, Object instance) throws ReflectiveOperationException {
        method.setAccessible(true);
        method.invoke(instance);
    }

    private static URL[] path(Path folder) throws MalformedURLException {
        var all = Stream.concat(Stream.of(folder),
                Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                        .splitAsStream(System.getProperty("java.class.path"))
                        .map(Path::of));
        var urls = new ArrayList<URL>();
        for (var each : all.toList()) {
            urls.add(each.toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /** Compiles the source with the mistake into a folder. */
    public void compile(Path folder) throws IOException {
        var text = Files.readString(source);
        assertThat(text.split(Pattern.quote(from), -1)).as("'%s' in %s", from, source).hasSize(2);
        var errors = new StringWriter();
        var options = List.of("-nowarn", "-proc:none", "-d", folder.toString(), "-cp",
                System.getProperty("java.class.path"));
        var task = ToolProvider.getSystemJavaCompiler().getTask(errors, null, null, options, null,
                List.of(new SourceText(source.toUri(), text.replace(from, to))));
        assertThat(task.call()).as(errors.toString()).isTrue();
    }

    @Override
    public String toString() {
        return id;
    }
}
