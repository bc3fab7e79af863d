package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.reactivestreams.tck.TestEnvironment;
import org.testng.ITestListener;
import org.testng.ITestNGListener;
import org.testng.ITestResult;
import org.testng.TestNG;

/** Runs a class of the Reactive Streams TCK, which is written for TestNG, and reports each of its tests as one of JUnit. */
final class Tck {
    /** How long the kit waits for a signal; it ends a wait as soon as the signal is there. */
    private static final long PATIENCE_MILLIS = 4_000;
    /** How long the kit waits to see that nothing comes. */
    private static final long QUIET_MILLIS = 20;
    /**
     * How long the kit sleeps between two looks for an error. Some of its tests look once only, after one such sleep, so the error
     * has to be there by then, also on a machine with much else to do.
     */
    private static final long LOOK_MILLIS = 200;

    /** How long the kit waits for the garbage collector, each time in full. */
    static final long GARBAGE_MILLIS = 500;
    private static final String NOT_IN_THE_KIT = "Not verified";

    private Tck() {
    }

    static TestEnvironment environment() {
        return new TestEnvironment(PATIENCE_MILLIS, QUIET_MILLIS, LOOK_MILLIS);
    }

    private static final class Results implements ITestListener {
        final Map<String, ITestResult> all = new TreeMap<>();

        @Override
        public void onTestSuccess(ITestResult result) {
            all.put(result.getName(), result);
        }

        @Override
        public void onTestFailure(ITestResult result) {
            all.put(result.getName(), result);
        }

        @Override
        public void onTestSkipped(ITestResult result) {
            all.put(result.getName(), result);
        }
    }

    /** @param skipped the tests that may be skipped, each with the reason; some pass if a subscriber happens to come in time */
    static Stream<DynamicTest> tests(Class<?> suite, Map<String, String> skipped) {
        var results = new Results();
        var runner = new TestNG(false);
        runner.setVerbose(0);
        runner.setTestClasses(new Class<?>[]{suite});
        runner.addListener((ITestNGListener) results);
        runner.run();
        assertThat(results.all).as("tests of the kit").hasSizeGreaterThan(20);

        var tests = new ArrayList<DynamicTest>();
        var left = new TreeSet<>(skipped.keySet());
        results.all.forEach((name, result) -> {
            // The kit has empty tests for rules that it cannot verify.
            var reason = name.startsWith("untested_") && message(result).startsWith(NOT_IN_THE_KIT)
                    ? "the kit does not verify it" : skipped.get(name);
            left.remove(name);
            tests.add(DynamicTest.dynamicTest(name, () -> {
                if (result.getStatus() == ITestResult.SKIP) {
                    assertThat(reason).as("why %s is skipped: %s", name, result.getThrowable()).isNotNull();
                } else if (result.getStatus() != ITestResult.SUCCESS) {
                    throw result.getThrowable();
                }
            }));
        });
        tests.add(DynamicTest.dynamicTest("each reason has a test", () -> assertThat(left).isEmpty()));
        return tests.stream();
    }

    private static String message(ITestResult result) {
        return result.getThrowable() == null ? "" : result.getThrowable().getMessage();
    }
}
