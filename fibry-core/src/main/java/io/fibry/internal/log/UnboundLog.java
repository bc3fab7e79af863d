package io.fibry.internal.log;

import java.io.Serial;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * Logs if slf4j has no provider. Warnings and errors go to the JDK's {@link System.Logger}, which writes to the console
 * unless it is configured otherwise: each kind of line once, and at most {@value #BURST} lines a second. The first line
 * tells how to see all of them.
 *
 * <p>Two lines with a throwable are of the same kind if they have the same pattern, the same class of throwable and the
 * same top frames. Two lines without one are of the same kind if they differ only in numbers and in the first argument,
 * which names the actor or object that the line is about.
 */
final class UnboundLog {
    static final int BURST = 20;
    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The number of kinds that are remembered. Lines of further kinds are logged within the limit per second. */
    private static final int MAX_KINDS = 256;
    private static final int FRAMES = 3;
    private static final Pattern NUMBER = Pattern.compile("[0-9]+");
    private static final String ADVICE =
            "slf4j has no provider, so Fibry's warnings come here, each kind once; "
                    + "to see all of them add a provider to the class path, such as org.slf4j:slf4j-simple,"
                    + " ch.qos.logback:logback-classic or org.apache.logging.log4j:log4j-slf4j2-impl";

    private final LongSupplier clock;
    private final Function<String, System.Logger> loggers;
    private final Set<String> kinds = ConcurrentHashMap.newKeySet();
    /** When the second began in which lines are counted, once there was a line. */
    private final AtomicLong windowStart = new AtomicLong();
    private final AtomicBoolean hasBegun = new AtomicBoolean();
    private final AtomicInteger lines = new AtomicInteger();
    private final AtomicBoolean advised = new AtomicBoolean();

    UnboundLog(LongSupplier clock, Function<String, System.Logger> loggers) {
        this.clock = clock;
        this.loggers = loggers;
    }

    Logger logger(String name) {
        return new Unbound(name);
    }

    private void log(String logger, Level level, String pattern, @Nullable Object[] arguments,
            @Nullable Throwable failure) {
        var kind = kind(pattern, arguments, failure);
        if (!admitKind(kind)) {
            return;
        }
        var isWritten = false;
        try {
            write(logger, level, pattern, arguments, failure);
            isWritten = true;
        } finally {
            if (!isWritten) {
                kinds.remove(kind); // the next line of this kind is the first that is seen
            }
        }
    }

    private void write(String logger, Level level, String pattern, @Nullable Object[] arguments,
            @Nullable Throwable failure) {
        var target = loggers.apply(logger);
        if (advised.compareAndSet(false, true)) {
            target.log(System.Logger.Level.WARNING, ADVICE);
        }
        var text = MessageFormatter.basicArrayFormat(pattern, arguments);
        var severity = level == Level.ERROR ? System.Logger.Level.ERROR : System.Logger.Level.WARNING;
        if (failure == null) {
            target.log(severity, text);
        } else {
            target.log(severity, text, failure);
        }
    }

    /**
     * Tells whether a line of this kind is to be logged, and remembers the kind. A kind that the limit holds back is
     * not remembered, so it is logged when it occurs again.
     */
    private boolean admitKind(String kind) {
        return !kinds.contains(kind) && admit() && (kinds.size() >= MAX_KINDS || kinds.add(kind));
    }

    private static String kind(String pattern, @Nullable Object[] arguments, @Nullable Throwable failure) {
        if (failure != null) {
            return pattern + failure.getClass().getName()
                    + Arrays.stream(failure.getStackTrace()).limit(FRAMES)
                            .map(Object::toString).collect(Collectors.joining(" "));
        }
        var rest = arguments.length == 0 ? arguments : Arrays.copyOfRange(arguments, 1, arguments.length);
        return pattern + NUMBER.matcher(Arrays.toString(rest)).replaceAll("#");
    }

    private boolean admit() {
        var now = clock.getAsLong();
        if (!hasBegun.get() && hasBegun.compareAndSet(false, true)) {
            windowStart.set(now);
        }
        var start = windowStart.get();
        if (now - start >= WINDOW_NANOS && windowStart.compareAndSet(start, now)) {
            lines.set(0);
        }
        return lines.incrementAndGet() <= BURST;
    }

    /** A logger for warnings and errors. It is not meant to be serialised, although its base class is serialisable. */
    private final class Unbound extends LegacyAbstractLogger {
        @Serial
        private static final long serialVersionUID = 1;

        Unbound(String name) {
            this.name = name;
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }

        @Override
        @SuppressWarnings("NullAway") // slf4j is not annotated
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        @SuppressWarnings("NullAway") // slf4j is not annotated
        protected void handleNormalizedLoggingCall(Level level, @Nullable Marker marker, String pattern,
                @Nullable Object @Nullable [] arguments, @Nullable Throwable failure) {
            log(getName(), level, pattern, arguments == null ? new Object[0] : arguments, failure);
        }
    }
}
