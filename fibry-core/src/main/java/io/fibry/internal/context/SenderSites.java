package io.fibry.internal.context;

import io.fibry.internal.run.Runner;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers where one of so many messages of a scope was sent from. It is a part of the {@link Carriers} of the scope:
 * a scope that has neither carriers nor sender sites has no such object, and its messages pay nothing.
 */
public final class SenderSites {
    /** How many frames are remembered. */
    private static final int FRAMES = 8;
    private static final StackWalker WALKER = StackWalker.getInstance();
    private static final Outside OUTSIDE = new Outside();
    private static final Internal INTERNAL = new Internal();
    private static final AsElement AS_ELEMENT = new AsElement();

    private final int oneOf;
    private final AtomicLong sent = new AtomicLong();

    public SenderSites(int oneOf) {
        if (oneOf < 1) {
            throw new IllegalArgumentException(
                    "senderSites must be at least 1, which remembers the sender of each message: " + oneOf);
        }
        this.oneOf = oneOf;
        WALKER.walk(OUTSIDE); // links what the walk needs, while there is stack enough
    }

    /** Returns the site of the calling thread, if it is its turn to be remembered; null otherwise. */
    @Nullable SendSite capture() {
        if (sent.getAndIncrement() % oneOf != 0) {
            return null;
        }
        try {
            return new SendSite(Optional.ofNullable(Runner.currentName()), WALKER.walk(OUTSIDE));
        } catch (StackOverflowError shortStack) {
            return null; // the send itself goes on, or finds out by itself
        }
    }

    /** Returns the innermost frames outside of the library. No lambda is linked: see StackReserve. */
    private record Outside() implements Function<Stream<StackWalker.StackFrame>, List<StackTraceElement>> {
        @Override
        public List<StackTraceElement> apply(Stream<StackWalker.StackFrame> frames) {
            return frames.dropWhile(INTERNAL).limit(FRAMES).map(AS_ELEMENT).toList();
        }
    }

    private record Internal() implements Predicate<StackWalker.StackFrame> {
        @Override
        public boolean test(StackWalker.StackFrame frame) {
            return frame.getClassName().startsWith("io.fibry.internal.");
        }
    }

    private record AsElement() implements Function<StackWalker.StackFrame, StackTraceElement> {
        @Override
        public StackTraceElement apply(StackWalker.StackFrame frame) {
            return frame.toStackTraceElement();
        }
    }
}
