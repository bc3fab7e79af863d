package io.fibry.internal.details;

import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Answer.UnhandledAsk;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Deferral;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.actor.Details;
import io.fibry.internal.actor.Waiting;
import io.fibry.internal.clock.Durations;
import io.fibry.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Describes for time-outs what an actor of a scope does: where in its code it is, and for which actors it
 * waits. All of it is a guess, since the actor goes on in the meantime.
 */
public final class TimeoutDetails implements Details {
    private static final int MAX_FRAMES = 3;
    private static final int MAX_CHAIN = 8;
    /**
     * How often the details are looked up in one window. A stack trace takes some ten microseconds, and many asks may expire at
     * once.
     */
    private static final int MAX_LOOKS = 64;
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final List<String> NOT_THE_USERS =
            List.of("java.", "javax.", "jdk.", "sun.", "io.fibry.internal.");

    private final TimeSource time;
    private final AtomicLong windowStart;
    private final AtomicInteger looks = new AtomicInteger();

    public TimeoutDetails(TimeSource time) {
        this.time = time;
        windowStart = new AtomicLong(time.nanoTime());
    }

    @Override
    public String doing(Cell cell) {
        return place(cell.worker()) + waits(cell);
    }

    @Override
    public TimeoutException noAnswer(Answer<?> answer, long waitedNanos) {
        return new TimeoutException(asked(answer) + " gave no answer within " + Durations.text(waitedNanos)
                + " of waiting: " + of(answer));
    }

    @Override
    public String progress(Answer<?> answer) {
        var cell = answer.target();
        if (answer.isPutAside()) {
            return putAside(cell);
        }
        if (answer.isDeferred()) {
            return "its handler has returned and has deferred the reply";
        }
        var before = answer.nodesBefore();
        return before < 0 ? "its handler is running" + doing(cell)
                : "it is queued behind " + before + notTaken(cell, "; the actor is ");
    }

    /** Returns the one that was asked, such as "actor 'bank'". */
    public static String asked(Answer<?> answer) {
        var outside = outside(answer);
        return outside == null ? "actor '" + answer.target().name() + "'" : outside.asked();
    }

    /** Returns what has become of the message of an ask by now. */
    public static String of(Answer<?> answer) {
        var outside = outside(answer);
        return outside == null ? answer.details() : outside.progress();
    }

    private static @Nullable RemoteQuestion outside(Answer<?> answer) {
        var place = answer.origin().place();
        if (place instanceof Deferral reply) {
            return reply.question();
        }
        if (place instanceof UnhandledAsk late) {
            return late.question();
        }
        return place instanceof AskNode asked && asked.content() instanceof RemoteQuestion waiting ? waiting
                : null;
    }

    /** Returns a text about a message that the handler has put aside. */
    public static String putAside(Cell cell) {
        var extended = cell.extendedState();
        return "its handler has put it aside, as one of " + extended.putAside() + " messages; the actor is "
                + cell.state() + cell.spec().scope().details().doing(cell);
    }

    /** Returns why a message that waits was not taken. */
    public static String notTaken(Cell cell, String theActorIs) {
        var takers = cell.takerOfWaiting();
        return takers.isEmpty() ? theActorIs + cell.state() + cell.spec().scope().details().doing(cell)
                : takers;
    }

    private String place(@Nullable Thread thread) {
        if (thread == null || !mayLook()) {
            return "";
        }
        return place(thread.getStackTrace());
    }

    /** Returns whether a class belongs neither to the JDK nor to the engine. */
    public static boolean isOfTheUser(String className) {
        for (var prefix : NOT_THE_USERS) {
            if (className.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }

    /** Returns a text such as " at shop.Order.book(Order.java:12)"; empty if no user's code is on the stack. */
    public static String place(StackTraceElement[] stack) {
        var frames = new ArrayList<String>();
        for (var frame : stack) {
            if (isOfTheUser(frame.getClassName())) {
                frames.add(
                        frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName() + ":"
                                + frame.getLineNumber() + ")");
            } else if (!frames.isEmpty() && frame.getClassName().startsWith("io.fibry.internal.")) {
                break; // the engine called the handler; the handler of another actor may be below
            }
            if (frames.size() == MAX_FRAMES) {
                break;
            }
        }
        return frames.isEmpty() ? "" : " at " + String.join(", called from ", frames);
    }

    /**
     * Returns what the actor does, even if the turn of the actor that it waits for runs on top of its own.
     * Called by any thread.
     */
    public static List<StackTraceElement> stack(Cell cell) {
        var at = cell;
        for (var edge = at.waiting(); at.turn() == null && edge != null; edge = at.waiting()) {
            at = edge.target(); // the turn of the target runs on top of the one that waits for it
            if (at == cell) {
                break;
            }
        }
        return at.stack();
    }

    /** Returns whether what an actor does may be looked up once more in this window. */
    public boolean mayLook() {
        var now = time.nanoTime();
        var start = windowStart.get();
        if (now - start > WINDOW_NANOS && windowStart.compareAndSet(start, now)) {
            looks.set(0);
        }
        return looks.incrementAndGet() <= MAX_LOOKS;
    }

    private static @Nullable Waiting openEdge(Cell cell) {
        var edge = cell.waiting();
        return edge == null || edge.isOver() ? null : edge;
    }

    /** Returns a text such as " and waits for actor 'bank'"; empty if the actor waits for none. */
    public static String waits(Cell cell) {
        var text = new StringBuilder();
        var at = cell;
        for (int i = 0; i < MAX_CHAIN; i++) {
            var edge = openEdge(at);
            if (edge == null) {
                break;
            }
            at = edge.target();
            text.append(i == 0 ? " and waits for actor '" : ", which waits for actor '").append(at.name())
                    .append('\'');
        }
        return text.toString();
    }
}
