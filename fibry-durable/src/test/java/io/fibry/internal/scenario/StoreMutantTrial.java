package io.fibry.internal.scenario;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests of a mutant, in a JVM whose class path begins with the classes that are changed. Its last line is the verdict. */
public final class StoreMutantTrial {
    private StoreMutantTrial() {
    }

    /**
     * Prints PASSED, or FAILED and why.
     *
     * @param args the tests: {@code Class#method,Class#method}
     */
    public static void main(String[] args) throws Exception {
        var request = LauncherDiscoveryRequestBuilder.request();
        int found = 0;
        for (var test : args[0].split(",")) {
            var names = test.split("#");
            var type = Class.forName("io.fibry.durable." + names[0]);
            var methods = Stream.<Class<?>>iterate(type, each -> each != null, Class::getSuperclass)
                    .flatMap(each -> Arrays.stream(each.getDeclaredMethods()));
            for (var method : methods.filter(each -> each.getName().equals(names[1])).toList()) {
                request.selectors(selectMethod(type, method));
                found++;
            }
        }
        var summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request.build(), summary);
        var result = summary.getSummary();
        var isPlayed = found == args[0].split(",").length && result.getTestsStartedCount() >= found
                && result.getTestsAbortedCount() == 0;
        System.out.println(!isPlayed
                ? "BROKEN: " + result.getTestsStartedCount() + " tests were run"
                : result.getFailures().stream().findFirst()
                        .map(failure -> (isLinkage(failure.getException()) ? "BROKEN " : "FAILED ")
                                + failure.getTestIdentifier().getDisplayName() + ": "
                                + String.valueOf(failure.getException()).lines().findFirst().orElse(""))
                        .orElse("PASSED"));
        System.exit(0);
    }

    private static boolean isLinkage(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .anyMatch(LinkageError.class::isInstance);
    }
}
