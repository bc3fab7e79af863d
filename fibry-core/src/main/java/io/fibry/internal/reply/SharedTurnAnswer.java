package io.fibry.internal.reply;

import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.memory.FieldAccess;
import io.fibry.internal.run.Runner;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The answer of an actor that its callers may run. It knows the turn that its ask has started. A thread that
 * waits for the answer runs that turn itself if it comes first.
 */
public class SharedTurnAnswer<T extends @Nullable Object> extends Answer<T> {
    private static final VarHandle TURN =
            FieldAccess.of(MethodHandles.lookup(), "turn", Turn.class);

    /** Whether the asker waits at once: then the turn need not be given to the strategy at all. */
    private final boolean waitsAtOnce;
    /** Written by the asker; taken by the waiting thread. The token decides which thread runs the turn. */
    private volatile @Nullable Turn turn;

    public SharedTurnAnswer(Cell target, boolean waitsAtOnce) {
        super(target);
        this.waitsAtOnce = waitsAtOnce;
    }

    @Override
    protected final boolean share(Turn started, boolean isCode) {
        started.markShared();
        turn = started;
        return waitsAtOnce;
    }

    @Override
    public final void runTarget(@Nullable Runner runner) {
        var mine = (Turn) TURN.getAndSet(this, (Turn) null);
        if (mine != null) {
            mine.runUntil(this);
        }
        super.runTarget(runner);
    }

    /** Gives a turn that no thread has run to the strategy, since the asker does not wait any more. */
    public final void submitLeftOver() {
        var left = (Turn) TURN.getAndSet(this, (Turn) null);
        if (left != null) {
            left.cell.submit(left);
        }
    }
}
