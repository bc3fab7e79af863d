package io.fibry.internal.watchdog;

import io.fibry.event.ActorEvent;
import io.fibry.event.Lagging;
import io.fibry.event.Stuck;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.context.LogContext;
import io.fibry.internal.details.TimeoutDetails;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.timer.MessageClass;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link WatchdogThread} remembers of one actor from look to look. Only that thread uses it, except for the
 * class of the message, which the turn writes. This object also puts the actor's name into the context of the log,
 * if that is wanted, since both need to know when a message begins.
 *
 * <p>Messages carry no time. If two looks see the same handler, or the same waiting message, it has lasted at least
 * from one look to the other:
 *
 * <ul>
 * <li>A handler is the same if the actor has finished no message in between, and if the same turn worked at both
 * looks or the handler waited at the first look. Else the actor may have been idle in between. While a handler
 * waits, the turn of another actor may run on top of it, and the actor then shows no turn.
 * <li>Messages have numbers. If the number of the first message that waits is not higher than that of the newest
 * message at an earlier look, then this message was in the mailbox at that look.
 * </ul>
 */
public final class WatchedActor extends Feature {
    /** How many looks are remembered. There are four looks within the shortest limit. */
    private static final int MARKS = 12;
    private static final int MOST_REPORTS = 2;
    private static final VarHandle MESSAGE =
            FieldAccess.of(MethodHandles.lookup(), "message", Class.class);

    /** The name for the context of the log, put there before each message; null if there is none. */
    private final @Nullable String name;
    /** The class of the message that the handler works on; null between messages. Written by the turn, opaque. */
    private @Nullable Class<?> message;

    private @Nullable Handling handling;
    private int stuckReports;
    private final ArrayDeque<Mark> marks = new ArrayDeque<>(2);
    private int laggingReports;
    /** Whether the look has reported something. */
    private boolean reported;

    private record Handling(long finished, @Nullable Turn turn, boolean waits, long since) {
    }

    /** The number of the newest message at some time. */
    private record Mark(long at, int newest) {
    }

    public WatchedActor(@Nullable String name) {
        this.name = name;
    }

    /** Returns the class of the message that the handler works on; null if it works on none. Called by any thread. */
    public @Nullable Class<?> message() {
        return (Class<?>) MESSAGE.getOpaque(this);
    }

    // ---- Called by the turn. ----

    @Override
    public boolean observes() {
        return true;
    }

    @Override
    public void before(Turn turn, Object entry) {
        if (name != null) {
            LogContext.name(name);
        }
        MESSAGE.setOpaque(this, MessageClass.of(entry));
    }

    @Override
    public void after() {
        MESSAGE.setOpaque(this, (Class<?>) null);
    }

    // ---- Called by the watchdog's thread. ----

    /** Looks at the actor. Returns whether this look has reported something. */
    boolean look(Cell cell, long now, long stuckNanos, long laggingNanos) {
        reported = false;
        lookAround(cell, now, stuckNanos, laggingNanos);
        return reported;
    }

    private void lookAround(Cell cell, long now, long stuckNanos, long laggingNanos) {
        if (cell.isIdle()) { // the actor may also wait for a message in a receive
            handling = null;
            marks.clear();
            laggingReports = 0;
            return;
        }
        if (stuckNanos != Long.MAX_VALUE && !cell.behavior().isBody()) {
            lookAtHandler(cell, now, stuckNanos);
        }
        if (laggingNanos != Long.MAX_VALUE) {
            lookAtMailbox(cell, now, laggingNanos);
        }
    }

    private void lookAtHandler(Cell cell, long now, long limit) {
        var finished = cell.finishedSoFar();
        var turn = cell.turn();
        var waits = cell.waiting() != null;
        if ((turn == null && !waits) || cell.finishedSoFar() != finished) {
            handling = null;
            return;
        }
        var before = handling;
        if (before == null || before.finished != finished
                || !(before.waits || (turn != null && before.turn == turn))) {
            handling = new Handling(finished, turn, waits, now);
            stuckReports = 0;
            return;
        }
        if (waits && !before.waits) {
            handling = new Handling(finished, turn, true, before.since);
        }
        var age = now - before.since;
        if (isToReport(age, limit, stuckReports)) {
            stuckReports++;
            report(cell,
                    new Stuck(cell.name(), Optional.ofNullable((Class<?>) MESSAGE.getOpaque(this)),
                            Duration.ofNanos(age), TimeoutDetails.stack(cell)));
        }
    }

    private void lookAtMailbox(Cell cell, long now, long limit) {
        var taken = cell.taken();
        var newest = cell.newest();
        while (!marks.isEmpty() && marks.getFirst().newest - taken <= 0) {
            marks.removeFirst();
        }
        if (newest - taken <= 0) {
            laggingReports = 0;
            return;
        }
        if (marks.size() == MARKS) {
            marks.removeLast();
        }
        marks.addLast(new Mark(now, newest));
        var age = now - marks.getFirst().at;
        if (age < limit) {
            laggingReports = 0;
        } else if (isToReport(age, limit, laggingReports)) {
            laggingReports++;
            report(cell, new Lagging(cell.name(), newest - taken, Duration.ofNanos(age)));
        }
    }

    private void report(Cell cell, ActorEvent event) {
        reported = true;
        cell.report(event);
    }

    /**
     * Returns whether to report something that has lasted for {@code age}. It is reported once, and once more if it
     * lasts twice as long.
     */
    static boolean isToReport(long age, long limit, int reports) {
        return reports < MOST_REPORTS && age >> reports >= limit;
    }
}
