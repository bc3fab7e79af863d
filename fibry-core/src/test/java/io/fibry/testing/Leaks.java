package io.fibry.testing;

import static java.util.stream.Collectors.joining;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.internal.engine.EngineProbe;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fails a test that leaves something behind: a thread of ours, a timer, a name in the root scope, an
 * exception that nobody caught, or a line in the log that says ERROR. Registered for all tests.
 */
public final class Leaks implements BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    /** Idle pool threads and the timer thread end by themselves within a second. */
    private static final Duration PATIENCE = Patience.LIMIT;
    private static final long LOOK_AGAIN_MILLIS = 5;

    static {
        // For all waits of the tests, since this is registered for all of them.
        Awaitility.setDefaultTimeout(Patience.LIMIT);
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(LOOK_AGAIN_MILLIS));
    }

    /** Threads that an earlier test has failed for: one leak fails one test. */
    private static final Set<Long> BLAMED = ConcurrentHashMap.newKeySet();
    /** The same for timers and for names of the root scope, as numbers. */
    private static int blamedTimers;
    private static int blamedNames;

    private final ConcurrentLinkedQueue<String> uncaught = new ConcurrentLinkedQueue<>();
    private final ErrorLines errors = new ErrorLines();
    private final Duration patience;
    private Thread.UncaughtExceptionHandler before;

    public Leaks() {
        this(PATIENCE);
    }

    Leaks(Duration patience) {
        this.patience = patience;
    }

    private static final class ErrorLines extends AppenderBase<ILoggingEvent> {
        private final ConcurrentLinkedQueue<String> lines = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR)) {
                var cause = event.getThrowableProxy();
                lines.add(event.getFormattedMessage()
                        + (cause == null ? "" : ": " + cause.getClassName() + ": " + cause.getMessage()));
            }
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        uncaught.clear();
        errors.lines.clear();
        before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> {
            var stack = new StringWriter();
            failure.printStackTrace(new PrintWriter(stack));
            uncaught.add(thread + ": " + stack);
        });
        var log = (LoggerContext) LoggerFactory.getILoggerFactory();
        errors.setContext(log);
        errors.start();
        log.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(errors);
    }

    @Override
    public void afterEach(ExtensionContext context) throws InterruptedException {
        Strategy.cleanUp();
        // The timer thread stays for a moment. It is awaited once, after all tests of the class.
        var leaks = awaitNone("fibry-timer");
        Thread.setDefaultUncaughtExceptionHandler(before);
        var log = (LoggerContext) LoggerFactory.getILoggerFactory();
        log.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(errors);
        errors.stop();

        uncaught.forEach(failure -> leaks.add("an exception was not caught: " + failure));
        if (EngineProbe.removeRunner()) {
            leaks.add("the thread of the test is still taken for one that runs actors");
        }
        var logs = context.getRequiredTestMethod().getAnnotation(LogsErrors.class);
        if (logs != null && logs.always() && errors.lines.isEmpty()) {
            leaks.add("nothing was logged as an error");
        }
        if (logs == null) {
            errors.lines.forEach(line -> leaks.add("an error was logged: " + line));
        }
        fail(leaks);
    }

    @Override
    public void afterAll(ExtensionContext context) throws InterruptedException {
        fail(awaitNone("none"));
    }

    private List<String> awaitNone(String exempt) throws InterruptedException {
        var deadline = System.nanoTime() + patience.toNanos();
        int fewest = Integer.MAX_VALUE;
        while (true) {
            var leaks = new ArrayList<String>();
            var timers = EngineProbe.pendingTimers();
            if (timers > blamedTimers) {
                leaks.add(timers + " timers are set");
            }
            var names = EngineProbe.rootFootprint();
            if (names > blamedNames) {
                leaks.add(names + " names of the root scope are taken or waited for");
            }
            var threads = FibryThreads.alive(exempt);
            threads.keySet().removeAll(BLAMED);
            if (leaks.isEmpty() && threads.isEmpty()) {
                blamedTimers = timers;
                blamedNames = names;
                return leaks;
            }
            if (threads.size() < fewest) { // on Java 21 the idle threads of a pool end one by one, each after a second
                fewest = threads.size();
                deadline = System.nanoTime() + patience.toNanos();
            }
            if (System.nanoTime() - deadline > 0) {
                BLAMED.addAll(threads.keySet());
                blamedTimers = timers;
                blamedNames = names;
                threads.values().forEach(thread -> leaks.add(FibryThreads.text(thread)));
                return leaks;
            }
            Thread.sleep(LOOK_AGAIN_MILLIS);
        }
    }

    private static void fail(List<String> leaks) {
        if (!leaks.isEmpty()) {
            throw new AssertionError("the test left something behind:"
                    + leaks.stream().map(leak -> "\n  " + leak).collect(joining()));
        }
    }
}
